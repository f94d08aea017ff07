"""Shared parts of adapters to Python clients: a quiet import, a leader's metadata, a member's user data."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar

from kassay.assignors.registry import LibraryMissing
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import NO_GENERATION, Group, Member


def imported(name: str) -> ModuleType:
    """The library's module; warnings during its import are suppressed: users cannot act on them.

    Raises `ImportError`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


class LeaderMetadata:
    """The part of a client's `ClusterMetadata` that its assignors use.

    A leader's metadata holds only the topics that its group reads. They are passed as a sorted list where a
    client has a set, so that answers do not depend on the hash seed.
    """

    def __init__(self, cluster: Cluster, group: Group) -> None:
        read = group.subscribers
        self.counts: Mapping[str, int] = {topic: n for topic, n in cluster.counts.items() if topic in read}

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """The numbers of the topic's partitions; None for an unknown topic."""
        return set(range(self.counts[topic])) if topic in self.counts else None

    def topics(self) -> list[str]:
        """The names of the topics."""
        return sorted(self.counts)


class PythonClient(AssignorBase):
    """One assignor of a client library: the class `class_name` in a module of the library's package."""

    library: ClassVar[str]
    package: ClassVar[str]
    module: ClassVar[str]
    class_name: ClassVar[str]

    def own_class(self) -> Any:
        """A subclass of the assignor's class for this member: a sticky one may keep its memory on the class.

        Raises `LibraryMissing` where this release of the library has no such assignor.
        """
        try:
            assignor_class = getattr(imported(f"{self.package}.{self.module}"), self.class_name)
        except (ImportError, AttributeError):
            version = imported(self.package.partition(".")[0]).__version__
            raise LibraryMissing(f"{self.library} {version} has no {self.name} assignor") from None
        return type(assignor_class.__name__, (assignor_class,), {})

    @property
    def reported_generation(self) -> int:
        """The generation that this member's next subscription will carry, -1 for none."""
        return NO_GENERATION

    def sent(self, member: Member) -> bytes:
        """The user data that the member sent."""
        return member.user_data or b""


class RemembersInUserData(PythonClient):
    """An assignor whose members report their previous partitions in their user data."""

    def sent(self, member: Member) -> bytes:
        """What the member sent; built from its owned partitions if its own assignor was never called."""
        if member.user_data is not None:
            return member.user_data
        if not member.owned:
            return b""
        other = type(self)()
        other.on_assignment(member.owned, None, GroupMetadata(member.generation, member.member_id))
        return other.subscription_user_data(member.topics) or b""
