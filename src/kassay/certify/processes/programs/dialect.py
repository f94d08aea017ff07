"""What is asked of a program, in the version of the exec protocol that it speaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kassay.certify.processes.host import ChildObject, GuardedHost, Start
from kassay.certify.processes.process import Guarded
from kassay.certify.processes.programs.lines import Lines, Reply, answered
from kassay.certify.processes.programs.program import (
    PROTOCOL_VERSION,
    Hello,
    Introduction,
    Program,
    read_hello,
)
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.failure import FailureKind, TargetFailure
from kassay.model.groups.rounds import Rounds
from kassay.reading.values import read_as

_ENDS_A_GREETING: Final = frozenset({FailureKind.RAISED, FailureKind.DIED})
"""How a program may answer a greeting in a version that it does not speak."""
Requests = list[tuple[str, Mapping[str, Any]]]
"""Calls with their fields."""


class Replies:
    """The lines that answer one request, which is sent when the first of them is asked for."""

    def __init__(self, lines: Lines, guarded: Guarded, request: bytes, timeout_s: float) -> None:
        self.guarded = guarded
        self._lines = lines
        self._request = request
        self._timeout_s = timeout_s

    def next(self, call: str) -> Reply:
        """The next line, while the program is at this call; raises `TargetFailure` where none comes."""
        request, self._request = self._request, b""
        return self._lines.reply(self.guarded, request, call, self._timeout_s)


class ProgramCalls(GuardedHost):
    """A program that has said hello, and the calls to its objects, which are numbers.

    A program that supports `new` is told of an object before the next call, with the class and the
    configuration; of another every call carries the configuration. One that supports `drop` is told which
    objects are gone. `broken` are the objects that failed to be made, and how.
    """

    hello: Hello

    def __init__(self, program: Program, start: Start) -> None:
        self.program = program
        self.drops: list[int] = []
        self._lines = Lines()
        self._versions: tuple[int, ...] = tuple(range(PROTOCOL_VERSION, 0, -1))
        self._news: dict[int, dict[str, str]] = {}
        self.broken: dict[int, TargetFailure] = {}
        super().__init__(start)

    def begin(self) -> None:
        """A new process that has said hello; raises `TargetNotLoadable`.

        One that answers the greeting of version 2 by an error or by null is greeted once more, in version 1;
        one that ends is started again for that.
        """
        guarded = self._ready()
        self._start(guarded)
        for version in self._versions:
            last = version == self._versions[-1]
            said = self._greeted(guarded, version, last=last)
            if said is not None or last:
                break
            if not guarded.alive:
                guarded = self._ready()
                self._start(guarded)
        self._versions = (version,)
        self.hello = read_hello(self.program, said)
        self.name = self.hello.name
        self.drops.clear()
        self._news.clear()
        self.broken.clear()

    def _start(self, guarded: Guarded) -> None:
        """Start a process of the program; raises `TargetNotLoadable`."""
        limits = self.start.limits
        order = {
            "kind": "exec",
            "argv": list(self.program.argv),
            "environment": dict(self.program.environment),
            "memory_mib": limits.memory_mib,
        }
        try:
            guarded.start(order, limits.start_timeout_s)
        except TargetFailure as failure:
            raise self._unloadable(failure) from None

    def _greeted(self, guarded: Guarded, version: int, *, last: bool) -> Any:
        """What a new process answers to hello; None where it does not take the greeting, if not the last."""
        seconds = self.start.limits.start_timeout_s
        try:
            return self._lines.ask(guarded, "hello", {"kassay": version}, seconds)["answer"]
        except TargetFailure as failure:
            if not last and failure.kind in _ENDS_A_GREETING:
                return None
            raise self._unloadable(failure) from None

    def _unloadable(self, failure: TargetFailure) -> TargetNotLoadable:
        return TargetNotLoadable(f"{self.program.label}: {failure.message}, expected {self.program.expected}")

    @property
    def rounds(self) -> Rounds | None:
        """The door for whole rounds of a group, if there is one."""
        return None

    def supports(self, call: str) -> bool:
        """Whether the program has this call of version 2."""
        return call in self.hello.supports

    def introduced(self) -> Introduction:
        """What the program says of an object that it makes of its class, nothing where it supports no `new`.

        Raises `TargetNotLoadable` where none comes to be.
        """
        if not self.supports("new"):
            return Introduction()
        if not self.alive:
            self.begin()
        assert self._guarded is not None, "it has begun"
        self._count += 1
        label, seconds = self.program.label, self.start.limits.start_timeout_s
        config = {**dict(self.program.config), **dict(self.start.config)}
        try:
            said = self._lines.ask(self._guarded, "new", self._new(self._count, config), seconds)["answer"]
            self.forget(self._count)
            return read_as(Introduction, said, f"{label}: new")
        except TargetFailure as failure:
            expected = self.program.expected
            raise TargetNotLoadable(f"{label}: {failure.message}, expected {expected}") from None
        except InputError as error:
            raise TargetNotLoadable(str(error)) from None

    def _new(self, number: int, config: Mapping[str, str]) -> dict[str, Any]:
        """The fields of the request for a new object."""
        return {"object": number, "class": self.program.class_name, "config": config}

    def register(self, number: int, config: dict[str, str]) -> dict[str, str]:
        """A new object's configuration, of which the program is told before its next call."""
        config = {**dict(self.program.config), **config}
        if self.supports("new"):
            self._news[number] = config
        return config

    def forget(self, number: int) -> None:
        """An object that nobody asks any more."""
        self.broken.pop(number, None)
        if self._news.pop(number, None) is None and self.supports("drop"):
            self.drops.append(number)

    def call(
        self, asked: ChildObject, method: str, fields: Mapping[str, Any], config: Mapping[str, str]
    ) -> Reply:
        """The reply to one call of an object; raises `TargetFailure`."""
        guarded = self.guard_of(asked, method)
        named = {"config": config} if config and not self.supports("new") else {}
        reply = self.send(guarded, method, {"object": asked.number, **named, **fields}).next(method)
        if asked.number in self.broken:
            raise self.broken[asked.number]
        return answered(reply, method)

    def send(self, guarded: Guarded, call: str, fields: Mapping[str, Any]) -> Replies:
        """Make a request, after the objects that are due: the replies to it. Raises `TargetFailure`.

        All of it goes in one batch where the program supports that.
        """
        seconds = self.start.limits.call_timeout_s
        due = self._due()
        if due and self.supports("batch"):
            called = fields["requests"] if call == "batch" else [{"call": call, **fields}]
            requests = [*({"call": each, **its} for each, its in due), *called]
            replies = Replies(
                self._lines, guarded, self._lines.request("batch", {"requests": requests}), seconds
            )
            for each, its in due:
                self._settle(replies, each, its)
            return replies
        for each, its in due:
            self._settle(Replies(self._lines, guarded, self._lines.request(each, its), seconds), each, its)
        return Replies(self._lines, guarded, self._lines.request(call, fields), seconds)

    def _due(self) -> Requests:
        """What the program is to be told of objects that are new or gone; only where some are new."""
        if not self._news:
            return []
        news, self._news = self._news, {}
        drops, self.drops = self.drops, []
        gone: Requests = [("drop", {"objects": drops})] if drops else []
        return gone + [("new", self._new(number, config)) for number, config in news.items()]

    def _settle(self, replies: Replies, call: str, fields: Mapping[str, Any]) -> None:
        """Take the reply; an object that is not made is broken, which is told at its first call."""
        try:
            answered(replies.next(call), call)
        except TargetFailure as failure:
            if not replies.guarded.alive:
                raise
            if call == "new":
                self.broken[fields["object"]] = failure
