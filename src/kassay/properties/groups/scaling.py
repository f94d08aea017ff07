"""The claim about time: its growth when sizes double, and the limit at a given size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.model.shape.codec import MOST
from kassay.properties.registry import Evidence, NumberRange, Parameter, Scope, always, claim
from kassay.writing.text import series

DEFAULT = "2,2,100x1000"
_RANGES: Final = {
    "exponent": NumberRange(0.1, 10),
    "seconds": NumberRange(0.001, 3600),
    "M": NumberRange(2, 100_000, whole=True),
    "P": NumberRange(1, MOST, whole=True),
}
"""The valid range of each part of the argument."""
SCALE: Final = Parameter(
    default=DEFAULT,
    example=DEFAULT,
    expected="exponent,seconds,MxP: " + ", ".join(f"{name} {each}" for name, each in _RANGES.items()),
    fits=lambda text: _fits(text),
)
NOISE_S = 0.002
"""Times below this (in seconds) say nothing about growth."""


class Scale(NamedTuple):
    """The argument of the claim: the exponent, the seconds, and the size that they are for."""

    exponent: float
    seconds: float
    members: int
    partitions: int


class ScaleTiming(NamedTuple):
    """The least time of one rebalance at one size, of several tries."""

    members: int
    partitions: int
    seconds: float


def parse_scale(text: str) -> Scale:
    """The argument `exponent,seconds,MxP`; raises `InputError` for one that is out of range."""
    SCALE.require("scales", text)
    growth, seconds, members, partitions = _parts(text)
    return Scale(float(growth), float(seconds), int(members), int(partitions))


def _parts(text: str) -> list[str]:
    growth, seconds, size = (*text.split(","), "", "")[:3]
    members, _, partitions = size.partition("x")
    return [growth, seconds, members, partitions]


def _fits(text: str) -> bool:
    parts = _parts(text)
    return "{},{},{}x{}".format(*parts) == text and all(
        part in allowed for allowed, part in zip(_RANGES.values(), parts, strict=True)
    )


def exponent(small: ScaleTiming, large: ScaleTiming) -> float | None:
    """The growth of time between two sizes that double; None where it is too short to measure."""
    if small.seconds < NOISE_S:
        return None
    return math.log2(large.seconds / small.seconds)


@claim(
    "scales",
    kinds=CONSUMER_GROUPS,
    scope=Scope.TIMING,
    breakable=always,
    minimum=1,
    parameter=SCALE,
    source="KAFKA-15106; librdkafka 4629",
    fix=("look up partitions and members in dicts or heaps instead of searching lists for each partition"),
)
def scales(timings: tuple[ScaleTiming, ...], argument: str) -> Iterator[Evidence]:
    """Time grows no faster than the exponent when sizes double, and stays within the limit at one size."""
    allowed = parse_scale(argument)
    last = timings[-1]
    if last.seconds > allowed.seconds:
        yield Evidence(
            f"{last.members}x{last.partitions}",
            {"took seconds": round(last.seconds, 4), "allowed": allowed.seconds},
            f"A rebalance of {last.members}x{last.partitions} (members x partitions) took "
            f"{last.seconds:.4g} s; the limit is {allowed.seconds:g} s.",
        )
    grown = [e for a, b in pairwise(timings) if (e := exponent(a, b)) is not None]
    # One doubling can be noise; a rule that grows too fast does so each time.
    if len(grown) > 1 and min(grown) > allowed.exponent:
        exponents = tuple(round(e, 2) for e in grown)
        yield Evidence(
            "growth",
            {"exponents": exponents, "allowed": allowed.exponent},
            f"Time grows with exponents {series(exponents)} as sizes double; "
            f"the limit of growth is {allowed.exponent:g}.",
        )
