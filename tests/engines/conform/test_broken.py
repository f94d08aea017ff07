"""Which invariants Kafka breaks: each known finding by its recorded steps, and what is no finding."""

import json

import pytest

from kassay.engines.conform.broken import Watch
from kassay.engines.conform.findings import KNOWN, known_finding
from kassay.engines.genuine.coordinator import GenuineStep
from kassay.model.protocols.values.releases import MODELLED, NEWEST
from tests.engines.conform.sequences import FOLDER


class Replays:
    """Stands in for the process: what memory, log and cleaned log give, one after each step."""

    def __init__(self, *found):
        self.left = list(found)

    def replays(self):
        memory, log, *cleaned = self.left.pop(0)
        compacted, last = cleaned or (log, log)
        return {"memory": memory, "log": log, "compacted": compacted, "without_tombstones": last}


def step(number, event, state=None, answers=(), **document):
    state = {"type": None} | (state or {})
    shown = {"i": number, "event": {"event": event} | document.pop("request", {}), "responses": list(answers)}
    return GenuineStep(shown | {"state": {"timers": []} | state, "fired": [], "records": []} | document)


def watched(steps, *replays):
    watch = Watch(Replays(*replays) if replays else None)
    for each in steps:
        watch.look(each)
    return [each.cause for each in watch.broken]


EMPTY = {"type": "consumer", "state": "Empty", "members": [], "more": {}}
NOTHING = {"type": None, "timers": [], "more": {}}


def classic(state, generation, members=()):
    return {"type": "classic", "state": state, "generation": generation, "members": list(members)}


def joined(to, generation):
    return {"to": to, "kind": "join", "error": "NONE", "member": "m", "generation": generation}


def test_every_known_finding_has_its_causes():
    assert [finding.letter for finding in KNOWN] == [*"ABC", "R5", *"EFGHLSTUVVWXYZ"]
    causes = [cause for finding in KNOWN for cause in finding.causes]
    assert len({*causes}) == len(causes) and not any("*" in cause for cause in causes)
    for finding in KNOWN:
        for release in finding.releases or MODELLED:
            assert {known_finding(cause, release) for cause in finding.causes} == {finding}
    assert known_finding("something else", NEWEST) is None


def test_a_finding_is_known_in_its_releases_alone():
    thrown = "no-exception-in-timer: RuntimeException, end of a join phase"
    assert known_finding(thrown, "4.3.1").letter == "G"
    assert known_finding(thrown, NEWEST) is None


def test_a_group_that_is_in_the_log_alone_is_finding_a():
    error = {"to": 0, "kind": "join", "error": "UNKNOWN_MEMBER_ID"}
    (cause,) = watched([step(0, "join", answers=[error])], (NOTHING, EMPTY))
    assert known_finding(cause, NEWEST).letter == "A"


REMOVED = [
    step(0, "join", answers=[{"to": 0, "kind": "join", "error": "UNKNOWN_MEMBER_ID"}]),
    step(1, "reload"),
    step(2, "consumer_heartbeat"),
]


def test_what_a_cleaned_log_still_has_of_such_a_group_is_finding_a_too():
    more = {"assignment_time": 7}
    removed, member = {**EMPTY, "group_epoch": 3, "target_epoch": 3, "more": more}, [{"id": "m", "epoch": 1}]
    new = {**EMPTY, "state": "Stable", "group_epoch": 1, "target_epoch": 1, "members": member}
    mixed = {**new, "state": "Reconciling", "group_epoch": 3, "target_epoch": 3}
    before = ((NOTHING, removed), (EMPTY, EMPTY))
    for found in (mixed, mixed | {"more": more}, new | {"more": more}):
        causes = watched(REMOVED, *before, (new, new, found, found))
        assert [known_finding(cause, NEWEST).letter for cause in causes] == ["A", "A"]
    unlike = ({"group_epoch": 2}, {"members": []}, {"more": {"assignment_time": 8}}, {"target": 1})
    for found in (*(mixed | other for other in unlike), new | {"state": "Empty"}):
        cause = watched(REMOVED, *before, (new, new, found, found))[-1]
        assert known_finding(cause, NEWEST) is None
    (cause,) = watched(REMOVED[1:], (EMPTY, EMPTY), (new, new, mixed, mixed))
    assert known_finding(cause, NEWEST) is None
    cause = watched(REMOVED, *before, (new, mixed))[-1]
    assert known_finding(cause, NEWEST) is None, "the log shows it before it is cleaned"


