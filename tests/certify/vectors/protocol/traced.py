"""Steps of the genuine traces, a few traces of each format."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from kassay.certify.vectors.check import read_vectors
from kassay.certify.vectors.protocol.check import ALGORITHMS
from tests.paths import VECTORS

EACH = 12


@cache
def some() -> tuple[Any, ...]:
    """Some traces of each format; treat as read-only."""
    return tuple(
        trace for name in ALGORITHMS for trace in read_vectors(VECTORS / f"{name}.json.gz")[1][::35][:EACH]
    )


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
