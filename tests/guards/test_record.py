"""What is on record of the guards is so still: a sample of every way to be noticed, judged anew."""

import pytest

from tests.guards.__main__ import every_guard
from tests.guards.forks import in_forks
from tests.guards.record import Record, read
from tests.guards.removal import Came, come_of, judged, remove
from tests.guards.suites import UnitTest, with_tests
from tests.guards.worlds import listed, traces

RECORD = read()
BY_NAME = {str(guard): guard for guard in every_guard()}
ROOM = 5_000
"""States of a world that is listed for a switch, at most."""
SAMPLE = (
    "clients.any_balanced.withheld: `owner.get(tp, member) == member` always",
    "clients.classic.on_join: `reply.error != errors.NONE` never",
    "clients.classic.must_join: `client.rejoin` left out",
    "coordinator.classic.rebalance.GroupBuilder.identity_error: `member_id in self.members` always",
    "clients.classic_state.CLIENT: `Completing: Join/SyncGroup REBALANCE_IN_PROGRESS` impossible",
    "coordinator.classic.rebalance.GroupBuilder.all_joined: `not self.pending_join` left out",
    "clients.any_balanced._reporters: `label == held` always",
)
"""An invariant, a dead end, a livelock, an exception, a row, a trace, a test."""


def anew(name):
    """What the judge on record says today: again by whom and how, and the states that its walk reached."""
    by = RECORD.came[name].by
    for world in listed():
        if world.command == by:
            states = world.states or ROOM
            remove(BY_NAME[name])
            return come_of(world, states)
    for trace in traces():
        if trace.name == by:
            remove(BY_NAME[name])
            return come_of(trace, 0)
    came = []
    with_tests(lambda: came.append(judged(BY_NAME[name], {UnitTest(by): 0}, 0, 0, 1)), [by])
    return came[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_guard_is_noticed_as_its_record_says(name):
    ((_, answer),) = in_forks([name], anew, 1, 600)
    assert Came(*answer) == RECORD.came[name]


def test_a_record_is_read_as_it_was_written(tmp_path):
    record = Record([{"states": 1}], {"b": Came("walk", "dead end in 2 steps", 3), "a": Came("", "not met")})
    record.write(tmp_path / "record.json")
    assert read(tmp_path / "record.json") == record
    assert [*read(tmp_path / "record.json").came] == ["a", "b"]