def test_a_log_in_which_such_a_group_meets_another_type_is_finding_a_too():
    def found(text, steps=REMOVED, removed=({**EMPTY, "group_epoch": 3},)):
        gone = [(NOTHING, group) for group in removed]
        cause = watched(steps, *gone, (EMPTY, EMPTY), (EMPTY, EMPTY, EMPTY, {"unloadable": text}))[-1]
        return getattr(known_finding(cause, NEWEST), "letter", None)

    other = "java.lang.IllegalStateException: Group g is not a streams group."
    assert found(other) == "A"
    assert found(other.replace("streams", "consumer")) is None
    assert found("java.lang.IllegalStateException: Received a tombstone record to delete group g") is None
    assert found(other, REMOVED[1:], ()) is None


def test_a_generation_given_on_both_sides_of_a_failover_is_finding_b():
    joins = [classic("PreparingRebalance", 0), classic("CompletingRebalance", 1)]
    steps = [
        step(0, "join", joins[0]),
        step(1, "advance", joins[1], [joined(0, 1)]),
        step(2, "reload", classic("Empty", 0)),
        step(3, "join", joins[0]),
        step(4, "advance", joins[1], [joined(3, 1)]),
    ]
    (cause,) = watched(steps)
    assert known_finding(cause, NEWEST).letter == "B"
    assert watched(steps[:2] + steps[3:]) == []


def test_a_timer_that_throws_is_finding_c():
    thrown = {"fired": [["join", None]], "more": {"exception": "IllegalStateException"}}
    empty = step(0, "join", classic("Empty", 0))
    (cause,) = watched([empty, step(1, "advance", classic("Empty", 1), **thrown)])
    assert known_finding(cause, NEWEST).letter == "C"
    assert watched([step(0, "join", more={"exception": "IllegalStateException"})]) == []


def test_a_timer_that_throws_in_a_downgrade_without_a_target_is_finding_h():
    def found(fired, after=None, **member):
        lacking = {"id": "b", "classic": True} | member
        members = [{"id": "a", "classic": True}, lacking]
        group = {**EMPTY, "state": "Stable", "members": members, "target": {"a": {}}}
        thrown = {"fired": fired, "more": {"exception": "NullPointerException"}}
        (cause, *_) = watched([step(0, "join", group), step(1, "advance", after or group, **thrown)])
        return getattr(known_finding(cause, "4.2.1"), "letter", None)

    due = ["consumer_session", "a"]
    downgraded = classic("PreparingRebalance", 1, [{"id": "b"}])
    assert found([due]) == found([due, ["consumer_session", "b"]], downgraded) == "H"
    assert found([["consumer_session", "b"]]) is None
    assert found([due], classic=False) is None
    assert found([due], id="a") is None


def test_an_answer_with_epoch_0_is_finding_r5():
    trace = json.loads((FOLDER / "upgrade-at-generation-0.json").read_text())
    causes = watched([GenuineStep(each) for each in trace["steps"]])
    assert [known_finding(cause, NEWEST).letter for cause in causes] == ["R5", "T"]


def test_a_join_that_is_answered_at_the_epoch_0_of_an_upgrade_is_finding_r5_too():
    steps = json.loads((FOLDER / "joins-at-generation-0.json").read_text())["steps"]
    causes = watched([GenuineStep(each) for each in steps])
    assert [cause for cause in causes if cause.startswith("no-epoch-zero")] == [
        "no-epoch-zero: consumer_heartbeat, group at epoch 0",
        "no-epoch-zero: join, group at epoch 0",
    ]
    assert {known_finding(cause, NEWEST).letter for cause in causes} == {"R5", "T"}
    assert "R5" not in {getattr(known_finding(cause, "4.2.1"), "letter", None) for cause in causes}


def test_an_epoch_0_of_a_group_that_was_not_at_0_is_new():
    at_0 = {**EMPTY, "group_epoch": 0}
    for before in (at_0 | {"group_epoch": 3}, classic("Empty", 2), {}):
        (cause,) = watched([step(0, "join", before), step(1, "join", at_0, [joined(1, 0)])])
        assert known_finding(cause, NEWEST) is None


