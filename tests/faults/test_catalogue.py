"""Every planted fault still fits the sources, the tests that must notice it are there; and what ends with 1 does."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.faults.__main__ import exit_code, unplanted
from tests.faults.catalogue import PLANTED, SOURCE, Fault, faults, read
from tests.faults.forks import Outcome, Run
from tests.paths import ROOT

AREAS = sorted(path.stem for path in PLANTED.glob("*.toml"))


def test_ids_stand_once():
    ids = [fault.id for fault in faults()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("area", AREAS)
def test_every_fault_fits(area):
    for fault in read(PLANTED / f"{area}.toml"):
        text = (SOURCE / fault.path).read_text(encoding="utf-8")
        planted = fault.planted(text)
        assert ast.dump(ast.parse(planted)) != _sense(text), fault.id
        assert fault.tests, fault.id
        for test in fault.tests:
            if not test.startswith("-"):
                assert _is_test(test), (fault.id, test)


def _is_test(test: str) -> bool:
    """Whether there is such a file, and such a function in it."""
    place, _, name = test.partition("::")
    path = Path(ROOT, place)
    if not name:
        return path.exists()
    return name.rpartition("::")[2].partition("[")[0] in _functions(path)


@cache
def _functions(path: Path) -> frozenset[str]:
    """The names of a file's functions; many faults name the same few files."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@cache
def _sense(text: str) -> str:
    """What a source says, however it is written."""
    return ast.dump(ast.parse(text))


def test_a_fault_that_does_not_fit_is_refused():
    fault = Fault("x", "area", "model/kinds.py", "no such text", "", ("tests",))
    with pytest.raises(ValueError, match="stands 0 times"):
        fault.planted((SOURCE / fault.path).read_text())


SAME = ("what claims and references are of", "what  claims and references are of")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "limit", "came"),
    [
        (SAME, "600", "SURVIVED"),
        (("if kind.meta == meta", "if kind.meta != meta"), "600", "killed"),
        (("class Kind:", "class Other:"), "600", "BROKEN"),
        (SAME, "0", "HANGS"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_runner_tells_what_a_fault_came_to(tmp_path, change, limit, came):
    place = tmp_path / "own.toml"
    entry = {"id": "f", "file": "model/kinds.py", "old": change[0], "new": change[1]}
    lines = [f'{key} = "{text}"' for key, text in entry.items()]
    place.write_text("\n".join(["[[fault]]", *lines, 'tests = ["tests/model/test_kinds.py"]']))
    options = ["--file", str(place), "--limit", limit, "--jobs", "1"]
    command = [sys.executable, "-m", "tests.faults", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == (0 if came == "killed" else 1), done.stderr
    assert f"1 faults: 1 {came};" in done.stdout
    assert ("fails without a fault" in done.stdout) == (limit == "0")


@pytest.mark.parametrize(
    ("came", "code"),
    [("SURVIVED", 0), ("killed", 1), ("BROKEN", 1), ("HANGS", 1)],
    ids=lambda value: str(value),
)
def test_tests_that_fail_without_a_fault_end_with_1(came, code):
    name = unplanted(Outcome(Run(("tests/model/test_kinds.py",), None), came, "", 0.0))
    assert exit_code([name, "killed", "equivalent"]) == code
    assert exit_code(["SURVIVED"]) == 1
