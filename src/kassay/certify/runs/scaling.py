"""The verdict on a claim about time, for a certificate."""

from __future__ import annotations

from kassay.certify.runs.certificate import ClaimResult
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.model.verdict import Verdict
from kassay.properties.registry import Promise


def scaling_result(
    driver: Driver[object], subject: Subject, promised: Promise, seconds: float
) -> ClaimResult:
    """The verdict on a claim about time; unknown if the time ran out."""
    timed = driver.timed(promised, subject, seconds)
    return ClaimResult(
        id=promised.id,
        sentence=promised.claim.sentence,
        verdict=timed.verdict,
        why=timed.why,
        judged=timed.sizes,
        checked=timed.sizes,
        across_processes=None,
        failed=int(timed.verdict is Verdict.VIOLATED),
    )
