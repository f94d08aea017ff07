"""The conditions that a trace records, so that a replay uses the same."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay import __version__
from kassay.certify.runs.blocks import Bench
from kassay.certify.runs.shrink import REPEATS_MAX, BrokenPlay, Shrinkable, broken_play
from kassay.certify.targets.resolve import Target
from kassay.kinds.judging import Subject
from kassay.model.errors import TargetNotLoadable
from kassay.model.trace import Conditions
from kassay.properties.registry import Promise

SEARCH_S: Final = 2.0
"""How long to play a case again that violated a claim once, in seconds."""


class Breaking(NamedTuple):
    """A subject, and its play that violates the claim; None if no play did."""

    subject: Subject
    play: BrokenPlay | None


def breaking(
    bench: Bench, driver: Shrinkable, case: Any, promised: Promise, seconds: float = SEARCH_S
) -> Breaking:
    """The plainest of the bench's subjects that violates the claim with the case, and the play in which.

    Each subject plays the case once. If none violates the claim, they go on in turns for so many seconds: the
    answers may differ from play to play. If none ever does, the plainest of all and no play.
    """
    subjects: list[Subject] = []
    for subject in bench.subjects_of(promised):
        subjects.append(subject)
        if (play := broken_play(driver, case, subject, promised)) is not None:
            return Breaking(subject, play)
    deadline = time.monotonic() + seconds
    for tries in range(2, REPEATS_MAX + 1):
        for subject in subjects:
            if time.monotonic() > deadline:
                return Breaking(subjects[0], None)
            if (play := broken_play(driver, case, subject, promised)) is not None:
                return Breaking(subject, play._replace(tries=tries))
    return Breaking(subjects[0], None)


def conditions_of(bench: Bench, promised: Promise, subject: Subject, case: Any, plays: int = 1) -> Conditions:
    """The conditions under which the subject, one of the bench's for the claim, violated it with the case.

    The case is played up to `plays` times to see whether a known hash seed repeats the violation.
    """
    start, options = bench.job.target.start, bench.job.options
    alone = len(subject.promises) == 1
    return Conditions(
        config={**dict(start.config), **options.config},
        call_timeout_s=start.limits.call_timeout_s,
        memory_mib=start.limits.memory_mib,
        in_process=options.in_process,
        assume=tuple(sorted(subject.assume)),
        beside=() if alone else tuple(other.id for other in subject.promises),
        hash_seed=_hash_seed(bench, promised, case, plays),
        surroundings=bench.between.get(promised.id, ()),
        before=_documents(bench, promised),
    )


def _documents(bench: Bench, promised: Promise) -> tuple[Mapping[str, Any], ...] | None:
    """The cases that an object lives through before it breaks the claim; None if each call gets a new one."""
    before = bench.before.get(promised.id)
    return None if before is None else tuple(bench.driver.form.write(case) for case in before)


def _hash_seed(bench: Bench, promised: Promise, case: Any, plays: int) -> int | None:
    """0 if the case violates the claim in a child with that hash seed too, None if only in this process.

    An object in this process depends on a hash seed that cannot be set again.
    """
    if bench.job.target.opener.repeats or promised.id in {**bench.between, **bench.before}:
        return 0
    try:
        apart, deadline = bench.subject_apart(promised), time.monotonic() + SEARCH_S
        return 0 if broken_play(bench.driver, case, apart, promised, plays, deadline) else None
    except TargetNotLoadable:
        return None


def versions_of(target: Target) -> dict[str, str]:
    """The versions of kassay and of the target's parts, by name."""
    return {"kassay": __version__, **dict(target.versions)}
