from functools import cache

import pytest

from kassay.assignors.plain import application_of
from kassay.assignors.registry import load_all
from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, process_id
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

JOB = job_of("streams-high-availability")
RANGES = range_plans(JOB)
NAMES = name_plans(JOB)
SIZES = size_plans(JOB, 1025)
EVERY = {**RANGES, **NAMES, **size_plans(JOB, 130)}
NOBODY = process_id(2**40)
RARE = 0.5
"""A fact that more of the plain cases show is no fact of a class."""


def ids(keys):
    return ["-".join(map(str, key)) for key in keys]


def facts(requests):
    """What a target sees in its requests: values, counts, their relations, and the life of processes."""
    known, before, same = set(), None, 0
    for request in dict.fromkeys(requests):
        document = application_of(request)
        yield from leaves(document)
        threads = sum(client.capacity for client in request.clients)
        yield from compared(
            {
                "standbys": request.standby_replicas,
                "processes": len(request.clients),
                "tasks": len(request.tasks),
                "threads": threads,
            }
        )
        yield "tasks a thread", len(request.tasks) // threads
        yield "sizes", order([each["partitions"] for each in document["subtopologies"]])
        yield "state", len(request.stateful) == len(request.tasks)
        yield "threads", tuple(sorted(client.capacity for client in request.clients))
        yield from relations({client.process_id for client in request.clients}, "process")
        yield from relations({client.rack for client in request.clients if client.rack}, "rack")
        yield from relations(
            {each for client in request.clients for tag in client.tags for each in tag}, "tag"
        )
        columns = [
            tuple(client.tag_of.get(key) for client in request.clients) for key in request.rack_aware_tags
        ]
        yield from (("column", len(set(column)), column.count(None), len(column)) for column in columns)
        yield "equal columns", len(set(columns)) < len(columns)
        yield (
            "keys as values",
            any(client.tag_of.keys() & set(client.tag_of.values()) for client in request.clients),
        )
        yield "unused", any(client.tag_of.keys() - set(request.rack_aware_tags) for client in request.clients)
        lags = {lag for client in request.clients for _, lag in client.lags if lag >= 0}
        yield from (("lag", lag, lag - request.acceptable_recovery_lag) for lag in lags)
        yield "one apart", any(lag + 1 in lags for lag in lags)
        now = {client.process_id: client for client in request.clients}
        if before is not None:
            yield from lived(before[0], now, known)
            standbys = before[1], request.standby_replicas
            yield "standbys", standbys, standbys in known
            known.add(standbys[::-1])
            same = same + 1 if before[0].keys() == now.keys() else 0
            yield "unchanged", same
        known |= now.keys()
        before = now, request.standby_replicas


def order(numbers):
    """The order of the numbers, without the numbers."""
    return tuple(sorted(set(numbers)).index(number) for number in numbers), max(numbers) == 1


def lived(before, now, known):
    """What happened to processes between two requests."""
    both = before.keys() & now.keys()
    yield "gone", min(2, len(before.keys() - now.keys())), not both, len(now) == 1 < len(before)
    yield "returned", bool((now.keys() - before.keys()) & known)
    yield "restarted", bool(both) and all(now[who].start > before[who].start for who in both)
    yield "lost", bool(both) and not any(now[who].previous_standby for who in both)
    for who in both:
        old, new = before[who], now[who]
        change = old.capacity, new.capacity
        yield "threads", change, (who, change) in known
        if change[0] != change[1]:
            known.add((who, change[::-1]))
        yield "start", new.start
        yield "moved", old.rack != new.rack, old.tags != new.tags


@cache
def common():
    return plain_facts(JOB, StreamsHighAvailability, facts)


def spoiled(answer):
    """The answer with a process that does not exist."""
    return TaskAssignment(
        {**answer.processes, NOBODY: ClientTasks()}, answer.probing_rebalance, answer.members
    )


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
    examination = examined(JOB, case, StreamsHighAvailability)
    assert any(examination.checked.values())
    assert not examination.violations


@pytest.mark.slow
@pytest.mark.parametrize("plan", EVERY.values(), ids=ids(EVERY))
def test_a_target_that_misbehaves_only_where_it_sees_a_class_is_caught(plan):
    shown, fact = rarest_fact(JOB, plan, StreamsHighAvailability, facts, common())
    assert shown <= RARE
    requests = []
    examination = examined(
        JOB,
        wide_case(JOB, plan, 4)[0],
        lambda: Tripwire(StreamsHighAvailability(), requests, facts, fact, spoiled),
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
@pytest.mark.parametrize("spec", sorted(spec for spec, each in load_all().items() if each.kind is STREAMS))
def test_wide_cases_break_no_claim_of_a_reference_that_plain_ones_keep(spec):
    job, reference = job_of(spec), load_all()[spec]

    def broken(cases):
        examinations = (examined(job, case, reference.factory) for case in cases)
        return {violation.claim for each in examinations for violation in each.violations}

    plans = (*range_plans(job).values(), *name_plans(job).values(), *size_plans(job, 130).values())
    known = broken(plain_case(job, seed) for seed in range(400))
    assert broken(wide_case(job, plan, 4)[0] for plan in plans) <= known
