"""From counts to verdicts: holds only with enough judgements and every required situation reached."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from kassay.certify.kinds.driver import ClaimCount, Tally
from kassay.model.kinds import Kind
from kassay.properties.registry import Promise, Scope
from kassay.properties.situations import SITUATIONS, Situation, required


class Verdict(StrEnum):
    """What a claim, or a target, came out as."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


def missing(situation: Situation, reached: Mapping[str, int]) -> list[str]:
    """The names under which the situation was not reached; empty if it was."""
    if not situation.parts:
        return [] if reached.get(situation.id) else [situation.id]
    return [name for part in situation.parts if not reached.get(name := f"{situation.id}:{part}")]


def verdict_of(
    found: Promise, kind: Kind, tally: Tally, assume: frozenset[str], exhaustive: str | None = None
) -> tuple[Verdict, str]:
    """The verdict on one promise, and why."""
    count = tally.counts.get(found.id, ClaimCount())
    if count.failed:
        share = f"in {count.failed} of {tally.histories} histories"
        if count.contradictory == count.failed:
            return Verdict.VIOLATED, f"broken {share}, on contradictory input only"
        return Verdict.VIOLATED, f"broken {share}"
    if not count.checked:
        if found.claim.scope is Scope.OPTIMUM:
            return Verdict.UNKNOWN, "the certified optimum could not be had for any input"
        return Verdict.UNKNOWN, "never judged"
    if exhaustive is not None:
        return Verdict.HOLDS, f"not refuted by any input to {exhaustive} ({count.checked} checks)"
    if count.checked < found.claim.minimum:
        return Verdict.UNKNOWN, f"judged {count.checked} times, {found.claim.minimum} needed"
    if found.claim.id == "deterministic" and not tally.reached.get("other-process"):
        return Verdict.UNKNOWN, "no other process was asked"
    lacking = [name for s in required(found.claim, kind, assume) for name in missing(s, tally.reached)]
    if lacking:
        shown = ", ".join(lacking[:4]) + (f" and {len(lacking) - 4} more" if len(lacking) > 4 else "")
        return Verdict.UNKNOWN, f"not reached: {shown}"
    return Verdict.HOLDS, f"not refuted by {count.checked} checks"


def reached_by_id(kind: Kind, tally: Tally) -> dict[str, int]:
    """How often each situation of the kind was reached; one of several parts by its rarest part."""
    shown: dict[str, int] = {}
    for situation in SITUATIONS.values():
        if kind not in situation.kinds:
            continue
        if situation.parts:
            shown[situation.id] = min(
                tally.reached.get(f"{situation.id}:{part}", 0) for part in situation.parts
            )
        else:
            shown[situation.id] = tally.reached.get(situation.id, 0)
    return shown
