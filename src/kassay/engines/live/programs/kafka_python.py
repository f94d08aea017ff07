"""A member with kafka-python."""

from __future__ import annotations

import runpy
import time
from collections import defaultdict
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from kassay.engines.live.programs.common import (
    ALL,
    ClientCommands,
    Output,
    Partition,
    Span,
    Uncommitted,
    fatal,
    report_commit,
    run,
    spans_of,
)


def _assignor(name: str) -> Any:
    """The class of a strategy: one of the library, or the assignor that a file defines."""
    if name.endswith(".py"):
        from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor

        own = [
            each
            for each in runpy.run_path(name).values()
            if isinstance(each, type)
            and issubclass(each, AbstractPartitionAssignor)
            and not each.__module__.startswith("kafka.")
        ]
        if len(own) != 1:
            raise ValueError(f"{name}: {len(own)} classes of AbstractPartitionAssignor, expected one")
        return own[0]
    if name == "range":
        from kafka.coordinator.assignors.range import RangePartitionAssignor as Assignor
    elif name == "roundrobin":
        from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor as Assignor
    elif name == "sticky":
        from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor as Assignor
    else:
        from kafka.coordinator.assignors import cooperative_sticky

        return next(v for k, v in vars(cooperative_sticky).items() if k.startswith("Cooperative"))
    return Assignor


def _set(partitions: Any) -> list[Partition]:
    return [(each.topic, each.partition) for each in partitions]


def _offsets(offsets: Mapping[Partition, int]) -> Any:
    """The offsets as the library has them."""
    from kafka import TopicPartition
    from kafka.structs import OffsetAndMetadata

    return {TopicPartition(*each): OffsetAndMetadata(offset, "", -1) for each, offset in offsets.items()}


class _Client:
    """A consumer, and its listener."""

    def __init__(self, commands: ClientCommands, output: Output, work: Uncommitted) -> None:
        from kafka import AsyncConsumerRebalanceListener, KafkaConsumer

        class Listener(AsyncConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
            """Reports each callback; commits before a partition is given up."""

            async def on_partitions_assigned(_, assigned: Any) -> None:  # noqa: N805
                output.callback("assigned", "begin", _set(assigned))
                work.own(_set(assigned))
                output.callback("assigned", "end", _set(assigned))

            async def on_partitions_revoked(_, revoked: Any) -> None:  # noqa: N805
                output.callback("revoked", "begin", _set(revoked))
                await self._commit_within(output, work.give_up(_set(revoked)))
                output.callback("revoked", "end", _set(revoked))

            async def on_partitions_lost(_, lost: Any) -> None:  # noqa: N805
                output.callback("lost", "begin", _set(lost))
                work.give_up(_set(lost))
                output.callback("lost", "end", _set(lost))

        self._listener, self._poll_ms, start = Listener(), commands.poll_ms, commands.start
        self._consumer = KafkaConsumer(
            bootstrap_servers=start["bootstrap"],
            group_id=start["group"],
            client_id=start["client"],
            client_rack=start.get("rack", ""),
            group_instance_id=start["instance"],
            partition_assignment_strategy=[_assignor(name) for name in start["strategies"]],
            session_timeout_ms=start["session_ms"],
            heartbeat_interval_ms=start["heartbeat_ms"],
            max_poll_interval_ms=start["max_poll_ms"],
            metadata_max_age_ms=start["metadata_ms"],
            auto_offset_reset=start["offset_reset"],
            enable_auto_commit=False,
        )
        self.subscribe(start["topics"])

    def subscribe(self, topics: list[str]) -> None:
        """Replace the subscription."""
        self._consumer.subscribe(topics, listener=self._listener)

    def poll(self) -> list[Span]:
        """Poll once."""
        offsets: dict[Partition, list[int]] = defaultdict(list)
        for partition, records in self._consumer.poll(timeout_ms=self._poll_ms).items():
            offsets[partition.topic, partition.partition] += [record.offset for record in records]
        return spans_of(offsets)

    def commit(self, offsets: Mapping[Partition, int]) -> None:
        """Commit synchronously."""
        self._consumer.commit(_offsets(offsets))

    async def _commit_within(self, output: Output, offsets: dict[Partition, int]) -> None:
        """Commit in a callback, which runs in the thread that a synchronous commit would wait for."""
        if not offsets:
            return
        began = time.monotonic_ns()
        try:
            await self._consumer.commit_async(_offsets(offsets))
        except Exception as error:  # the library's own
            output.emit("error", text=f"commit: {error!r}")
        else:
            report_commit(output, began, offsets)

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()


def main() -> None:
    """Serve as a member until the command to close."""
    output, commands, work = Output(), ClientCommands(), Uncommitted()
    output.watch()
    try:
        client = _Client(commands, output, work)
    except Exception as error:  # the library's own
        fatal(output, error)
    output.emit("ready", library="kafka-python", version=version("kafka-python"), reports=ALL)
    run(commands, output, client, work)


if __name__ == "__main__":
    main()
