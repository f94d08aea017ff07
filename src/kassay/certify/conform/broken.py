"""What Kafka itself breaks: invariants of the genuine coordinator, and the findings known for a release.

`Watch` looks at each genuine step. An invariant that breaks once in a history is not looked at again there.

* memory-is-log: memory is what a replay of the log gives, the log compacted or not. Not compared is what
  Kafka keeps in memory alone: timers, `UNWRITTEN`, and a classic group unless it is Empty or Stable.
* generation-once: a classic group never gives the same generation number to two join phases.
* no-exception-in-timer: no timer ends with an exception that is not an error of the protocol.
* no-epoch-0: no OK answer gives a member epoch or generation 0.
* log-loads: the log can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.certify.genuine.coordinator import Document, GenuineProcess, GenuineStep

MEMORY: Final = "memory-is-log"
ONCE: Final = "generation-once"
TIMER: Final = "no-exception-in-timer"
EPOCH_0: Final = "no-epoch-0"
LOADS: Final = "log-loads"


class KnownFinding(NamedTuple):
    """A finding about Kafka: its letter, what it is in one line, and the causes that show it."""

    letter: str
    words: str
    causes: tuple[str, ...]


KNOWN: Final = (
    KnownFinding(
        "A",
        "a JoinGroup with a member id removes an empty consumer group from memory, not from the log",
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
        (f"{TIMER}: join, IllegalStateException", f"{MEMORY}: advance, IllegalStateException"),
    ),
    KnownFinding(
        "R5",
        "an upgrade at generation 0 answers heartbeats OK with epoch 0",
        (f"{EPOCH_0}: consumer_heartbeat",),
    ),
    KnownFinding(
        "E",
        "a classic group changes in memory although the write of that change fails; Kafka logs a warning",
        (f"{MEMORY}: classic group whose write failed",),
    ),
)
"""The known findings of 4.4.0; a cause that is none of these is new."""


class Broken(NamedTuple):
    """An invariant that Kafka broke: the step's number, the invariant, the cause, and what was seen."""

    step: int
    invariant: str
    cause: str
    text: str


def known_finding(cause: str) -> KnownFinding | None:
    """The known finding with this cause, or None."""
    return next((finding for finding in KNOWN if cause in finding.causes), None)


UNWRITTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "consumer": ("metadata_expired", "timers", "more.metadata_expired"),
    "streams": ("timers", "endpoint_epoch"),
    "classic": ("timers", "new_member_added", "leader", "protocol_type", "pending_join", "pending_sync"),
}
"""What Kafka keeps in memory alone, by type of group."""
_OF_MEMBER: Final = ("awaiting_join", "awaiting_sync", "is_new", "protocols")


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

    def _memory(self, step: GenuineStep, event: str, replays: Document) -> None:
        memory = _kept(replays["memory"])
        if memory.get("type") == "classic" and memory.get("state") not in ("Empty", "Stable"):
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


def _differing(memory: Document, log: Document) -> list[str]:
    return [key for key in sorted(memory.keys() | log.keys()) if memory.get(key) != log.get(key)]


def _texts(memory: Document, log: Document) -> str:
    keys = _differing(memory, log)
    shown = [f"{key}: {memory.get(key)!r} in memory, {log.get(key)!r} in the log" for key in keys]
    return "; ".join(shown)[:400]


def _kept(state: Document) -> dict[str, Any]:
    """The part of a state that the log has to give."""
    kind = state.get("type")
    unwritten = UNWRITTEN.get(kind or "", ("timers",))
    kept = {key: value for key, value in state.items() if key not in unwritten and key != "more"}
    if kind is not None:
        kept["members"] = {
            member["id"]: {key: value for key, value in member.items() if key not in _OF_MEMBER}
            for member in state["members"]
        }
    if kind == "classic":
        kept.pop("subscribed_topics", None)
    if kind == "consumer":
        kept["more"] = {k: v for k, v in state["more"].items() if k != "metadata_expired"}
    return kept
