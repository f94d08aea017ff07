"""Step-by-step traces of the genuine group coordinator: the models must do the same at every step.

A trace's events drive the coordinator of `model/protocols` through a broker with a virtual clock;
after each step the clock, the replies, the timers that fired, the records, the number of acknowledged
records and the whole state with its armed timers are compared. Only what the protocol leaves free is
read from the trace (`TraceChoices`): new member ids, which member leads when the leader is gone, tied
votes, target assignments, and the order of timers due at one instant. Lists whose order is free
(members, replies of one step, records of different keys) are compared as sets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from kassay.certify.vectors.protocol_choices import TraceChoices
from kassay.certify.vectors.protocol_codec import (
    config_of,
    event_of,
    image_of,
    rendered_record,
    rendered_reply,
    rendered_state,
    tidy,
)
from kassay.certify.vectors.registry import vector_format
from kassay.model.errors import InputError
from kassay.model.protocols.driver import Broker, Happened, Runtime, defer
from kassay.model.protocols.groups import Coordinator
from kassay.model.protocols.table import IllegalTransition


def _check(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:  # noqa: ARG001
    """One line that names trace, step, what was expected and what came, or None."""
    try:
        return check_trace(vector, factory)
    except (KeyError, TypeError) as problem:
        raise InputError(
            f"trace {vector.get('id', '?')}: expected the protocol format, {problem!r}"
        ) from problem


def check_trace(vector: Mapping[str, Any], factory: Callable[[], Any]) -> str | None:
    """Run one trace; None when every step agrees, else what does not."""
    runtime = Runtime(config_of(vector["config"]), factory().step)
    broker = Broker(Coordinator(image=image_of(vector["topics"], ())))
    choices = TraceChoices()
    for step in vector["steps"]:
        choices.turn_to(step)
        try:
            happened = _perform(runtime, broker, step, choices)
        except IllegalTransition as problem:
            return f"{_where(vector, step)}: expected that this can happen, got: {problem}"
        broker = happened.broker
        difference = _difference(step, happened, choices)
        if difference:
            return f"{_where(vector, step)}: {difference}"
    return None


def _where(vector: Mapping[str, Any], step: Mapping[str, Any]) -> str:
    return f"{vector['id']} step {step['i']} ({step['event']['event']})"


def _perform(runtime: Runtime, broker: Broker, step: Mapping[str, Any], choices: TraceChoices) -> Happened:
    event = step["event"]
    kind = event["event"]
    if kind == "advance":
        return runtime.advance(broker, event["ms"], choices, choices.first_of)
    if kind == "flush":
        return runtime.flush(broker, choices)
    if kind == "reload":
        return runtime.reload(broker, choices)
    if kind == "defer":
        return Happened(defer(broker))
    body = event_of(step["i"], event, broker.now, broker.coordinator.image)
    return runtime.deliver(broker, body, choices, event.get("write_fails", ""))


def _difference(step: Mapping[str, Any], happened: Happened, choices: TraceChoices) -> str | None:
    broker = happened.broker
    pairs = (
        ("clock", step["t"], broker.now),
        ("fired", step["fired"], [[timer.kind, timer.member or None] for timer in happened.fired]),
        (
            "responses",
            _by_request(step["responses"]),
            _by_request([rendered_reply(reply) for reply in happened.replies]),
        ),
        ("records", _by_key(step["records"]), _by_key([rendered_record(r) for r in happened.records])),
        ("durable", step["durable"], broker.durable),
        ("state", tidy(step["state"]), tidy(rendered_state(broker, choices))),
    )
    for name, expected, got in pairs:
        if expected != got:
            return _first_difference(name, expected, got)
    return None


def _first_difference(name: str, expected: Any, got: Any) -> str:
    """The smallest part that differs, as one line."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            if expected.get(key) != got.get(key):
                return _first_difference(f"{name}.{key}", expected.get(key), got.get(key))
    return f"{name}: expected {_text(expected)}, got {_text(got)}"


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _by_request(responses: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for response in responses:
        found.setdefault(str(response["to"]), []).append(tidy(response))
    return found


def _by_key(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Records in the order in which they were written under each key."""
    found: dict[str, Any] = {}
    for record in records:
        key = [record["type"], record.get("member"), record.get("topic"), record.get("partition")]
        found.setdefault(" ".join(str(part) for part in key if part is not None), []).append(tidy(record))
    return found


for _algorithm in ("protocol-classic", "protocol-consumer", "protocol-migration"):
    vector_format(_algorithm, reference=_algorithm)(_check)
