"""Background tasks of a coordinator: resolving expressions, writing a target, waiting for an interval."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.graph import Action
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.values.background import (
    Background,
    ResolutionApplied,
    ResolutionRun,
    TargetApplied,
)
from kassay.model.protocols.values.groups import ConsumerGroup, CoordinatorState
from kassay.model.protocols.values.streams.group import StreamsTaskGroup
from kassay.model.protocols.world.parts.context import BROKER, World, WorldContext, labelled, listing


def background_steps(context: WorldContext, state: World) -> Iterator[tuple[Action, World]]:
    """The next step of each current task, which may come arbitrarily late."""
    logged = state.budget.value.failover > 0
    coordinator: CoordinatorState = state.broker.value.state
    group = coordinator.group
    waits = isinstance(group, ConsumerGroup | StreamsTaskGroup) and group.target_time > 0
    if context.options.late_targets and waits:
        over = context.brokers.interval_over(state.broker)
        yield Action(BROKER, "the assignment interval is over"), state._replace(broker=over)
    for action, event in _tasks(coordinator.background):
        for broker, _ in context.brokers.handle(state.broker, event, keeps_log=logged):
            yield labelled(action, state.broker, broker), state._replace(broker=broker)


def _tasks(background: Background) -> Iterator[tuple[Action, Event]]:
    """The current tasks with the events that continue them; a result is described by what is written."""
    for task in background.tasks:
        if not task.result:
            yield (
                Action(BROKER, "resolves regular expressions", detail=", ".join(task.regexes)),
                ResolutionRun(),
            )
        for result in task.result:
            matches = (f"{regex}: {','.join(each.topics) or 'nothing'}" for regex, each in result)
            yield Action(BROKER, "writes what they match", detail="; ".join(matches)), ResolutionApplied()
    for computed in background.targets:
        target = "; ".join(f"{member}: {listing(tps)}" for member, _, tps in computed.target)
        detail = f"epoch {computed.epoch}; {target}"
        yield Action(BROKER, "writes the target computed in the background", detail=detail), TargetApplied()
