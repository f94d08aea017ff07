"""Every planted fault still fits the sources, and the tests that must notice it are there."""

import ast
from pathlib import Path

import pytest

from tests.faults import __main__ as runner
from tests.faults.catalogue import PLANTED, SOURCE, Fault, faults
from tests.paths import ROOT

AREAS = sorted(path.stem for path in PLANTED.glob("*.toml"))


def test_ids_stand_once():
    ids = [fault.id for fault in faults()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("area", AREAS)
def test_every_fault_fits(area):
    for fault in faults(area):
        text = (SOURCE / fault.path).read_text(encoding="utf-8")
        planted = fault.planted(text)
        assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(text)), fault.id
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
    functions = {
        node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
    }
    return name.rpartition("::")[2].partition("[")[0] in functions


def test_a_fault_that_does_not_fit_is_refused():
    fault = Fault("x", "area", "model/kinds.py", "no such text", "", ("tests",))
    with pytest.raises(ValueError, match="stands 0 times"):
        fault.planted((SOURCE / fault.path).read_text())


KINDS = "model/kinds.py"
TESTS = ("tests/model/test_kinds.py",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "came"),
    [
        ("What a target is;", "What a target  is;", "SURVIVED"),
        ('"CSHTPLKG"', '"SCHTPLKG"', "killed"),
        ("class Kind(Enum):", "class Other(Enum):", "BROKEN"),
    ],
)
def test_the_runner_tells_what_a_fault_came_to(monkeypatch, capsys, old, new, came):
    monkeypatch.setattr(runner, "faults", lambda area: [Fault("f", "area", KINDS, old, new, TESTS)])
    monkeypatch.setattr("sys.argv", ["faults", "--jobs", "1"])
    assert runner.main() == (0 if came == "killed" else 1)
    assert f"1 {came}" in capsys.readouterr().out
