"""The figures of a roll, from recordings made without a broker."""

from dataclasses import replace

from kassay.engines.clusters.played import Extent
from kassay.engines.clusters.rolled import StepRoll
from kassay.engines.live.program import Called, Ready, RecordsRead, Span
from kassay.engines.live.recording import MS, GroupSeen, Life, LiveStep, Recording
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.engines.rehearse.rehearsal import compared
from kassay.engines.rehearse.seen import RollSeen, roll_seen
from kassay.model.cluster import TopicPartition
from tests.engines.rehearse.test_plan import plan

A, B, C = (TopicPartition("t", number) for number in range(3))
TOPICS = frozenset({"t"})


def life(name, number, *events, ended=None):
    seat = LiveSeat(name, "java", ("range",))
    made = [Ready(0, "java", "1")]
    for at, kind, partitions in events:
        made += [Called(at * MS, kind, phase, frozenset(partitions)) for phase in ("begin", "end")]
    return Life(seat, number, 0, tuple(made), None if ended is None else ended * MS)


def step(began, at, owned, epoch, do="join", settled=True):
    group = GroupSeen(at * MS, "Stable", {name: frozenset(tps) for name, tps in owned.items()}, 1, epoch)
    present = dict.fromkeys(owned, TOPICS)
    return LiveStep(LiveAction(do, "m2"), began * MS, at * MS, settled, {"t": 3}, present, group)


def restarted():
    """m2 leaves at 20 and is back at 40: m1 gives up all each time, and gets two of three back."""
    first = life(
        "m1",
        1,
        (5, "assigned", [A, B]),
        (20, "revoked", [A, B]),
        (30, "assigned", [A, B, C]),
        (40, "revoked", [A, B, C]),
        (48, "assigned", [B, C]),
    )
    second = life("m2", 1, (6, "assigned", [C]), (16, "revoked", [C]), ended=17)
    third = life("m2", 2, (48, "assigned", [A]))
    steps = (
        step(4, 10, {"m1": [A, B], "m2": [C]}, 2),
        step(15, 31, {"m1": [A, B, C]}, 3, "leave"),
        step(35, 50, {"m1": [B, C], "m2": [A]}, 4),
    )
    script = LiveScript({"t": 3}, (first.seat, second.seat), ())
    return Recording(script, (first, second, third), steps, {})


def test_a_restart_counts_as_what_if_counts_it():
    seen = roll_seen(restarted(), [(1, 2, "m2")])
    assert (seen.rebalances, seen.moved, seen.restarted, seen.revoked) == (2, 1, 1, 5)
    assert seen.paused == 6 and seen.loads == (1, 2)
    assert (seen.double_owners, seen.read_twice, seen.unsettled) == (0, 0, 0)


def test_a_pause_lasts_until_the_next_owner():
    seen = roll_seen(restarted(), [(1, 2, "m2")])
    assert sorted(round(each) for each in seen.pauses_ms) == [8, 8, 8, 10, 10, 14]


def test_all_members_at_once_own_everything_before():
    seen = roll_seen(restarted(), [(1, 2, "")])
    assert (seen.moved, seen.restarted, seen.revoked) == (0, 3, 0)


def test_records_are_counted_where_they_are_read_again():
    recording = restarted()
    reads = tuple(RecordsRead(at * MS, (Span(A, first, 9, 10 - first),)) for at, first in ((12, 0), (49, 6)))
    lives = (replace(recording.lives[0], events=recording.lives[0].events + reads), *recording.lives[1:])
    assert roll_seen(replace(recording, lives=lives), [(1, 2, "m2")]).read_twice == 4
    late = (replace(recording.lives[0], events=(*recording.lives[0].events, reads[0])), *recording.lives[1:])
    assert roll_seen(replace(recording, lives=late), [(1, 2, "m2")]).read_twice == 0


def test_an_owner_that_does_not_give_up_is_a_double_owner():
    recording = restarted()
    events = recording.lives[0].events[:-4]  # it keeps all of A, B and C
    lives = (replace(recording.lives[0], events=events), *recording.lives[1:])
    assert roll_seen(replace(recording, lives=lives), [(1, 2, "m2")]).double_owners == 1


SEEN = RollSeen(12, 3, 15, 60, Extent(2, 3), (), 0, 0, 0)
PLANNED = StepRoll(Extent(12, 12), 6, Extent(3, 3), 15, 60, Extent(2, 3))


def reasons(seen, goal="roundrobin", planned=PLANNED, again=PLANNED):
    played = plan(goal)
    return compared(played, replace(played.rolls[0], planned=planned), again, seen).differences


def test_what_is_as_planned_needs_no_reason():
    assert reasons(SEEN) == () == reasons(SEEN, planned=None)


def test_reasons_that_are_known_are_given():
    assert reasons(replace(SEEN, rebalances=8)) == (
        "rebalances: members were back before the others had joined again",
    )
    (ids,) = reasons(replace(SEEN, moved=9), "uniform")
    assert ids.startswith("moves: the ids of consumer groups are random")
    (ties,) = reasons(replace(SEEN, moved=9), "sticky")
    assert "order of Kafka's hash maps" in ties
    (start,) = reasons(replace(SEEN, moved=9), again=PLANNED._replace(moved=Extent(9, 9)))
    assert "which yours does not" in start


def test_what_is_not_known_is_said():
    assert reasons(replace(SEEN, moved=9)) == ("moves: not explained",)
    (double,) = reasons(replace(SEEN, double_owners=1))
    assert "not explained" in double
