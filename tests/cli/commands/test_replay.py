"""`kassay replay`: still or no longer violated, under what the trace keeps or what the command line says instead."""

import io
import json
import shlex
from pathlib import Path

import pytest

from kassay.cli.commands.certify import command as certify
from kassay.cli.main import run
from kassay.model.trace import Conditions
from tests.cli.runner import kassay, one_line, valid

QUICK = ("--histories", "3")
TARGET = """
import sys
import time

class Target:
    def configure(self, config):
        self.config = config

    def assign(self, partitions_per_topic, members):
        {statement}
        first = members[0]
        tps = [(topic, n) for topic in first["topics"] for n in range(partitions_per_topic.get(topic, 0))]
        return {{member["id"]: [] for member in members}} | {{first["id"]: tps * (2 if {bad} else 1)}}
"""
OWNER = ("--claims", "single-owner")

DECIDES = {
    "claims": (("--claims", "topic-even"), "True", "pass", {}),
    "protocol": ((*OWNER, "--protocol", "cooperative"), "True", "pass", {}),
    "assume": ((*OWNER, "--assume", "no-racks"), "True", "pass", {"assume": ["no-racks"]}),
    "configs": (
        (*OWNER, "--config", "bad=yes"),
        "self.config.get('bad')",
        "pass",
        {"config": {"bad": "yes"}},
    ),
    "in_process": (
        (*OWNER, "--in-process"),
        "'kassay.cli.main' in sys.modules",
        "pass",
        {"in_process": True, "hash_seed": None},
    ),
    "call_timeout": (
        ("--claims", "terminates", "--call-timeout", "0.1s"),
        "False",
        "time.sleep(0.3)",
        {"call_timeout_s": 0.1},
    ),
    "profile": ((*OWNER, "--profile", "large"), "True", "pass", {"call_timeout_s": 20.0}),
    "exhaustive": ((*OWNER, "--exhaustive", "1x1"), "True", "pass", {}),
    "seed": ((*OWNER, "--seed", "9"), "True", "pass", {}),
}
"""Options that decide what becomes of a history: with them, when the target is wrong, what the trace keeps."""

DECIDES_NOTHING = {
    "targets": "what is certified; the trace names it, and every test here replays one",
    "seconds": "how many histories are played: the trace holds the one that counts",
    "histories": "how many histories are played: the trace holds the one that counts",
    "jobs": "in which process blocks are played, which are alike everywhere (`tests/engines/runs/test_blocks.py`)",
    "baseline": "what is accepted of what was found",
    "baseline_update": "what is accepted of what was found",
    "reports": "what else is written",
    "progress": "what else is written",
    "quiet": "what is shown",
    "verbose": "what is shown",
    "out": "where the trace is: the printed command names it, and every test here has it elsewhere",
    "json_path": "what else is written",
}


def test_every_option_of_certify_is_replayed_or_decides_nothing():
    options = {parameter.name for parameter in certify.params}
    assert not DECIDES.keys() & DECIDES_NOTHING.keys()
    assert options == DECIDES.keys() | DECIDES_NOTHING.keys()


def printed(capsys, *arguments):
    """The words of the command that a violated run prints."""
    assert run(["certify", *arguments, "--out", "my traces"]) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  replay: ")]
    assert said
    return shlex.split(said[0].partition(": ")[2])


def written(statement, bad):
    Path("target.py").write_text(TARGET.format(statement=statement, bad=bad))


SETTINGS = """
[tool.kassay]
call-timeout = "60s"
"""
"""They are for new runs, and not what a trace keeps."""


