"""From counts to verdicts: holds only with enough judgements and every required situation reached."""

from __future__ import annotations

from kassay.certify.kinds.driver import ClaimCount, Tally
from kassay.model.kinds import Kind
from kassay.model.verdict import Verdict
from kassay.properties.registry import Promise, Scope
from kassay.properties.situations import required, situations_of


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
    lacking = [name for s in required(found.claim.id, kind, assume) for name in s.missing(tally.reached)]
    if lacking:
        shown = ", ".join(lacking[:4]) + (f" and {len(lacking) - 4} more" if len(lacking) > 4 else "")
        return Verdict.UNKNOWN, f"not reached: {shown}"
    return Verdict.HOLDS, f"not refuted by {count.checked} checks"


def reached_by_id(kind: Kind, tally: Tally) -> dict[str, int]:
    """How often each situation of the kind was reached; one of several parts by its rarest part."""
    return {
        s.id: min(tally.reached.get(name, 0) for name in ([f"{s.id}:{part}" for part in s.parts] or [s.id]))
        for s in situations_of(kind)
    }
