"""The three answers to whether a claim or an invariant holds."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What a claim, an invariant or a target came out as; a spent budget is `unknown`, never `holds`."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
