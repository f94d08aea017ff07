"""What a call of `kassay certify` keeps: certificates, traces on disk, reports, the baseline.

The events of a run: what is told, in which order, and when.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.api.certify import Certification
from kassay.cli import certifying
from kassay.cli.certifying import Events, Session
from kassay.cli.main import run
from kassay.engines.runs.baseline import Baseline
from kassay.engines.runs.options import Budget, RunOptions
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.properties.wide.ranges import WIDTHS
from tests.cli.runner import valid
from tests.engines.runs.written import certificate, result

OPTIONS = RunOptions(
    claims=("topic-even", "complete"), budget=Budget(histories=40), assume=frozenset(WIDTHS), controls=False
)


@pytest.fixture
def session(tmp_path):
    return Session(OPTIONS, tmp_path / "out", detail=None, formats=("junit", "markdown"))


def test_a_trace_is_written_for_each_claim_that_is_broken_and_named_in_the_certificate(session, capsys):
    assert session.certify("ceil-range") == 1
    assert session.certify("range") == 0
    first, second = session.certificates
    even, complete = first.claims
    assert Path(even.counterexample.path).parent == session.out / "traces"
    document = json.loads(Path(even.counterexample.path).read_text())
    assert (document["claim"], document["target"]) == ("topic-even", "ceil-range")
    assert complete.counterexample is None
    assert [claim.counterexample for claim in second.claims] == [None, None]
    assert list((session.out / "traces").iterdir()) == [Path(even.counterexample.path)]
    assert capsys.readouterr().out == ""


def test_a_target_that_does_not_load_is_one_line_and_no_certificate(session, capsys):
    assert session.certify("no-such") == 4
    assert session.certificates == []
    assert capsys.readouterr().err.startswith("kassay: ")


def test_reports_are_written_beside_the_traces(session):
    session.certify("ceil-range")
    session.write_reports()
    names = {path.name for path in session.out.iterdir()}
    assert {"traces"} < names
    assert len(names) == 3


@pytest.mark.slow
def test_a_baseline_that_was_updated_accepts_the_same_run(session, tmp_path):
    path = tmp_path / "known.json"
    with pytest.raises(InputError, match=r"no such file; expected a baseline .* add --baseline-update"):
        Baseline.at(path, update=False)
    session.baseline = Baseline.at(path, update=True)
    session.certify("ceil-range")
    session.write_reports()
    again = Session(OPTIONS, tmp_path / "out", detail=None, baseline=Baseline.at(path, update=False))
    assert again.certify("ceil-range") != 1
    assert [claim.known is not None for claim in again.certificates[0].claims] == [True, False]


def interrupted(certificate):
    return replace(certificate, interrupted=True)


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (RuntimeError("ours"), TargetNotLoadable("gone"), 70),
        (TargetNotLoadable("gone"), Verdict.VIOLATED, 4),
        (Verdict.VIOLATED, Verdict.UNKNOWN, 1),
        (Verdict.UNKNOWN, Verdict.HOLDS, 3),
        (Verdict.HOLDS, Verdict.HOLDS, 0),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_the_gravest_of_several_outcomes_is_the_calls_and_the_rest_still_run(
    session, monkeypatch, capsys, first, second, code, order
):
    outcomes = [first, second][::order]
    asked = []

    def outcome_of(target, options, out, report):
        asked.append(target.spec)
        outcome = outcomes[len(asked) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return Certification(certificate(result("complete", outcome), target=target.spec))

    monkeypatch.setattr(certifying, "certified", outcome_of)
    assert session.certify("range", "sticky", "range") == code
    assert asked == ["range", "sticky"]
    assert [c.target for c in session.certificates] == [
        spec for spec, outcome in zip(asked, outcomes) if isinstance(outcome, Verdict)
    ]
    assert ("fault of kassay itself: RuntimeError: ours" in capsys.readouterr().err) is (code == 70)


@pytest.mark.parametrize(("verdict", "code"), [(Verdict.VIOLATED, 1), (Verdict.HOLDS, 130)])
def test_an_interrupt_ends_the_call_with_what_was_found(session, monkeypatch, verdict, code):
    outcomes = [
        certificate(result("complete", Verdict.HOLDS)),
        interrupted(certificate(result("total", verdict))),
    ]
    left = iter(outcomes)
    monkeypatch.setattr(certifying, "certified", lambda *_: Certification(next(left)))
    assert session.certify("range", "sticky", "roundrobin") == code
    assert [c.interrupted for c in session.certificates] == [False, True]


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (
            ("ceil-range", "placement:striped"),
            "it is a claim of kind client, server, the target is of kind placer",
        ),
        (("ceil-range", "cooperative-sticky"), "speaks cooperative only, got --protocol eager"),
        (("ceil-range", ""), "target '': expected a reference"),
        (("no-such", "cooperative-sticky"), "speaks cooperative only, got --protocol eager"),
    ],
)
def test_a_usage_error_stops_the_call_before_any_target_is_played(tmp_path, monkeypatch, capsys, specs, said):
    monkeypatch.setattr(certifying, "certified", lambda *_: pytest.fail("a target was played"))
    options = replace(OPTIONS, protocol=RebalanceProtocol.EAGER)
    with pytest.raises(InputError) as refused:
        Session(options, tmp_path, detail=None).certify(*specs)
    assert said in str(refused.value)
    assert capsys.readouterr().err == ""


EVENTS_OPTIONS = RunOptions(
    claims=("topic-even", "complete"), budget=Budget(histories=250), controls=False, seed=4
)


def read(text):
    return [valid(json.loads(line), "events-1") for line in text.splitlines()]


@pytest.mark.slow
def test_a_run_is_told_from_its_start_to_its_end(tmp_path, capsys):
    path = tmp_path / "events.ndjson"
    session = Session(EVENTS_OPTIONS, tmp_path / "out", detail=None, events=Events(str(path)))
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
    events.run_started(["range"], EVENTS_OPTIONS)
    assert [each["event"] for each in read(path.read_text())] == ["run-started"]
    events.run_ended(0)
    assert len(read(path.read_text())) == 2


def test_on_standard_output_nothing_else_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert (
        run(["certify", "ceil-range", "--claims", "topic-even", "--histories", "40", "--progress", "-"]) == 1
    )
    assert [each["event"] for each in read(capsys.readouterr().out)][-1] == "run-ended"
    assert run(["certify", "range", "--progress", "-", "--json", "-"]) == 2


@pytest.mark.parametrize("place", [".", "no\0name"])
def test_a_file_that_cannot_be_written_is_refused(tmp_path, monkeypatch, capsys, place):
    monkeypatch.chdir(tmp_path)
    assert run(["certify", "range", "--progress", place]) == 2
    assert capsys.readouterr().err.startswith(
        f"kassay: --progress {place}: cannot be written".replace("\0", "\\x00")
    )


def test_a_full_disk_is_one_line():
    events = Events("/dev/full")
    with pytest.raises(
        InputError, match=r"--progress /dev/full: cannot be written \(No space left on device\)"
    ):
        events.run_ended(0)
