"""The door for a whole round: what a host may offer so that the player need not ask member by member."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group


class AssignCall(NamedTuple):
    """One call of `assign`: of which object, and about what."""

    assignor: Assignor
    cluster: Cluster
    group: Group


class Learned(NamedTuple):
    """One call of `on_assignment`: of which object, and with what."""

    assignor: Assignor
    assignment: tuple[TopicPartition, ...]
    user_data: bytes | None
    metadata: GroupMetadata


class RoundAnswers(NamedTuple):
    """What came of a round: the user data of each member, the answer, and one for each second look.

    `mutated` says what the leader's object changed in its input, where that is known.
    """

    user_data: tuple[bytes | None, ...]
    answer: Assignment | Failure
    looks: tuple[Assignment | Failure, ...] = ()
    mutated: str | None = None


class Rounds(Protocol):
    """Asks and tells the objects of a group all at once, each of them what it would be asked alone."""

    asks: bool
    """Whether `ask` takes fewer exchanges than one call after the other."""

    def holds(self, assignors: Sequence[Assignor]) -> bool:
        """Whether all of these live behind the door."""

    def ask(
        self, first: AssignCall, members: Sequence[Assignor], looks: Sequence[AssignCall]
    ) -> RoundAnswers:
        """Each member's user data, the leader's answer given those, and second looks at it.

        The groups come without user data. There are no looks at an answer that failed. Raises `TargetFailure`
        for a member that fails to say its user data.
        """

    def tell(self, learned: Sequence[Learned]) -> None:
        """Let every object learn what its member got; raises the first `TargetFailure`."""
