"""What every command says of a file that is none of those it reads: commands by inputs, one line, exit code 2.

It names what the file is where that can be known. A target that is none is exit code 4, as the contract says.
"""

from __future__ import annotations

import json
import time

import pytest

from kassay.cli.main import run

PROPOSALS = {
    "summary": {"numReplicaMovements": 1},
    "proposals": [
        {"topicPartition": {"topic": "a", "partition": 0}, "oldReplicas": [1, 2], "newReplicas": [2, 3]}
    ],
}
PLAN = {
    "version": 1,
    "partitions": [{"topic": "a", "partition": 0, "replicas": [1, 2], "log_dirs": ["any"] * 2}],
}
TRACE = {"schema": "kassay/trace/5", "claim": "complete", "kind": "client", "target": "range"}
CUT = json.dumps(TRACE, indent=1)[:60]
INPUTS = {
    "empty": (b"", "empty"),
    "folder": (None, "folder"),
    "binary": (bytes(range(256)) * 8, "binary|not text"),
    "cruise-control": (json.dumps(PROPOSALS).encode(), "Cruise Control's proposals"),
    "plan": (json.dumps(PLAN).encode(), "a reassignment for kafka-reassign-partitions.sh"),
    "trace": (json.dumps(TRACE).encode(), r"a document of kassay|kassay/trace/5"),
    "cut": (CUT.encode(), "a document of kassay, cut off"),
}
"""The content of a file, None for a folder, and what is said of it."""
COMMANDS = ("what-if", "scale", "place", "audit", "certify", "replay", "optimum", "check", "campaign run")
RIGHT = {("place", "plan"), ("replay", "trace")}
"""What the command reads."""
SECONDS = 3


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_bad_input_is_one_line_that_names_what_it_is(command, name, tmp_path, monkeypatch, capsys):
    if (command, name) in RIGHT:
        return
    monkeypatch.chdir(tmp_path)
    content, words = INPUTS[name]
    path = tmp_path / "given.txt"
    path.mkdir() if content is None else path.write_bytes(content)
    began = time.process_time()
    code = run([*command.split(), path.name])
    spent = time.process_time() - began
    out, said = capsys.readouterr()
    assert code == (4 if command == "certify" else 2), (out, said)
    assert not out
    assert said.count("\n") == 1
    assert said.startswith("kassay: ")
    assert path.name in said
    assert spent < SECONDS
    if command != "certify":
        assert any(each in said for each in words.split("|")), said
