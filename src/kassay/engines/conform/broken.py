"""What Kafka itself breaks: the invariants of the genuine coordinator, and the cause of each break.

`Watch` looks at each genuine step. A cause is reported once in a history. Memory that has parted from the log
is not looked at again until a failover.
The invariants, and what Kafka keeps in memory alone, are those of the models: `properties/protocols/logged`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.engines.conform.left_timers import left_by
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
        self._assignments: Counter[int] = Counter()
        """Of each generation, how many assignments of a leader are appended and not acknowledged."""

    def look(self, step: GenuineStep) -> None:
        """Look at the step."""
        event = step.document["event"]["event"]
        self._failovers += event == "reload"
        self._exception(step, event)
        self._epoch_0(step)
        self._generation(step)
        self._gone(step)
        self._parted &= event != "reload"
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
        if before.get("type") == after.get("type") == "consumer":
            target = after["target"]
            if any(member["classic"] and member["id"] not in target for member in after["members"]):
                return f"{step.exception}, downgrade without a target"
        kinds = "+".join(dict.fromkeys(kind for kind, _ in step.document["fired"]))
        return f"{step.exception}, {kinds}, {before.get('state')} to {after.get('state')}"

    def _epoch_0(self, step: GenuineStep) -> None:
        for answer in step.answers:
            given = answer.get("epoch", answer.get("generation")) if answer["error"] == "NONE" else None
            if given == 0:
                text = f"{answer['member']} was answered OK with epoch 0"
                self._report(step, EPOCH_0, f"{answer['kind']}, {self._at_0(step)}", text)

    def _at_0(self, step: GenuineStep) -> str:
        """Why a member may have been given epoch 0."""
        number = self._before.get("group_epoch", self._before.get("generation"))
        if step.state.get("group_epoch") == 0 == number:
            return "group at epoch 0"
        former = self._before.get("type")
        return (
            f"{former} to {step.state['type']} group" if former != step.state["type"] else "no reason known"
        )

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
        for left in left_by(step, self._before):
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
                after = f", after {REMOVAL}" if self._removed else ""
                self._report(step, LOADS, f"{event}, {way}{after}", str(replayed["unloadable"]))
                return
            if (kept := _kept(replayed)) != memory:
                self._parted = True
                if memory.get("type") is None:
                    self._removed = kept
                self._report(step, MEMORY, self._difference(step, event, memory, kept), _texts(memory, kept))
                return

    def _emptied(self, step: GenuineStep) -> bool:
        """Whether a classic group became empty in this step, in a generation of its own."""
        before, after = self._before, step.state
        return (
            before.get("type") == after.get("type") == "classic"
            and before["state"] != EMPTY == after["state"]
            and after["generation"] == before["generation"] + 1
        )

    def _difference(self, step: GenuineStep, event: str, memory: Document, log: Document) -> str:
        """The cause: the event, its error, and what differs."""
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
        if self._has_epochs_of_removed(memory, log):
            return f"{event}, after {REMOVAL}"
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

        The state follows from them.
        """
        removed, differing = self._removed, {*_differing(memory, log)} - {"state"}
        return (
            removed is not None
            and set() < differing <= {"group_epoch", "target_epoch"}
            and all(log[key] == removed[key] for key in differing)
        )


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