def test_an_epoch_0_that_a_downgrade_gave_out_is_finding_f_even_if_it_is_answered_late():
    def found(*states):
        steps = [step(number, event, state) for number, (event, state) in enumerate(states)]
        last = step(len(steps), "flush", states[-1][1], [joined(1, 0)])
        (cause,) = watched([*steps, last])
        return getattr(known_finding(cause, NEWEST), "letter", None)

    consumer, after = {**EMPTY, "group_epoch": 2}, classic("Stable", 2)
    assert found(("consumer_heartbeat", consumer), ("join", after), ("heartbeat", after)) == "F"
    assert found(("consumer_heartbeat", consumer), ("join", consumer), ("join", after)) is None
    assert found(("join", after), ("join", after)) is None


def test_a_classic_group_whose_write_failed_is_finding_e():
    failed = step(1, "leave", classic("Empty", 2), request={"write_fails": "NOT_ENOUGH_REPLICAS"})
    stable = classic("Stable", 1)
    (cause,) = watched(
        [step(0, "sync", stable), failed], (stable, stable), (classic("Empty", 2), classic("Stable", 1))
    )
    assert known_finding(cause, NEWEST).letter == "E"


@pytest.mark.parametrize(
    ("memory", "log"),
    [
        (classic("PreparingRebalance", 1), classic("Stable", 0)),
        ({**EMPTY, "timers": [1]}, {**EMPTY, "timers": []}),
        (
            classic("Stable", 1, [{"id": "a", "is_new": True}, {"id": "b"}]),
            classic("Stable", 1, [{"id": "b"}, {"id": "a", "is_new": False}]),
        ),
    ],
)
def test_what_kafka_keeps_in_memory_alone_is_no_finding(memory, log):
    assert watched([step(0, "heartbeat")], (memory, log)) == []


def test_another_difference_is_new_and_reported_once():
    changed = {**EMPTY, "group_epoch": 3}
    (cause,) = watched([step(0, "leave"), step(1, "leave")], (EMPTY, changed), (EMPTY, changed))
    assert cause == "memory-is-log: leave, group_epoch" and known_finding(cause, NEWEST) is None


def unread(number, event, metadata, **more):
    record = {"type": "group", "members": [{"id": "a", "metadata": metadata}]}
    return step(number, event, classic("Stable", 1), records=[record], **more)


def test_a_subscription_that_cannot_be_read_in_the_log_is_finding_l():
    def found(text, metadata, release="4.3.1"):
        unloadable = (classic("Stable", 1), {"unloadable": text})
        steps = [unread(0, "join", metadata), step(1, "reload")]
        causes = watched(steps, unloadable, (NOTHING, unloadable[1]))
        return [getattr(known_finding(cause, release), "letter", None) for cause in causes]

    text = "java.lang.RuntimeException: Tried to allocate a collection of size 9, but there are only 2"
    assert found(text, {"raw": "x"}) == ["L"]
    assert found(text, {"raw": "x"}, NEWEST) == [None]
    assert found(text, {"topics": ["foo"]}) == [None, None]
    assert found("java.lang.IllegalStateException: x", {"raw": "x"}) == [None, None]


def test_a_log_that_does_not_load_is_reported():
    (cause,) = watched([step(0, "join")], (NOTHING, {"unloadable": "IllegalStateException"}))
    assert cause == "every-log-loads: join, log"


JOINED = {"event": "join", "instance": "i"}


@pytest.mark.parametrize(
    ("request_", "more", "letter"),
    [
        ({"event": "join", "write_fails": "NOT_ENOUGH_REPLICAS"}, {"lost": [{"type": "member"}]}, "U"),
        ({"event": "join", "write_fails": "NOT_ENOUGH_REPLICAS"}, {}, None),
        (JOINED, {}, "V"),
        (JOINED | {"instance": "j"}, {}, None),
        ({"event": "leave"}, {}, None),
    ],
)
def test_a_timer_of_a_member_that_is_gone_is_reported(request_, more, letter):
    left = classic("Stable", 1, [{"id": "a"}]) | {"timers": [["session", "a", 9], ["session", "b", 9]]}
    members = [{"id": "a"}, {"id": "b", "instance": "i"}]
    first = step(0, "join", classic("Stable", 1, members) | {"timers": []})
    causes = watched([first, step(1, request_["event"], left, request=request_, **more)])
    assert [getattr(known_finding(cause, NEWEST), "letter", None) for cause in causes] == [letter]
    assert all(cause.startswith("no-timer-of-what-is-gone: ") for cause in causes)


