"""The censuses of a world of stream threads: active tasks as partitions, and all roles by process."""

from __future__ import annotations

from kassay.engines.protocols.views import beliefs
from kassay.model.protocols.values.requests import image_of
from kassay.model.protocols.values.streams import StreamsSubtopology, StreamsTopology
from kassay.model.protocols.world.streams.census import wanted
from kassay.model.protocols.world.streams.threads import StreamsOptions
from kassay.model.streams.group import GroupTask
from tests.explored import build
from tests.model.protocols.world.script import play, settle, started

ZERO, ONE = GroupTask("0", 0), GroupTask("0", 1)


def test_tasks_are_wanted_once_all_topics_are_there_with_their_partitions():
    topology = StreamsTopology(0, (StreamsSubtopology("0", ("t",), ("s",)),))
    assert wanted(None, ()) == ()
    assert wanted(topology, image_of([("t", 2)])) == ()
    assert wanted(topology, image_of([("s", 1), ("t", 2)])) == ()
    assert wanted(topology, image_of([("s", 2), ("t", 2)])) == (ZERO, ONE)


def test_at_rest_every_task_has_its_owner_and_its_copy_and_all_of_it_commits():
    model = build("streams", streams=StreamsOptions(standby=1))
    state = started(model, 2)
    census, tasks = beliefs(model, state), model.task_censuses.tasks(state)
    assert census.resting
    assert tasks.resting
    assert census.wanted == (ZERO, ONE) == tasks.stateful
    assert [(one.process, one.active, one.copies) for one in tasks.record] == [
        (one.process, one.active, one.copies) for one in tasks.belief
    ]
    for one in tasks.belief:
        assert one.commits == one.active
        assert sorted((*one.active, *one.copies)) == [ZERO, ONE]


def test_a_zombie_is_not_current_and_its_commits_are_refused():
    model = build("streams", faults="pause=1")
    state = play(model, started(model, 2), "c1 pauses", "coordinator session of c1m-1")
    zombie, other = model.task_censuses.tasks(state).belief
    assert zombie.active
    assert (zombie.current, zombie.commits) == (False, ())
    assert other.current


def test_who_is_ended_by_an_answer_is_named_with_the_error():
    model = build("streams", instances=("i1", "i1"))
    state = play(model, started(model, 1), "c2 start", "c2 heartbeat")
    assert model.task_censuses.tasks(state).ended == (("c2", "UNRELEASED_INSTANCE_ID"),)


def test_who_is_up_to_date_knows_the_endpoints_until_one_goes_whose_tasks_nobody_gets():
    model = build("streams", streams=StreamsOptions(standby=1, endpoints=2), partitions=1, faults="leave=1")
    state = started(model, 2)
    both = model.task_censuses.tasks(state).endpoints
    assert [one.client for one in both] == ["c1", "c2"]
    assert all(one.known == one.actual and len(one.actual) == 2 for one in both)
    idle = next(i for i, cell in enumerate(state.clients, 1) if not cell.value.owned)
    left = settle(model, play(model, state, f"c{idle} closes"))
    (one,) = model.task_censuses.tasks(left).endpoints
    assert (len(one.known), len(one.actual)) == (2, 1)
