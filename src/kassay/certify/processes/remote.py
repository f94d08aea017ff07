"""Objects of a target in a child process, each standing in for the real one."""

from __future__ import annotations

import json
import marshal
import sys
from pathlib import Path
from typing import Any

from kassay.assignors.plain.assignor import full_answer, plain_input
from kassay.assignors.plain.documents import FORMS
from kassay.assignors.plain.forms import FULL, PARTITIONER, PLACER
from kassay.assignors.plain.partitioner import plain_record
from kassay.assignors.plain.placer import plain_request, refusals
from kassay.certify.processes.host import ChildObject, GuardedHost, Start
from kassay.certify.processes.load import Loaded, TargetSource
from kassay.certify.processes.process import Guarded
from kassay.certify.processes.values import encode, encode_learned
from kassay.certify.processes.wire import HEADER, Frames
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import TargetNotLoadable
from kassay.model.failure import FailureKind, TargetFailure
from kassay.model.groups.assignor import AssignorBase, GroupMetadata, RebalanceProtocol
from kassay.model.groups.group import Assignment, Group
from kassay.model.java.randomness import RandomSource
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition
from kassay.model.placement.request import Placement, PlacementRequest


class PythonHost(GuardedHost):
    """A Python class in a child process.

    Objects are made together with their first call, and forgotten together with the next.
    """

    loaded: Loaded

    def __init__(self, source: TargetSource, start: Start) -> None:
        self.source = source
        self._news: list[tuple[int, dict[str, str]]] = []
        self.drops: list[int] = []
        self._encoded: tuple[Cluster | None, Group | None, bytes] = (None, None, b"")
        super().__init__(start)

    def begin(self) -> None:
        """Start a child and load the class; raises `TargetNotLoadable`."""
        guarded = self._ready()
        self._news.clear()
        self.drops.clear()
        source = self.source
        # a folder that may hold the user's modules, as `python -m` has it
        path = [str(Path.cwd()) if entry == "" else entry for entry in sys.path]
        if source.module and str(Path.cwd()) not in path:
            path.insert(0, str(Path.cwd()))
        self._frames = Frames()
        order = {
            "kind": "python",
            "nonce": self._frames.nonce.hex(),
            "source": vars(source),
            "path": path,
            "memory_mib": self.start.limits.memory_mib,
        }
        seconds = self.start.limits.start_timeout_s
        try:
            guarded.start(order, seconds)
            said = json.loads(self._exchange(guarded, b"", "import", seconds))
        except TargetFailure as failure:
            raise TargetNotLoadable(
                f"{source.label}: {failure.message}, expected a module that imports"
            ) from None
        if "error" in said:
            guarded.kill()
            raise TargetNotLoadable(said["error"])
        self.loaded = Loaded.of(said["loaded"])
        self.name = self.loaded.name

    def make(self, number: int, config: dict[str, str]) -> RemoteObject:
        """The object of that number in the child."""
        self._news.append((number, config))
        forms = {PLACER: RemotePlacer, PARTITIONER: RemotePartitioner, FULL: RemoteFull}
        forms |= dict.fromkeys(FORMS, RemoteDocument)
        return forms.get(self.loaded.form, RemoteAssignor)(self, number)

    def encoded(self, cluster: Cluster, group: Group) -> bytes:
        """The input of a call on its way; the last one is kept, since it is often asked again."""
        last_cluster, last_group, body = self._encoded
        if cluster is not last_cluster or group is not last_group:
            if self.loaded.form == FULL:
                body = marshal.dumps(encode(cluster, group))
            else:
                body = marshal.dumps(plain_input(cluster, group, self.loaded.extras))
            self._encoded = (cluster, group, body)
        return body

    def call(self, asked: RemoteObject, method: str, body: bytes) -> tuple[Any, str | None]:
        """The answer to one call and what the call changed in its input; raises `TargetFailure`."""
        guarded = self.guard_of(asked, method)
        news, self._news = self._news, []
        drops, self.drops = self.drops, []
        request = self._frames.request(marshal.dumps((news, drops, method, asked.number, body)))
        reply = self._exchange(guarded, request, method, self.start.limits.call_timeout_s)
        try:
            kind, *rest = json.loads(reply)
        except ValueError:
            raise guarded.fail_garbage(method) from None
        if kind == 0:
            return rest[0], rest[1]
        failure = TargetFailure(FailureKind(rest[0]), rest[1], rest[2], tuple(rest[3]))
        if failure.kind is FailureKind.MEMORY:
            guarded.kill()  # what is left of it has no memory to work with
            message = f"{failure.message} (limit {self.start.limits.memory_mib} MiB)"
            failure = TargetFailure(FailureKind.MEMORY, message, failure.where, failure.raised)
        raise failure

    def _exchange(self, guarded: Guarded, request: bytes, call: str, timeout_s: float) -> bytes:
        """The payload of the reply, beyond which nothing may have come."""
        reply = guarded.exchange(request, call, timeout_s, self._frames.size_of)
        if guarded.ahead:
            raise guarded.fail_garbage(call)
        return reply[HEADER.size :]


class RemoteObject(ChildObject):
    """One object in the child."""

    def __init__(self, child: PythonHost, number: int) -> None:
        super().__init__(child, number)
        self.child = child

    def __del__(self) -> None:
        if self.life == self.child.life:
            self.child.drops.append(self.number)


class RemoteAssignor(RemoteObject, AssignorBase):
    """A plain assignor in the child; `mutated` is about the last call of `assign`."""

    def __init__(self, child: PythonHost, number: int) -> None:
        super().__init__(child, number)
        self.protocols = tuple(map(RebalanceProtocol, child.loaded.protocols)) or (child.start.protocol,)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """What the plain function answers."""
        return full_answer(self._assigned(cluster, group))

    def _assigned(self, cluster: Cluster, group: Group) -> Any:
        self.mutated = None
        answer, self.mutated = self.child.call(self, "assign", self.child.encoded(cluster, group))
        return answer


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
        if not self.child.loaded.user_data:
            return None
        data, _ = self.child.call(self, "subscription_user_data", marshal.dumps(tuple(topics)))
        return None if data is None else bytes.fromhex(data)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """What the object answers."""
        assignment, user_data = self._assigned(cluster, group)
        return full_answer(
            assignment, {member_id: bytes.fromhex(data) for member_id, data in user_data.items()}
        )

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Tell the object what its member got."""
        if self.child.loaded.learns:
            body = marshal.dumps(encode_learned(assignment, user_data, metadata))
            self.child.call(self, "on_assignment", body)


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
