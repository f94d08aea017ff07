"""The conditions that a trace records, so that a replay uses the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kassay import __version__
from kassay.certify.runs.blocks import Bench
from kassay.certify.runs.shrink import Shrinkable, broken
from kassay.certify.targets.resolve import Target
from kassay.kinds.judging import Subject
from kassay.model.errors import TargetNotLoadable
from kassay.model.trace import Conditions
from kassay.properties.registry import Promise, Violation


def breaking(
    bench: Bench, driver: Shrinkable, case: Any, promised: Promise
) -> tuple[Subject, tuple[Violation, ...]]:
    """The plainest of the bench's subjects that violates the claim with the case, and the violations.

    If none does, the plainest of all and no violations.
    """
    subjects = []
    for subject in bench.subjects_of(promised):
        violations = broken(driver, case, subject, promised)
        if violations:
            return subject, violations
        subjects.append(subject)
    return subjects[0], ()


def conditions_of(bench: Bench, promised: Promise, subject: Subject, case: Any) -> Conditions:
    """The conditions under which the subject, one of the bench's for the claim, violated it with the case."""
    start, options = bench.job.target.start, bench.job.options
    alone = len(subject.promises) == 1
    return Conditions(
        config={**dict(start.config), **options.config},
        call_timeout_s=start.limits.call_timeout_s,
        memory_mib=start.limits.memory_mib,
        in_process=options.in_process,
        assume=tuple(sorted(subject.assume)),
        beside=() if alone else tuple(other.id for other in subject.promises),
        hash_seed=_hash_seed(bench, promised, case),
        surroundings=bench.between.get(promised.id, ()),
        before=_documents(bench, promised),
    )


def _documents(bench: Bench, promised: Promise) -> tuple[Mapping[str, Any], ...] | None:
    """The cases that an object lives through before it breaks the claim; None if each call gets a new one."""
    before = bench.before.get(promised.id)
    return None if before is None else tuple(bench.driver.form.write(case) for case in before)


def _hash_seed(bench: Bench, promised: Promise, case: Any) -> int | None:
    """0 if the case violates the claim in a child with that hash seed too, None if only in this process.

    An object in this process depends on a hash seed that cannot be set again.
    """
    if bench.job.target.opener.repeats or promised.id in {**bench.between, **bench.before}:
        return 0
    try:
        return 0 if broken(bench.driver, case, bench.subject_apart(promised), promised) else None
    except TargetNotLoadable:
        return None


def versions_of(target: Target) -> dict[str, str]:
    """The versions of kassay and of the target's parts, by name."""
    return {"kassay": __version__, **dict(target.versions)}
