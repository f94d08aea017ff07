"""The three verdicts on a claim or an invariant."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a claim, an invariant or a target; an exhausted budget is `unknown`, never `holds`."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
