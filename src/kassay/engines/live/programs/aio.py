"""A member with aiokafka, which does not report a revocation when it closes, nor lost partitions as such."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from importlib.metadata import version
from typing import Any

from kassay.engines.live.programs.common import (
    TICK_S,
    ClientCommands,
    Output,
    Partition,
    Uncommitted,
    fatal,
    report_commit,
    spans_of,
)

REPORTS = ("assigned", "revoked", "lost", "records", "committed")
"""A partition that is lost is reported as revoked, when the client rejoins."""


def _set(partitions: Any) -> list[Partition]:
    return [(each.topic, each.partition) for each in partitions]


def _assignor(name: str) -> Any:
    """The class of a strategy."""
    if name == "range":
        from aiokafka.coordinator.assignors.range import RangePartitionAssignor as Assignor
    elif name == "roundrobin":
        from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor as Assignor
    else:
        from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor as Assignor
    return Assignor


class _Member:
    """A consumer, its listener and its loop."""

    def __init__(self, commands: ClientCommands, output: Output) -> None:
        from aiokafka import AIOKafkaConsumer

        self.commands, self.output, self.work = commands, output, Uncommitted()
        start = commands.start
        self.consumer = AIOKafkaConsumer(
            bootstrap_servers=start["bootstrap"],
            group_id=start["group"],
            client_id=start["client"],
            group_instance_id=start["instance"],
            partition_assignment_strategy=tuple(_assignor(name) for name in start["strategies"]),
            session_timeout_ms=start["session_ms"],
            heartbeat_interval_ms=start["heartbeat_ms"],
            max_poll_interval_ms=start["max_poll_ms"],
            rebalance_timeout_ms=start["max_poll_ms"],
            metadata_max_age_ms=start["metadata_ms"],
            auto_offset_reset=start["offset_reset"],
            enable_auto_commit=False,
        )
        self.subscribe(start["topics"])

    def subscribe(self, topics: list[str]) -> None:
        """Replace the subscription."""
        from aiokafka import ConsumerRebalanceListener

        output, work, member = self.output, self.work, self

        class Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
            """Reports each callback; commits before a partition is given up."""

            async def on_partitions_assigned(self, assigned: Any) -> None:
                output.callback("assigned", "begin", _set(assigned))
                work.own(_set(assigned))
                output.callback("assigned", "end", _set(assigned))

            async def on_partitions_revoked(self, revoked: Any) -> None:
                output.callback("revoked", "begin", _set(revoked))
                await member.commit(work.give_up(_set(revoked)))
                output.callback("revoked", "end", _set(revoked))

        self.consumer.subscribe(topics, listener=Listener())

    async def commit(self, offsets: dict[Partition, int]) -> None:
        """Commit, and report what came of it."""
        from aiokafka import TopicPartition

        if not offsets:
            return
        began = time.monotonic_ns()
        try:
            await self.consumer.commit({TopicPartition(*each): offset for each, offset in offsets.items()})
        except Exception as error:  # the library's own
            self.output.emit("error", text=f"commit: {error!r}")
        else:
            report_commit(self.output, began, offsets)

    async def poll(self) -> None:
        """Poll once, and commit if it is time to."""
        offsets: dict[Partition, list[int]] = defaultdict(list)
        for partition, records in (await self.consumer.getmany(timeout_ms=self.commands.poll_ms)).items():
            offsets[partition.topic, partition.partition] += [record.offset for record in records]
        if spans := spans_of(offsets):
            self.output.emit("records", records=spans)
            self.work.add(spans)
        await self.commit(self.work.due())

    async def serve(self) -> None:
        """Serve until the command to close; commands are awaited in a thread, so that heartbeats go on."""
        while True:
            while (command := await self._next()) is not None:
                if command["do"] == "close":
                    self.output.emit("closing")
                    await self.commit(self.work.take([*self.work.pending]))
                    await self.consumer.stop()
                    self.output.emit("closed")
                    return
                if command["do"] == "subscribe":
                    self.subscribe(command["topics"])
            try:
                await self.poll()
            except Exception as error:  # the library's own; the next poll may do better
                self.output.emit("error", text=repr(error))
                await asyncio.sleep(TICK_S)

    async def _next(self) -> dict[str, Any] | None:
        if self.commands.wait_ms:
            return await asyncio.to_thread(self.commands.next)
        return self.commands.next()


async def _main() -> None:
    output, commands = Output(), ClientCommands()
    output.watch()
    try:
        member = _Member(commands, output)
        output.emit("ready", library="aiokafka", version=version("aiokafka"), reports=REPORTS)
        await member.consumer.start()
    except Exception as error:  # the library's own
        fatal(output, error)
    await member.serve()


def main() -> None:
    """Serve as a member until the command to close."""
    asyncio.run(_main())


if __name__ == "__main__":
    main()
