"""Offsets: the next owner starts where the last commit was, and only a missing fence lets a late one in."""

from __future__ import annotations

import pytest

from kassay.engines.protocols.views import views_of
from kassay.model.cluster import TopicPartition
from kassay.model.protocols.census import Breach
from kassay.model.protocols.clients.classic_state import ClassicState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.world.offsets import Offsets, Position, with_clients_at
from kassay.properties.protocols.registry import invariants
from tests.explored import build
from tests.model.protocols.world.networks_worlds import clients, group, joined, settle
from tests.model.protocols.world.script import play


def test_scenario_13_a_commit_in_flight_of_a_removed_member():
    model = build("classic", partitions=1, faults=Faults(slow=1), network="N1", records=1)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit", "c1 polls too late")
    assert group(state).members == ()
    state = play(model, state, "c1 OffsetCommit arrives")
    (returned,) = clients(state)[0].wire.back
    assert returned.body.error == "UNKNOWN_MEMBER_ID"
    after = play(model, state, "c1 takes OffsetCommit")
    assert clients(after)[0].state is ClassicState.UNJOINED
    assert after.offsets.value.committed == ()


@pytest.mark.parametrize(("release", "answer"), [("4.4.0", "ok"), ("2024-10", "STALE_MEMBER_EPOCH")])
def test_scenario_64_a_commit_that_an_epoch_overtakes_is_refused_no_longer(release, answer):
    """The member still has the partition, or has still to give it up."""
    model = build("kip848", partitions=1, network="N1", records=1, release=release)
    state = play(
        model, joined(model, 1), "c1 processes", "c2 start", "c2 sends heartbeat", "c2 heartbeat arrives"
    )
    state = play(model, state, "c1 sends heartbeat", "c1 heartbeat arrives", "c1 sends OffsetCommit")
    answers = [action.reply for action, _ in model.steps(state) if action.name == "OffsetCommit arrives"]
    assert answers == [answer]
    committed = play(model, state, "c1 OffsetCommit arrives").offsets.value.committed
    assert len(committed) == (answer == "ok")


def test_whose_offsets_they_are_is_renamed_in_all_that_is_kept():
    first, second = TopicPartition("t", 0), TopicPartition("t", 1)
    rows = ((Position(first, 1, 0),), (Position(second, 2, 2),), ())
    broken = Breach("commits-fenced", "a commit of c1 for t-1 is accepted, though c3 took over")
    kept = Offsets(((first, 1),), rows, ((first, 0), (second, 2)), broken)
    renamed = with_clients_at(kept, (2, 0, 1))
    assert renamed.positions == (rows[1], rows[2], rows[0])
    assert renamed.tenants == ((first, 2), (second, 1))
    assert renamed.breach.message == "a commit of c3 for t-1 is accepted, though c2 took over"
    assert renamed.committed == kept.committed
    assert with_clients_at(renamed, (1, 2, 0)) == kept


def test_the_next_owner_starts_where_the_last_commit_was():
    model = build("classic", partitions=1, faults=Faults(leave=1), network="N1", records=2)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit", "c1 OffsetCommit arrives")
    state = settle(model, play(model, state, "c1 processes", "c1 closes", "c2 start"))
    (position,) = state.offsets.value.positions[1]
    assert position.reported >= 1
    assert state.offsets.value.positions[0] == ()


@pytest.mark.parametrize("name", ["commits-fenced", "offsets-never-go-back"])
def test_without_the_fence_a_commit_is_accepted_that_must_not_be(name):
    model = build(
        "classic",
        partitions=1,
        faults=Faults(pause=1),
        network="N1",
        records=2,
        switches=frozenset({"no_generation_fence"}),
    )
    steps = ["c1 processes", "c1 sends OffsetCommit", "c1 pauses", "c2 start"]
    state = play(model, joined(model, 1), *steps)
    state = play(model, state, *("c2 sends JoinGroup", "c2 JoinGroup arrives", "c2 takes JoinGroup"))
    state = play(model, state, "c2 sends JoinGroup", "c2 JoinGroup arrives", "coordinator join timer")
    state = play(model, state, "c2 sends SyncGroup", "c2 SyncGroup arrives", "coordinator the assignment")
    state = play(model, state, "c2 takes SyncGroup")
    if name == "offsets-never-go-back":
        state = play(
            model, state, "c2 processes", "c2 processes", "c2 sends OffsetCommit", "c2 OffsetCommit arrives"
        )
        assert state.offsets.value.committed[0][1] == 2
    state = play(model, state, "c1 OffsetCommit arrives")
    assert state.offsets.value.breach.invariant == name
    findings = [
        each for invariant in invariants(views_of(model), [name]) for each in invariant.judge(None, state)
    ]
    assert state.offsets.value.breach.message in [each.message for each in findings]


def test_with_the_fence_no_commit_goes_back():
    """The run above, with the fence: the late commit is refused."""
    model = build("classic", partitions=1, faults=Faults(pause=1), network="N1", records=1)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit", "c1 pauses")
    state = play(model, state, "coordinator session of c1-1", "c1 OffsetCommit arrives")
    assert clients(state)[0].run is Process.PAUSED
    assert clients(state)[0].wire.back[0].body.error == "UNKNOWN_MEMBER_ID"
    assert state.offsets.value.breach is None


ALONE = ("sends heartbeat", "heartbeat arrives", "takes heartbeat reply", "reconciles", "reconciles")


@pytest.mark.parametrize("of_kafka", [True, False])
def test_who_was_fenced_sets_back_what_another_committed_where_the_group_is_empty(of_kafka):
    """`CommitRequestManager` sends such a commit without an epoch, `ConsumerGroup.validateOffsetCommit` takes it."""
    model = build(
        "kip848",
        partitions=1,
        faults=Faults(pause=1, leave=1),
        network="N1",
        records=2,
        switches=frozenset({"commits_out_of_group"} if of_kafka else ()),
    )
    state = play(model, joined(model, 1), "c1 processes", "c1 pauses", "coordinator session of c1m-1")
    state = play(model, state, "c2 start", *(f"c2 {step}" for step in ALONE), "c2 processes", "c2 processes")
    state = play(model, state, "c2 sends OffsetCommit", "c2 OffsetCommit arrives", "c2 closes", "c1 resumes")
    assert (group(state).members, state.offsets.value.committed[0][1]) == ((), 2)
    state = play(model, state, *(f"c1 {step}" for step in ALONE[:3]))
    sends = {action.name for action, _ in model.steps(state) if action.actor == "c1"}
    assert ("sends OffsetCommit" in sends) is of_kafka
    if of_kafka:
        after = play(model, state, "c1 sends OffsetCommit", "c1 OffsetCommit arrives").offsets.value
        assert (after.committed[0][1], after.breach.invariant) == (1, "offsets-never-go-back")
