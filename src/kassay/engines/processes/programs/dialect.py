"""Requests to a program, in the version of the exec protocol that it supports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kassay.engines.processes.arrangement import ProgramClock, clock_library
from kassay.engines.processes.host import ChildObject, GuardedHost, Start
from kassay.engines.processes.process import Guarded
from kassay.engines.processes.programs.program import (
    PROTOCOL_VERSION,
    Hello,
    Introduction,
    Lines,
    Program,
    Reply,
    answered,
    read_hello,
)
from kassay.model.errors import FailureKind, InputError, TargetFailure, TargetNotLoadable
from kassay.model.groups.assignor import Rounds
from kassay.reading.documents import is_there
from kassay.reading.values import read_as

_ENDS_A_GREETING: Final = frozenset({FailureKind.RAISED, FailureKind.DIED})
"""Reactions of a program to a greeting in an unsupported version."""
Requests = list[tuple[str, Mapping[str, Any]]]
"""Calls with their fields."""


def _is_path(argument: str) -> bool:
    """Whether the argument names a file or a folder here, by a relative path."""
    return not argument.startswith(("/", "-")) and bool(argument.strip()) and is_there(argument)


class Replies:
    """The reply lines of one request, which is sent when the first of them is read."""

    def __init__(self, lines: Lines, guarded: Guarded, request: bytes, timeout_s: float) -> None:
        self.guarded = guarded
        self._lines = lines
        self._request = request
        self._timeout_s = timeout_s

    def next(self, call: str) -> Reply:
        """The next line, as the answer to this call; raises `TargetFailure` if there is none."""
        request, self._request = self._request, b""
        return self._lines.reply(self.guarded, request, call, self._timeout_s)


class ProgramCalls(GuardedHost):
    """A program after its greeting, and the calls to its objects, which are numbers.

    A program that supports `new` receives the class and the configuration of an object before the next call;
    other programs receive the configuration with every call. A program that supports `drop` is notified of
    deleted objects. `broken`: objects whose creation failed, with the failure. `clock` is there while the
    program's is shifted, `lacks_clock` says why it is not.
    """

    hello: Hello

    def __init__(self, program: Program, start: Start) -> None:
        self.program = program
        self.drops: list[int] = []
        self._lines = Lines()
        self._versions: tuple[int, ...] = tuple(range(PROTOCOL_VERSION, 0, -1))
        self._news: dict[int, dict[str, str]] = {}
        self.broken: dict[int, TargetFailure] = {}
        self.clock: ProgramClock | None = None
        self.lacks_clock = ""
        super().__init__(start)

    def begin(self) -> None:
        """Start and greet a new process; raises `TargetNotLoadable`.

        A program that answers the greeting of version 2 with an error or null is greeted again in version 1;
        one that exits is restarted for that.
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
        if self.clock is not None:
            self.lacks_clock = self.clock.lacks(guarded.pid)
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
            "argv": self._argv(),
            "environment": {**dict(self.program.environment), **self._clock_environment()},
            "memory_mib": limits.memory_mib,
        }
        try:
            guarded.start(order, limits.start_timeout_s)
        except TargetFailure as failure:
            raise self._unloadable(failure) from None

    def _clock_environment(self) -> Mapping[str, str]:
        """The variables that shift the program's clock, if its surroundings have one."""
        surroundings = self.start.surroundings
        if surroundings is None or surroundings.clock is None:
            return {}
        if self.clock is None:
            library = clock_library()
            if library is None:
                self.lacks_clock = "this machine has no libfaketime"
                return {}
            self.clock = ProgramClock(library)
        self.clock.move_to(surroundings.clock)
        return self.clock.environment

    def close(self) -> None:
        """End the program and everything that it started, and remove what its clock reads."""
        super().close()
        if self.clock is not None:
            self.clock.close()
        self.clock = None

    def _argv(self) -> list[str]:
        """The command; where it runs in another folder, with the whole paths of what it names in this one."""
        surroundings = self.start.surroundings
        if surroundings is None or surroundings.folder is None:
            return list(self.program.argv)
        return [str(Path(each).resolve()) if _is_path(each) else each for each in self.program.argv]

    def _greeted(self, guarded: Guarded, version: int, *, last: bool) -> Any:
        """The answer of a new process to hello; None if it rejects the greeting, unless `last`."""
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
        """The interface for whole rounds of a group, if the program has it."""
        return None

    def supports(self, call: str) -> bool:
        """Whether the program supports this call of version 2."""
        return call in self.hello.supports

    def introduced(self) -> Introduction:
        """The program's description of an object of its class; empty if `new` is not supported.

        Raises `TargetNotLoadable` if no object can be created.
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
        """The request fields for a new object."""
        return {"object": number, "class": self.program.class_name, "config": config}

    def register(self, number: int, config: dict[str, str]) -> dict[str, str]:
        """Register a new object; the program receives its configuration before the next call."""
        config = {**dict(self.program.config), **config}
        if self.supports("new"):
            self._news[number] = config
        return config

    def forget(self, number: int) -> None:
        """Delete an object that is no longer called."""
        self.broken.pop(number, None)
        if self._news.pop(number, None) is None and self.supports("drop"):
            self.drops.append(number)

    def call(
        self, proxy: ChildObject, method: str, fields: Mapping[str, Any], config: Mapping[str, str]
    ) -> Reply:
        """The reply to one call of an object; raises `TargetFailure`."""
        guarded = self.guard_of(proxy, method)
        named = {"config": config} if config and not self.supports("new") else {}
        reply = self.send(guarded, method, {"object": proxy.number, **named, **fields}).next(method)
        if proxy.number in self.broken:
            raise self.broken[proxy.number]
        return answered(reply, method)

    def send(self, guarded: Guarded, call: str, fields: Mapping[str, Any]) -> Replies:
        """Send a request, after those for pending objects; returns its replies. Raises `TargetFailure`.

        All of them go into one batch if the program supports that.
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
        """The pending requests for new and deleted objects; empty unless some are new."""
        if not self._news:
            return []
        news, self._news = self._news, {}
        drops, self.drops = self.drops, []
        gone: Requests = [("drop", {"objects": drops})] if drops else []
        return gone + [("new", self._new(number, config)) for number, config in news.items()]

    def _settle(self, replies: Replies, call: str, fields: Mapping[str, Any]) -> None:
        """Read the reply; an object that was not created is broken, which its first call reports."""
        try:
            answered(replies.next(call), call)
        except TargetFailure as failure:
            if not replies.guarded.alive:
                raise
            if call == "new":
                self.broken[fields["object"]] = failure
