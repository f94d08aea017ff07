"""What is asked of a program, in the version of the exec protocol that it speaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kassay.certify.processes.host import ChildObject, GuardedHost, Start
from kassay.certify.processes.process import Guarded
from kassay.certify.processes.programs.lines import Lines, Reply
from kassay.certify.processes.programs.program import (
    PROTOCOL_VERSION,
    Hello,
    Introduction,
    Program,
    read_hello,
)
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.failure import FailureKind, TargetFailure
from kassay.reading.values import read_as

_ENDS_A_GREETING: Final = frozenset({FailureKind.RAISED, FailureKind.DIED})
"""How a program may answer a greeting in a version that it does not speak."""
Requests = list[tuple[str, Mapping[str, Any]]]
"""Calls with their fields."""


class ProgramCalls(GuardedHost):
    """A program that has said hello, and the calls to its objects, which are numbers.

    A program that supports `new` is told of an object before the next call, with the class and the
    configuration; of another every call carries the configuration. One that supports `drop` is told which
    objects are gone.
    """

    hello: Hello

    def __init__(self, program: Program, start: Start) -> None:
        self.program = program
        self.drops: list[int] = []
        self._lines = Lines()
        self._versions: tuple[int, ...] = tuple(range(PROTOCOL_VERSION, 0, -1))
        self._news: dict[int, dict[str, str]] = {}
        self._broken: dict[int, TargetFailure] = {}
        super().__init__(start)

    def begin(self) -> None:
        """A new process that has said hello; raises `TargetNotLoadable`.

        One that does not take the greeting of version 2 is started again and greeted in version 1.
        """
        for version in self._versions:
            last = version == self._versions[-1]
            guarded = self._ready()
            said = self._greeted(guarded, version, last=last)
            if said is not None or last:
                break
            guarded.kill()
        self._versions = (version,)
        self.hello = read_hello(self.program, said)
        self.name = self.hello.name
        self.drops.clear()
        self._news.clear()
        self._broken.clear()

    def _greeted(self, guarded: Guarded, version: int, *, last: bool) -> Any:
        """What a new process answers to hello; None where it does not take the greeting, if not the last."""
        limits = self.start.limits
        order = {
            "kind": "exec",
            "argv": list(self.program.argv),
            "environment": dict(self.program.environment),
            "memory_mib": limits.memory_mib,
        }
        try:
            guarded.start(order, limits.start_timeout_s)
            return self._lines.ask(guarded, "hello", {"kassay": version}, limits.start_timeout_s)["answer"]
        except TargetFailure as failure:
            if not last and failure.kind in _ENDS_A_GREETING:
                return None
            raise TargetNotLoadable(
                f"{self.program.label}: {failure.message}, expected {self.program.expected}"
            ) from None

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
        self._broken.pop(number, None)
        if self._news.pop(number, None) is None and self.supports("drop"):
            self.drops.append(number)

    def call(
        self, asked: ChildObject, method: str, fields: Mapping[str, Any], config: Mapping[str, str]
    ) -> Reply:
        """The reply to one call of an object; raises `TargetFailure`."""
        guarded = self._guard_of(asked, method)
        self._settle(guarded)
        if asked.number in self._broken:
            raise self._broken[asked.number]
        named = {"config": config} if config and not self.supports("new") else {}
        fields = {"object": asked.number, **named, **fields}
        return self._lines.ask(guarded, method, fields, self.start.limits.call_timeout_s)

    def _settle(self, guarded: Guarded) -> None:
        """Tell the program of objects that are to be made or are gone; what fails to be made is broken."""
        if not self._news:
            return
        seconds = self.start.limits.call_timeout_s
        drops, self.drops = self.drops, []
        requests: Requests = [("drop", {"objects": drops})] if drops else []
        news, self._news = self._news, {}
        requests += [("new", self._new(number, config)) for number, config in news.items()]
        for call, fields in requests:
            try:
                self._lines.ask(guarded, call, fields, seconds)
            except TargetFailure as failure:
                if not guarded.alive:
                    raise
                if call == "new":
                    self._broken[fields["object"]] = failure
