from dataclasses import replace
from functools import cache

import pytest

from kassay.assignors.connect.optimal import OptimalConnect
from kassay.assignors.plain import cluster_of
from kassay.assignors.registry import load_all
from kassay.model.connect.history import ConnectorDelete
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, WorkerChange, connectors_in, tasks_in
from kassay.properties.connect.wide import RELATED
from kassay.properties.sources import Seeded
from tests.kinds.descent import descent
from tests.properties.widths import (
    Tripwire,
    compared,
    examined,
    job_of,
    leaves,
    name_plans,
    plain_case,
    plain_facts,
    range_plans,
    rarest_fact,
    relations,
    size_plans,
    together,
    wide_case,
)

JOB = job_of("optimal-connect")
RANGES = range_plans(JOB)
NAMES = name_plans(JOB)
SIZES = size_plans(JOB, 1025)
EVERY = {**RANGES, **NAMES, **size_plans(JOB, 130)}
NOBODY = "no such worker"
RARE = 0.5
"""A fact that more of the plain cases show is no fact of a class."""
BOUNDARIES = (127, 128, 255, 32_767, 65_535, 2**31 - 1000, 2**31, 2**32, 1_790_000_000_000, 2_200_000_000_000)


def ids(keys):
    return ["-".join(map(str, key)) for key in keys]


def facts(requests):
    """What a target sees in its requests: values, counts, their relations, and the life of a cluster."""
    known, before, same, lost, new_leaders, unfinished = set(), None, 0, 0, 0, 0
    # A second call for the same rebalance, with workers in another order, is not another rebalance.
    for request in reversed({each.generation: each for each in reversed(requests)}.values()):
        yield from leaves({**cluster_of(request), "memory": None})
        counts = dict(request.connectors)
        numbers = {"workers": len(request.workers), "connectors": len(counts), "tasks": sum(counts.values())}
        yield from compared(numbers)
        yield (
            "ratios",
            numbers["connectors"] // numbers["workers"],
            numbers["tasks"] // numbers["workers"] // 10,
        )
        yield "tasks", list(counts.values()).count(0) == 1, max(counts.values(), default=None)
        yield "order", tuple(sorted(set(counts.values())).index(counts[name]) for name in sorted(counts))
        yield from relations({worker.worker_id for worker in request.workers}, "worker")
        yield from relations(counts, "connector")
        yield from (("clock", limit) for limit in BOUNDARIES if request.now_ms >= limit)
        now = {worker.worker_id for worker in request.workers}
        yield from (("generation", limit) for limit in BOUNDARIES if request.generation >= limit)
        if before is not None:
            ids_, sizes, clock, generation = before
            waited = request.now_ms - clock
            yield "wait", waited - request.max_delay_ms, waited
            yield "gone", min(2, len(ids_ - now)), ids_.isdisjoint(now), len(now) == 1 < len(ids_)
            yield "returned", bool((now - ids_) & known)
            lost = lost + 1 if ids_ - now else 0
            yield "lost in turn", min(lost, 2)
            yield "connectors", bool(sizes) and not counts, bool(sizes) and not sizes.keys() & counts.keys()
            for name, size in counts.items():
                if name not in sizes and ("connector", name) in known:
                    yield "created again", next(n for n in range(200) if ("size", name, n) in known) - size
                if name in sizes and sizes[name] != size:
                    yield "resized", sizes[name], size
                    yield "back to", sizes[name] != size, ("size", name, size) in known
            same = same + 1 if (ids_, sizes) == (now, counts) else 0
            yield "unchanged", same
            if request.generation > generation:
                unfinished += request.last_completed_generation < generation
                new_leaders += request.memory is None
        running = [w for worker in request.workers for w in worker.running]
        yield "twice", len(set(running)) < len(running)
        newly = {w.worker_id for w in request.workers if w.running} - (before[0] if before else set())
        mine = [w for worker in request.workers if worker.worker_id in newly for w in worker.running]
        yield "runs", bool(connectors_in(mine)), bool(tasks_in(mine)), not set(mine) <= request.configured
        yield "everything", len(set(mine)) == len(request.configured)
        yield "unfinished", min(unfinished, 2)
        yield "new leaders", min(new_leaders, 2)
        known |= now | {("connector", name) for name in counts} | {("size", *pair) for pair in counts.items()}
        before = now, counts, request.now_ms, request.generation


