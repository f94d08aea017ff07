"""Step-by-step traces of the genuine group coordinator: the models must match every step.

A trace's events drive the coordinator of `model/protocols` in virtual milliseconds. After each step the check
compares the clock, the replies, the fired timers, the records, the number of acknowledged records and the
whole state with its armed timers. Only the protocol's free choices are read from the trace (`TraceChoices`):
new member ids, the next leader after the leader left, tied votes, target assignments, and the order of timers
due at one instant. Lists whose order is free (members, replies of one step, records of different keys) are
compared as sets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kassay.certify.vectors.protocol.choices import TraceChoices
from kassay.certify.vectors.protocol.codec import Images, config_of, event_of, release_named
from kassay.certify.vectors.protocol.more import records_beside, rendered_beside, rendered_more, state_beside
from kassay.certify.vectors.protocol.render import rendered_record, rendered_reply, rendered_state, tidy
from kassay.certify.vectors.protocol.shapes import TracedStep, TraceShape
from kassay.certify.vectors.protocol.streams_codec import STREAMS_EVENTS, streams_event_of
from kassay.certify.vectors.protocol.streams_render import rendered_streams_more
from kassay.kinds.vectors import vector_format
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator import step as coordinator
from kassay.model.protocols.coordinator.runtime import ClockedRuntime, CoordinatorTarget, Happened
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.shared.table import IllegalTransition
from kassay.model.protocols.values.releases import NEWEST
from kassay.model.protocols.values.requests import CONSUMER_SESSION
from kassay.model.protocols.values.streams.group import StreamsTaskGroup
from kassay.model.protocols.values.streams.requests import STREAMS_SESSION
from kassay.reading.values import read_as

ALGORITHMS = ("protocol-classic", "protocol-consumer", "protocol-migration")
REGEX = "protocol-regex"
STREAMS = "protocol-streams"


def check_trace(
    vector: Mapping[str, Any],
    factory: Callable[[], Any],
    *,
    exact: bool = False,  # noqa: ARG001 - every list of a trace has either a fixed or a free order
    version: str = "",
) -> str | None:
    """One line with the step, the expected and the actual value; None if every step agrees.

    The factory's object has a `step` like `coordinator.step`, which is also the default for a factory of
    None. `version` is the release in the header of the trace's file. Raises `InputError` if it has none, for
    a release that is not modelled, or for an invalid trace.
    """
    target = factory() or coordinator
    if not callable(getattr(target, "step", None)):
        raise InputError(f"target {type(target).__name__}: no step(config, state, event, choices)")
    shape = read_as(TraceShape, vector)
    trace = _Trace(shape, target.step, release_named(version))
    for step in map(TracedStep, shape.steps):
        difference = trace.check(step)
        if difference:
            return f"step {step.shape.i} ({step.event.event}): {difference}"
    return None


class _Trace:
    """A trace in progress."""

    def __init__(self, trace: TraceShape, target: CoordinatorTarget, release: str) -> None:
        self._choices = TraceChoices()
        self._runtime = ClockedRuntime(config_of(trace.config, release), self._choices, target)
        self._images = Images()
        self._host = self._runtime.first(self._images.publish(trace.topics))
        self._clock = 0
        self._durable = 0
        self._release, self._tells_more = release, release == NEWEST
        # Kafka's timers of consumers and of Streams threads share a key; if both occur, they share a name.
        self._names = {CONSUMER_SESSION: STREAMS_SESSION} if trace.config.streams else {}

    def check(self, step: TracedStep) -> str | None:
        """Take one step; returns the difference, or None."""
        self._choices.turn_to(step)
        try:
            happened = self._perform(step)
        except IllegalTransition as problem:
            return f"expected a possible event, got: {problem}"
        self._host = happened.host
        self._clock += happened.elapsed
        self._durable += happened.acknowledged
        return self._difference(step, happened)

    def _perform(self, step: TracedStep) -> Happened:
        event, host, kind = step.event, self._host, step.event.event
        if kind == "advance":
            return self._runtime.advance(host, event.ms, self._choices.first_of)
        if kind == "flush":
            return self._runtime.flush(host)
        if kind == "reload":
            return self._runtime.reload(host)
        if kind == "defer":
            return Happened(host._replace(deferring=True))
        return self._runtime.deliver(host, self._event(step), event.write_fails or "")

    def _event(self, step: TracedStep) -> Event:
        """The event that the step delivers to the coordinator."""
        if step.event.event in STREAMS_EVENTS:
            return streams_event_of(step.shape.i, step.shape.event, self._runtime.config.streams)
        return event_of(step, self._images, regexes=self._tells_more)

    def _difference(self, step: TracedStep, happened: Happened) -> str | None:
        kafka = step.shape
        if kafka.more is not None and not self._tells_more:
            raise InputError(f"step {kafka.i}: more: traces of {self._release} have no such field")
        fired = [[self._names.get(kind, kind), member or None] for kind, member in happened.fired]
        state = rendered_state(self._host, self._clock)
        state["timers"] = [[self._names.get(kind, kind), *timer] for kind, *timer in state["timers"]]
        replies = [rendered_reply(reply) for reply in happened.replies]
        records = [rendered_record(record) for record in happened.records]
        if self._tells_more:
            records = [shown | rendered_beside(record) for shown, record in zip(records, happened.records)]
        of_record = ("type", "member", "topic", "partition", "regex")
        pairs = (
            ("clock", kafka.t, self._clock),
            ("fired", [list(timer) for timer in kafka.fired], fired),
            ("responses", _grouped(kafka.responses, "to"), _grouped(replies, "to")),
            ("records", _grouped(records_beside(kafka), *of_record), _grouped(records, *of_record)),
            ("durable", kafka.durable, self._durable),
            ("state", tidy(kafka.state), tidy(state)),
        )
        present = self._host.state
        group = present.group
        kept = rendered_streams_more(group) if isinstance(group, StreamsTaskGroup) else rendered_more(present)
        more = ("more", state_beside(kafka), kept if self._tells_more else {})
        for name, expected, actual in (*pairs, more):
            if expected != actual:
                return _smallest(name, expected, actual)
        return None


def _smallest(name: str, expected: Any, actual: Any) -> str:
    """The first part that differs, as one line."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            if expected.get(key) != actual.get(key):
                return _smallest(f"{name}.{key}", expected.get(key), actual.get(key))
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual) == 1:
        return _smallest(name, expected[0], actual[0])
    return f"{name}: expected {_text(expected)}, got {_text(actual)}"


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _grouped(documents: Iterable[Mapping[str, Any]], *key: str) -> dict[str, Any]:
    """The documents by their values of the key, in order within each."""
    groups: dict[str, Any] = {}
    for document in documents:
        parts = [str(document[name]) for name in key if document.get(name) is not None]
        groups.setdefault(" ".join(parts), []).append(tidy(document))
    return groups


for _algorithm in (*ALGORITHMS, REGEX, STREAMS):
    vector_format(_algorithm, None, reference=_algorithm, versioned=True)(check_trace)
