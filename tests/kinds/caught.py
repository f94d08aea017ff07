"""What catches a control."""

from contextlib import ExitStack
from dataclasses import replace

from kassay.engines.runs.blocks import Job
from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import RunOptions
from kassay.kinds.controls import controls_of
from kassay.kinds.judging import Subject
from kassay.model.kinds import Kind
from kassay.properties.claims import parse_claim
from kassay.properties.registry import validity_claims

WITHIN = 80
"""Each control is caught within so many cases: those in which every situation was aimed at once."""

IMPLIED = {
    "pure": {"deterministic", "hash-compatible"},
    # Asked in an order that is the same order, the question is the same one.
    # What is even and asked again keeps all its copies, or takes one back that it need not.
    "stable": {
        *("converges", "fixed-point", "pure", "deterministic", "order-independent"),
        "fewest-taken-back",
    },
    "converges": {"fixed-point"},
    "single-owner": {"task-errors"},
    "exists": {"task-errors"},
    "balanced-within-one": {"balanced-kip54", "balanced-optimal"},
    "balanced-kip54": {"balanced-optimal"},
    "too-few-brokers": {"replicas-distinct"},
    "replicas-distinct": {"plan-valid"},
    "rack-spread": {"plan-valid"},
    "in-range": {"hash-compatible"},
    "same-key-same-partition": {"hash-compatible"},
    "deterministic": {"hash-compatible"},
}
"""The claims that imply another one, so that what breaks the other breaks them too."""


def job_for(control):
    """A run that judges what the control keeps and what it breaks."""
    kept = (*(claim.id for claim in validity_claims(control.kind)), *control.kept, control.breaks)
    return Job(control_target(control), RunOptions(claims=tuple(dict.fromkeys(kept))))


def catching(control, cases=WITHIN, more=0):
    """The claims that catch the control, up to the case in which its own does and so many after that.

    Claims about processes are judged in processes whose hash seeds are known; claims about time are not.
    """
    job = job_for(control)
    caught, left = set(), None
    with ExitStack() as stack:
        subject = Subject(control.new, control.protocol, job.claims)
        if control.breaks == "deterministic":
            one, other = (
                stack.enter_context(control_target(control).open(hash_seed=seed)) for seed in (1, 2)
            )
            subject = replace(subject, new=one.new, twin=other.new)
        elif control.breaks == "terminates":
            subject = replace(subject, claims=(parse_claim("terminates", control.kind),))
        for index in range(cases):
            caught |= {v.claim for v in job.driver.examine(job.case(index), subject).violations}
            if control.breaks in caught:
                left = more if left is None else left - 1
                if not left:
                    break
    return caught


def alone(kind: Kind):
    """The controls of a kind, but for what is seen only beside another process or never ends."""
    return [control for control in controls_of(kind) if control.breaks not in ("deterministic", "terminates")]
