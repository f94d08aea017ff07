"""A counterexample as a test in Python: what is printed is run, and fails as it should."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.cli.main import run
from kassay.engines.causes.as_python import as_python, example_as_python, trace_as_python, with_code
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.replay import load_trace, read_trace
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.testing import load_class, violations
from tests.paths import DOCS, ROOT

FAULTY = sorted(path.stem for path in (ROOT / "tests/data/faulty").glob("*.json"))
AT_ONCE = ("negative_hash", "rack_blind", "skewed_leaders", "sticky_lost")
OF_SEVERAL_CALLS = ("set_order",)
FULL = """
from kassay.full_form import Assignment, AssignorBase

class ToAll(AssignorBase):
    name = "to-all"

    def assign(self, cluster, group):
        given = {
            m.member_id: [tp for t in m.topics for tp in cluster.partitions.get(t, ())] for m in group.members
        }
        return Assignment(given)
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {}
    if asked["call"] == "assign":
        every = [[t, p] for t, n in asked["partitions_per_topic"].items() for p in range(n)]
        answer = {m["id"]: every for m in asked["members"]}
    print(json.dumps({"id": asked["id"], "answer": answer}), flush=True)
"""


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """The traces name their targets from the top of the repository."""
    monkeypatch.chdir(ROOT)


def raised_by(code):
    """What the test in the code raises, in names of its own."""
    names = {}
    exec(compile(code, "printed.py", "exec"), names)
    (test,) = [value for name, value in names.items() if name.startswith("test_")]
    with pytest.raises(Exception) as raised:  # whatever the target raises
        test()
    return raised.value


@pytest.mark.parametrize(
    "name", [name if name in AT_ONCE else pytest.param(name, marks=pytest.mark.slow) for name in FAULTY]
)
def test_what_is_printed_of_a_users_class_fails_as_it_stands(name):
    code = trace_as_python(Path(f"tests/data/faulty/{name}.json"))
    assert ("load_class(" in code) != (name in OF_SEVERAL_CALLS)
    assert isinstance(raised_by(code), KeyError if name == "unknown_topic" else AssertionError)


def test_what_is_printed_passes_once_the_target_is_right(tmp_path):
    code = trace_as_python(Path("tests/data/faulty/skewed_leaders.json"))
    right = (ROOT / "tests/data/faulty/skewed_leaders.py").read_text()
    right = right.replace(
        "return [ids[:replication_factor] for _ in range(num_partitions)]",
        "return [(ids[n % len(ids):] + ids)[:replication_factor] for n in range(num_partitions)]",
    )
    (tmp_path / "right.py").write_text(right)
    names = {}
    exec(code.replace("tests/data/faulty/skewed_leaders.py", str(tmp_path / "right.py")), names)
    names["test_leaders_even"]()


def replayed_as(target, name="double_owner"):
    """The code for the trace of that name against another target."""
    trace = replace(read_trace(ROOT / f"tests/data/faulty/{name}.json"), target=target, digest=None)
    return example_as_python(trace)


def test_a_class_in_the_full_form_is_called_in_it(tmp_path):
    (tmp_path / "full.py").write_text(FULL)
    code = replayed_as(str(tmp_path / "full.py"))
    assert "from kassay.full_form import Broker, Cluster, Group" in code
    assert "Cluster(topics=(Topic(name='t0'" in code
    assert isinstance(raised_by(code), AssertionError)


def test_a_program_is_played_the_whole_case(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    code = replayed_as(f"exec:{sys.executable} {tmp_path / 'program.py'}")
    assert "violations(" in code
    assert isinstance(raised_by(code), AssertionError)


@pytest.mark.parametrize(
    "name", ["kafka-python_roundrobin-total", "sticky-single-owner", "streams-group-sticky-fixed-point"]
)
def test_references_and_libraries_are_called_too(name):
    pytest.importorskip("kafka")
    assert raised_by(trace_as_python(DOCS / "traces" / f"{name}.json"))


@pytest.mark.slow
def test_the_command_prints_the_code_and_nothing_else(capsys):
    trace = "tests/data/faulty/negative_hash.json"
    assert run(["replay", trace, "--as", "python"]) == 0
    assert capsys.readouterr().out == as_python(load_trace(Path(trace)))
    assert run(["replay", trace, "--as", "python", "--json", "-"]) == 2
    assert run(["replay", "sticky", "--as", "python"]) == 2


def test_a_name_in_the_case_ends_no_line_and_no_string(tmp_path):
    text = (ROOT / "tests/data/faulty/leftover.json").read_text()
    (tmp_path / "t.json").write_text(text.replace('"m0"', json.dumps("m'\n\x1b[31m\"\u202e\n#")))
    code = trace_as_python(tmp_path / "t.json")
    assert "\x1b" not in code
    assert "\u202e" not in code
    assert isinstance(raised_by(code), AssertionError)


def test_violations_says_what_cannot_be_judged():
    case = read_trace(ROOT / "tests/data/faulty/leftover.json").case
    assert violations("range", "complete", case) == []
    with pytest.raises(InputError, match="no-such"):
        violations("range", "no-such", case)
    assert load_class("tests/data/faulty/leftover.py").__name__ == "Leftover"


@pytest.mark.slow
def test_a_certificate_has_the_tests_of_its_first_counterexamples_and_no_more():
    claims = ("topic-even", "balanced-within-one", "complete")
    options = RunOptions(claims=claims, budget=Budget(histories=60), controls=False, seed=1)
    certificate = certify(resolve("ceil-range"), options)
    for most, shown in ((0, 0), (1, 1), (5, 2)):
        codes = [
            each.counterexample.code for each in with_code(certificate, most).claims if each.counterexample
        ]
        assert [bool(code) for code in codes] == [place < shown for place in range(2)]
    assert all(
        "code" not in each.counterexample.to_json() for each in certificate.claims if each.counterexample
    )
