"""Offsets in a world of stream threads: a task of the first subtopology reads one partition of its source."""

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
    """What each thread has processed of the tasks that it runs."""

    def commit(self, config: ClientConfig, number: int, client: Client, news: Counts) -> OffsetCommit | None:
        """The thread's OffsetCommit of this moment; None out of the group."""
        return cs.commit(config, number, thread(client), news)

    def reads(self, owned: Owned) -> Partitions:
        """The partitions of the source that these tasks read."""
        return tuple(TopicPartition(SOURCE, task.partition) for task in owned if task.subtopology == "0")

    def held(self, member: StreamsTaskMember) -> Partitions:
        """What the member's active tasks read, those to be given up among them."""
        return self.reads((*member.assigned.active, *member.pending.active))
