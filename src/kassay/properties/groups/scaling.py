"""The claim about time: how it grows when sizes double, and what a given size may take."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from kassay.model.errors import InputError
from kassay.model.kinds import CONSUMER_GROUPS
from kassay.properties.registry import Evidence, Scope, claim

DEFAULT = "2,2,100x1000"
NOISE_S = 0.002
"""Times below this say nothing about growth."""


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
    """The argument `exponent,seconds,MxP`; raises `InputError` for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),([1-9]\d*)x([1-9]\d*)", text)
    if match is None:
        raise InputError(f"scales:{text}: expected scales:exponent,seconds,MxP such as scales:2,5,100x1000")
    return Scale(float(match[1]), float(match[2]), int(match[3]), int(match[4]))


def exponent(small: ScaleTiming, large: ScaleTiming) -> float | None:
    """How time grows between two sizes that double; None where it is too short to tell."""
    if small.seconds < NOISE_S:
        return None
    return math.log2(large.seconds / small.seconds)


@claim(
    "scales",
    kinds=CONSUMER_GROUPS,
    scope=Scope.TIMING,
    minimum=1,
    argument=DEFAULT,
    parse=parse_scale,
    source="KAFKA-15106; librdkafka 4629",
)
def scales(timings: tuple[ScaleTiming, ...], argument: str) -> Iterator[Evidence]:
    """Time grows no faster than the exponent when sizes double, and stays under the bound at that size."""
    allowed = parse_scale(argument)
    last = timings[-1]
    if last.seconds > allowed.seconds:
        yield Evidence(
            f"{last.members}x{last.partitions}",
            {"took seconds": round(last.seconds, 4), "allowed": allowed.seconds},
        )
    grown = [e for a, b in pairwise(timings) if (e := exponent(a, b)) is not None]
    # One doubling can be noise; a rule that grows too fast does so each time.
    if len(grown) > 1 and min(grown) > allowed.exponent:
        yield Evidence(
            "growth", {"exponents": tuple(round(e, 2) for e in grown), "allowed": allowed.exponent}
        )
