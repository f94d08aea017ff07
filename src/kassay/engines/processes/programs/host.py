"""The host of a program, and a whole round of a group in one request.

A whole round of a group in one request, for programs that support it.

Host of any program under test, with the same guard and limits as a Python class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from kassay.assignors.plain_answers import Malformed
from kassay.engines.processes.programs.dialect import ProgramCalls
from kassay.engines.processes.programs.objects import (
    BY_KIND,
    ProgramAssignor,
    ProgramDocument,
    ProgramObject,
    assignment_of,
    learned_fields,
    user_data_of,
)
from kassay.engines.processes.programs.program import Reply, answered
from kassay.model.calls import Failure, failure_of
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.assignor import AssignCall, Assignor, Learned, RoundAnswers
from kassay.model.groups.group import Assignment
from kassay.model.surroundings import OF_PYTHON, Surroundings

T = TypeVar("T")


class ProgramRounds:
    """The program's interface for a whole round, and for the assignments that members receive."""

    def __init__(self, calls: ProgramCalls) -> None:
        self._calls = calls
        self.asks = calls.supports("round")

    def holds(self, assignors: Sequence[Assignor]) -> bool:
        """Whether all of these live in the program's present process."""
        return self._calls.alive and all(
            isinstance(each, ProgramAssignor) and each.child is self._calls and each.life == self._calls.life
            for each in assignors
        )

    def ask(
        self, first: AssignCall, members: Sequence[Assignor], looks: Sequence[AssignCall]
    ) -> RoundAnswers:
        """Send one request; the program answers with one line per call in it."""
        calls, leader = self._calls, _own(first.assignor)
        says = list(map(_own, members)) if calls.supports("user_data") else []
        user_data: tuple[bytes | None, ...] = (None,) * len(members)
        try:
            lines = _RoundLines(calls, leader, _fields(first, members, looks), len(says))
            if says:
                user_data = tuple([lines.take(each, "user_data", user_data_of) for each in says])
        except TargetFailure as failure:
            if says:
                raise
            return RoundAnswers(user_data, failure_of(failure))
        try:
            answer = lines.take(leader, "assign", assignment_of)
        except TargetFailure as failure:
            return RoundAnswers(user_data, failure_of(failure))
        return RoundAnswers(user_data, answer, tuple([lines.look(_own(look.assignor)) for look in looks]))

    def tell(self, learned: Sequence[Learned]) -> None:
        """Send one batch if the program supports it; every member is notified, even if one fails."""
        calls = self._calls
        if not (learned and calls.supports("on_assignment")):
            return
        if not calls.supports("batch"):
            for each in learned:
                each.assignor.on_assignment(*each[1:])
            return
        call, first = "on_assignment", _own(learned[0].assignor)
        guarded = calls.guard_of(first, call)
        requests = [
            {"call": call, "object": _own(each.assignor).number, **learned_fields(*each[1:])}
            for each in learned
        ]
        replies = calls.send(guarded, "batch", {"requests": requests})
        failures = []
        for each in learned:
            try:
                reply = replies.next(call)
                if (number := _own(each.assignor).number) in calls.broken:
                    raise calls.broken[number]
                answered(reply, call)
            except TargetFailure as failure:
                failures.append(failure)
                if not guarded.alive:
                    break
        if failures:
            raise failures[0]


