"""What the checkers share: how they refuse, and what they say of a certificate that they accept."""

from __future__ import annotations

from typing import Any, NamedTuple


class RefusedError(Exception):
    """A step of a check failed; the message says which, and why."""


class Proven(NamedTuple):
    """What a certificate proves: in words, whether that is an optimum, and the figures that a result has."""

    reason: str
    optimal: bool
    figures: dict[str, Any]


def require(condition: bool, reason: str) -> None:
    """Refuse unless the condition holds."""
    if not condition:
        raise RefusedError(reason)


def whole(value: Any) -> int:
    """The whole number from 0 on that stands there; anything else is refused."""
    require(type(value) is int and value >= 0, f"{value!r} where a whole number is expected")
    return int(value)


def whole_prices(prices: Any, places: int) -> list[int]:
    """The prices that stand there, refused unless there is a whole number for each place."""
    require(isinstance(prices, list) and len(prices) == places, f"expected {places} prices, one a place")
    require(all(type(price) is int for price in prices), "expected whole prices")
    return list(prices)


def squares(loads: list[int]) -> dict[str, Any]:
    """The figures that every result has of its loads."""
    return {"loads": sorted(loads), "sum_squares": sum(load * load for load in loads)}
