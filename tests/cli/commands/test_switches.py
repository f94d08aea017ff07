"""`kassay switches` as a user runs it: the table, the exit code, the JSON, bad input."""

import json
from pathlib import Path

from tests.cli.runner import kassay, one_line, valid


def test_the_switches_of_a_model_are_found_and_the_model_is_clean(tmp_path: Path) -> None:
    done = kassay("switches", "zookeeper", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "zk_no_owner_guard" in done.stdout
    assert "single-current-owner in 6 steps" in done.stdout
    assert "3 of 3 switches are found, and nothing new without them" in done.stdout


def test_the_json_is_valid_and_alone_on_standard_output(tmp_path: Path) -> None:
    done = kassay("switches", "draft", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = valid(json.loads(done.stdout), "switches-2")["switches"]
    assert (row["switch"], row["expected"], row["holds"]) == ("split_persist", ["epochs-never-go-back"], True)
    assert row["command"] == "kassay explore draft --faults failover=1 --switch split_persist"


def test_a_model_without_switches_is_one_line(tmp_path: Path) -> None:
    line = one_line(kassay("switches", "paxos", cwd=tmp_path), 2)
    models = "zookeeper, draft, classic, kip848, migration, streams"
    told = f"kassay: no switches for model 'paxos'; expected one of {models}"
    assert line.startswith(told)
