"""Which built-in faulty targets a run's own histories catch within the same budget, and claims about time.

The faulty targets get the same budget as the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from threading import current_thread, main_thread
from typing import Final, NamedTuple

from kassay.engines.runs.blocks import Job
from kassay.engines.runs.certificate import ClaimResult
from kassay.engines.targets.local import OwnClass
from kassay.engines.targets.resolve import Target
from kassay.kinds.alarm import Overdue, kept_alarm
from kassay.kinds.controls import Control, controls_of
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.model.kinds import Verdict
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim, Scope


def scaling_result(driver: Driver[object], subject: Subject, claim: Claim, seconds: float) -> ClaimResult:
    """The verdict on a claim about time; unknown if the time ran out."""
    timed = driver.timed(claim, subject, seconds)
    return ClaimResult(
        id=claim.id,
        sentence=claim.kind.sentence,
        verdict=timed.verdict,
        why=timed.why,
        judged=timed.sizes,
        checked=timed.sizes,
        across_processes=None,
        failed=int(timed.verdict is Verdict.VIOLATED),
    )


CONTROL_SHARE: Final = 1 / 3
"""The maximum share of a budget for controls."""
LEAST_S: Final = 0.5
"""Controls get this much time, up to their share, even if the rest of the run used up all the time."""


def control_target(control: Control) -> Target:
    """The control as a target that another process can open."""
    opener = OwnClass(control.factory)
    return Target(f"control:{control.name}", control.name, control.kind, opener, control.protocol)


def controls_for(job: Job) -> tuple[Control, ...]:
    """The faulty targets that violate the claims of this run."""
    claims = {claim.kind.id for claim in job.claims}
    return tuple(control for control in controls_of(job.target.kind) if control.breaks in claims)


def no_controls(job: Job) -> dict[str, object]:
    """The certificate's entry for controls if none was played."""
    return {"caught": 0, "of": 0, "unknown": len(controls_for(job)), "missed": [], "unproven": []}


class EarlyControls(NamedTuple):
    """The faulty targets that a run's first histories caught, by name, and the seconds for all."""

    caught: frozenset[str] = frozenset()
    seconds: float = 0.0


def kept_seconds(job: Job, early: EarlyControls | None) -> float:
    """The time of a budget to keep for controls: none once all are caught, else the rest of their share."""
    if not job.options.controls or (early and early.caught.issuperset(c.name for c in controls_for(job))):
        return 0.0
    return max(0.0, CONTROL_SHARE * job.options.budget.limit_s - (early.seconds if early else 0.0))


def early_controls(job: Job, histories: int) -> EarlyControls:
    """Which faulty targets the first histories of a run catch; more histories can only add to them."""
    started = time.monotonic()
    deadline = started + CONTROL_SHARE * job.options.budget.limit_s
    with kept_alarm():
        caught = frozenset([c.name for c in controls_for(job) if caught_by(job, c, histories, deadline)])
    return EarlyControls(caught, time.monotonic() - started)


def caught_controls(
    job: Job,
    histories: int,
    started: float,
    tell: Callable[[int], None] = lambda _: None,
    early: EarlyControls | None = None,
) -> dict[str, object]:
    """How many faulty targets the same histories catch, in at most a third of the budget.

    The run played `histories` since `started` (`time.monotonic`), and caught `early` ones on its way.
    `unproven` are the claims of the run that no faulty target was seen to violate. `tell` gets the number
    caught after each control.
    """
    budget = job.options.budget
    cap = histories if budget.histories is None else max(1, budget.histories // 3)
    now, share = time.monotonic(), kept_seconds(job, early)
    deadline = now + min(share, max(LEAST_S, started + budget.limit_s - now))
    missed, unknown = [], 0
    proven: list[str] = []
    with kept_alarm():
        for control in controls_for(job):
            known = early is not None and control.name in early.caught
            judged = known or caught_by(job, control, cap, deadline)
            unknown += judged is None
            if judged:
                proven.append(control.breaks)
            elif judged is False:
                missed.append(control.name)
            tell(len(proven))
    return {
        "caught": len(proven),
        "of": len(proven) + len(missed),
        "unknown": unknown,
        "missed": missed,
        "unproven": [p.kind.id for p in job.claims if p.kind.id not in proven],
    }


def caught_by(job: Job, control: Control, cap: int, deadline: float) -> bool | None:
    """Whether the run's own histories show the control's fault; None if the time ran out first.

    Where no alarm can fire, for example in another thread, a control that never answers is not interrupted.
    """
    claim = parse_claim(control.breaks, control.kind)
    if control.breaks == "terminates" and current_thread() is not main_thread():
        return None
    if time.monotonic() > deadline:
        return None
    try:
        return _shows(job, control, claim, cap, deadline)
    except Overdue:
        return None


def _shows(job: Job, control: Control, claim: Claim, cap: int, deadline: float) -> bool | None:
    """As `caught_by`; raises `Overdue` if the deadline interrupts a call of the control."""
    with ExitStack() as stack:
        new = partial(control.new, until=deadline)
        subject = Subject(new, control.protocol, (claim,), job.assume)
        if claim.kind.id == "deterministic":
            # Both sides run in processes with known hash seeds, so that the result does not depend on ours.
            hosts = [stack.enter_context(control_target(control).open(hash_seed=seed)) for seed in (1, 2)]
            subject = replace(subject, new=hosts[0].new, twin=hosts[1].new)
        if claim.kind.scope is Scope.TIMING:
            timed = scaling_result(job.driver, subject, claim, deadline - time.monotonic()).verdict
            return None if timed is Verdict.UNKNOWN else timed is Verdict.VIOLATED
        for index in range(cap):
            if time.monotonic() > deadline:
                return None
            examination = job.driver.examine(job.case(index), subject)
            if any(v.claim == control.breaks for v in examination.violations):
                return True
    return False
