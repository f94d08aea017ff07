"""What Kafka itself breaks: invariants of the genuine coordinator, and the findings known for a release.

`Watch` looks at each genuine step. An invariant that breaks once in a history is not looked at again there.
The invariants, and what Kafka keeps in memory alone, are those of the models: `properties/protocols/logged`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from kassay.certify.genuine.coordinator import Document, GenuineProcess, GenuineStep
from kassay.model.protocols.values.groups import PREPARING
from kassay.model.protocols.values.requests import JOIN, OF_CLASSIC_GROUPS
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


class KnownFinding(NamedTuple):
    """A finding about Kafka: its letter, what it is in one line, the causes that show it, its releases.

    A `*` in a cause stands for any text. Without `releases` it is known of all of them.
    """

    letter: str
    words: str
    causes: tuple[str, ...]
    releases: tuple[str, ...] = ()


NO_MEMBER: Final = "no such member"
KNOWN: Final = (
    KnownFinding(
        "A",
        "a JoinGroup with a member id removes an empty modern group from memory, not from the log",
        (f"{MEMORY}: join, UNKNOWN_MEMBER_ID, group removed",),
    ),
    KnownFinding(
        "B",
        "a generation that was joined but not synced is given out again after a failover",
        (f"{ONCE}: after a failover",),
    ),
    KnownFinding(
        "C",
        "a group whose creation failed leaves its join timer armed, which later throws",
        (
            f"{TIMER}: *join, IllegalStateException",
            f"{MEMORY}: advance, IllegalStateException",
            f"{GONE}: join phase after a failed write",
        ),
    ),
    KnownFinding(
        "R5",
        "an upgrade at generation 0 answers heartbeats OK with epoch 0",
        (f"{EPOCH_0}: consumer_heartbeat",),
        ("4.3.1", "4.4.0"),
    ),
    KnownFinding(
        "E",
        "a classic group changes in memory although the write of that change fails; Kafka logs a warning",
        (f"{MEMORY}: classic group whose write failed",),
    ),
    KnownFinding(
        "F",
        "a JoinGroup that downgrades a group whose target is stale is answered OK with generation 0",
        (f"{EPOCH_0}: join",),
    ),
    KnownFinding(
        "T",
        "timers are left: a failed write, a conversion, a replaced static member and a refusal stop none",
        (
            f"{GONE}: timer after a failed write",
            f"{GONE}: timer after a conversion",
            f"{GONE}: timer of a replaced static member",
            f"{GONE}: join, session, {NO_MEMBER}",
            f"{GONE}: consumer_heartbeat, consumer_session, classic group",
            f"{GONE}: flush, *, {NO_MEMBER}",
            f"{GONE}: streams_heartbeat, streams_session, {NO_MEMBER}",
            f"{GONE}: streams_heartbeat, streams_session, classic group",
            f"{GONE}: streams_heartbeat, initial_rebalance, classic group",
        ),
    ),
    KnownFinding(
        "G",
        "a subscription that cannot be read ends a join phase with an exception; its members get no answer",
        (f"{TIMER}: *, RuntimeException",),
        ("4.0.2", "4.1.2", "4.2.1", "4.3.1"),
    ),
)
"""The known findings; a cause that is none of these in its release is new."""


class Broken(NamedTuple):
    """An invariant that Kafka broke: the step's number, the invariant, the cause, and what was seen."""

    step: int
    invariant: str
    cause: str
    text: str