@pytest.mark.parametrize("option", DECIDES)
def test_the_printed_command_shows_what_was_found_unless_an_option_says_otherwise(
    option, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    arguments, bad, statement, kept = DECIDES[option]
    written(statement, bad)
    budget = () if option == "exhaustive" else QUICK
    program, *command = printed(capsys, "target.py", *budget, *arguments)
    assert program == "kassay"
    trace = valid(json.loads((tmp_path / command[-1]).read_text()), "trace-5")
    assert {name: trace["conditions"][name] for name in kept} == kept
    Path("pyproject.toml").write_text(SETTINGS)
    assert run([*command, "--json", "replayed.json"]) == 1
    replayed = valid(json.loads((tmp_path / "replayed.json").read_text()), "replay-3")
    assert (replayed["verdict"], replayed["overridden"]) == ("violated", [])
    assert replayed["violations"] == trace["violations"]
    said = capsys.readouterr().out
    assert "still violates" in said
    assert " instead of " not in said


def test_a_target_that_did_not_change_violates_the_claim_by_its_recorded_answers(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    written("pass", "not __import__('os').path.exists('mended')")
    _, *command = printed(capsys, "target.py", *QUICK, *OWNER)
    (tmp_path / "mended").touch()
    assert run(command) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "still violates single-owner: by its recorded answers; played again, in 0 of" in said
    written("pass", "False")
    assert run(command) == 0
    assert "no longer violates" in capsys.readouterr().out


@pytest.mark.slow
def test_the_target_of_a_trace_may_be_gone(tmp_path):
    kassay("certify", "ceil-range", "--claims", "topic-even", "--histories", "150", cwd=tmp_path)
    (path,) = (tmp_path / ".kassay" / "traces").iterdir()
    document = json.loads(path.read_text())
    document["target"] = "gone.py:Assignor"
    path.write_text(json.dumps(document))
    gone = kassay("replay", str(path), cwd=tmp_path)
    assert gone.returncode == 4
    assert "by its recorded answers; " in gone.stdout and "gone.py" in gone.stdout
    path.write_text(json.dumps(document | {"answers": []}))
    assert "gone.py" in one_line(kassay("replay", str(path), cwd=tmp_path), 4)


def test_no_name_of_a_target_is_too_long(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for spec in ("x" * 5000, "x" * 5000 + ".py", "x/" * 5000, "exec:" + "x" * 5000):
        assert run(["certify", spec]) == 4
        assert run(["explain", spec]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("call_timeout_s", 0, "call_timeout_s: expected seconds above 0"),
        ("call_timeout_s", "2s", "call_timeout_s: expected a number of seconds"),
        ("memory_mib", -1, "memory_mib: expected a whole number"),
        ("config", {"a": 1}, "config.a: expected a string"),
        ("assume", ["peace"], "assume: unknown assumption 'peace'"),
        ("more", 1, "more: unknown field"),
    ],
)
def test_conditions_that_are_none_are_refused_by_field(field, value, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    conditions = vars(Conditions()) | {field: value}
    trace = {
        "schema": "kassay/trace/5", "kind": "client", "target": "range", "protocol": "eager",
        "claim": "total", "contradictory": False, "case": {}, "versions": {}, "conditions": conditions,
        "broken": [], "could_be": None, "answers": [], "repeated": None,
    }  # fmt: skip
    (tmp_path / "t.json").write_text(json.dumps(trace))
    assert run(["replay", "t.json"]) == 2
    assert f"t.json: conditions.{said}" in capsys.readouterr().err


def test_several_traces_a_folder_of_them_and_standard_input_are_replayed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["certify", "ceil-range", "--claims", "topic-even", "--histories", "60", "-q"]) == 1
    (trace,) = Path(".kassay", "traces").glob("*.json")
    (trace.parent / "again.json").write_bytes(trace.read_bytes())
    capsys.readouterr()
    said = "ceil-range still violates topic-even"
    for typed, times in (([str(trace.parent)], 2), ([str(trace), str(trace)], 2), ([str(trace)], 1)):
        assert run(["replay", *typed]) == 1
        assert capsys.readouterr().out.splitlines().count(said) == times
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(trace.read_bytes())))
    assert run(["replay", "-"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == said
    assert run(["replay", str(trace.parent), "--json", "-"]) == 2
    assert "2 traces: --as and --json take one" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[", '{"a": 1}', "\0"])
def test_what_is_wrong_with_standard_input_is_said_without_a_path(text, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["replay", "-"]) == 2
    assert capsys.readouterr().err.startswith("kassay: standard input")


def test_a_folder_without_traces_is_said_so(tmp_path, capsys):
    assert run(["replay", str(tmp_path)]) == 2
    assert "a folder without .json files, expected traces" in capsys.readouterr().err
