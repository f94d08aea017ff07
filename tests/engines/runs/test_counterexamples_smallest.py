"""What stands for a broken claim: where it comes from, and that the smallest is told."""

import time

from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.counterexamples import smallest_counterexample
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.model.groups.kinds import CLIENT
from kassay.properties.claims import parse_claim

CONTIGUOUS = parse_claim("contiguous", CLIENT)


def broken(index, **options):
    """A case in which roundrobin breaks a claim that is not its own, and the counterexample of it."""
    with open_bench(
        Job(resolve("roundrobin"), RunOptions(claims=("contiguous",), seed=3, **options))
    ) as bench:
        numbers = range(50)
        case = next(
            c for c in map(bench.job.case, numbers) if bench.driver.examine(c, bench.subject).violations
        )
        started = time.monotonic()
        smallest = smallest_counterexample(bench, CONTIGUOUS, case, started, contradictory=True, index=index)
        return bench.driver.form.write(case), smallest


def test_it_is_shrunk_to_the_least_and_known_by_the_case_that_it_came_of():
    case, least = broken(4)
    assert (least.members, least.partitions, least.events) == (2, 3, 0)
    assert (least.trace.seed, least.trace.index, least.trace.claim) == (3, 4, "contiguous")
    assert least.trace.case != case
    assert not least.trace.contradictory, "that is said of the case as it is told"
    assert least.trace.narration
    assert least.trace.broken
    assert least.message.startswith("contiguous: m0 has t0-0 and t0-2")


def test_what_no_seed_led_to_names_none_and_without_shrinking_the_case_is_told_as_it_is():
    case, whole = broken(None, shrink=False)
    assert (whole.trace.seed, whole.trace.index) == (None, None)
    assert whole.trace.case == case
    assert RoundRobin.name in whole.trace.target
