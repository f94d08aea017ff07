"""aiokafka's own assignors in the full form; each member has its own subclass.

The adapter also does what a real client does around them: `metadata()` before each join, its bytes through
the library's own codec, `assign` on the leader's assignor, and `on_assignment` with the decoded assignment.
No client calls `on_generation_assignment`, so the generation in a sticky member's user data is always -1.

An assignor is a class with class methods, and the sticky one keeps its member's memory on the class. A
subclass for each member separates them as the processes of real clients do.
Source: aiokafka `aiokafka.consumer.group_coordinator` (`GroupCoordinator._perform_assignment`,
`_on_join_complete`, `CoordinatorGroupRebalance.perform_group_join`) in 0.12 to 0.14.
"""

from __future__ import annotations

import logging
from functools import cache
from types import ModuleType
from typing import Any, Final

from kassay.assignors.foreign.python_clients import (
    LeaderMetadata,
    PythonClient,
    RemembersInUserData,
    imported,
)
from kassay.assignors.registry import LibraryMissing, reference
from kassay.model.cluster import Cluster, TopicPartition, numbers_by_topic
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member

LIBRARY: Final = "aiokafka"
EXTRA: Final = "kassay[aiokafka]"
"""What to install for these targets."""

_PACKAGE: Final = "aiokafka.coordinator.assignors"


@cache
def wire() -> ModuleType:
    """The installed library's subscriptions and assignments; raises `LibraryMissing`."""
    try:
        protocol = imported("aiokafka.coordinator.protocol")
    except ImportError as error:
        raise LibraryMissing(f"aiokafka is not installed ({error}): pip install '{EXTRA}'") from None
    # The library warns of every unknown topic and of conflicting ownership.
    logging.getLogger(_PACKAGE).setLevel(logging.CRITICAL)
    return protocol


class AioKafka(PythonClient):
    """One assignor of the library, with the state that its client's process would keep."""

    library, package = LIBRARY, _PACKAGE

    def __init__(self) -> None:
        self._wire = wire()
        self._own = self.own_class()

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The assignment that the library's leader computes for these members."""
        subscriptions = {member.member_id: self._subscription(member) for member in group.members}
        answer = self._own.assign(LeaderMetadata(cluster, group), subscriptions)
        return Assignment(
            {
                member_id: [
                    TopicPartition(t, p)
                    for t, ps in self._wire.ConsumerProtocolMemberAssignment.decode(given.encode()).assignment
                    for p in ps
                ]
                for member_id, given in answer.items()
            }
        )

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Pass the assignment to the library's assignor, which never learns the generation."""
        given = list(numbers_by_topic(assignment).items())
        encoded = self._wire.ConsumerProtocolMemberAssignment(0, given, user_data or b"").encode()
        self._own.on_assignment(self._wire.ConsumerProtocolMemberAssignment.decode(encoded))

    def _subscription(self, member: Member) -> Any:
        """The member's subscription, encoded and decoded by the library's codec."""
        topics = list(dict.fromkeys(member.topics))
        metadata = self._wire.ConsumerProtocolMemberMetadata
        return metadata.decode(metadata(self._own.version, topics, self.sent(member)).encode())


@reference(
    "range",
    library=LIBRARY,
    claims=("topic-even", "contiguous", "copartitioned", "deterministic", "order-independent"),
    source=f"aiokafka {_PACKAGE}.range ({EXTRA})",
    sends_generations=False,
)
class AioKafkaRange(AioKafka):
    """aiokafka's range."""

    name = "range"
    module, class_name = "range", "RangePartitionAssignor"


@reference(
    "roundrobin",
    library=LIBRARY,
    claims=("balanced-within-one", "deterministic", "order-independent"),
    source=f"aiokafka {_PACKAGE}.roundrobin ({EXTRA})",
    sends_generations=False,
)
class AioKafkaRoundRobin(AioKafka):
    """aiokafka's round robin, the default of its consumers."""

    name = "roundrobin"
    module, class_name = "roundrobin", "RoundRobinPartitionAssignor"


@reference(
    "sticky",
    library=LIBRARY,
    claims=("balanced-kip54", "deterministic", "converges", "leader-neutral"),
    source=f"aiokafka {_PACKAGE}.sticky.sticky_assignor ({EXTRA})",
    sends_generations=False,
)
class AioKafkaSticky(RemembersInUserData, AioKafka):
    """aiokafka's sticky; a member's previous partitions travel in its user data, without a generation."""

    name = "sticky"
    module, class_name = "sticky.sticky_assignor", "StickyPartitionAssignor"

    @property
    def reported_generation(self) -> int:
        """The generation in the user data."""
        generation: int = self._own.generation
        return generation

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The user data that the library's `metadata()` makes."""
        user_data: bytes = self._own.metadata(sorted(set(topics))).user_data
        return user_data
