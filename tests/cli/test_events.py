"""The events of a run: what is told, in which order, and when."""

import json

import pytest

from kassay.certify.runs.options import Budget, RunOptions
from kassay.cli.certifying import Session
from kassay.cli.events import Events
from kassay.cli.main import run
from kassay.model.errors import InputError
from tests.cli.runner import valid

OPTIONS = RunOptions(claims=("topic-even", "complete"), budget=Budget(histories=250), controls=False, seed=4)


def read(text):
    return [valid(json.loads(line), "events-1") for line in text.splitlines()]


@pytest.mark.slow
def test_a_run_is_told_from_its_start_to_its_end(tmp_path, capsys):
    path = tmp_path / "events.ndjson"
    session = Session(OPTIONS, tmp_path / "out", detail=None, events=Events(str(path)))
    session.conclude(session.certify("ceil-range", "no-such", "range"))
    events = read(path.read_text())
    assert capsys.readouterr().out == ""
    names = [each["event"] for each in events]
    assert (names[0], names[-1]) == ("run-started", "run-ended")
    assert (events[0]["seed"], events[-1]["exit_code"]) == (4, 4)
    of = {
        target: [e["event"] for e in events if e.get("target") == target]
        for target in ("ceil-range", "range")
    }
    assert of["range"] == ["target-loaded", "progress", "progress", "progress", "verdict"]
    broken = of["ceil-range"]
    assert broken.count("claim-violated") == broken.count("shrunk") == 1
    assert (
        broken.index("claim-violated")
        < broken.index("progress")
        < broken.index("shrunk")
        < broken.index("verdict")
    )
    verdict = next(each for each in events if each["event"] == "verdict")
    trace = {claim["id"]: claim["trace"] for claim in verdict["claims"]}
    assert (tmp_path / "out" / "traces").exists()
    assert trace["complete"] is None
    assert json.loads((tmp_path / trace["topic-even"]).read_text())["claim"] == "topic-even"
    assert [each["elapsed_s"] for each in events] == sorted(each["elapsed_s"] for each in events)


def test_a_line_is_in_the_file_as_soon_as_it_is_told(tmp_path):
    path = tmp_path / "new" / "events.ndjson"
    events = Events(str(path))
    events.run_started(["range"], OPTIONS)
    assert [each["event"] for each in read(path.read_text())] == ["run-started"]
    events.run_ended(0)
    assert len(read(path.read_text())) == 2


def test_on_standard_output_nothing_else_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["certify", "ceil-range", "--claims", "topic-even", "--histories", "40", "--events", "-"]) == 1
    assert [each["event"] for each in read(capsys.readouterr().out)][-1] == "run-ended"
    assert run(["certify", "range", "--events", "-", "--json", "-"]) == 2


@pytest.mark.parametrize("place", [".", "no\0name"])
def test_a_file_that_cannot_be_written_is_refused(tmp_path, monkeypatch, capsys, place):
    monkeypatch.chdir(tmp_path)
    assert run(["certify", "range", "--events", place]) == 2
    assert capsys.readouterr().err.startswith(
        f"kassay: --events {place}: cannot be written".replace("\0", "\\x00")
    )


def test_a_full_disk_is_one_line():
    events = Events("/dev/full")
    with pytest.raises(
        InputError, match=r"--events /dev/full: cannot be written \(No space left on device\)"
    ):
        events.run_ended(0)
