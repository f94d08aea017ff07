"""Objects of a target in a child process, each standing in for the real one."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.assignors.plain.documents import FORMS
from kassay.assignors.plain.forms import FULL, PARTITIONER, PLACER
from kassay.assignors.plain.partitioner import plain_record
from kassay.assignors.plain.placer import plain_request, refusals
from kassay.certify.processes.host import ChildObject, GuardedHost
from kassay.certify.processes.load import Loaded
from kassay.certify.processes.values import encode_learned
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.rounds import Learned, Rounds
from kassay.model.java.randomness import RandomSource
from kassay.model.kinds import RebalanceProtocol
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition
from kassay.model.placement.request import Placement, PlacementRequest

Said = tuple[Any, str | None]
"""The answer to a call, and what the call changed in its input."""


class PythonCall(NamedTuple):
    """What is asked of an object; the body is marshalled."""

    asked: ChildObject
    method: str
    body: bytes


class PythonChild(GuardedHost):
    """What objects ask of the host of their process."""

    loaded: Loaded
    drops: list[int]

    @property
    def rounds(self) -> Rounds | None:
        """The door for whole rounds of a group, if there is one."""
        raise NotImplementedError

    def encoded(self, cluster: Cluster, group: Group) -> bytes:
        """The input of a call on its way."""
        raise NotImplementedError

    def call(self, asked: ChildObject, method: str, body: bytes) -> Said:
        """The answer to one call and what the call changed in its input; raises `TargetFailure`."""
        raise NotImplementedError


class RemoteObject(ChildObject):
    """One object in the child."""

    def __init__(self, child: PythonChild, number: int) -> None:
        super().__init__(child, number)
        self.child = child

    def __del__(self) -> None:
        if self.life == self.child.life:
            self.child.drops.append(self.number)


class RemoteAssignor(RemoteObject, AssignorBase):
    """A plain assignor in the child; `mutated` is about the last call of `assign`."""

    def __init__(self, child: PythonChild, number: int) -> None:
        super().__init__(child, number)
        self.protocols = tuple(map(RebalanceProtocol, child.loaded.protocols)) or (child.start.protocol,)

    @property
    def rounds(self) -> Rounds | None:
        """The door of the child for whole rounds, if it has one."""
        return self.child.rounds

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """What the object answers."""
        self.mutated = None
        answer, self.mutated = self.child.call(*self.assign_call(cluster, group))
        return self.answer_of(answer)

    def assign_call(self, cluster: Cluster, group: Group) -> PythonCall:
        """The call of `assign`."""
        return PythonCall(self, "assign", self.child.encoded(cluster, group))

    def answer_of(self, said: Any) -> Assignment:
        """What the child says that the plain function answered."""
        return Assignment.of(said)

    def user_data_call(self, topics: tuple[str, ...]) -> PythonCall | None:  # noqa: ARG002
        """The call of `subscription_user_data`; none of what adds nothing to its subscription."""
        return None

    def learned_call(self, learned: Learned) -> PythonCall | None:  # noqa: ARG002
        """The call of `on_assignment`; none of what learns nothing."""
        return None


class RemoteFull(RemoteAssignor):
    """A full object in the child; what it inherits from kassay's base class is not asked."""

    @property
    def reported_generation(self) -> int | None:
        """The generation that the object's own subscription would carry, where it has one."""
        if not self.child.loaded.reports_generation:
            return None
        generation, _ = self.child.call(self, "reported_generation", b"")
        return None if generation is None else int(generation)

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """What the object adds to its subscription."""
        call = self.user_data_call(topics)
        return None if call is None else user_data_of(self.child.call(*call)[0])

    def user_data_call(self, topics: tuple[str, ...]) -> PythonCall | None:
        """The call of `subscription_user_data`; none of what adds nothing to its subscription."""
        if not self.child.loaded.user_data:
            return None
        return PythonCall(self, "subscription_user_data", marshal.dumps(tuple(topics)))

    def answer_of(self, said: Any) -> Assignment:
        """What the child says that the object answered."""
        assignment, user_data = said
        return Assignment.of(
            assignment, {member_id: bytes.fromhex(data) for member_id, data in user_data.items()}
        )

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Tell the object what its member got."""
        call = self.learned_call(Learned(self, assignment, user_data, metadata))
        if call is not None:
            self.child.call(*call)

    def learned_call(self, learned: Learned) -> PythonCall | None:
        """The call of `on_assignment`; none of what learns nothing."""
        if not self.child.loaded.learns:
            return None
        return PythonCall(self, "on_assignment", marshal.dumps(encode_learned(*learned[1:])))


def user_data_of(said: str | None) -> bytes | None:
    """What the child says that an object adds to its subscription."""
    return None if said is None else bytes.fromhex(said)


class RemoteDocument(RemoteObject):
    """A plain assignor of tasks or of connectors in the child, in the full form of its kind."""

    def assign(self, request: Any) -> Any:
        """What the plain function answers to a document of the request."""
        self.mutated = None
        form = FORMS[self.child.loaded.form]
        answer, self.mutated = self.child.call(self, "assign", marshal.dumps(form.write(request)))
        return form.read(request, answer)


class RemotePlacer(RemoteObject):
    """A plain placer in the child, in the full form."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:  # noqa: ARG002
        """What the plain function answers; raises `PlacementRefusedError` where it raised a `ValueError`."""
        self.mutated = None
        with refusals():
            answer, self.mutated = self.child.call(self, "place", marshal.dumps(plain_request(request)))
        return tuple(map(tuple, answer))


class RemotePartitioner(RemoteObject):
    """A plain partitioner in the child, in the full form."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """What the plain function answers; a record that names its partition is not shown to it."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        answer, _ = self.child.call(self, "partition", marshal.dumps(plain_record(record, topic)))
        return int(answer)

    def close(self) -> None:
        """Close the object."""
        self.child.call(self, "close", marshal.dumps(()))


BY_FORM: Final[Mapping[str, type[RemoteObject]]] = {
    PLACER: RemotePlacer,
    PARTITIONER: RemotePartitioner,
    FULL: RemoteFull,
    **dict.fromkeys(FORMS, RemoteDocument),
}
"""What stands in for an object of a form other than the plain one."""
