"""The world of a Streams group (KIP-1071): stream threads, their processes and topics, and the coordinator.

Everything around the clients is that of the classic world: broker, metadata, faults, history. `options`
determines the topology.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain

from kassay.model.cluster import TopicPartition
from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients import streams_offsets
from kassay.model.protocols.clients.any_balanced import AnyBalanced
from kassay.model.protocols.clients.any_balanced_tasks import balanced_tasks
from kassay.model.protocols.clients.config import EAGER, Process
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.clients.streams_table import StreamsState
from kassay.model.protocols.coordinator.brokers import TaskTargets
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.requests import OffsetCommit, TopicImage
from kassay.model.protocols.values.streams.group import StreamsTaskGroup
from kassay.model.protocols.world.models.classic import NETWORKS, ClassicModel, WorldParts, no_targets
from kassay.model.protocols.world.parts.background import background_steps
from kassay.model.protocols.world.parts.context import (
    HEARTBEAT_OFFSET,
    ModelOptions,
    World,
    WorldContext,
    WorldMove,
    listing,
    moved,
)
from kassay.model.protocols.world.parts.timers import Timers
from kassay.model.protocols.world.streams.census import StreamsCensuses
from kassay.model.protocols.world.streams.faults import StreamsFaults
from kassay.model.protocols.world.streams.offsets import TaskLedger
from kassay.model.protocols.world.streams.options import (
    NO_STREAMS,
    SOURCE,
    StreamsOptions,
    first_topics,
    streams_config,
    streams_configs,
)
from kassay.model.protocols.world.streams.talk import StreamsTalk, thread


class StreamsModel(ClassicModel):
    """Stream threads of a KIP-1071 group, at small sizes, with any task assignor."""

    def __init__(
        self,
        options: ModelOptions,
        streams: StreamsOptions = NO_STREAMS,
        *,
        tasks: TaskTargets = balanced_tasks,
    ) -> None:
        self.streams = streams
        config = streams_config(options, streams)
        configs = streams_configs(options, streams)
        context = WorldContext(options, config, no_targets, configs, tasks=tasks)
        no_rule = AnyBalanced(EAGER)
        calls = NETWORKS[options.network](context, no_rule, talk=StreamsTalk(no_rule))
        censuses = StreamsCensuses(context, standbys=streams.standby, warms_up=streams.warmup > 0)
        self.task_censuses = censuses
        parts = WorldParts(context, no_rule, calls, Timers(context), StreamsFaults(context), censuses)
        super().__init__(options, parts=parts)

    @cached_property
    def ledger(self) -> TaskLedger:
        """The offsets, if records are processed."""
        return TaskLedger(self.context)

    def initial(self) -> Iterator[World]:
        """No client has started; the coordinator knows the topics, but source topics may still be missing."""
        image = first_topics(self.options, self.streams)
        absent = (self.context.cell(StreamThread()),) * self.options.members
        for world in super().initial():
            broker = self.context.brokers.first(image)
            first = world._replace(clients=absent, image=self.context.cell(image), broker=broker)
            yield first
            if self.options.compacted:
                yield first._replace(broker=self._reset(broker))

    def _reset(self, broker: Interned) -> Interned:
        """The broker after the offsets were set before the first start, as reset tools do.

        So the log begins with an offset, which on its own indicates a group that is no Streams group.
        """
        request = OffsetCommit(HEARTBEAT_OFFSET, "", -1, ((TopicPartition(SOURCE, 0), 0),))
        ((after, _),) = self.context.brokers.handle(broker, request)
        return after

    def _steps(self, state: World) -> Iterator[tuple[Action, World]]:
        steps = chain(super()._steps(state), self._creations(state))
        if self.options.late_targets:
            return chain(steps, background_steps(self.context, state))
        return steps

    def _creations(self, state: World) -> Iterator[tuple[Action, World]]:
        """The broker creates the internal topics that replies name, once their source topics exist."""
        group = state.broker.value.state.group
        if not isinstance(group, StreamsTaskGroup) or not group.topology or self.faults is None:
            return
        counts = {topic.name: topic.partitions for topic in state.image.value}
        parts = [part for part in group.topology[0].subtopologies if {*part.inputs} <= counts.keys()]
        missing = tuple(
            TopicImage(name, name, max(counts[source] for source in part.inputs))
            for part in parts
            for name in part.changelogs
            if name not in counts
        )
        if missing and len(parts) == len(group.topology[0].subtopologies):
            image = tuple(sorted((*state.image.value, *missing)))
            broker = self.faults.settled_image(state.broker, image)
            names = listing(tuple(topic.name for topic in missing))
            label = Action("metadata", f"{names} is created", disturbs=True)
            yield label, state._replace(image=self.context.cell(image), broker=broker)

    def _client_moves(
        self,
        c: int,
        cell: Interned,
        broker: Interned,
        image: Interned,  # noqa: ARG002 - only the coordinator reads the topics
        faults: Faults,
    ) -> Iterator[WorldMove]:
        client = thread(cell.value)
        yield from self.calls.under_way(c, client, broker, faults)
        if client.run is not Process.UP:
            return
        config, name = self.context.configs[c], f"c{c + 1}"
        if (after := cs.lost(client)) is not None:
            label = Action(name, "loses its tasks", detail=listing(client.owned))
            yield self.context.move(label, client, after, broker)
        if (after := cs.reconcile(config, client)) is not None:
            word = "runs" if client.setting_out else "revokes down to"
            copies = f"; copies {listing(after.copies)}" if client.setting_out and after.copies else ""
            label = Action(name, "reconciles", detail=f"{word} {listing(after.owned)}{copies}")
            yield self.context.move(label, client, after, broker)
        if config.reports:
            held = streams_offsets.stateful(config, client.rollout_step, client.copies)
            for task, restored in streams_offsets.restorable(held, client.restored):
                label = Action(name, "restores", detail=task)
                yield self.context.move(label, client, client._replace(restored=restored), broker)
        yield from self.calls.heartbeat(c, client, broker, faults)


def refused(before: World, after: World) -> bool:
    """Whether some client gets an error in this step, or the reply with it is sent."""
    if before.clients is after.clients or moved(before, after):
        return False
    return any(
        _is_refused(old.value, new.value) for old, new in zip(before.clients, after.clients) if old is not new
    )


def _is_refused(old: StreamThread, new: StreamThread) -> bool:
    if len(new.wire.back) > len(old.wire.back):
        body = new.wire.back[-1].body
        return bool(body.error != errors.NONE)
    return new.state is not old.state and new.state in (StreamsState.FENCED, StreamsState.FATAL)
