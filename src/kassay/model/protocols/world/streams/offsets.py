"""Offsets in a world of stream threads: a task of the first subtopology reads one source partition."""

from __future__ import annotations

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.shared.census import Owned
from kassay.model.protocols.values.requests import OffsetCommit, Partitions
from kassay.model.protocols.values.streams.group import StreamsTaskMember
from kassay.model.protocols.world.parts.context import Client
from kassay.model.protocols.world.parts.offsets import Counts, Ledger
from kassay.model.protocols.world.streams.options import SOURCE
from kassay.model.protocols.world.streams.talk import thread


class TaskLedger(Ledger):
    """The records that each thread has processed for its running tasks."""

    def commit(self, config: ClientConfig, number: int, client: Client, news: Counts) -> OffsetCommit | None:
        """The thread's current OffsetCommit; None outside the group."""
        return cs.commit(config, number, thread(client), news)

    def reads(self, owned: Owned) -> Partitions:
        """The source partitions that these tasks read."""
        return tuple(TopicPartition(SOURCE, task.partition) for task in owned if task.subtopology == "0")

    def held(self, member: StreamsTaskMember) -> Partitions:
        """The partitions that the member's active tasks read, including those to be revoked."""
        return self.reads((*member.assigned.active, *member.pending.active))
