"""`kassay vectors`: exit codes, JSON, another target, unknown files."""

import gzip
import json

import pytest

from kassay.cli.main import run
from tests.cli.runner import valid
from tests.paths import TARGETS, VECTORS

TASKS = f"{TARGETS}/tasks.py"


@pytest.fixture
def few(tmp_path):
    document = json.loads(gzip.decompress((VECTORS / "client-range.json.gz").read_bytes()))
    document["vectors"] = document["vectors"][:30]
    path = tmp_path / "few.json"
    path.write_text(json.dumps(document))
    return path


def test_the_reference_answers_as_kafka_did(few, capsys):
    assert run(["vectors", str(few), "--json", "-"]) == 0
    (file,) = valid(json.loads(capsys.readouterr().out), "vectors-1")["files"]
    assert file == {"name": "few", "passed": 30, "failed": 0, "failures": []}
    assert run(["vectors", str(few)]) == 0
    assert "few: 30 passed, 0 failed" in capsys.readouterr().out


def test_another_target_fails_and_the_first_failures_are_shown(few, capsys):
    assert run(["vectors", str(few), "--target", "roundrobin"]) == 1
    lines = capsys.readouterr().out.splitlines()
    failed = int(lines[0].split()[3])
    assert failed > 5
    assert len([line for line in lines[1:] if ": " in line]) == 5
    assert f"and {failed - 5} more" in lines[-1]


def test_a_file_without_a_check_is_unknown(tmp_path, capsys):
    path = tmp_path / "tarot.json"
    path.write_text(json.dumps({"header": {"algorithm": "tarot"}, "vectors": [{"id": "a"}]}))
    assert run(["vectors", str(path)]) == 3
    assert "tarot: unknown (no check for algorithm 'tarot' yet)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"), [(["none.json"], 2), ([], 2), ([".", "--target", "no-such"], 4)]
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, code):
    monkeypatch.chdir(tmp_path)
    assert run(["vectors", *arguments]) == code
    told = capsys.readouterr().err
    assert told.startswith("kassay: ")
    assert told.count("\n") == 1


@pytest.mark.slow_cases("range-protocol-classic.json.gz-kassay's own model alone, expected no target")
@pytest.mark.parametrize(
    ("target", "file", "words"),
    [
        ("connect-incremental", "4.4/server-range.json.gz", "kind server, got one of kind connect"),
        ("uniform", "4.4/connect-eager.json.gz", "kind connect, got one of kind server"),
        ("streams-sticky", "server-simple.json.gz", "kind share, got one of kind streams"),
        ("streams-sticky", "4.4/streams-group-sticky.json.gz", "level member, got one of level process"),
        ("streams-group-sticky", "streams-sticky.json.gz", "level process, got one of level member"),
        pytest.param(
            f"{TASKS}:ByProcess",
            "4.4/streams-group-sticky.json.gz",
            "level member, got one of level process",
            id="by-process",
        ),
        pytest.param(
            f"{TASKS}:ByMember",
            "streams-highavailability.json.gz",
            "level process, got one of level member",
            id="by-member",
        ),
        ("range", "protocol-classic.json.gz", "kassay's own model alone, expected no target"),
        ("range", "coordinator-partition.json.gz", "kind coordinator, got one of kind client"),
    ],
)
def test_a_target_of_another_kind_cannot_be_asked(capsys, target, file, words):
    assert run(["vectors", "--target", target, str(VECTORS / file)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("kassay: ")
    assert words in told
    assert told.count("\n") == 1


def test_an_assignor_of_members_answers_vectors_of_members(capsys):
    vectors = str(VECTORS / "4.4" / "streams-group-sticky.json.gz")
    assert run(["vectors", "--target", f"{TASKS}:ByMember", "--json", "-", vectors]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["passed"] > 10
    assert all("Kafka" in failure["message"] for failure in file["failures"])
    assert not any("AttributeError" in failure["message"] for failure in file["failures"])
