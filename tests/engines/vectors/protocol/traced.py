"""Steps of the genuine traces: some that were recorded, and some written by hand."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from kassay.engines.vectors.check import read_vectors
from kassay.engines.vectors.protocol.shapes import StepShape, TracedStep
from kassay.reading.values import read_as
from tests.paths import VECTORS


@cache
def some() -> tuple[Any, ...]:
    """Some traces of groups of both protocols; treat as read-only."""
    return tuple(read_vectors(VECTORS / "protocol-migration.json.gz").vectors[::7])


def read_step(document: Any) -> TracedStep:
    """A step as the checks see it."""
    return TracedStep(read_as(StepShape, document, "step"))


def step(
    state: Any,
    *,
    event: Any = None,
    records: Any = (),
    fired: Any = (),
    responses: Any = (),
    more: Any = None,
) -> TracedStep:
    """A step written by hand."""
    document = {
        "i": 3,
        "t": 0,
        "state": {"timers": [], **state},
        "event": event or {"event": "heartbeat", "member": "a"},
        "records": list(records),
        "fired": list(fired),
        "responses": list(responses),
        "durable": 0,
        "more": more,
    }
    return read_step(document)


def within(value: Any, key: str) -> Iterator[Any]:
    """Whatever stands under the key, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key:
                yield inner
            yield from within(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from within(inner, key)
