"""kafka-python's own assignors in the full form; each member has its own assignor.

The adapter also does what a real client does around them: `metadata()` before each join, its bytes as user
data, subscriptions through the library's own codec, `assign` on the leader's assignor, `on_assignment` with
the decoded assignment and the generation. History travels as on the wire: in the sticky rule's user data, and
in the cooperative rule's owned partitions, which carry no generation.

Source: kafka-python `kafka.coordinator.consumer.ConsumerCoordinator` (`group_protocols`,
`_perform_assignment`, `_on_join_complete`) in 2.2 and 3.0.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from kassay.assignors.foreign.python_clients import (
    LeaderMetadata,
    PythonClient,
    RemembersInUserData,
    imported,
)
from kassay.assignors.registry import COOPERATIVE, LibraryMissing, reference
from kassay.model.cluster import Cluster, TopicPartition, numbers_by_topic
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member

LIBRARY: Final = "kafka-python"
EXTRA: Final = "kassay[kafka]"
"""What to install for these targets."""

_PACKAGE: Final = "kafka.coordinator.assignors"


class _Joined(NamedTuple):
    """A member as the library's leader sees it in the JoinGroup response."""

    member_id: str
    group_instance_id: str | None
    metadata: Any


class _Library:
    """The differences between 2.x and 3.x: the wire classes, and how assignors are called."""

    def __init__(self) -> None:
        # The library logs long warnings about every unknown topic and unreadable user data.
        logging.getLogger(_PACKAGE).setLevel(logging.CRITICAL)
        try:
            wire = imported("kafka.protocol.consumer.metadata")
        except ImportError:
            wire = imported("kafka.coordinator.protocol")
            self.modern = False
            self.subscription = wire.ConsumerProtocolMemberMetadata
            self.assignment = wire.ConsumerProtocolMemberAssignment
        else:
            self.modern = True
            self.subscription = wire.ConsumerProtocolSubscription
            self.assignment = wire.ConsumerProtocolAssignment

    def subscribe(self, version: int, member: Member, user_data: bytes) -> Any:
        """The member's subscription, encoded and decoded by the library's codec."""
        topics = list(dict.fromkeys(member.topics))
        if version < 1:
            subscription = self.subscription(version, topics, user_data)
        else:
            pair = self.subscription.TopicPartition
            subscription = self.subscription(
                version=version,
                topics=topics,
                user_data=user_data,
                owned_partitions=[
                    pair(topic=t, partitions=ps) for t, ps in numbers_by_topic(member.owned).items()
                ],
            )
        return self.subscription.decode(subscription.encode())

    def assign(self, assignor: Any, cluster: LeaderMetadata, members: list[_Joined]) -> Any:
        """The library's answer: one assignment for each member id."""
        if self.modern:
            return assignor.assign(cluster, members)
        return assignor.assign(cluster, {member.member_id: member.metadata for member in members})

    def learn(self, assignor: Any, owned: Iterable[TopicPartition], generation: int) -> None:
        """Pass the assignor its member's assignment, encoded and decoded."""
        given = self.assignment(0, list(numbers_by_topic(owned).items()), b"")
        # 2.x holds the value to encode by a weak reference only, so it needs a name here.
        assignment = self.assignment.decode(given.encode())
        if self.modern:
            assignor.on_assignment(assignment, generation)
            return
        assignor.on_assignment(assignment)
        if hasattr(assignor, "on_generation_assignment"):
            assignor.on_generation_assignment(generation)


@cache
def library() -> _Library:
    """The installed library; raises `LibraryMissing`."""
    try:
        imported("kafka.coordinator")
    except ImportError as error:
        raise LibraryMissing(f"kafka-python is not installed ({error}): pip install '{EXTRA}'") from None
    return _Library()


class KafkaPython(PythonClient):
    """One assignor of the library, with the state that its client would keep."""

    library, package = LIBRARY, _PACKAGE

    def __init__(self) -> None:
        self._library = library()
        self._inner = self.own_class()()

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The assignment that the library's leader computes for these members."""
        version = self._inner.version
        joined = [
            _Joined(
                member.member_id,
                member.instance_id,
                self._library.subscribe(version, member, self.sent(member)),
            )
            for member in group.members
        ]
        answer = self._library.assign(self._inner, LeaderMetadata(cluster, group), joined)
        return Assignment(
            {
                member_id: [TopicPartition(t, p) for t, ps in decoded.assignment for p in ps]
                for member_id, decoded in answer.items()
            }
        )

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Pass the assignment to the library's assignor."""
        self._library.learn(self._inner, assignment, metadata.generation)


@reference(
    "range",
    library=LIBRARY,
    claims=("topic-even", "contiguous", "copartitioned", "deterministic", "order-independent"),
    source=f"kafka-python {_PACKAGE}.range ({EXTRA})",
    sends_generations=False,
)
class KafkaPythonRange(KafkaPython):
    """kafka-python's range."""

    name = "range"
    module, class_name = "range", "RangePartitionAssignor"


@reference(
    "roundrobin",
    library=LIBRARY,
    claims=("balanced-within-one", "deterministic", "order-independent"),
    source=f"kafka-python {_PACKAGE}.roundrobin ({EXTRA})",
    sends_generations=False,
)
class KafkaPythonRoundRobin(KafkaPython):
    """kafka-python's round robin."""

    name = "roundrobin"
    module, class_name = "roundrobin", "RoundRobinPartitionAssignor"


@reference(
    "sticky",
    library=LIBRARY,
    claims=("balanced-kip54", "deterministic", "converges"),
    source=f"kafka-python {_PACKAGE}.sticky.sticky_assignor ({EXTRA})",
)
class KafkaPythonSticky(RemembersInUserData, KafkaPython):
    """kafka-python's sticky; a member's previous partitions travel in its user data."""

    name = "sticky"
    module, class_name = "sticky.sticky_assignor", "StickyPartitionAssignor"

    @property
    def reported_generation(self) -> int:
        """The generation in the user data."""
        generation: int = self._inner.generation
        return generation

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The user data that the library's `metadata()` makes."""
        return _encoded(self._inner.metadata(sorted(set(topics))).user_data)


@reference(
    "cooperative-sticky",
    library=LIBRARY,
    claims=("balanced-kip54", "cooperative", "converges", "deterministic"),
    source=f"kafka-python {_PACKAGE}.cooperative_sticky ({EXTRA})",
    protocol=COOPERATIVE,
    sends_generations=False,
)
class KafkaPythonCooperativeSticky(KafkaPython):
    """kafka-python's cooperative sticky; a member's previous partitions travel as its owned partitions."""

    name = "cooperative-sticky"
    protocols = (COOPERATIVE,)
    module, class_name = "cooperative_sticky", "CooperativeStickyAssignor"


def _encoded(user_data: Any) -> bytes:
    """User data as bytes; 3.x returns a value that its codec encodes later."""
    return user_data if isinstance(user_data, bytes) else user_data.encode()