def test_a_member_that_a_former_instance_id_replaces_leaves_its_timer_before_4_4():
    trace = json.loads((FOLDER / "replacement-by-a-former-instance-id.json").read_text())
    (cause,) = watched([GenuineStep(each) for each in trace["steps"]])
    assert cause.endswith(": replacement by a former instance id, consumer_session, no such member")
    assert known_finding(cause, "4.3.1").letter == "V" and known_finding(cause, NEWEST) is None
    for changed in ({"type": "epoch"}, {"type": "member", "member": "x", "instance": "i3"}):
        last = trace["steps"][-1]
        others = [each for each in last["records"] if each.get("tombstone")]
        (cause,) = watched(
            [GenuineStep(each) for each in [*trace["steps"][:2], last | {"records": [*others, changed]}]]
        )
        assert known_finding(cause, "4.3.1") is None


def test_a_timer_is_left_once():
    left = classic("Stable", 1, [{"id": "a"}]) | {"timers": [["session", "b", 9]]}
    first = step(
        0, "join", classic("Stable", 1, [{"id": "a"}, {"id": "b"}]) | {"timers": [["session", "b", 9]]}
    )
    causes = watched([first, step(1, "leave", left), step(2, "heartbeat", left)])
    assert causes == ["no-timer-of-what-is-gone: leave, session, no such member"]


def test_a_timer_that_is_armed_again_for_nothing_was_left_as_before():
    def found(*before, fired=(["join", None],)):
        stable = classic("Stable", 1, [{"id": "a"}])
        last = step(9, "advance", stable | {"timers": [["join", None, 19]]}, fired=list(fired))
        cause = watched([*before, step(8, "join", stable | {"timers": [["join", None, 9]]}), last])[-1]
        return getattr(known_finding(cause, NEWEST), "letter", None)

    timer = {"timers": [["join", None, 9]]}
    phase = step(0, "join", classic("PreparingRebalance", 1) | timer)
    converted = step(1, "consumer_heartbeat", EMPTY | timer)
    failed = step(0, "join", timer, request={"write_fails": "x"}, lost=[{"type": "group"}])
    assert found(phase, converted) == "T"
    assert found(failed, converted) == "C"
    assert found(phase, converted, fired=()) is None
    assert found(phase) is None


def test_a_timer_that_throws_and_is_left_by_a_conversion_is_finding_t():
    before = {**EMPTY, "members": [{"id": "a", "classic": False}], "target": {}}
    due = before | {"timers": [["consumer_session", "a", 9]]}
    after = classic("Stable", 1, [{"id": "a"}]) | {"timers": [["consumer_session", "a", 19]]}
    thrown = {"fired": [["consumer_session", "a"]], "more": {"exception": "NullPointerException"}}
    _, cause = watched([step(0, "join", due), step(1, "advance", after, **thrown)])
    assert known_finding(cause, NEWEST).letter == "T"
    _, cause = watched([step(0, "join", before), step(1, "advance", after, **thrown | {"fired": []})])
    assert known_finding(cause, NEWEST) is None


def test_a_conversion_leaves_timers_of_the_other_kind():
    before = classic("Stable", 1, [{"id": "a"}]) | {"timers": [["session", "a", 9]]}
    after = {**EMPTY, "members": [{"id": "a"}], "timers": [["session", "a", 9]]}
    (cause,) = watched([step(0, "join", before), step(1, "consumer_heartbeat", after)])
    assert known_finding(cause, NEWEST).letter == "T"


def test_a_join_phase_that_was_not_written_leaves_its_timer():
    lost = [{"type": "group"}]
    failed = step(0, "join", {"timers": [["join", None, 9]]}, request={"write_fails": "x"}, lost=lost)
    (cause,) = watched([failed])
    assert known_finding(cause, NEWEST).letter == "C"


def test_an_upgrade_that_is_refused_leaves_the_session_that_it_armed_even_for_a_replaced_member():
    before = classic("Stable", 2, [{"id": "a", "instance": "i"}])
    after = before | {"timers": [["consumer_session", "a", 9]]}
    refused = step(
        1,
        "consumer_heartbeat",
        after,
        answers=[{"to": 1, "error": "INVALID_REGULAR_EXPRESSION"}],
        request={"member": "b", "instance": "i"},
    )
    (cause,) = watched([step(0, "join", before), refused])
    assert known_finding(cause, NEWEST).letter == "X"
