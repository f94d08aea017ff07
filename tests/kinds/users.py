"""Rules in the form that users write, played by themselves."""

import inspect

from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve


def first_broken(rule, claim, cases):
    """The first of so many cases in which a user's rule breaks the claim, or None."""
    target = resolve(f"{inspect.getfile(rule)}:{rule.__name__}", in_process=True)
    job = Job(target, RunOptions(in_process=True))
    with open_bench(job) as bench:
        for index in range(cases):
            violations = bench.driver.examine(job.case(index), bench.subject).violations
            if any(claim in (None, violation.claim) for violation in violations):
                return index
    return None
