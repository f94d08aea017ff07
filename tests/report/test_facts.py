"""What every report says of a certificate."""

import shlex
from dataclasses import replace

import pytest

from kassay.model.kinds import Verdict
from kassay.report import facts
from tests.engines.runs.written import certificate, result


def test_a_finding_is_told_by_its_size_and_how_to_see_it_again(certificates):
    found = next(r for r in certificates[0].claims if r.id == "topic-even").counterexample
    assert facts.size(found) == "3 members, 4 partitions; ordinary input"
    assert facts.replay_command(None) == ""
    assert facts.replay_command(replace(found, path=None)) == ""
    saved = replace(found, path="my traces/t.json")
    assert shlex.split(facts.replay_command(saved)) == ["kassay", "replay", "my traces/t.json"]


def test_a_known_finding_is_known_and_says_why(certificates):
    broken = next(r for r in certificates[0].claims if r.id == "topic-even")
    known = replace(broken, known="as designed")
    assert (facts.mark(broken), facts.mark(known)) == ("violated", "known")
    assert facts.reason(known) == f"{broken.why}; accepted: as designed"


def test_what_was_not_reached_is_named(certificates):
    missing = facts.unreached(certificates[0]).split(", ")
    assert missing == [name for name, count in certificates[0].reached.items() if not count]
    assert facts.unreached(replace(certificates[0], reached={"weights": 1})) == ""


def test_what_was_played_is_said_in_a_line(certificates):
    line = facts.played(certificates[0])
    assert "profile small" in line
    assert f"{certificates[0].histories} histories" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"caught": 3, "of": 3}, "3 of 3 built-in faulty assignors caught"),
        (
            {"caught": 2, "of": 3, "unknown": 1, "missed": ["forgets"]},
            "2 of 3 built-in faulty assignors caught, 1 not run for lack of time; missed: forgets",
        ),
        (
            {"caught": 0, "of": 0, "unknown": 2},
            "0 of 0 built-in faulty assignors caught, 2 not run for lack of time",
        ),
        ({"caught": 0, "of": 0}, ""),
    ],
)
def test_controls_that_were_missed_or_not_run_are_said(certificates, counts, said):
    assert facts.controls(replace(certificates[0], controls=counts)) == said


CLEAN = certificate(result("complete", Verdict.HOLDS), result("topic-even", Verdict.HOLDS))
UNKNOWN = certificate(*(result(f"c{i}", Verdict.UNKNOWN) for i in range(7)))


def controls(**counts):
    return {**CLEAN.controls, **counts}


@pytest.mark.parametrize(
    ("doubtful", "said"),
    [
        (CLEAN, []),
        (replace(CLEAN, interrupted=True), ["interrupted after 9 histories: nothing is certified"]),
        (replace(UNKNOWN, interrupted=True), ["interrupted after 9 histories: nothing is certified"]),
        (UNKNOWN, ["unknown: 7 claims; a larger --time or --histories may decide"]),
        (
            certificate(
                result("a", Verdict.UNKNOWN), result("b", Verdict.HOLDS), result("c", Verdict.UNKNOWN)
            ),
            ["unknown: a, c; a larger --time or --histories may decide"],
        ),
        (
            replace(CLEAN, assume=("x", "y")),
            ["assumptions about inputs: x, y; other inputs were not checked"],
        ),
        (replace(CLEAN, reached={"few-partitions": 3, "static-mix": 0}), ["never reached: static-mix"]),
        (replace(CLEAN, reached={"two-objects": 0}), []),
        (
            replace(CLEAN, controls=controls(missed=["a", "b"])),
            ["built-in faulty assignors that were not caught: a, b"],
        ),
        (
            replace(CLEAN, controls=controls(unproven=["complete", "other"])),
            ["no built-in faulty assignor was caught that breaks: complete"],
        ),
        (
            replace(CLEAN, controls=controls(unknown=4)),
            ["built-in faulty assignors not run for lack of time: 4"],
        ),
        (replace(CLEAN, notes=("baseline: gone",)), ["baseline: gone"]),
    ],
)
def test_what_could_make_a_pass_mean_less_is_told(doubtful, said):
    assert facts.warnings(doubtful) == said


def test_of_very_many_events_before_a_round_the_first_are_told():
    events = [f"m{number} joins" for number in range(facts.EVENTS_SHOWN + 1)]
    assert facts.happened(events[:2]) == "before it: m0 joins; m1 joins"
    assert facts.happened(events[:-1]).endswith("; m31 joins")
    assert facts.happened(events).endswith("; m31 joins; and 1 more")
