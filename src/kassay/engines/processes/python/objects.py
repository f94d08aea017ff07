"""Proxies of a target's objects in a child process."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kassay.assignors.plain import FORMS, plain_record, plain_request, refusals
from kassay.assignors.plain_answers import FULL, PARTITIONER, PLACER
from kassay.engines.processes.host import ChildObject, GuardedHost
from kassay.engines.processes.load import Loaded
from kassay.engines.processes.values import encode_learned
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import TargetFailure
from kassay.model.groups.assignor import AssignorBase, GroupMetadata, Learned, Rounds
from kassay.model.groups.group import Assignment, Group
from kassay.model.java import RandomSource
from kassay.model.kinds import RebalanceProtocol
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition
from kassay.model.placement.request import Placement, PlacementRequest

_TOGETHER: Final = 100
"""The number of calls of a partitioner that are sent together: their replies fit into a pipe."""
Said = tuple[Any, str | None]
"""The answer to a call, and the changes to its input."""


class PythonCall(NamedTuple):
    """A call of an object; the body is marshalled."""

    proxy: ChildObject
    method: str
    body: bytes


class PythonChild(GuardedHost):
    """The host interface that the proxies use."""

    loaded: Loaded
    drops: list[int]

    @property
    def rounds(self) -> Rounds | None:
        """The interface for whole rounds of a group, if there is one."""
        raise NotImplementedError

    def encoded(self, cluster: Cluster, group: Group) -> bytes:
        """The encoded input of a call."""
        raise NotImplementedError

    def call(self, proxy: ChildObject, method: str, body: bytes) -> Said:
        """The answer to one call and the changes to its input; raises `TargetFailure`."""
        raise NotImplementedError

    def call_each(
        self, proxy: ChildObject, method: str, bodies: Sequence[bytes]
    ) -> list[Said | TargetFailure]:
        """What calls of one object give, which are sent together."""
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
    """A plain assignor in the child; `mutated` refers to the last call of `assign`."""

    def __init__(self, child: PythonChild, number: int) -> None:
        super().__init__(child, number)
        self.protocols = tuple(map(RebalanceProtocol, child.loaded.protocols)) or (child.start.protocol,)

    @property
    def rounds(self) -> Rounds | None:
        """The child's interface for whole rounds, if it has one."""
        return self.child.rounds

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The object's answer."""
        self.mutated = None
        answer, self.mutated = self.child.call(*self.assign_call(cluster, group))
        return self.answer_of(answer)

    def assign_call(self, cluster: Cluster, group: Group) -> PythonCall:
        """The call of `assign`."""
        return PythonCall(self, "assign", self.child.encoded(cluster, group))

    def answer_of(self, said: Any) -> Assignment:
        """The answer of the plain function, decoded."""
        return Assignment.of(said)

    def user_data_call(self, topics: tuple[str, ...]) -> PythonCall | None:  # noqa: ARG002
        """The call of `subscription_user_data`; None if the object adds nothing to its subscription."""
        return None

    def learned_call(self, learned: Learned) -> PythonCall | None:  # noqa: ARG002
        """The call of `on_assignment`; None if the object does not use it."""
        return None


class RemoteFull(RemoteAssignor):
    """A full object in the child; methods inherited from kassay's base class are not called."""

    @property
    def reported_generation(self) -> int | None:
        """The generation that the object would report in its subscription, if it has one."""
        if not self.child.loaded.reports_generation:
            return None
        generation, _ = self.child.call(self, "reported_generation", b"")
        return None if generation is None else int(generation)

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The user data that the object adds to its subscription."""
        call = self.user_data_call(topics)
        return None if call is None else user_data_of(self.child.call(*call)[0])

    def user_data_call(self, topics: tuple[str, ...]) -> PythonCall | None:
        """The call of `subscription_user_data`; None if the object adds nothing to its subscription."""
        if not self.child.loaded.user_data:
            return None
        return PythonCall(self, "subscription_user_data", marshal.dumps(tuple(topics)))

    def answer_of(self, said: Any) -> Assignment:
        """The object's answer, decoded."""
        assignment, user_data = said
        return Assignment.of(
            assignment, {member_id: bytes.fromhex(data) for member_id, data in user_data.items()}
        )

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Pass the object its member's assignment."""
        call = self.learned_call(Learned(self, assignment, user_data, metadata))
        if call is not None:
            self.child.call(*call)

    def learned_call(self, learned: Learned) -> PythonCall | None:
        """The call of `on_assignment`; None if the object does not use it."""
        if not self.child.loaded.learns:
            return None
        return PythonCall(self, "on_assignment", marshal.dumps(encode_learned(*learned[1:])))


def user_data_of(said: str | None) -> bytes | None:
    """The user data that an object adds to its subscription, decoded."""
    return None if said is None else bytes.fromhex(said)


class RemoteDocument(RemoteObject):
    """A plain assignor of tasks or of connectors in the child, in the full form of its kind."""

    def assign(self, request: Any) -> Any:
        """The plain function's answer to a document of the request."""
        self.mutated = None
        form = FORMS[self.child.loaded.form]
        answer, self.mutated = self.child.call(self, "assign", marshal.dumps(form.write(request)))
        return form.read(request, answer)


class RemotePlacer(RemoteObject):
    """A plain placer in the child, in the full form."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:  # noqa: ARG002
        """The plain function's answer; raises `PlacementRefusedError` if it raised a `ValueError`."""
        self.mutated = None
        with refusals():
            answer, self.mutated = self.child.call(self, "place", marshal.dumps(plain_request(request)))
        return tuple(map(tuple, answer))


class RemotePartitioner(RemoteObject):
    """A plain partitioner in the child, in the full form; `mutated` is the first change of an argument."""

    mutated: str | None = None

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The plain function's answer; records with an explicit partition bypass the function."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        answer, mutated = self.child.call(self, "partition", marshal.dumps(plain_record(record, topic)))
        self.mutated = self.mutated or mutated
        return int(answer)

    def partition_each(
        self, records: Sequence[tuple[ProducerRecord, TopicMetadata]]
    ) -> Iterator[int | TargetFailure]:
        """The answers to records without an explicit partition, many of them at a time."""
        for start in range(0, len(records), _TOGETHER):
            bodies = [marshal.dumps(plain_record(*sent)) for sent in records[start : start + _TOGETHER]]
            for said in self.child.call_each(self, "partition", bodies):
                if isinstance(said, TargetFailure):
                    yield said
                else:
                    self.mutated = self.mutated or said[1]
                    yield int(said[0])

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
