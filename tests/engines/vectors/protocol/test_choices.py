"""What a trace says of the choices that the protocol leaves free."""

import pytest

from kassay.engines.vectors.protocol.check import TraceChoices
from kassay.engines.vectors.protocol.codec import partitions_of
from kassay.model.protocols.values.choices import LEADER, PROTOCOL, TargetAsk, TargetMember
from kassay.model.protocols.values.groups import PREPARING, STABLE
from kassay.model.protocols.values.requests import REVOCATION
from tests.engines.vectors.protocol.traced import step

T0, T1 = (partitions_of({"t": [p]}) for p in (0, 1))


def after(*steps, stays=False):
    choices = TraceChoices(stays=stays)
    for each in steps:
        choices.turn_to(each)
    return choices


def members(*ids):
    return [{"id": name, "assigned": {"t": [0]}} for name in ids]


@pytest.mark.parametrize(
    ("kind", "state", "expected"),
    [
        (LEADER, {"leader": "b"}, "b"),
        (LEADER, {"leader": "z", "members": members("z", "b", "a")}, "b"),
        (LEADER, {"leader": None}, "a"),
        (PROTOCOL, {"protocol": "b"}, "b"),
        (PROTOCOL, {"protocol": None}, "a"),
    ],
)
def test_a_vote_goes_as_the_state_after_it_shows(kind, state, expected):
    choices = after(step(state))
    assert choices.pick(kind, ["a", "b"]) == expected
    assert choices.pick(kind, ["c"]) == "c"


def test_a_leader_that_is_hidden_after_the_step_is_looked_for_before_it():
    assert after(step({"members": members("b", "a")}), step({})).pick(LEADER, ["a", "b"]) == "b"


def test_a_vote_against_the_present_protocol_is_why_a_stable_group_prepares():
    before = step({"state": STABLE, "protocol": "a"})
    joined = step({"state": PREPARING, "protocol": "a"}, event={"event": "join", "member": "x"})
    assert after(before, joined).pick(PROTOCOL, ["a", "b"]) == "b"
    left = step({"state": PREPARING, "protocol": "a"}, event={"event": "leave", "member": "x"})
    assert after(before, left).pick(PROTOCOL, ["a", "b"]) == "a"


def test_a_new_id_is_one_that_no_step_has_shown():
    first = step({"members": members("c-1")}, event={"event": "join", "member": "c-9"})
    second = step({"pending_join": ["c-1", "d-2", "c-2"]}, event={"event": "join", "member": "c-3"})
    assert after(first, second).member_id("c-") == "c-2"
    third = step({"pending_join": ["c-9"]}, event={"event": "join", "member": ""})
    assert after(first, third).member_id("c-") == "c--never shown"
    answered = step({}, responses=[{"member": "c-5"}])
    assert after(first, answered).member_id("c-") == "c-5"


ASK = TargetAsk("range", tuple(TargetMember(name, "", ("t",), T1) for name in ("a", "b")), ())


def test_a_target_is_what_the_state_says_else_the_records_else_what_it_was():
    written = [
        {"type": "target", "member": "a", "partitions": {"t": [0]}},
        {"type": "target", "member": "b", "tombstone": True},
    ]
    assert after(step({})).target(ASK) == (("a", T1), ("b", T1))
    assert after(step({}, records=written)).target(ASK) == (("a", T0), ("b", T1))
    shown = step({"target": {"a": {"t": [1]}, "b": {}}}, records=written)
    assert after(shown).target(ASK) == (("a", T1), ("b", ()))


def test_of_a_target_that_was_not_written_only_a_revocation_shows():
    failing = {"event": "consumer_heartbeat", "member": "a", "write_fails": "x"}
    before = step({"members": members("a", "b")})
    failed = step({"timers": [[REVOCATION, "a", 9]]}, event=failing)
    assert after(before, failed).target(ASK) == (("a", ()), ("b", T0))


def test_a_target_that_a_member_takes_over_is_no_new_one_where_targets_stay():
    before = step({"target": {"a": {"t": [0]}}})
    over = [{"type": "target", "member": "a", "partitions": {"t": [1]}}, {"type": "current", "member": "a"}]
    shown = {"target": {"a": {"t": [1]}, "b": {"t": [1]}}}
    assert after(before, step(shown, records=over)).target(ASK) == (("a", T1), ("b", T1))
    assert after(before, step(shown, records=over), stays=True).target(ASK) == (("a", T0), ("b", T1))
    assert after(step({}), step(shown, records=over), stays=True).target(ASK) == (("a", T1), ("b", T1))
    given = [*over, {"type": "target", "member": "a", "partitions": {"t": [1]}}, {"type": "target_epoch"}]
    assert after(before, step(shown, records=given), stays=True).target(ASK) == (("a", T1), ("b", T1))
