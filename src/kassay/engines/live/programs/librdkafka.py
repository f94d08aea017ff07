"""A member with librdkafka, by way of confluent-kafka."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from kassay.engines.live.programs.common import (
    ALL,
    ClientCommands,
    Output,
    Partition,
    Span,
    Uncommitted,
    committed,
    fatal,
    run,
    spans_of,
)

_BATCH = 500


def _set(partitions: Any) -> list[Partition]:
    return [(each.topic, each.partition) for each in partitions]


def _settings(start: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of the consumer."""
    settings = {
        "bootstrap.servers": start["bootstrap"],
        "group.id": start["group"],
        "client.id": start["client"],
        "auto.offset.reset": start["offset_reset"],
        "enable.auto.commit": False,
        "max.poll.interval.ms": max(start["max_poll_ms"], start["session_ms"]),
        "topic.metadata.refresh.interval.ms": start["metadata_ms"],
        "metadata.max.age.ms": max(start["metadata_ms"] * 3, 1000),
        "group.protocol": start["protocol"],
    }
    if start.get("rack"):
        settings["client.rack"] = start["rack"]
    if start["instance"]:
        settings["group.instance.id"] = start["instance"]
    if start["protocol"] == "consumer":
        if start["strategies"]:
            settings["group.remote.assignor"] = start["strategies"][0]
        return settings
    return settings | {
        "partition.assignment.strategy": ",".join(start["strategies"]),
        "session.timeout.ms": start["session_ms"],
        "heartbeat.interval.ms": start["heartbeat_ms"],
    }


class _Client:
    """A consumer with its callbacks."""

    def __init__(self, commands: ClientCommands, output: Output, work: Uncommitted) -> None:
        from confluent_kafka import Consumer

        self._output, self._work = output, work
        start, self._poll_s = commands.start, commands.poll_ms / 1000
        self._incremental = start["protocol"] == "consumer" or "cooperative" in start["strategies"][0]
        settings = _settings(start) | {"error_cb": lambda error: output.emit("error", text=str(error))}
        self._consumer = Consumer(settings)
        self.subscribe(start["topics"])

    def _assigned(self, consumer: Any, partitions: Any) -> None:
        self._output.callback("assigned", "begin", _set(partitions))
        (consumer.incremental_assign if self._incremental else consumer.assign)(partitions)
        self._work.own(_set(partitions))
        self._output.callback("assigned", "end", _set(partitions))

    def _revoked(self, consumer: Any, partitions: Any) -> None:
        self._output.callback("revoked", "begin", _set(partitions))
        committed(self._output, self.commit, self._work.give_up(_set(partitions)))
        consumer.incremental_unassign(partitions) if self._incremental else consumer.unassign()
        self._output.callback("revoked", "end", _set(partitions))

    def _lost(self, consumer: Any, partitions: Any) -> None:
        self._output.callback("lost", "begin", _set(partitions))
        self._work.give_up(_set(partitions))
        consumer.incremental_unassign(partitions) if self._incremental else consumer.unassign()
        self._output.callback("lost", "end", _set(partitions))

    def subscribe(self, topics: list[str]) -> None:
        """Replace the subscription."""
        self._consumer.subscribe(
            topics, on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost
        )

    def poll(self) -> list[Span]:
        """Poll once."""
        offsets: dict[Partition, list[int]] = defaultdict(list)
        for message in self._consumer.consume(_BATCH, self._poll_s):
            if message.error():
                self._output.emit("error", text=str(message.error()))
            else:
                offsets[message.topic(), message.partition()].append(message.offset())
        return spans_of(offsets)

    def commit(self, offsets: Mapping[Partition, int]) -> None:
        """Commit synchronously."""
        from confluent_kafka import KafkaException, TopicPartition

        done = self._consumer.commit(
            offsets=[TopicPartition(*each, offset) for each, offset in offsets.items()], asynchronous=False
        )
        for each in done:
            if each.error:
                raise KafkaException(each.error)

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()


def main() -> None:
    """Serve as a member until the command to close."""
    output, commands, work = Output(), ClientCommands(), Uncommitted()
    output.watch()
    try:
        from confluent_kafka import libversion

        client = _Client(commands, output, work)
    except Exception as error:  # the library's own
        fatal(output, error)
    output.emit("ready", library="librdkafka", version=libversion()[0], reports=ALL)
    run(commands, output, client, work)


if __name__ == "__main__":
    main()