class _RoundLines:
    """The reply lines of one round: each member's user data, the answer, and the repeated calls."""

    def __init__(
        self, calls: ProgramCalls, leader: ProgramAssignor, fields: dict[str, Any], says: int
    ) -> None:
        self._calls = calls
        self._before_looks = says + 1
        self._looks = len(fields["looks"])
        self._replies = calls.send(calls.guard_of(leader, "round"), "round", fields)

    def take(self, proxy: ProgramAssignor, call: str, check: Callable[[Reply], T]) -> T:
        """The result of `check` for the next line; raises `TargetFailure`.

        An error ends the round. After an invalid line, the remaining output is awaited.
        """
        self._before_looks -= 1
        reply = self._replies.next(call)
        try:
            return self._checked(proxy, reply, call, check)
        except TargetFailure:
            if "error" not in reply:
                self._drain()
            raise

    def look(self, proxy: ProgramAssignor) -> Assignment | Failure:
        """The answer to the next repeated call; a failure does not end the round."""
        call = "assign"
        try:
            self._calls.guard_of(proxy, call)
            return self._checked(proxy, self._replies.next(call), call, assignment_of)
        except TargetFailure as failure:
            return failure_of(failure)

    def _checked(self, proxy: ProgramAssignor, reply: Reply, call: str, check: Callable[[Reply], T]) -> T:
        if proxy.number in self._calls.broken:
            raise self._calls.broken[proxy.number]
        try:
            return check(answered(reply, call))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), call) from None

    def _drain(self) -> None:
        """Read the remaining lines, so that none precedes the answer to the next request."""
        with suppress(TargetFailure):
            while self._before_looks + self._looks:
                reply = self._replies.next("round")
                if self._before_looks:
                    self._before_looks -= 1
                    if "error" in reply:
                        return
                else:
                    self._looks -= 1


def _own(assignor: Assignor) -> ProgramAssignor:
    """The assignor, which is the program's own since `holds` checked it."""
    assert isinstance(assignor, ProgramAssignor), assignor
    return assignor


def _fields(first: AssignCall, members: Sequence[Assignor], looks: Sequence[AssignCall]) -> dict[str, Any]:
    """The request fields; a repeated call has only the fields that differ."""
    leader = _own(first.assignor)
    fields = {"object": leader.number, **_input(first)}
    for member, document in zip(members, fields["members"]):
        document["object"] = _own(member).number
    fields["looks"] = [
        {
            "object": _own(look.assignor).number,
            **({} if look.group is first.group and look.cluster is first.cluster else _input(look)),
        }
        for look in looks
    ]
    return fields


def _input(call: AssignCall) -> dict[str, Any]:
    """The input of an `assign` call, without the user data, which the program already has."""
    fields = _own(call.assignor).fields(call.cluster, call.group)
    for document in fields["members"]:
        del document["user_data"]
    return fields


class ProgramHost(ProgramCalls):
    """Creates objects of a program, in the full form of the kind that the program reports."""

    at_once: bool = True
    """Whether to use the interface for whole rounds, if the program has it."""

    @property
    def rounds(self) -> ProgramRounds | None:
        """The interface for whole rounds; the host keeps no reference, which would outlive the last user."""
        supports = self.supports
        opens = self.at_once and supports("new") and (supports("round") or supports("batch"))
        return ProgramRounds(self) if opens else None

    @property
    def unchanged(self) -> Mapping[str, str]:
        """Stopwatches, the program's file, and the clock and the host name where the system has only one."""
        only = "only that of Python is shifted"
        lacks = {**dict.fromkeys(OF_PYTHON, only), "modified": "a program's file"}
        if self.clock is None or self.lacks_clock:
            lacks = {"clock": self.lacks_clock or "it was not asked for", **lacks}
        wanted = self.start.surroundings is not None and self.start.surroundings.host_name is not None
        if wanted and self._guarded is not None and not self._guarded.renamed:
            lacks["host_name"] = "no namespaces here"
        return lacks

    @property
    def moves_clock(self) -> bool:
        """Whether the program runs with a clock that can be moved."""
        return self.clock is not None and not self.lacks_clock

    def arrange(self, surroundings: Surroundings) -> None:
        """Move the program's clock if nothing else changes, or start the program again."""
        here, clock = self.start.surroundings, surroundings.clock
        same = here is not None and here.without("clock") == surroundings.without("clock")
        if self.clock is not None and clock is not None and same and self.moves_clock and self.alive:
            self.clock.move_to(clock)
            self.start = replace(self.start, surroundings=surroundings)
        else:
            super().arrange(surroundings)

    def make(self, number: int, config: dict[str, str]) -> ProgramObject:
        """The object of this number."""
        if self.hello.form is not None:
            return ProgramDocument(self, number, config)
        return BY_KIND.get(self.hello.kind or "", ProgramAssignor)(self, number, config)
