"""Proxy of one object of a program, in the full form of its kind."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from kassay.assignors.plain import (
    FORMS,
    assignable,
    check_partition,
    partition_weights,
    plain_request,
    refusals,
    replica_racks,
)
from kassay.assignors.plain_answers import (
    CHECKS,
    DOCUMENTS,
    Malformed,
    check_assignment,
    check_placement,
    shown,
)
from kassay.engines.processes.host import ChildObject
from kassay.engines.processes.programs.dialect import ProgramCalls
from kassay.engines.processes.programs.program import Reply
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.assignor import AssignorBase, GroupMetadata, Rounds
from kassay.model.groups.group import Assignment, Group
from kassay.model.java import RandomSource
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition
from kassay.model.placement.request import Placement, PlacementRequest

T = TypeVar("T")


def _triples(values: Mapping[tuple[str, int], Any] | None) -> list[list[Any]] | None:
    return None if values is None else [[*tp, value] for tp, value in values.items()]


_EXTRAS: Final[dict[str, Callable[[Cluster, Group], Any]]] = {
    "replica_racks": lambda cluster, _: _triples(replica_racks(cluster)),
    "partition_weights": lambda cluster, _: _triples(partition_weights(cluster)),
    "assignable": lambda _, group: assignable(group),
}
"""Optional inputs that a program may request, as JSON."""


def base64_of(data: bytes | None) -> str | None:
    """User data, a key or a value, encoded for the program."""
    return None if data is None else base64.b64encode(data).decode()


def bytes_of(text: object, what: str) -> bytes | None:
    """Bytes from a program's base64 or null; raises `Malformed`, whose message begins with `what`."""
    if text is None:
        return None
    try:
        if isinstance(text, str):
            return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        pass
    raise Malformed(f"{what} is {shown(text)}, expected base64 text or null")


class ProgramObject(ChildObject):
    """One object of the program: a number and its configuration."""

    def __init__(self, child: ProgramCalls, number: int, config: dict[str, str]) -> None:
        super().__init__(child, number)
        self.child = child
        self.config = child.register(number, config)

    def __del__(self) -> None:
        if self.life == self.child.life:
            self.child.forget(self.number)

    def _call(self, method: str, fields: Mapping[str, Any], check: Callable[[Reply], T]) -> T:
        """The result of `check` for the reply."""
        try:
            return check(self.child.call(self, method, fields, self.config))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), method) from None


class ProgramAssignor(ProgramObject, AssignorBase):
    """An assignor of the program, in the full form; it cannot mutate its input."""

    def __init__(self, child: ProgramCalls, number: int, config: dict[str, str]) -> None:
        super().__init__(child, number, config)
        self.protocols = (child.start.protocol,)

    @property
    def rounds(self) -> Rounds | None:
        """The program's interface for whole rounds, if it has one."""
        return self.child.rounds

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The object's user data for its subscription; None if the program does not support user data."""
        if not self.child.supports("user_data"):
            return None
        return self._call("user_data", {"topics": topics}, user_data_of)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The program's answer."""
        return self._call("assign", self.fields(cluster, group), assignment_of)

    def fields(self, cluster: Cluster, group: Group) -> dict[str, Any]:
        """The request fields of an assign call; leader and user data exist since version 2."""
        hello = self.child.hello
        fields: dict[str, Any] = {
            "partitions_per_topic": cluster.counts,
            "members": [
                {
                    "id": member_id,
                    "topics": topics,
                    "owned": owned,
                    "generation": generation,
                    "rack": rack,
                    "instance_id": instance_id,
                }
                for member_id, topics, owned, generation, rack, instance_id, _ in group.members
            ],
        }
        for name in hello.extras:
            if name in _EXTRAS:
                fields[name] = _EXTRAS[name](cluster, group)
        if hello.kassay > 1:
            fields["leader"] = group.leader
            for member, document in zip(group.members, fields["members"]):
                document["user_data"] = base64_of(member.user_data)
        return fields

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Pass the object its member's assignment, if the program supports that."""
        if self.child.supports("on_assignment"):
            self._call("on_assignment", learned_fields(assignment, user_data, metadata), lambda _: None)


def learned_fields(
    assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
) -> dict[str, Any]:
    """The request fields that pass a member its assignment."""
    return {
        "partitions": assignment,
        "user_data": base64_of(user_data),
        "generation": metadata.generation,
        "member": metadata.member_id,
        "instance_id": metadata.instance_id,
    }


def user_data_of(reply: Reply) -> bytes | None:
    """The user data of a member's subscription; raises `Malformed`."""
    return bytes_of(reply["answer"], "answer")


def assignment_of(reply: Reply) -> Assignment:
    """The assignor's answer with its user data; raises `Malformed`."""
    answer = check_assignment(reply["answer"])
    sent = reply.get("user_data")
    if sent is None:
        return Assignment.of(answer)
    if not isinstance(sent, dict):
        raise Malformed(f"user_data is {shown(sent)}, expected an object of member id to base64 text")
    read = {member_id: bytes_of(text, f"user_data[{member_id!r}]") for member_id, text in sent.items()}
    return Assignment.of(answer, {member_id: data for member_id, data in read.items() if data is not None})


class ProgramDocument(ProgramObject):
    """An assignor of tasks or of connectors of the program, in the full form of its kind."""

    def assign(self, request: Any) -> Any:
        """The program's answer to a document of the request."""
        name = self.child.hello.form
        assert name is not None, "made for programs that are of such a form"
        form, check = FORMS[name], CHECKS[name]
        fields = {DOCUMENTS[name]: form.write(request)}
        return form.read(request, self._call("assign", fields, lambda reply: check(reply["answer"])))


class ProgramPlacer(ProgramObject):
    """A placer of the program, in the full form."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:  # noqa: ARG002
        """The program's answer; raises `PlacementRefusedError` if it refuses."""
        with refusals():
            answer = self._call(
                "place", plain_request(request), lambda reply: check_placement(reply["answer"])
            )
        return tuple(map(tuple, answer))


class ProgramPartitioner(ProgramObject):
    """A partitioner of the program, in the full form."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The program's answer; records with an explicit partition bypass the program."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        fields = {
            "topic": record.topic,
            "key": base64_of(record.key),
            "value": base64_of(record.value),
            "partitions": topic.count,
            "available": topic.available,
        }
        return self._call("partition", fields, lambda reply: check_partition(reply["answer"]))

    def close(self) -> None:
        """Close the object."""
        self._call("close", {}, lambda _: None)


BY_KIND: Final[Mapping[str, type[ProgramPlacer] | type[ProgramPartitioner]]] = {
    "placer": ProgramPlacer,
    "partitioner": ProgramPartitioner,
}
"""Replaces the object of a program, for kinds that are neither groups nor called with documents."""
