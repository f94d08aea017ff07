"""A script played on the model: a coordinator in milliseconds, its free choices made by Kafka's own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from kassay.engines.conform.plays import unloaded
from kassay.engines.genuine.coordinator import GenuineStep
from kassay.engines.protocols.plugged import server_side
from kassay.engines.vectors.protocol.codec import Images, config_of, event_of
from kassay.engines.vectors.protocol.render import (
    rendered_beside,
    rendered_more,
    rendered_record,
    rendered_reply,
    rendered_state,
)
from kassay.engines.vectors.protocol.shapes import ConfigShape, StepShape, TracedStep
from kassay.engines.vectors.protocol.streams import STREAMS_EVENTS, rendered_streams_more, streams_event_of
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.loading import Unreadable, read
from kassay.model.protocols.coordinator.runtime import ClockedRuntime, CoordinatorHost, Happened
from kassay.model.protocols.table import IllegalTransition
from kassay.model.protocols.values.choices import Target, TargetAsk
from kassay.model.protocols.values.groups import EMPTY, PREPARING, ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.releases import MODELLED, NEWEST
from kassay.model.protocols.values.requests import CONSUMER_SESSION
from kassay.model.protocols.values.streams import NO_TASKS, STREAMS_SESSION, TaskTarget
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from kassay.model.streams.group import StreamsGroup
from kassay.reading.values import read_as

_SESSIONS: Final = (CONSUMER_SESSION, STREAMS_SESSION)
"""Kafka has one timer for both; the driver calls it by the kind of history."""
_READ: Final = tuple(each.name for each in fields(ConfigShape))


class PlayChoices:
    """The choices that the protocol leaves open: numbered ids, the first of several, Kafka's assignors."""

    def __init__(self) -> None:
        self._count = 0

    def pick(self, kind: str, options: Sequence[str]) -> str:  # noqa: ARG002 - always the first
        """The first option."""
        return options[0]

    def member_id(self, prefix: str) -> str:
        """A numbered id."""
        self._count += 1
        return f"{prefix}-made-{self._count}"

    def target(self, ask: TargetAsk) -> Target:
        """What the assignor of that name answers; a topic that does not exist has no id to subscribe by."""
        exist = {topic.name for topic in ask.topics}
        members = tuple(
            member._replace(subscribed=tuple(name for name in member.subscribed if name in exist))
            for member in ask.members
        )
        return server_side(ask.assignor)(ask._replace(members=members))[0]

    def tasks(self, ask: StreamsGroup) -> TaskTarget:
        """No tasks."""
        return tuple((member.member_id, NO_TASKS) for member in ask.members)


class ModelPlayer:
    """The model as a player, with the rules of the release; raises `InputError` for one it does not have."""

    def __init__(self, config: Mapping[str, Any], topics: Mapping[str, int], release: str = NEWEST) -> None:
        if release not in MODELLED:
            raise InputError(f"--release {release}: not modelled; expected one of {', '.join(MODELLED)}")
        shape = read_as(ConfigShape, {k: config[k] for k in _READ if k in config})
        self._release = release
        self._session = _SESSIONS["streams" in config]
        self._runtime = ClockedRuntime(config_of(shape, release), PlayChoices())
        self._images = Images()
        self._host = self._runtime.first(self._images.publish(topics))
        self._number = self._clock = self._durable = 0
        self._records: list[LogRecord] = []
        self._lost = ""

    def send(self, event: Mapping[str, Any]) -> GenuineStep:
        """Play an event; raises `InputError` for one that cannot happen."""
        if event["event"] == "reload" and not self._lost:
            self._lost = self._unreadable()
        if self._lost:
            self._number += 1
            return unloaded(self._number - 1, event, self._lost)
        shape = StepShape(self._number, self._clock, event, (), (), (), 0, {})
        try:
            happened = self._happens(TracedStep(shape))
        except IllegalTransition as problem:
            raise InputError(f"step {self._number}: {problem}") from problem
        before, self._host = self._host, happened.host
        thrown = _thrown(before, happened)
        self._clock += happened.elapsed
        self._records += happened.records
        self._durable += happened.acknowledged
        self._number += 1
        return GenuineStep(self._document(event, happened, thrown))

    def _happens(self, step: TracedStep) -> Happened:
        event, host = step.event, self._host
        if event.event in STREAMS_EVENTS and self._release != NEWEST:
            raise InputError(
                f"step {step.shape.i} ({event.event}): the model has rules of streams groups "
                f"only for {NEWEST}; play it with --genuine, or with --release {NEWEST}"
            )
        if event.event == "advance":
            return self._runtime.advance(host, event.ms, write_fails=event.write_fails or "")
        if event.event == "flush":
            return self._runtime.flush(host)
        if event.event == "reload":
            return self._runtime.reload(host)
        if event.event == "defer":
            return Happened(host._replace(deferring=True))
        given = (
            streams_event_of(step.shape.i, step.shape.event, self._runtime.config.streams)
            if event.event in STREAMS_EVENTS
            else event_of(step, self._images, regexes=True)
        )
        return self._runtime.deliver(host, given, event.write_fails or "")

    def _named(self, timer: str) -> str:
        return self._session if timer in _SESSIONS else timer

    def _unreadable(self) -> str:
        """Why the records, as they were written, cannot be read; "" if they can."""
        try:
            read(self._records[: self._durable], self._runtime.config.switches.__contains__)
        except Unreadable as why:
            return str(why)
        return ""

    def _document(
        self, event: Mapping[str, Any], happened: Happened, thrown: dict[str, str]
    ) -> dict[str, Any]:
        state = rendered_state(self._host, self._clock)
        state["timers"] = [[self._named(kind), *timer] for kind, *timer in state["timers"]]
        group = self._host.state.group
        more = rendered_more(self._host.state)
        if isinstance(group, StreamsTaskGroup):
            more = rendered_streams_more(group)
        lost = [rendered_record(record) for record in happened.lost]
        return {
            "i": self._number - 1,
            "t": self._clock,
            "event": dict(event),
            "responses": [rendered_reply(reply) for reply in happened.replies],
            "fired": [[self._named(kind), member or None] for kind, member in happened.fired],
            "records": [rendered_record(record) | rendered_beside(record) for record in happened.records],
            "durable": self._durable,
            "state": state,
            "more": more | thrown,
        } | ({"lost": lost} if lost else {})


def _thrown(before: CoordinatorHost, happened: Happened) -> dict[str, str]:
    """The exception of a timer that could not do what it was for.

    In an empty classic group Kafka's state machine forbids the end of a join phase, in one that goes on
    joining, a subscription could not be read: the generation is counted up all the same. A timer of a
    consumer group is armed again; if no write has failed, the group could not be downgraded.
    """
    old, new = before.state.group, happened.host.state.group
    if isinstance(new, ConsumerGroup):
        armed = {order.timer for order in happened.host.armed}
        again = not happened.lost and old is new and any(timer in armed for timer in happened.fired)
        return {"exception": "NullPointerException"} if again else {}
    if not (isinstance(old, ClassicGroup) and isinstance(new, ClassicGroup) and happened.fired):
        return {}
    if new.generation == old.generation or new.state != old.state or old.state not in _THROWN:
        return {}
    return {"exception": _THROWN[old.state]}


_THROWN: Final = {EMPTY: "IllegalStateException", PREPARING: "RuntimeException"}
