"""`exec:` targets: any program that answers JSON lines, under the same guard and limits.

The protocol is told in `docs/exec-protocol.md`; this is the parent's side of version 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from kassay.assignors.plain.answers import Malformed, check_assignment, check_placement, shown
from kassay.assignors.plain.assignor import EXTRAS, full_answer, plain_input
from kassay.assignors.plain.documents import FORMS
from kassay.assignors.plain.forms import DOCUMENTS, document_form
from kassay.assignors.plain.given import CHECKS
from kassay.assignors.plain.placer import plain_request, refusals
from kassay.certify.processes.host import ChildObject, GuardedHost, Start
from kassay.certify.processes.process import Guarded
from kassay.certify.processes.wire import to_json
from kassay.model.cluster import Cluster
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.failure import FailureKind, TargetFailure, one_line
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.java.randomness import RandomSource
from kassay.model.placement.request import Placement, PlacementRequest
from kassay.reading.values import read_as

PROTOCOL_VERSION: Final = 1
T = TypeVar("T")


@dataclass(frozen=True)
class Program:
    """A command with its arguments, as the user wrote them."""

    argv: tuple[str, ...]
    command: str

    @property
    def label(self) -> str:
        """The program as a target."""
        return f"exec:{self.command}"


@dataclass(frozen=True)
class Hello:
    """What a program says of itself; every part may be left out."""

    name: str = ""
    kind: str | None = None
    level: str | None = None
    protocol: str | None = None
    claims: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()

    @property
    def form(self) -> str | None:
        """Which document a program is given that is given one."""
        return document_form({"kind": self.kind, "level": self.level})


class ProgramHost(GuardedHost):
    """A program in a child process; an object is a number that its requests carry."""

    hello: Hello

    def __init__(self, program: Program, start: Start) -> None:
        self.program = program
        self._requests = 0
        super().__init__(start)

    def begin(self) -> None:
        """A new process that has said hello; raises `TargetNotLoadable`."""
        guarded = self._ready()
        limits = self.start.limits
        seconds = limits.start_timeout_s
        order = {"kind": "exec", "argv": list(self.program.argv), "memory_mib": limits.memory_mib}
        try:
            guarded.start(order, seconds)
            said = self.ask(guarded, "hello", {"kassay": PROTOCOL_VERSION}, seconds)
        except TargetFailure as failure:
            raise TargetNotLoadable(
                f"{self.program.label}: {failure.message}, "
                "expected an answer to hello (docs/exec-protocol.md)"
            ) from None
        self.hello = read_hello(self.program, said)
        self.name = self.hello.name

    def make(self, number: int, config: dict[str, str]) -> ProgramObject:
        """The object of that number, whose requests carry its configuration."""
        if self.hello.form is not None:
            return ProgramDocument(self, number, config)
        kind = ProgramPlacer if self.hello.kind == "placer" else ProgramAssignor
        return kind(self, number, config)

    def ask(self, guarded: Guarded, call: str, fields: Mapping[str, Any], timeout_s: float) -> Any:
        """The `answer` to one request; raises `TargetFailure`."""
        self._requests += 1
        request = to_json({"id": self._requests, "call": call, **fields}).encode() + b"\n"
        line = guarded.exchange(request, call, timeout_s, _line_size)
        try:
            reply = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            text = repr(line[:-1][:80].decode("utf-8", "replace"))
            why = f": {error}" if isinstance(error, Malformed) else ""
            message = f"{call} was answered by {text}{why}, expected one line of JSON on standard output"
            raise guarded.fail_malformed(message, call) from None
        if not isinstance(reply, dict) or reply.get("id") != self._requests or isinstance(reply["id"], bool):
            raise guarded.fail_malformed(
                f"{call} was answered by {shown(reply)}, expected an object with the id {self._requests}",
                call,
            )
        if "error" in reply:
            raised = ("ValueError",) if reply.get("refused") is True else ()
            message = f"{call} answered with the error: {one_line(str(reply['error']))}"
            raise TargetFailure(FailureKind.RAISED, message, call, raised)
        if "answer" not in reply:
            message = f"{call} was answered without 'answer' or 'error'"
            raise TargetFailure(FailureKind.MALFORMED, message, call)
        return reply["answer"]

    def call(self, asked: ProgramObject, method: str, fields: Mapping[str, Any]) -> Any:
        """The answer to one call of an object; raises `TargetFailure`."""
        guarded = self._guard_of(asked, method)
        config = {"config": asked.config} if asked.config else {}
        fields = {"object": asked.number, **config, **fields}
        return self.ask(guarded, method, fields, self.start.limits.call_timeout_s)


def _line_size(received: bytearray, seen: int) -> int:
    """How long the line is that begins so; -1 where its end has not come."""
    return received.find(b"\n", seen) + 1 or -1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Malformed("a key stands twice in one object")
    return fields


def read_hello(program: Program, said: object) -> Hello:
    """The program's own account of itself; raises `TargetNotLoadable` for what cannot be one."""
    try:
        hello = read_as(Hello, said, f"{program.label}: hello")
    except InputError as error:
        raise TargetNotLoadable(str(error)) from None
    return replace(hello, name=one_line(hello.name) or Path(program.command.split()[0]).name)


class ProgramObject(ChildObject):
    """One object of the program: a number and its configuration."""

    def __init__(self, child: ProgramHost, number: int, config: dict[str, str]) -> None:
        super().__init__(child, number)
        self.child = child
        self.config = config

    def _call(self, method: str, fields: Mapping[str, Any], check: Callable[[object], T]) -> T:
        try:
            return check(self.child.call(self, method, fields))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), method) from None


class ProgramAssignor(ProgramObject, AssignorBase):
    """An assignor behind the program, in the full form; it can neither mutate nor remember."""

    def __init__(self, child: ProgramHost, number: int, config: dict[str, str]) -> None:
        super().__init__(child, number, config)
        self.protocols = (child.start.protocol,)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """What the program answers."""
        extras = self.child.hello.extras
        counts, members, racks, weights, assignable = plain_input(cluster, group, extras)
        fields: dict[str, Any] = {"partitions_per_topic": counts, "members": members}
        for name, values in zip(EXTRAS, (racks, weights)):
            if name in extras:
                fields[name] = None if values is None else [[*tp, value] for tp, value in values.items()]
        if "assignable" in extras:
            fields["assignable"] = assignable
        return full_answer(self._call("assign", fields, check_assignment))


class ProgramDocument(ProgramObject):
    """An assignor of tasks or of connectors behind the program, in the full form of its kind."""

    def assign(self, request: Any) -> Any:
        """What the program answers to a document of the request."""
        name = self.child.hello.form
        assert name is not None, "made for programs that are of such a form"
        form = FORMS[name]
        return form.read(request, self._call("assign", {DOCUMENTS[name]: form.write(request)}, CHECKS[name]))


class ProgramPlacer(ProgramObject):
    """A placer behind the program, in the full form."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:  # noqa: ARG002
        """What the program answers; raises `PlacementRefusedError` where it refuses."""
        with refusals():
            answer = self._call("place", plain_request(request), check_placement)
        return tuple(map(tuple, answer))