def known_finding(cause: str, release: str) -> KnownFinding | None:
    """The known finding of this release with this cause, or None."""
    known = (finding for finding in KNOWN if not finding.releases or release in finding.releases)
    shown = (finding for finding in known if any(fnmatchcase(cause, each) for each in finding.causes))
    return next(shown, None)


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

    def look(self, step: GenuineStep) -> None:
        """Look at the step."""
        event = step.document["event"]["event"]
        self._failovers += event == "reload"
        self._exception(step, event)
        self._epoch_0(step)
        self._generation(step)
        self._gone(step)
        if self._process is not None and not self._seen(MEMORY, LOADS):
            self._memory(step, event, self._process.replays())
        self._before = step.state

    def _seen(self, *invariants: str) -> bool:
        return any(each.invariant in invariants for each in self.broken)

    def _report(self, step: GenuineStep, invariant: str, cause: str, text: str) -> None:
        if not self._seen(invariant):
            self.broken.append(Broken(step.document["i"], invariant, f"{invariant}: {cause}", text))

    def _exception(self, step: GenuineStep, event: str) -> None:
        if event == "advance" and step.exception:
            kinds = "+".join(dict.fromkeys(kind for kind, _ in step.document["fired"]))
            self._report(step, TIMER, f"{kinds}, {step.exception}", f"a timer ended with {step.exception}")

    def _epoch_0(self, step: GenuineStep) -> None:
        for answer in step.answers:
            given = answer.get("epoch", answer.get("generation")) if answer["error"] == "NONE" else None
            if given == 0:
                text = f"{answer['member']} was answered OK with epoch 0"
                self._report(step, EPOCH_0, answer["kind"], text)

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
        for timer, member, what in _left_behind(step):
            event, request = step.document["event"]["event"], step.document["event"]
            converted = step.state.get("type") != self._before.get("type")
            cause = f"{event}, {timer}, {what}"
            if request.get("write_fails"):
                cause = f"{'join phase' if timer == JOIN else 'timer'} after a failed write"
            elif converted:
                cause = "timer after a conversion"
            elif request.get("instance") and what == NO_MEMBER:
                cause = "timer of a replaced static member"
            self._report(step, GONE, cause, f"{timer} {member or ''} is armed: {what}")

    def _memory(self, step: GenuineStep, event: str, replays: Document) -> None:
        memory = _kept(replays["memory"])
        if memory.get("type") == "classic" and memory.get("state") not in WRITTEN_STATES:
            return
        for way in ("log", "compacted", "without_tombstones"):
            replayed = replays[way]
            if "unloadable" in replayed:
                self._report(step, LOADS, f"{event}, {way}", str(replayed["unloadable"]))
                return
            if (kept := _kept(replayed)) != memory:
                self._report(step, MEMORY, self._difference(step, event, memory, kept), _texts(memory, kept))
                return

    def _difference(self, step: GenuineStep, event: str, memory: Document, log: Document) -> str:
        """The cause: the event, its error, and what differs."""
        errors = [answer["error"] for answer in step.answers if answer["to"] == step.document["i"]]
        failed = step.document["event"].get("write_fails") and not {*errors} - _WRITE_ERRORS
        if failed and memory.get("type") == log.get("type") == "classic":
            return "classic group whose write failed"
        if step.exception and event == "advance":
            return f"{event}, {step.exception}"
        what = (
            "group removed"
            if memory.get("type") is None
            else f"{log.get('type') or 'no'} group in the log"
            if memory.get("type") != log.get("type")
            else ", ".join(_differing(memory, log))
        )
        return ", ".join([event, *errors, *(["write failed"] if failed else []), what])


def _left_behind(step: GenuineStep) -> Iterator[tuple[str, str | None, str]]:
    """Timers that wait for what is gone: the kind, the member, and what there is instead."""
    state = step.state
    kind = state.get("type")
    known = {member["id"] for member in state.get("members", ())} | {*state.get("pending_join", ())}
    for timer, member, _ in step.timers:
        if kind is not None and (timer in OF_CLASSIC_GROUPS) is not (kind == "classic"):
            yield timer, member, f"{kind} group"
        elif member and member not in known:
            yield timer, member, NO_MEMBER
        elif timer == JOIN and state.get("state") != PREPARING:
            yield timer, member, f"{state['state']} group" if kind else "no group"


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