@cache
def common():
    return plain_facts(JOB, OptimalConnect, facts)


def spoiled(answer):
    """The answer with a worker that does not exist."""
    return ConnectAssignment({**answer.workers, NOBODY: WorkerChange()}, answer.delay_ms, answer.memory)


@pytest.mark.parametrize("plan", RANGES.values(), ids=ids(RANGES))
def test_a_case_of_each_class_of_each_range_is_read_and_shows_it(plan):
    ((number, known),) = plan.numbers
    for seed in range(20):
        case = number.widen(plain_case(JOB, seed), known, Seeded(seed))
        assert number.seen(case, known), seed
        assert JOB.driver.read(JOB.driver.form.write(case)) == case


@pytest.mark.parametrize("plan", SIZES.values(), ids=ids(SIZES))
def test_a_case_of_each_size_has_it(plan):
    case, shown = wide_case(JOB, plan, 1)
    assert shown == tuple((size, str(number)) for size, number in plan.sizes.items())
    assert JOB.driver.read(JOB.driver.form.write(case)) == case


def test_all_sizes_can_be_in_the_middle_at_once():
    for turn in range(8):
        plan = together(JOB, turn)
        case, shown = wide_case(JOB, plan, turn)
        assert dict(shown) == {size: str(number) for size, number in plan.sizes.items()}
        assert JOB.driver.read(JOB.driver.form.write(case)) == case


@pytest.mark.slow
@pytest.mark.parametrize("plan", EVERY.values(), ids=ids(EVERY))
def test_a_reference_keeps_its_claims_on_every_class_and_some_can_fail_there(plan):
    case, shown = wide_case(JOB, plan, 4)
    assert len(shown) == 1
    examination = examined(JOB, case, OptimalConnect)
    assert any(examination.checked.values())
    assert not examination.violations


@pytest.mark.slow
@pytest.mark.parametrize("plan", EVERY.values(), ids=ids(EVERY))
def test_a_target_that_misbehaves_only_where_it_sees_a_class_is_caught(plan):
    shown, fact = rarest_fact(JOB, plan, OptimalConnect, facts, common())
    assert shown <= RARE
    requests = []
    examination = examined(
        JOB,
        wide_case(JOB, plan, 4)[0],
        lambda: Tripwire(OptimalConnect(), requests, facts, fact, spoiled),
    )
    assert {violation.claim for violation in examination.violations} >= {"exists"}


@pytest.mark.slow
@pytest.mark.parametrize("plan", EVERY.values(), ids=ids(EVERY))
def test_wide_values_that_do_not_matter_shrink_to_plain_ones(plan):
    case, _ = wide_case(JOB, plan, 2)
    assert JOB.driver.size(descent(JOB.driver, case)) == JOB.driver.size(
        descent(JOB.driver, plain_case(JOB, 5))
    )


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(spec for spec, each in load_all().items() if each.kind is CONNECT))
def test_wide_cases_break_no_claim_of_a_reference_that_plain_ones_keep(spec):
    job, reference = job_of(spec), load_all()[spec]

    def broken(cases):
        examinations = (examined(job, case, reference.factory) for case in cases)
        return {violation.claim for each in examinations for violation in each.violations}

    plans = (*range_plans(job).values(), *name_plans(job).values(), *size_plans(job, 130).values())
    known = broken(plain_case(job, seed) for seed in range(400))
    assert broken(wide_case(job, plan, 4)[0] for plan in plans) <= known


def test_with_related_names_each_of_two_connectors_is_deleted_while_the_other_runs():
    profile = replace(JOB.profile, wanted=frozenset({"connector", RELATED}))
    for seed in range(30):
        history = JOB.driver.generate(Seeded(seed), profile)
        first, last = (
            {event.connector for event in change.events if isinstance(event, ConnectorDelete)}
            for change in history.changes[-2:]
        )
        assert (len(first), len(last), len(first | last)) == (1, 1, 2)
        assert JOB.driver.read(JOB.driver.form.write(history)) == history
        assert not examined(JOB, history, OptimalConnect).violations
