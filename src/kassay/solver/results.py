"""What every solver answers, whichever family of instances it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Solved(NamedTuple):
    """An assignment with its certificate: loads, the figures moved, rack_mismatch, lower and upper, and more.

    `bound` names what proves `lower`; `more` is what is said of one family alone.
    """

    certificate: dict[str, Any]
    optimal: bool
    loads: Sequence[int]
    figures: Mapping[str, int]
    bound: str
    more: Mapping[str, Any]
