"""What every report says of a certificate."""

import shlex
from dataclasses import replace

import pytest

from kassay.model.verdict import Verdict
from kassay.report import facts
from tests.certify.runs.written import certificate, result


def test_a_finding_is_told_by_its_size_and_how_to_see_it_again(certificates):
    found = next(r for r in certificates[0].claims if r.id == "topic-even").counterexample
    assert facts.size(found) == "3 members, 4 partitions, 0 events after the start; ordinary input"
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
            "2 of 3 built-in faulty assignors caught, 1 not run for lack of budget; missed: forgets",
        ),
        (
            {"caught": 0, "of": 0, "unknown": 2},
            "0 of 0 built-in faulty assignors caught, 2 not run for lack of budget",
        ),
        ({"caught": 0, "of": 0}, ""),
    ],
)
def test_controls_that_were_missed_or_not_run_are_said(certificates, counts, said):
    assert facts.controls(replace(certificates[0], controls=counts)) == said


def test_nothing_given_is_not_no_entry():
    member = facts.MemberFacts("m0", "", ["t"], [("t", 0)], 3, [], answered=True)
    assert member.row() == ("m0", "t", "t-0 @3", "-")
    assert member._replace(given=None).row()[3] == "no entry"
    assert member._replace(answered=False).row()[3] == "no answer"


def test_an_empty_claim_has_its_generation_and_a_member_what_is_its_own():
    asked = {
        "generation": 4, "topics": {"t": 1}, "answer": {}, "configs": {"a": {"prefer": "t"}},
        "members": [
            {"id": "a", "topics": ["t"], "owned": [], "generation": 3, "user_data": "0001"},
            {"id": "b", "topics": ["t"], "owned": [], "generation": -1, "instance_id": "i", "rack": "r",
             "user_data": "00" * 9},
        ],
    }  # fmt: skip
    (each,) = facts.rounds_of([{"rounds": [asked]}])
    assert [member.row()[2] for member in each.members] == ["- @3", "-"]
    assert [(member.extras, member.user_data) for member in each.members] == [
        ("prefer=t", "user data 0001"),
        ("static i, rack r", "user data 00000000.. (9 bytes)"),
    ]


def test_the_first_that_is_marked_is_always_shown():
    assert facts.window([False] * 9, 4) == (0, 4)
    assert facts.window([False] * 8 + [True], 4) == (5, 4)
    assert facts.window([True] + [False] * 8, 4) == (0, 4)
    assert facts.window([], 4) == (0, 0)


def test_a_round_of_a_share_group_says_what_may_not_be_given_out():
    asked = {"generation": 1, "topics": {"t": 3, "u": 1}, "members": [], "answer": {}}
    able = {"assignable": [["t", 0], ["t", 2]]}
    plain, withheld = facts.rounds_of([{"rounds": [asked, asked | able]}])
    assert (plain.withheld, withheld.withheld) == ("", "t-1 u-0")


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"event": "FailedSync"}, "failed sync"),
        ({"event": "Leave", "member_id": "m01"}, "leave m01"),
        ({"event": "Withhold", "topic": "t0", "numbers": [3, 4]}, "withhold t0 3 4"),
        (
            {"event": "Claim", "member_id": "m1", "owned": [["t", 0]], "generation": 3},
            "claim m1 t-0 generation 3",
        ),
        ({"event": "ChangeRack", "member_id": "m1", "rack": None}, "change rack m1"),
        ({"event": "CreateTopic", "topic": {"name": "u", "partitions": 7}}, "create topic u partitions 7"),
        (
            {
                "event": "Join",
                "member": {"id": "m1", "topics": ["t", "u"], "owned": [], "generation": -1, "rack": None},
                "config": {"priority": "2"},
            },
            "join m1 t u priority=2",
        ),
        (
            {"event": "WorkerJoin", "worker": "w0", "running": {"connectors": ["a"], "tasks": []}},
            "worker join w0 a",
        ),
        ({"event": "StandbysChange", "replicas": 0}, "standbys change replicas 0"),
    ],
)
def test_an_event_is_told_in_words(event, said):
    assert facts.event_words(event) == said


def test_the_broken_round_names_the_guilty_and_stands_beside_what_it_could_be(certificates):
    example = next(r for r in certificates[0].claims if r.id == "topic-even").counterexample
    rounds = facts.rounds_of(example.trace.narration, example.trace.broken)
    (broken,) = [each for each in rounds if each.guilty is not None]
    assert "t0" in broken.guilty
    possible = facts.could_be_of(example.trace.could_be)
    assert possible.line == f"could be: {possible.words}"
    assert replace(example, trace=replace(example.trace, could_be=None)).trace.could_be is None
    optimum = facts.optimum_round(rounds, possible)
    assert optimum.place == broken.place == possible.place
    assert [m.member_id for m in optimum.members] == [m.member_id for m in broken.members]
    assert sorted(tp for m in optimum.members for tp in m.given) == [("t0", p) for p in range(4)]
    assert facts.optimum_round(rounds, facts.could_be_of(None)) is None


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
        (replace(CLEAN, assume=("x", "y")), ["assumed of inputs: x, y; nothing is said of others"]),
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
            ["4 built-in faulty assignors were not run for lack of budget"],
        ),
        (replace(CLEAN, notes=("baseline: gone",)), ["baseline: gone"]),
    ],
)
def test_what_could_make_a_pass_mean_less_is_told(doubtful, said):
    assert facts.warnings(doubtful) == said
