"""Timers of Kafka that wait for what is gone, and what left each behind.

A timer is left once: in the step after which it first waits for nothing. `way` is what that step shows of
the reason, from the step itself and the state before it, so that every fault has causes of its own. A timer
that fires and is armed again for nothing was left the way it was left before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from kassay.engines.genuine.coordinator import GenuineStep
from kassay.model.protocols.values.groups import PREPARING
from kassay.model.protocols.values.requests import CONSUMER_SESSION, JOIN, OF_CLASSIC_GROUPS
from kassay.model.protocols.values.streams import INITIAL_REBALANCE, STREAMS_SESSION

NO_MEMBER: Final = "no such member"
UNWRITTEN: Final = "write failed"
"""Armed by a request, or a timer, whose records were not written."""
ACKNOWLEDGED: Final = "acknowledged late"
"""Armed by the acknowledgement of an earlier request, when its member had left."""
CONVERTED: Final = "conversion"
"""Kept by a group that came to speak another protocol."""
REMOVED: Final = "removal"
"""Kept when an empty group was removed."""
REPLACED: Final = "replacement"
"""Of a static member whose place another one has taken."""
REPLACED_BY_FORMER: Final = "replacement by a former instance id"
"""Of a member whose place another one has taken with an instance id that the member had given up."""
FULL: Final = "full group"
"""Kept, although a full group refused and forgot the member."""
REFUSED: Final = {"consumer_heartbeat": "refused upgrade", "streams_heartbeat": "refused thread"}
"""Armed by a heartbeat before it was refused: by the event."""

_SESSIONS: Final = {STREAMS_SESSION: CONSUMER_SESSION}
"""Kafka has one timer for the sessions of consumers and of Streams threads."""

Timer: TypeAlias = tuple[str, str | None, int]
"""Kind, member, and when it is due."""


class LeftTimer(NamedTuple):
    """A timer that was left behind: what there is instead of what it waits for, and how it was left."""

    timer: Timer
    what: str
    way: str

    @property
    def cause(self) -> str:
        """What groups these timers."""
        kind = self.timer[0]
        return f"{self.way}, {_SESSIONS.get(kind, kind)}, {self.what}"


Ways: TypeAlias = dict[tuple[str, str | None], str]
"""How each timer was left that waits for nothing, by its kind and member."""


def left_by(step: GenuineStep, before: Mapping[str, Any], ways: Ways) -> Iterator[LeftTimer]:
    """The timers that wait for nothing since this step; `before` is the state of the step before it.

    `ways` has those of the steps before, and is brought up to date.
    """
    already = {timer for timer, _ in _waiting_for_nothing(before)}
    former = dict(ways)
    ways.clear()
    for timer, what in _waiting_for_nothing(step.state):
        name = timer[:2]
        again = name in former and (timer in already or _fired(step, timer))
        ways[name] = former[name] if again else _way(step, before, timer)
        if timer not in already:
            yield LeftTimer(timer, what, ways[name])


def _fired(step: GenuineStep, timer: Timer) -> bool:
    return [*timer[:2]] in [[*each] for each in step.document["fired"]]


def _way(step: GenuineStep, before: Mapping[str, Any], timer: Timer) -> str:
    """How the step left the timer; the name of the event where nothing else is known.

    A timer that has thrown is armed again in the same step.
    """
    thrown = bool(step.exception) and _fired(step, timer)
    event, armed = step.document["event"], timer not in _timers(before) and not thrown
    errors = {answer["error"] for answer in step.answers if answer["to"] == step.document["i"]}
    if armed and step.document.get("lost"):
        return UNWRITTEN
    if armed and event["event"] == "flush":
        return ACKNOWLEDGED
    if not armed and before.get("type") and step.state.get("type") != before["type"]:
        return CONVERTED if step.state.get("type") else REMOVED
    if armed and errors and "NONE" not in errors and event["event"] in REFUSED:
        return REFUSED[event["event"]]
    if timer[1] and event.get("instance") and _instances(before).get(timer[1]) == event["instance"]:
        return REPLACED
    if timer[1] and _took_place(step, before, timer[1]):
        return REPLACED_BY_FORMER
    if not armed and errors == {"GROUP_MAX_SIZE_REACHED"} and timer[1] == event.get("member"):
        return FULL
    return str(event["event"])


def _took_place(step: GenuineStep, before: Mapping[str, Any], former: str) -> bool:
    """Whether records remove a static member, and write another one with the request's instance id."""
    instance = step.document["event"].get("instance")
    written = [record for record in step.records if record["type"] == "member"]
    return bool(
        instance
        and _instances(before).get(former)
        and any(each["member"] == former and each.get("tombstone") for each in written)
        and any(each["member"] != former and each.get("instance") == instance for each in written)
    )


def _waiting_for_nothing(state: Mapping[str, Any]) -> Iterator[tuple[Timer, str]]:
    """The timers of a state that wait for what is gone, and what there is instead."""
    kind = state.get("type")
    known = {*_instances(state), *state.get("pending_join", ())}
    for timer in _timers(state):
        name, member, _ = timer
        if kind is not None and not _fits(name, kind):
            yield timer, f"{kind} group"
        elif member and member not in known:
            yield timer, NO_MEMBER
        elif kind is None:
            yield timer, "no group"
        elif name == JOIN and state.get("state") != PREPARING:
            yield timer, f"{state['state']} group"


def _fits(name: str, kind: str) -> bool:
    """Whether a group of this type has such timers."""
    if name == INITIAL_REBALANCE:
        return kind == "streams"
    return (name in OF_CLASSIC_GROUPS) is (kind == "classic")


def _timers(state: Mapping[str, Any]) -> list[Timer]:
    return [(kind, member, due) for kind, member, due in state.get("timers", ())]


def _instances(state: Mapping[str, Any]) -> dict[str, Any]:
    """The instance id of each member, or None."""
    return {member["id"]: member.get("instance") for member in state.get("members", ())}
