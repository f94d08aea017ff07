"""`exec:` targets: any program that answers JSON lines, under the same guard and limits.

The protocol is told in `docs/exec-protocol.md`; this is the parent's side of version 1.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kassay.assignors.plain.answers import Malformed, check_assignment, check_placement, shown
from kassay.assignors.plain.assignor import EXTRAS, full_answer, plain_input
from kassay.assignors.plain.placer import plain_request, refusal
from kassay.certify.processes.life import Life
from kassay.certify.processes.load import NotLoadable
from kassay.certify.processes.process import Guarded
from kassay.certify.processes.wire import MESSAGE_MAX, to_json
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.failure import FailureKind, TargetFailure, one_line
from kassay.model.groups.assignor import GroupMetadata, RebalanceProtocol
from kassay.model.groups.group import Assignment, Group
from kassay.model.java.randomness import RandomSource
from kassay.model.placement.request import Placement, PlacementRequest

PROTOCOL_VERSION: Final = 1
_READ: Final = 262144


@dataclass(frozen=True)
class Program:
    """A command with its arguments, as the user wrote them."""

    argv: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Hello:
    """What a program says of itself; every part may be left out."""

    name: str
    kind: str = "assignor"
    protocol: str | None = None
    claims: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()


class ProgramChild(Life):
    """A program in a child process; the next `new` after its end starts another."""

    def __init__(
        self,
        program: Program,
        *,
        call_timeout_s: float,
        memory_mib: int,
        start_timeout_s: float,
        hash_seed: int | None = None,
        protocol: RebalanceProtocol | None = None,
    ) -> None:
        super().__init__(hash_seed or 0)
        self.program = program
        self.call_timeout_s = call_timeout_s
        self.memory_mib = memory_mib
        self.start_timeout_s = start_timeout_s
        self.protocol = protocol
        self._count = 0
        self._requests = 0
        self._buffer = b""
        try:
            self.hello = self.begin()
        except BaseException:
            self.close()
            raise

    def begin(self) -> Hello:
        """A new process that has said hello; raises `NotLoadable`."""
        guarded = self._ready()
        self._buffer = b""
        order = {"argv": list(self.program.argv), "memory_mib": self.memory_mib}
        try:
            self._stdin, self._stdout = guarded.start_program(order, self.start_timeout_s)
            said = self.ask("hello", {"kassay": PROTOCOL_VERSION}, self.start_timeout_s)
        except TargetFailure as failure:
            raise NotLoadable(
                f"{self.program.label}: {failure.message}, "
                "expected an answer to hello (docs/exec-protocol.md)"
            ) from None
        return read_hello(self.program.label, said)

    def new(self, config: Mapping[str, str]) -> ProgramAssignor | ProgramPlacer:
        """A new object: a number that its requests carry."""
        if not self.alive:
            self.begin()
        self._count += 1
        kind = ProgramPlacer if self.hello.kind == "placer" else ProgramAssignor
        return kind(self, self._count, dict(config))

    def ask(self, call: str, fields: Mapping[str, Any], timeout_s: float) -> Any:
        """The `answer` to one request; raises `TargetFailure`."""
        guarded = self._guarded
        assert guarded is not None
        self._requests += 1
        request = to_json({"id": self._requests, "call": call, **fields}).encode() + b"\n"
        line = self._exchange(guarded, request, call, timeout_s)
        try:
            reply = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            guarded.kill()
            text = repr(line[:80].decode("utf-8", "replace"))
            why = f": {error}" if isinstance(error, Malformed) else ""
            message = f"{call} was answered by {text}{why}, expected one line of JSON on standard output"
            raise TargetFailure(FailureKind.MALFORMED, message, call) from None
        if not isinstance(reply, dict) or reply.get("id") != self._requests or isinstance(reply["id"], bool):
            guarded.kill()
            message = (
                f"{call} was answered by {shown(reply)}, expected an object with the id {self._requests}"
            )
            raise TargetFailure(FailureKind.MALFORMED, message, call)
        if "error" in reply:
            raised = ("ValueError",) if reply.get("refused") is True else ()
            message = f"{call} answered with the error: {one_line(str(reply['error']))}"
            raise TargetFailure(FailureKind.RAISED, message, call, raised)
        if "answer" not in reply:
            message = f"{call} was answered without 'answer' or 'error'"
            raise TargetFailure(FailureKind.MALFORMED, message, call)
        return reply["answer"]

    def _exchange(self, guarded: Guarded, request: bytes, call: str, timeout_s: float) -> bytes:
        """Write one line, read one line; both at once, since a program may answer before it has read all."""
        end = time.monotonic() + timeout_s
        poll = select.poll()
        poll.register(self._stdin, select.POLLOUT)
        poll.register(self._stdout, select.POLLIN)
        poll.register(guarded.control, select.POLLIN)
        rest = memoryview(request)
        parts = [self._buffer]
        got = 0
        while True:
            left = end - time.monotonic()
            ready = [fd for fd, _ in poll.poll(left * 1000 + 1)] if left > 0 else []
            if not ready:
                raise guarded.fail_timeout(call, timeout_s)
            try:
                if self._stdin in ready and rest:
                    rest = rest[os.write(self._stdin, rest) :]
                    if not rest:
                        poll.unregister(self._stdin)
                if self._stdout in ready:
                    part = os.read(self._stdout, _READ)
                    if not part:
                        raise guarded.fail_ended(call)
                    parts.append(part)
                    got += len(part)
                    if got > MESSAGE_MAX:
                        guarded.kill()
                        message = f"answer of more than {MESSAGE_MAX >> 20} MiB"
                        raise TargetFailure(FailureKind.MALFORMED, message, call)
                    if b"\n" in part:
                        line, _, self._buffer = b"".join(parts).partition(b"\n")
                        return line
                elif self._stdin not in ready:
                    raise guarded.fail_ended(call)
            except BlockingIOError:
                continue
            except OSError:
                raise guarded.fail_ended(call) from None

    def call(self, made: _ProgramObject, method: str, fields: Mapping[str, Any]) -> Any:
        """The answer to one call of an object; raises `TargetFailure`."""
        if made.life != self.life or not self.alive:
            raise TargetFailure(FailureKind.DIED, "the object went down with its process", method)
        config = {"config": made.config} if made.config else {}
        return self.ask(method, {"object": made.number, **config, **fields}, self.call_timeout_s)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("a key stands twice in one object")
    return found


def read_hello(label: str, said: Any) -> Hello:
    """The program's own account of itself; raises `NotLoadable` for what cannot be one."""
    if not isinstance(said, dict):
        raise NotLoadable(f"{label}: hello was answered by {shown(said)}, expected an object")
    texts: dict[str, Any] = {}
    for name in ("name", "kind", "protocol"):
        value = said.get(name)
        if value is not None and not isinstance(value, str):
            raise NotLoadable(f"{label}: hello says {name} is {shown(value)}, expected a text")
        if value is not None:
            texts[name] = one_line(value)
    for name in ("claims", "assumes", "extras"):
        values = said.get(name, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise NotLoadable(f"{label}: hello says {name} is {shown(values)}, expected a list of texts")
        texts[name] = tuple(values)
    texts.setdefault("name", Path(label.split()[0]).name)
    return Hello(**texts)


class _ProgramObject:
    """One object of the program: a number and its configuration."""

    def __init__(self, child: ProgramChild, number: int, config: dict[str, str]) -> None:
        self.child = child
        self.number = number
        self.config = config
        self.life = child.life
        self.name = child.hello.name
        self.mutated: str | None = None


class ProgramAssignor(_ProgramObject):
    """An assignor behind the program, in the full form; it can neither mutate nor remember."""

    @property
    def protocols(self) -> tuple[RebalanceProtocol, ...]:
        """The protocol that the target was resolved with."""
        return (self.child.protocol or RebalanceProtocol.EAGER,)

    def configure(self, config: Mapping[str, str]) -> None:
        """Configured when it was made."""

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:  # noqa: ARG002
        """No user data."""
        return None

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """What the program answers."""
        extras = self.child.hello.extras
        counts, members, racks, weights = plain_input(cluster, group, extras)
        fields: dict[str, Any] = {"partitions_per_topic": counts, "members": members}
        for name, values in zip(EXTRAS, (racks, weights)):
            if name in extras:
                fields[name] = None if values is None else [[*tp, value] for tp, value in values.items()]
        answer = self.child.call(self, "assign", fields)
        try:
            return full_answer(check_assignment(answer))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), "assign") from None

    def on_assignment(
        self, assignment: tuple[TopicPartition, ...], user_data: bytes | None, metadata: GroupMetadata
    ) -> None:
        """Nothing to learn."""


class ProgramPlacer(_ProgramObject):
    """A placer behind the program, in the full form."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:  # noqa: ARG002
        """What the program answers; raises `PlacementRefusedError` where it refuses."""
        try:
            answer = check_placement(self.child.call(self, "place", plain_request(request)))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), "place") from None
        except TargetFailure as failure:
            if refused := refusal(failure):
                raise refused from None
            raise
        return tuple(map(tuple, answer))
