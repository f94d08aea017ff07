"""What a coordinator has under way is a step of the world, which may come late and be lost."""

from __future__ import annotations

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.records import Background
from kassay.model.protocols.world.groups import ConsumerModel


def model(**more) -> ConsumerModel:
    built = build(ExploreSettings("kip848", members=1, partitions=1, **more))
    assert isinstance(built, ConsumerModel)
    return built


def after(built, state, *names):
    """The state after the first step of each name."""
    for name in names:
        state = next(then for action, then in built.steps(state) if action.name == name)
    return state


def background(state) -> Background:
    return state.broker.value.state.background


def names(built, state) -> list[str]:
    return [action.name for action, _ in built.steps(state)]


def test_a_resolution_runs_and_is_written_and_may_be_late():
    built = model(regex=True, new_topics=("tt",), faults=Faults(topic=1))
    (first,) = built.initial()
    joined = after(built, first, "start", "heartbeat")
    assert background(joined).image == 1
    ran = after(built, joined, "topic tt is created", "resolves regular expressions")
    (result,) = background(ran).tasks[0].result
    assert dict(result)["t.*"].topics == ("t", "tt")
    late = after(built, joined, "resolves regular expressions", "topic tt is created")
    written = after(built, late, "writes what they match")
    assert background(written).tasks == () and background(written).created == 2
    assert dict(written.broker.value.state.group.resolved)["t.*"].topics == ("t",)
    assert "resolves regular expressions" in names(built, after(built, written, "heartbeat"))


def test_a_failover_loses_the_resolution():
    built = model(regex=True, faults=Faults(failover=1))
    (first,) = built.initial()
    joined = after(built, first, "start", "heartbeat")
    moved = after(built, joined, "moves to another broker")
    assert background(moved).tasks == ()
    assert "resolves regular expressions" not in names(built, moved)


def test_an_offloaded_target_is_written_by_a_step_of_its_own():
    built = model(offload=True)
    (first,) = built.initial()
    joined = after(built, first, "start", "heartbeat")
    assert joined.broker.value.state.group.target_epoch == 1
    written = after(built, joined, "writes the target computed in the background")
    assert written.broker.value.state.group.target_epoch == 2
