"""What every command says of a file that is none of those it reads: commands by inputs, one line, exit code 2.

It names what the file is where that can be known. A target that is none is exit code 4, as the contract says.
"""

from __future__ import annotations

import json
import re
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
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\n", "a PDF file|not text"),
    "page": (b"<!DOCTYPE html><html></html>", "a page of HTML"),
    "manifest": (b"apiVersion: v1\nkind: Pod\n", "a manifest of Kubernetes"),
    "process-log": (
        b"[2026-01-01 00:00:00,000] INFO [GroupCoordinator 1]: Preparing (kafka)\n",
        "the log of a Kafka process|has only 1 line of the JVM or a logger",
    ),
    "list": (b'[{"Name": "t", "Partitions": []}]', "a topic of kafkactl"),
    "lines": (b'{"a": 1}\n{"b": 2}\n', "JSON, an object a line|JSON with the fields a"),
}
"""The content of a file, None for a folder, and what is said of it."""
CLUSTERS = ("what-if", "scale", "place", "audit", "lint")
COMMANDS = (*CLUSTERS, "certify", "replay", "optimum", "check", "campaign run")
RIGHT = {("place", "plan"), ("lint", "plan"), ("replay", "trace")}
"""What the command reads."""
OTHERS = {"pdf", "page", "manifest", "process-log", "list", "lines"}
"""What the commands about clusters know; the others say what is wrong with it in their format."""
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
    if command != "certify" and (name not in OTHERS or command in CLUSTERS):
        assert any(each in said for each in words.split("|")), said


@pytest.mark.parametrize("name", [*sorted(set(INPUTS) - {"empty", "folder"}), "prose"])
def test_what_is_no_properties_file_is_no_configuration_of_a_client(name, tmp_path, monkeypatch, capsys):
    pytest.importorskip("javaproperties")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.properties").write_bytes(INPUTS.get(name, (b"Some words.\n",))[0])
    code = run(["what-if", "--bootstrap-server", "localhost:1", "--group", "g", "c.properties"])
    assert code == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"kassay: c\.properties.*expected .*\n", said), said


@pytest.mark.parametrize("text", ["{}", "[]", '{"brokers": []}'])
def test_racks_of_no_broker_are_refused(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.json").write_text(text)
    (tmp_path / "t.csv").write_text("consumer,rack\nm,a\n")
    assert run(["what-if", "t.csv", "r.json"]) == 2
    assert "r.json: " in capsys.readouterr().err
