"""What Kafka itself breaks: the invariants of the genuine coordinator, and the cause of each break.

`Watch` looks at each genuine step. A cause is reported once in a history. Memory that has parted from the log
is not looked at again until a failover.
The invariants, and what Kafka keeps in memory alone, are those of the models: `properties/protocols/logged`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.engines.conform.left_timers import Ways, left_by
from kassay.engines.genuine.coordinator import Document, GenuineProcess, GenuineStep
from kassay.model.protocols.values.groups import EMPTY, PREPARING
from kassay.properties.protocols.logged import (
    EPOCH_0,
    GONE,
    LOADS,
    MEMBERS,
    MEMORY,
    ONCE,
    TIMER,
    WRITTEN_STATES,
    unwritten,
)

REMOVAL: Final = "group removed"
"""What memory shows whose group is in the log alone."""


class Broken(NamedTuple):
    """An invariant that Kafka broke: the step's number, the invariant, the cause, and what was seen."""

    step: int
    invariant: str
    cause: str
    text: str


_UNREADABLE: Final = "java.lang.RuntimeException: Tried to allocate a collection of size"
"""What Kafka throws on a subscription that is none: it takes the text for a number of topics."""
_OF_ANOTHER_TYPE: Final = re.compile(r"Group \S+ is not a (\w+) group")
"""What Kafka throws on a record of a group of another type."""
_WRITE_ERRORS: Final = frozenset({"COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "UNKNOWN_SERVER_ERROR"})
"""What a request is answered whose write failed."""


class Watch:
    """Looks at each step of a history; `broken` is what it has seen."""

    def __init__(self, process: GenuineProcess | None) -> None:
        self.broken: list[Broken] = []
        self._process = process
        self._before: Mapping[str, Any] = {"type": None}
        self._generations: dict[int, int] = {}
        self._failovers = 0
        self._parted = False
        self._removed: Mapping[str, Any] | None = None
        """What the log has of the group that was last removed from memory alone."""
        self._ways: Ways = {}
        self._unread = False
        """Whether the last record of a classic group has a subscription that is none."""
        self._kinds: dict[int, tuple[str | None, str | None]] = {}
        """The types of the group before and after each request."""
        self._assignments: Counter[int] = Counter()
        """Of each generation, how many assignments of a leader are appended and not acknowledged."""

    def look(self, step: GenuineStep) -> None:
        """Look at the step."""
        event = step.document["event"]["event"]
        self._failovers += event == "reload"
        self._kinds[step.document["i"]] = (self._before.get("type"), step.state.get("type"))
        self._exception(step, event)
        self._epoch_0(step)
        self._generation(step)
        self._gone(step)
        self._parted &= event != "reload"
        for record in step.records:
            if record["type"] == "group":
                self._unread = any(
                    "raw" in (each.get("metadata") or {}) for each in record.get("members", ())
                )
        if self._process is not None and not self._parted:
            self._memory(step, event, self._process.replays())
        if event == "sync" and step.records and not step.answers:
            self._assignments[step.document["event"]["generation"]] += 1
        if event in ("flush", "reload"):
            self._assignments.clear()
        self._before = step.state

    def _report(self, step: GenuineStep, invariant: str, cause: str, text: str) -> None:
        if not any(each.cause == f"{invariant}: {cause}" for each in self.broken):
            self.broken.append(Broken(step.document["i"], invariant, f"{invariant}: {cause}", text))

    def _exception(self, step: GenuineStep, event: str) -> None:
        if event == "advance" and step.exception:
            self._report(step, TIMER, self._thrown(step), f"a timer ended with {step.exception}")

    def _thrown(self, step: GenuineStep) -> str:
        """The exception of a timer, and what the group was then."""
        before, after = self._before, step.state
        if before.get("type") == after.get("type") == "classic":
            counted = after["generation"] > before["generation"]
            if before["state"] == after["state"] == EMPTY and counted:
                return f"{step.exception}, join timer of an empty group"
            if before["state"] == PREPARING:
                return f"{step.exception}, end of a join phase"
        if before.get("type") == "consumer" and _without_target(step, before):
            return f"{step.exception}, downgrade without a target"
        kinds = "+".join(dict.fromkeys(kind for kind, _ in step.document["fired"]))
        return f"{step.exception}, {kinds}, {before.get('state')} to {after.get('state')}"

    def _epoch_0(self, step: GenuineStep) -> None:
        for answer in step.answers:
            given = answer.get("epoch", answer.get("generation")) if answer["error"] == "NONE" else None
            if given == 0:
                text = f"{answer['member']} was answered OK with epoch 0"
                self._report(step, EPOCH_0, f"{answer['kind']}, {self._at_0(step, answer['to'])}", text)

    def _at_0(self, step: GenuineStep, request: int) -> str:
        """Why a member may have been given epoch 0, by an answer that may come later than its request."""
        number = self._before.get("group_epoch", self._before.get("generation"))
        if step.state.get("group_epoch") == 0 == number:
            return "group at epoch 0"
        former, after = self._kinds[request]
        return f"{former} to {after} group" if former != after else "no reason known"

    def _generation(self, step: GenuineStep) -> None:
        """Generations count up in one life of a group, and a failover takes none back that was given."""
        state = step.state
        if state["type"] != "classic":
            self._generations = {}
            return
        generation = state["generation"]
        if state["state"] != "CompletingRebalance" or self._before.get("state") == "CompletingRebalance":
            return
        joined = [a for a in step.answers if a["kind"] == "join" and a["error"] == "NONE"]
        if joined and self._generations.get(generation, self._failovers) != self._failovers:
            text = f"generation {generation} was given out before the failover, and again after it"
            self._report(step, ONCE, "after a failover", text)
        if joined:
            self._generations[generation] = self._failovers

    def _gone(self, step: GenuineStep) -> None:
        """Timers whose member, join phase or group is gone, by what left them behind."""
        for left in left_by(step, self._before, self._ways):
            kind, member, _ = left.timer
            self._report(step, GONE, left.cause, f"{kind} {member or ''} is armed: {left.what}")

    def _memory(self, step: GenuineStep, event: str, replays: Document) -> None:
        memory = _kept(replays["memory"])
        if memory.get("type") == "classic" and memory.get("state") not in WRITTEN_STATES:
            return
        for way in ("log", "compacted", "without_tombstones"):
            replayed = replays[way]
            if "unloadable" in replayed:
                self._parted = True
                text = str(replayed["unloadable"])
                self._report(step, LOADS, self._unloadable(event, way, text), text)
                return
            if (kept := _kept(replayed)) != memory:
                self._parted = True
                if memory.get("type") is None:
                    self._removed = kept
                cause = self._difference(step, event, memory, kept, by_cleaner=way != "log")
                self._report(step, MEMORY, cause, _texts(memory, kept))
                return

    def _unloadable(self, event: str, way: str, text: str) -> str:
        """The cause of a log that does not load: the event, how the log was cleaned, and what stands out."""
        if self._unread and text.startswith(_UNREADABLE):
            return "subscription that cannot be read"
        other = _OF_ANOTHER_TYPE.search(text)
        if self._removed and other and other[1] != self._removed["type"]:
            return f"record of another type, after {REMOVAL}"
        return f"{event}, {way}"

    def _emptied(self, step: GenuineStep) -> bool:
        """Whether a classic group became empty in this step, in a generation of its own."""
        before, after = self._before, step.state
        return (
            before.get("type") == after.get("type") == "classic"
            and before["state"] != EMPTY == after["state"]
            and after["generation"] == before["generation"] + 1
        )

    def _difference(
        self, step: GenuineStep, event: str, memory: Document, log: Document, *, by_cleaner: bool
    ) -> str:
        """The cause: the event, its error, and what differs; `by_cleaner`: not before the log is cleaned."""
        errors = [answer["error"] for answer in step.answers if answer["to"] == step.document["i"]]
        failed = step.document["event"].get("write_fails") and not {*errors} - _WRITE_ERRORS
        if failed and self._emptied(step):
            return "classic group that became empty, its write failed"
        if step.exception and event == "advance":
            return self._thrown(step)
        if self._assignments[memory.get("generation", 0)] > 1 and _but_assignments(
            memory
        ) == _but_assignments(log):
            return f"{event}, second assignment of a generation"
        if by_cleaner and self._has_epochs_of_removed(memory, log):
            return f"epochs in the cleaned log, after {REMOVAL}"
        what = (
            REMOVAL
            if memory.get("type") is None
            else f"{log.get('type') or 'no'} group in the log"
            if memory.get("type") != log.get("type")
            else ", ".join(_differing(memory, log))
        )
        return ", ".join([event, *errors, *(["write failed"] if failed else []), what])

    def _has_epochs_of_removed(self, memory: Document, log: Document) -> bool:
        """Whether the log differs by the epochs of the group that was removed from memory alone.

        The state follows from them; the target's epoch may have the time at which it was computed.
        """
        if self._removed is None or memory.get("type") != log.get("type"):
            return False
        removed, memory, log = (_with_time(state) for state in (self._removed, memory, log))
        differing = {*_differing(memory, log)} - {"state"}
        return set() < differing <= _EPOCHS and all(log.get(key) == removed.get(key) for key in differing)


_EPOCHS: Final = {"group_epoch", "target_epoch", "assignment_time"}


def _with_time(state: Document) -> Document:
    """A state with the time at which its target was computed beside the rest."""
    more = dict(state.get("more", {}))
    return {**state, "assignment_time": more.pop("assignment_time", None), "more": more}


def _without_target(step: GenuineStep, before: Document) -> bool:
    """Whether a timer of one member fires where another, a classic one, has no target."""
    due = {member for _, member in step.document["fired"]}
    members = before["members"]
    lacking = [each["id"] for each in members if each["classic"] and each["id"] not in before["target"]]
    return any(due - {member} for member in lacking)


def _but_assignments(state: Document) -> Document:
    """A state without what its members are assigned."""
    members = {name: {**member, "assignment": None} for name, member in state.get("members", {}).items()}
    return {**state, "members": members}


def _differing(memory: Document, log: Document) -> list[str]:
    return [key for key in sorted(memory.keys() | log.keys()) if memory.get(key) != log.get(key)]


def _texts(memory: Document, log: Document) -> str:
    keys = _differing(memory, log)
    shown = [f"{key}: {memory.get(key)!r} in memory, {log.get(key)!r} in the log" for key in keys]
    return "; ".join(shown)[:400]


def _kept(state: Document) -> dict[str, Any]:
    """The part of a state that the log has to give."""
    kind = state.get("type")
    left_out = unwritten(kind or "", state.get("state", ""))
    kept = {key: value for key, value in state.items() if key not in left_out and key != "more"}
    if kind is not None:
        kept["members"] = {
            member["id"]: {key: value for key, value in member.items() if MEMBERS + key not in left_out}
            for member in state["members"]
        }
    if kind == "consumer":
        kept["more"] = {k: v for k, v in state["more"].items() if f"more.{k}" not in left_out}
    return kept
