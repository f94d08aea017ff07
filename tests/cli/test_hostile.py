"""A hostile target costs a verdict, never the run, and leaves no process behind."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.runner import kassay, one_line, valid
from tests.paths import TARGETS

HOSTILE = f"{TARGETS / 'hostile.py'}:Hostile"
CLAIMS = ("--claims", "complete,total,terminates,pure")


def certify(tmp_path, do, call_timeout="60s"):
    """What comes of the target that does so; nothing but a call that never ends is ended by the timeout."""
    notes = tmp_path / "pids"
    done = kassay(
        "certify", HOSTILE, *CLAIMS, "--histories", "3", "--call-timeout", call_timeout,
        "--config", f"do={do}", "--config", f"file={notes}", "--json", "-", cwd=tmp_path,
    )  # fmt: skip
    document = valid(json.loads(done.stdout), "certificate-5")
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    left = [int(pid) for pid in notes.read_text().split()] if notes.exists() else []
    return done, verdicts, [pid for pid in left if alive(pid)]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.slow_cases("behave")
@pytest.mark.parametrize("do", ["behave", "prints"])
def test_what_does_no_harm_is_no_finding(tmp_path, do):
    done, verdicts, _ = certify(tmp_path, do)
    assert done.returncode == 3, "three histories are too few to certify, and show nothing wrong"
    assert set(verdicts.values()) == {"unknown"}


@pytest.mark.slow_cases("allocates", "daemonises_and_exits", "forks")
@pytest.mark.parametrize("do", ["recurses", "allocates", "daemonises_and_exits", "forks"])
def test_a_call_without_an_answer_is_a_violation(tmp_path, do):
    done, verdicts, left = certify(tmp_path, do)
    if do == "forks":
        assert done.returncode == 3
        assert "violated" not in verdicts.values()
    else:
        assert done.returncode == 1
        assert verdicts["terminates" if do == "allocates" else "total"] == "violated"
    assert left == []


def test_a_changed_input_is_not_pure(tmp_path):
    done, verdicts, _ = certify(tmp_path, "mutates_members")
    assert done.returncode == 1
    assert verdicts["pure"] == "violated"


@pytest.mark.slow
@pytest.mark.parametrize("do", ["loops", "loops_in_c", "catches_everything", "allocates_and_hides"])
def test_a_loop_does_not_terminate(tmp_path, do):
    done, verdicts, left = certify(tmp_path, do, "300ms")
    assert done.returncode == 1
    assert verdicts["terminates"] == "violated"
    assert left == []


@pytest.mark.slow_cases(
    "return [1]-list",
    "return {1: []}-int",
    "return {m['id']: 't0-0' for m in members}-str",
    "return {m['id']: [('t0', '0')] for m in members}-str",
)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "None"),
        ("return [1]", "list"),
        ("return {m['id']: 't0-0' for m in members}", "str"),
        ("return {m['id']: ((t, 0) for t in ('t0',)) for m in members}", "generator"),
        ("return {m['id']: [('t0', '0')] for m in members}", "str"),
        ("return {m['id']: [('t0', True)] for m in members}", "bool"),
        ("return {1: []}", "int"),
    ],
)
def test_an_answer_of_the_wrong_type_is_said_in_one_line(tmp_path, body, said):
    (tmp_path / "odd.py").write_text(
        f"class Odd:\n    def assign(self, partitions_per_topic, members):\n        {body}\n"
    )
    done = kassay("certify", "odd.py", "--claims", "total", "--histories", "5", "--json", "-", cwd=tmp_path)
    (claim,) = json.loads(done.stdout)["claims"]
    assert done.returncode == 1
    message = claim["counterexample"]["message"]
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('no')", "RuntimeError"),
        ("class A:\n    def other(self): ...\n", "assign"),
        (
            "class A:\n  def assign(self, a, b): return {}\nclass B(A):\n  def assign(self, a, b): return {}\n",
            "A",
        ),
        ("def f(:\n", "bad.py:1"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import no_such_module_anywhere", "no_such_module_anywhere"),
    ],
)
def test_what_does_not_load_is_one_line_and_exit_code_4(tmp_path, source, said):
    (tmp_path / "bad.py").write_text(source)
    assert said in one_line(kassay("certify", "bad.py", "--histories", "3", cwd=tmp_path), 4)
