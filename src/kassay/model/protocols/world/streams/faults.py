"""Faults and changes in a world of stream threads: processes, threads, topologies, topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.requests import Image, MetadataChanged
from kassay.model.protocols.values.streams.requests import StreamsHeartbeat
from kassay.model.protocols.world.parts.context import BROKER, HEARTBEAT_OFFSET, Client, World, put
from kassay.model.protocols.world.parts.faults import FaultSteps
from kassay.model.protocols.world.parts.renaming import facts_of_cell
from kassay.model.protocols.world.streams.talk import thread

ALIVE: Final = (Process.UP, Process.PAUSED)
_Change: TypeAlias = Callable[[StreamThread], StreamThread]


class StreamsFaults(FaultSteps):
    """As in the other worlds, except that a fault of a process affects all its threads.

    A restarted thread has a new member id and the previous process id, which is stored on its disk.
    """

    def rollout_steps(self, c: int) -> int:
        """The number of versions of a client's topology."""
        return len(self.context.configs[c].topologies)

    def starts(self, state: World) -> Iterator[tuple[Action, World]]:
        """Threads that start or return, each under an unused id, and processes that resume."""
        for c, cell in enumerate(state.clients):
            client = thread(cell.value)
            static = bool(self.context.configs[c].group_instance_id)
            if client.run is Process.NEW or (client.run is Process.GONE and static):
                fresh = cs.started(self._fresh_id(state, c), client.rollout_step)
                fresh = fresh._replace(connection=client.connection, wire=client.wire)
                word = "start" if client.run is Process.NEW else "restart"
                after = put(state, c, self.context.cell(fresh))
                yield Action(f"c{c + 1}", word, fault=True, disturbs=True), after
            elif client.run is Process.PAUSED and c == self._mates(state, c, (Process.PAUSED,))[0]:
                after = self._all(state, self._mates(state, c, (Process.PAUSED,)), _awake)
                yield Action(self._name(c), "resumes", disturbs=True), after

    def _fresh_id(self, state: World, c: int) -> str:
        """The first member id of a client that neither the coordinator nor its own messages name."""
        used = facts_of_cell(state.broker).names | facts_of_cell(state.clients[c]).names
        number = 1
        while (name := f"{self.context.configs[c].client_id}m-{number}") in used:
            number += 1
        return name

    def settled_image(self, broker: Interned, image: Image) -> Interned:
        """The broker after it has seen the metadata."""
        ((after, _),) = self.context.brokers.handle(broker, MetadataChanged(image))
        return after

    def client_faults(
        self, state: World, c: int, cell: Interned, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """The possible faults of one client, or of the process whose first thread it is."""
        client = thread(cell.value)
        yield from self.process_faults(state, c, client, faults)
        if client.run is not Process.UP or client.state not in cs.MEMBER:
            return
        if faults.leave:
            yield from self.departs(state, c, "leave", "closes", self._closed(client))
            if self.context.configs[c].group_instance_id:
                action, after = self.befalls(state, c, "leave", "leaves for good", self._closed(client))
                yield from self._leave_with(
                    requests.LEAVE_EPOCH, action._replace(to=BROKER), after, c, client
                )
        if faults.slow:
            yield from self.departs(state, c, "slow", "polls too late, leaves", cs.poll_expired(client))
        if faults.rollout and client.rollout_step + 1 < self.rollout_steps(c):
            newer = self._closed(client)._replace(run=Process.NEW, rollout_step=client.rollout_step + 1)
            yield from self.departs(state, c, "rollout", "closes for its next topology", newer)

    def _closed(self, client: StreamThread) -> StreamThread:
        """The rest of a thread that closes; its successor has connections of its own."""
        connection = client.connection + (1 if client.wire.sent else 0)
        return cs.closed(client)._replace(connection=connection, wire=self.left_under_way(client))

    def process_faults(
        self, state: World, c: int, client: Client, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """A process dies or pauses, with all its threads; one thread of several may die alone."""
        threads = self._mates(state, c, ALIVE)
        if client.run not in ALIVE:
            return
        if faults.crash and len(threads) > 1:
            yield self.befalls(state, c, "crash", "dies", self.gone(client))
        if c != threads[0]:
            return
        if faults.crash:
            yield self._together(state, "crash", "crashes", threads, self._dead)
        running = self._mates(state, c, (Process.UP,))
        if faults.pause and running:
            yield self._together(state, "pause", "pauses", running, _asleep)

    def _dead(self, client: StreamThread) -> StreamThread:
        return thread(self.gone(client))

    def _together(
        self, state: World, fault: str, name: str, threads: list[int], change: _Change
    ) -> tuple[Action, World]:
        """A fault of a process."""
        after = self._all(state, threads, change)
        budget = self.context.spent(state.budget, fault)
        return Action(self._name(threads[0]), name, fault=True), after._replace(budget=budget)

    def _all(self, state: World, threads: list[int], change: _Change) -> World:
        for c in threads:
            state = put(state, c, self.context.cell(change(thread(state.clients[c].value))))
        return state

    def _mates(self, state: World, c: int, runs: tuple[Process, ...]) -> list[int]:
        """The threads of a client's process, including itself, in one of these conditions."""
        configs = self.context.configs
        return [
            other
            for other, cell in enumerate(state.clients)
            if configs[other].process_id == configs[c].process_id and cell.value.run in runs
        ]

    def _name(self, c: int) -> str:
        """The name of a process: that of its thread, if it has only one."""
        configs = self.context.configs
        process = configs[c].process_id
        alone = sum(config.process_id == process for config in configs) == 1
        return f"c{c + 1}" if alone else process

    def leave(self, action: Action, after: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """The heartbeat with which a member leaves, applied to the world without the member."""
        yield from self._leave_with(self.context.configs[c].leave_epoch, action, after, c, client)

    def _leave_with(
        self, epoch: int, action: Action, after: World, c: int, client: Client
    ) -> Iterator[tuple[Action, World]]:
        instance = self.context.configs[c].group_instance_id
        request = StreamsHeartbeat(HEARTBEAT_OFFSET + c, client.member_id, epoch, instance)
        yield from self.last_words(action._replace(detail=f"epoch {epoch}"), after, request)


def _awake(client: StreamThread) -> StreamThread:
    return client._replace(run=Process.UP)


def _asleep(client: StreamThread) -> StreamThread:
    return client._replace(run=Process.PAUSED)
