"""A judgement of anything but groups counts if and only if some answer breaks the claim.

Brute force over the answers to every small request, in both directions; a sample of the requests by default.
The same for groups is in `groups/test_breakable.py`.
"""

import random
from dataclasses import replace
from itertools import chain, combinations, combinations_with_replacement, permutations, product

import pytest

from kassay.kinds.placement.kind import best_plan, loads_after
from kassay.kinds.placement.oracle import best_of_placement
from kassay.kinds.streams.oracle import best_of_members, best_of_standbys
from kassay.model.calls import Failure, Look, Probe, Refusal
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, WorkerChange
from kassay.model.errors import FailureKind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    ProducerRecord,
    ProducerSends,
    ProducerSendsStep,
    Sent,
    TopicMetadata,
)
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Move, Plan, PlanRequest, PlanStep
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.model.streams.history import TaskRun, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import CHANGELOG, ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest
from kassay.properties.claims import parse_claim
from kassay.properties.placement.answers import may_refuse
from kassay.properties.registry import load_claims
from kassay.properties.streams.stickiness import homes
from tests.properties.confirming import both_seen, confirm, is_broken
from tests.properties.connect import requests as connect

OTHER_KINDS = (PLACER, PLANNER, PARTITIONER, STREAMS, CONNECT)
CALLS = {"total", "terminates"}
CONFIRMED = {
    PLACER: {
        *("pure", "deterministic", "order-independent"),
        *("replicas-distinct", "too-few-brokers", "rack-spread", "partial-racks-refused", "follower-spread"),
        *("no-fenced-leader", "replicas-even", "leaders-even"),
    },
    PLANNER: {"pure", "deterministic", "plan-valid", "replicas-distinct", "rack-spread", "plan-minimal"},
    PARTITIONER: {
        *(
            "pure",
            "deterministic",
            "in-range",
            "same-key-same-partition",
            "hash-compatible",
            "available-only",
        ),
        "refuses-out-of-range",
    },
    STREAMS: {
        *(
            "pure",
            "deterministic",
            "order-independent",
            "exists",
            "single-owner",
            "complete",
            "standby-disjoint",
        ),
        *("balanced-within-one", "balanced-optimal", "stateful-balanced", "threads-balanced"),
        *("standby-count", "warm-ups", "task-errors", "standby-tags"),
        *("sticky-minimal", "sticky-by-member", "sticky-standbys"),
        *("converges", "stable", "fixed-point"),
    },
    CONNECT: {
        *("pure", "deterministic", "order-independent", "exists", "single-owner", "complete"),
        *("deleted-stops", "revoke-before-assign", "delayed-for-loss", "lost-returns", "backs-off"),
        *("balanced-within-one", "sticky-minimal", "converges", "stable"),
    },
}
LATE = Failure(FailureKind.TIMEOUT, "late")
CRASHED = Failure(FailureKind.DIED, "gone")


@pytest.mark.parametrize("kind", OTHER_KINDS, ids=str)
def test_every_claim_is_confirmed_below(kind):
    assert {claim_id for of, claim_id in load_claims() if of is kind} == CONFIRMED[kind] | CALLS


def looked_at(step, answers, look):
    """The step with a first and each second answer."""
    return [replace(step, answer=answers[0], probes=(Probe(look, other),)) for other in answers]


def unanswered_claims_count(step, kind):
    assert confirm(parse_claim("total", kind), [replace(step, answer=CRASHED)])
    assert confirm(parse_claim("terminates", kind), [replace(step, answer=LATE)])
    assert confirm(parse_claim("pure", kind), [replace(step, mutated="all of it")])


# Placers


def placements(request):
    """Every placement with as many different, known brokers as asked for, and a refusal where that is proper."""
    rows = list(permutations([broker.broker_id for broker in request.brokers], request.replication_factor))
    refusals = [Refusal("E", "no")] if may_refuse(request) else []
    return [*product(rows, repeat=request.partitions), *refusals]


def placement_requests():
    """Up to three brokers in two racks or in none, any of them fenced; up to two partitions besides an old one."""
    for size in (1, 2, 3):
        for racks in product((None, "a", "b"), repeat=size):
            if next(filter(None, racks), "a") == "b":
                continue
            for fenced in product((False, True), repeat=size):
                brokers = tuple(Broker(i, rack, off) for i, (rack, off) in enumerate(zip(racks, fenced)))
                for factor in range(1, size + 2):
                    old = () if factor > size else (tuple(range(factor)),)
                    for partitions, existing in product((1, 2), {(), old}):
                        yield PlacementRequest(partitions, factor, brokers, existing)


def wide_requests(size, seed=6):
    """So many requests for one partition on up to six brokers in up to three racks."""
    rng = random.Random(seed)
    for _ in range(size):
        brokers = tuple(Broker(i, rng.choice("aabbc"), rng.random() < 0.3) for i in range(rng.randint(3, 6)))
        yield PlacementRequest(1, rng.randint(1, min(4, len(brokers))), brokers)


def placed(request):
    return [PlacementStep(request, answer) for answer in placements(request)]


def test_claims_about_calls_of_placers_count_everywhere(few):
    for request in few(placement_requests()):
        unanswered_claims_count(PlacementStep(request, ()), PLACER)


def test_what_every_placement_must_keep_counts_wherever_it_is_asked(few):
    for request in few(placement_requests()):
        some = PlacementStep(request, ((),))
        assert confirm(parse_claim("replicas-distinct", PLACER), [some])
        if request.replication_factor > len(request.brokers):
            assert confirm(parse_claim("too-few-brokers", PLACER), [some])


@pytest.mark.parametrize("claim_id", ["rack-spread", "partial-racks-refused", "no-fenced-leader"])
def test_a_claim_about_rows_counts_where_a_placement_breaks_it(claim_id, few):
    found = parse_claim(claim_id, PLACER)
    requests = [*few(placement_requests(), 150), *wide_requests(len(few(range(1500), 60)))]
    outcomes = {confirm(found, placed(request)) for request in requests}
    both_seen(outcomes)


def test_follower_sets_count_where_a_leader_may_repeat_them(few):
    found = parse_claim("follower-spread", PLACER)
    outcomes = set()
    for racks in few(product((None, "a", "b"), repeat=3), 12):
        for fenced in product((False, True), repeat=3):
            brokers = tuple(Broker(i, rack, off) for i, (rack, off) in enumerate(zip(racks, fenced)))
            for partitions in (2, 3):
                outcomes.add(confirm(found, placed(PlacementRequest(partitions, 2, brokers))))
    both_seen(outcomes)


@pytest.mark.parametrize("claim_id", ["replicas-even", "leaders-even"])
def test_evenness_counts_where_a_placement_may_be_less_even(claim_id, few):
    found = parse_claim(claim_id, PLACER)
    outcomes = set()
    for request in few(placement_requests(), 100):
        best = best_of_placement(PlacementStep(request, ()))
        if best is not None:
            things = [
                PlacementStep(request, answer) for answer in placements(request) if isinstance(answer, tuple)
            ]
            outcomes.add(confirm(found, things, best))
    both_seen(outcomes)


@pytest.mark.parametrize("claim_id", ["deterministic", "order-independent"])
@pytest.mark.parametrize("look", Look)
def test_second_looks_at_placers_count_where_another_answer_is_proper(claim_id, look, few):
    found = parse_claim(claim_id, PLACER)
    outcomes = set()
    for request in few(placement_requests()):
        answers = placements(request) or [Refusal("E", "no")]
        step = PlacementStep(request, answers[0])
        outcomes.add(confirm(found, looked_at(step, answers, look)))
        assert not confirm(found, [step])
    assert outcomes == ({True, False} if look in found.kind.looks else {False})


# Planners

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def plan_requests():
    """Up to three brokers in any racks, under one partition on any of them and on one that is going."""
    yield PlanRequest((Broker(0),), (), 1)
    for size in (1, 2, 3):
        for racks in ((None,) * size, *product("abc", repeat=size)):
            brokers = tuple(Broker(i, rack) for i, rack in enumerate(racks))
            for factor in range(1, size + 1):
                for row in permutations([*range(size), 9], factor):
                    if list(row) == sorted(row):
                        yield PlanRequest(brokers, ((T0, row),), factor)


def moves_from(request, row):
    """Every move of a replica, addition and drop, to brokers that stay, with the row that it leads to."""
    for held in row:
        yield Move(T0, held), tuple(b for b in row if b != held)
    for target in {broker.broker_id for broker in request.brokers} - set(row):
        yield Move(T0, None, target), (*row, target)
        for held in row:
            yield Move(T0, held, target), tuple(target if b == held else b for b in row)


def ways(request, start):
    """The shortest moves from a row to every other one, by the brokers in it."""
    found = {frozenset(start): ((), start)}
    waiting = [start]
    while waiting:
        row = waiting.pop(0)
        for move, after in moves_from(request, row):
            if frozenset(after) not in found:
                found[frozenset(after)] = (*found[frozenset(row)][0], move), after
                waiting.append(after)
    return found


def plans(request):
    """A plan for every move that any plan could hold: the moves to it, itself, and moves to a proper end.

    What a move breaks depends on the rows around it, and on whether it is the last one.
    """
    stay = {broker.broker_id for broker in request.brokers}
    for to, row in ways(request, request.before[0][1]).values() if request.before else ():
        for move, after in moves_from(request, row):
            for way, end in ways(request, after).values():
                if len(end) == request.replication_factor and stay.issuperset(end):
                    yield Plan(request.brokers, request.before, (*to, move, *way), request.replication_factor)


def planned(request):
    """Steps with those of the plans that keep the replicas distinct."""
    distinct = parse_claim("replicas-distinct", PLANNER)
    steps = (PlanStep(request, plan) for plan in plans(request))
    return [step for step in steps if not is_broken(distinct, step)]


def test_claims_about_calls_of_planners_count_everywhere(few):
    for request in few(plan_requests(), 30):
        unanswered_claims_count(PlanStep(request, Plan(request.brokers, request.before)), PLANNER)


def test_a_plan_without_moves_is_not_judged_by_what_moves_must_keep(few):
    for request in few(plan_requests(), 30):
        step = PlanStep(request, Plan(request.brokers, request.before, (), request.replication_factor))
        for claim_id in ("plan-valid", "replicas-distinct", "rack-spread"):
            assert not parse_claim(claim_id, PLANNER).kind.applies(step)


@pytest.mark.parametrize(
    ("claim_id", "source", "to"), [("plan-valid", 7, True), ("replicas-distinct", None, False)]
)
def test_what_moves_must_keep_counts_where_there_is_a_partition(claim_id, source, to, few):
    """A source that hosts nothing, the row being in order afterwards; or a broker that does not exist."""
    found = parse_claim(claim_id, PLANNER)
    for request in few(plan_requests(), 30)[1:]:
        row = tuple(broker.broker_id for broker in request.brokers)[: request.replication_factor]
        move = Move(T0, source, 0, row) if to else Move(T0, request.before[0][1][0], 77)
        step = PlanStep(request, Plan(request.brokers, request.before, (move,), request.replication_factor))
        assert confirm(found, [step])
        if to:
            assert not is_broken(parse_claim("replicas-distinct", PLANNER), step)


def test_the_racks_of_plans_count_where_one_could_crowd_them(few):
    found = parse_claim("rack-spread", PLANNER)
    outcomes = set()
    for request in few([r for r in plan_requests() if r.before], 25):
        outcomes.add(confirm(found, planned(request)))
    both_seen(outcomes)


def test_the_fewest_copies_count_where_a_plan_could_waste_some(few):
    found = parse_claim("plan-minimal", PLANNER)
    for request in few([r for r in plan_requests() if r.before], 8):
        best = best_plan(request)
        aim = tuple(sorted(best.replicas))
        balanced = [s for s in planned(request) if loads_after(request, s.given) == aim]
        assert confirm(found, balanced, best.copies)
    nothing = PlanRequest((Broker(0),), (), 1)
    assert not confirm(found, [PlanStep(nothing, Plan(nothing.brokers, ()))], 0)


def test_second_looks_at_planners_count_where_there_is_a_partition(few):
    found = parse_claim("deterministic", PLANNER)
    outcomes = set()
    for request in few(plan_requests(), 30):
        answers = [Plan(request.brokers, request.before), *(step.given for step in planned(request)[:20])]
        outcomes.add(confirm(found, looked_at(PlanStep(request, answers[0]), answers, Look.AGAIN)))
        assert not confirm(found, [PlanStep(request, answers[0])])
    both_seen(outcomes)


# Partitioners


def sendings():
    """One record or two with equal or different keys, without one, or with a partition that may not be there."""
    topics = [TopicMetadata.of(1), TopicMetadata.of(1, [0]), TopicMetadata.of(2), TopicMetadata.of(2, [1])]
    topics += [TopicMetadata.of(2, [0, 1]), TopicMetadata.of(3, [1])]
    records = [ProducerRecord("t", key, b"", asked) for key in (None, b"a", b"b") for asked in (None, 0, 5)]
    entries = list(product(records, topics))
    yield from (ProducerSends((entry,)) for entry in entries)
    yield from (ProducerSends(pair) for pair in combinations([*entries, *entries[::5]], 2))


def sent(sending, anywhere=False):
    """Every way to send them: to a partition that is there, or refused where one is asked for that is not."""

    def places(record, topic):
        refused = [Refusal("E", "no")] if record.partition == 5 else []
        return [*range(topic.count + anywhere), *refused]

    for answers in product(*(places(*entry) for entry in sending.records)):
        yield tuple(Sent(*entry, answer) for entry, answer in zip(sending.records, answers))


def keeps_keys(step):
    return not is_broken(parse_claim("same-key-same-partition", PARTITIONER), step)


def test_claims_about_calls_of_partitioners_count_everywhere(few):
    for sending in few(sendings()):
        for claim_id, failure in (("total", CRASHED), ("terminates", LATE)):
            lost = tuple(Sent(*entry, failure) for entry in sending.records)
            assert confirm(parse_claim(claim_id, PARTITIONER), [ProducerSendsStep(sending, lost)])


def test_the_range_counts_everywhere(few):
    for sending in few(sendings()):
        steps = [ProducerSendsStep(sending, answer) for answer in sent(sending, anywhere=True)]
        assert confirm(parse_claim("in-range", PARTITIONER), steps)


@pytest.mark.parametrize(
    "claim_id", ["same-key-same-partition", "hash-compatible", "available-only", "refuses-out-of-range"]
)
def test_a_claim_about_records_counts_where_they_may_go_wrong(claim_id, few):
    found = parse_claim(claim_id, PARTITIONER)
    outcomes = set()
    for sending in few(sendings(), 200):
        steps = [ProducerSendsStep(sending, answer) for answer in sent(sending)]
        outcomes.add(
            confirm(found, [s for s in steps if keeps_keys(s) or claim_id == "same-key-same-partition"])
        )
    both_seen(outcomes)


@pytest.mark.parametrize("claim_id", ["pure", "deterministic"])
def test_second_looks_at_partitioners_count_where_a_record_may_go_elsewhere(claim_id, few):
    found = parse_claim(claim_id, PARTITIONER)
    outcomes = set()
    for sending in few(sendings(), 100):
        answers = [
            step.given for step in (ProducerSendsStep(sending, a) for a in sent(sending)) if keeps_keys(step)
        ]
        step = ProducerSendsStep(sending, answers[0])
        looked = [replace(step, answer=a, probes=(Probe(Look.OTHER, b),)) for a in answers for b in answers]
        if claim_id == "pure" and any(record.partition is None for record, _ in sending.records):
            # The list of available partitions can be changed at any call.
            assert confirm(found, [*looked, replace(step, mutated="available[0] was 0 and is 1")])
            continue
        outcomes.add(confirm(found, looked))
        assert not confirm(found, [step]), "without a second look nothing can be seen"
    if claim_id == "deterministic":
        both_seen(outcomes)


# Streams tasks

TASKS = tuple(TaskId(0, p) for p in range(3))
P = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(3)]


def task_requests():
    """Up to three processes with one thread or two and up to three tasks that anybody ran, with copies or without.

    Three tasks on three processes have no copies: there are too many answers.
    """
    for size, count in product((1, 2, 3), (0, 1, 2, 3)):
        for threads in combinations_with_replacement((1, 2), size):
            for owners in product((None, *range(size)), repeat=count):
                clients = tuple(
                    TaskClient(P[i], c, tuple(t for t, owner in zip(TASKS, owners) if owner == i))
                    for i, c in enumerate(threads)
                )
                for stateful, standbys in ((0, 0), (count, 0), (count, 1), (1, 1)):
                    if stateful <= count and (not standbys or size + count < 6):
                        yield TaskRequest(clients, TASKS[:count], TASKS[:stateful], standbys)


def assignments(request):
    """Every answer in which each task is active once, with at most as many copies as are asked for, anywhere."""
    ids = [client.process_id for client in request.clients]
    for owners in product(ids, repeat=len(request.tasks)):
        active = {i: tuple(t for t, owner in zip(request.tasks, owners) if owner == i) for i in ids}
        places = [None, *ids] if request.standby_replicas else [None]
        for copies in product(places, repeat=len(request.stateful)):
            yield TaskAssignment(
                {
                    i: ClientTasks(active[i], tuple(t for t, at in zip(request.stateful, copies) if at == i))
                    for i in ids
                }
            )


def at_rest(request):
    return [TaskStep(request, answer, at_rest=True) for answer in assignments(request)]


def run(step):
    return TaskRun((step,), (True,), 1)


def test_claims_about_calls_of_task_assignors_count_everywhere(few):
    for request in few(task_requests(), 20):
        step = TaskStep(request, TaskAssignment({}))
        unanswered_claims_count(step, STREAMS)
        stray = TaskStep(request, TaskAssignment({"nobody": ClientTasks()}))
        assert confirm(parse_claim("exists", STREAMS), [stray])
        never = TaskRun((TaskStep(request, TaskAssignment({}, probing_rebalance=True)),), (False,), 1)
        for spelled in ("converges", "converges:3"):
            assert confirm(parse_claim(spelled, STREAMS), [never])


@pytest.mark.parametrize("claim_id", ["single-owner", "complete"])
def test_what_every_assignment_must_keep_counts_where_there_is_a_task(claim_id, few):
    found = parse_claim(claim_id, STREAMS)
    outcomes = set()
    for request in few(task_requests(), 100):
        first = request.clients[0].process_id
        none, twice = ClientTasks(), ClientTasks(request.tasks * 2)
        wrong = none if claim_id == "complete" else twice
        outcomes.add(confirm(found, [TaskStep(request, TaskAssignment({first: wrong}))]))
    both_seen(outcomes)


TASK_CLAIMS = ("standby-disjoint", "balanced-within-one", "balanced-optimal")


@pytest.mark.parametrize("claim_id", [*TASK_CLAIMS, "stateful-balanced", "threads-balanced"])
def test_a_claim_about_assignments_counts_where_one_breaks_it(claim_id, few):
    found = parse_claim(claim_id, STREAMS)
    both_seen(confirm(found, at_rest(request)) for request in few(task_requests(), 100))


def copies_anywhere(request):
    """The first process runs all tasks; each task with state has copies on any processes, and another rebalance follows."""
    ids = [client.process_id for client in request.clients]
    places = list(chain.from_iterable(combinations(ids, size) for size in range(len(ids) + 1)))
    for kept in product(places, repeat=len(request.stateful)):
        copies = {who: tuple(t for t, on in zip(request.stateful, kept) if who in on) for who in ids}
        yield TaskAssignment(
            {who: ClientTasks(request.tasks * (who == ids[0]), copies[who]) for who in ids},
            probing_rebalance=True,
        )


def caught_up_or_not(request):
    """Nobody has caught up with anything, one process with its first task, or all with that one; any number of warm-ups."""
    for caught_up, warmups in product((0, 1, len(request.clients)), (1, 2, 5)):
        clients = tuple(
            replace(
                client,
                lags=tuple((task, 0 if task == TASKS[0] and i < caught_up else 20_000) for task in TASKS),
            )
            for i, client in enumerate(request.clients)
        )
        yield replace(request, clients=clients, warmup_replicas_max=warmups)


@pytest.mark.slow_cases("sample-warm-ups")
@pytest.mark.parametrize("claim_id", ["standby-count", "warm-ups"])
def test_a_claim_about_copies_counts_where_there_can_be_too_many(claim_id, few):
    found = parse_claim(claim_id, STREAMS)
    both_seen(
        confirm(found, [TaskStep(request, answer, at_rest=True) for answer in copies_anywhere(request)])
        for request in few(chain.from_iterable(map(caught_up_or_not, task_requests())), 100)
    )


def tagged(request):
    """The same with tags over which copies are to be spread: one or two, few values or many, missing or not."""
    for values, asked in product((1, 2, 3), (("zone",), ("cluster", "zone"))):
        for lacking in (False, True):
            clients = tuple(
                replace(
                    client,
                    tags=(
                        ("cluster", "ab"[number % 2]),
                        *(() if lacking and not number else (("zone", "abc"[number % values]),)),
                    ),
                )
                for number, client in enumerate(request.clients)
            )
            yield replace(request, clients=clients, rack_aware_tags=asked)


def four_processes():
    """Four processes with one tag or two of any values, and one task with up to two copies."""
    for zones, clusters in product(product("abc", repeat=4), ("aaaa", "aabb", "abab", "abbb")):
        clients = tuple(
            TaskClient(f"00000000-0000-4000-8000-00000000000{n}", 1, tags=(("cluster", c), ("zone", z)))
            for n, (z, c) in enumerate(zip(zones, clusters))
        )
        for standbys, keys in product((1, 2, 3), (("zone",), ("cluster", "zone"))):
            yield TaskRequest(clients, TASKS[:1], TASKS[:1], standbys, rack_aware_tags=keys)


def one_task_anywhere(request):
    """Every answer in which the only task runs once and has any copies elsewhere."""
    ids = [client.process_id for client in request.clients]
    for runs in ids:
        others = [i for i in ids if i != runs]
        for copies in chain.from_iterable(combinations(others, n) for n in range(len(ids))):
            given = {i: ClientTasks((), request.tasks if i in copies else ()) for i in ids}
            yield TaskStep(request, TaskAssignment(given | {runs: ClientTasks(request.tasks)}), at_rest=True)


@pytest.mark.slow
def test_the_spread_over_tags_counts_where_copies_could_be_crowded(few):
    found = parse_claim("standby-tags", STREAMS)
    tagged_requests = chain.from_iterable(map(tagged, task_requests()))
    both_seen(confirm(found, at_rest(request)) for request in few(tagged_requests, 150))
    both_seen(confirm(found, list(one_task_anywhere(request))) for request in few(four_processes(), 300))


def entries_or_none(request):
    """All tasks on a process, any set of the others with an entry, and copies of any tasks without state there."""
    stateless = [task for task in request.tasks if task not in request.stateful]
    everybody, whole = (
        {client.process_id: ClientTasks() for client in request.clients},
        range(len(stateless) + 1),
    )
    for runs in (None, *everybody) if not request.tasks else everybody:
        entries = everybody if runs is None else everybody | {runs: ClientTasks(request.tasks)}
        for left_out in chain.from_iterable(combinations(entries, size) for size in range(len(entries) + 1)):
            if runs not in left_out:
                yield TaskAssignment({who: tasks for who, tasks in entries.items() if who not in left_out})
        for copies, who in product(chain.from_iterable(combinations(stateless, n) for n in whole), entries):
            yield TaskAssignment(entries | {who: entries[who]._replace(standby=copies)})


def test_an_error_by_name_counts_where_a_process_may_be_left_out_or_a_copy_have_no_state(few):
    found = parse_claim("task-errors", STREAMS)
    both_seen(
        confirm(found, [TaskStep(request, answer) for answer in entries_or_none(request)])
        for request in few(task_requests(), 100)
    )


def test_the_fewest_moves_of_tasks_count_where_as_balanced_an_answer_moves_more(few):
    found = parse_claim("sticky-minimal", STREAMS)
    requests = [request for request in task_requests() if not request.standby_replicas]
    both_seen(confirm(found, list(map(run, at_rest(request)))) for request in few(requests, 100))


def member_requests():
    """Up to two processes with one thread or two and up to three tasks, some with state, that any thread ran."""
    for threads, count in product([(1,), (2,), (1, 1), (1, 2)], (0, 1, 2, 3)):
        seats = [(i, thread) for i, size in enumerate(threads) for thread in range(size)]
        for owners, on_disk in product(product((None, *seats), repeat=count), (False, True)):
            for stateful in {0, min(1, count), count}:
                clients = []
                for i, size in enumerate(threads):
                    held = [
                        ClientTasks(tuple(t for t, at in zip(TASKS, owners) if at == (i, n)))
                        for n in range(size)
                    ]
                    ran = tuple(task for tasks in held for task in tasks.active)
                    lags = [
                        (t, 0 if t in ran or (on_disk and i == 0) else CHANGELOG) for t in TASKS[:stateful]
                    ]
                    clients.append(TaskClient(P[i], size, ran, (), tuple(lags), tuple(held)))
                yield TaskRequest(tuple(clients), TASKS[:count], TASKS[:stateful])


def by_member(request):
    """Every answer in which each task is active on one member."""
    home = homes(request)
    for owners in product(home, repeat=len(request.tasks)):
        members = {m: ClientTasks(tuple(t for t, at in zip(request.tasks, owners) if at == m)) for m in home}
        processes = {
            p: ClientTasks(tuple(t for m in home if home[m] == p for t in members[m].active))
            for p in request.by_id
        }
        yield TaskStep(request, TaskAssignment(processes, members=members))


def test_the_least_cost_of_active_tasks_counts_where_as_balanced_an_answer_costs_more(few):
    found = parse_claim("sticky-by-member", STREAMS)
    outcomes = set()
    for request in few(member_requests(), 150):
        steps = list(by_member(request))
        outcomes.add(confirm(found, steps, best_of_members(steps[0])))
    both_seen(outcomes)


def standby_requests():
    """Three processes with up to two threads, and up to three tasks of which at most one has no state.

    Any process has the state of a task that had none of them running it.
    """
    disks = [*chain.from_iterable(combinations(range(3), n) for n in range(4))]
    for threads, stateful, rest in product([(1, 1, 1), (1, 2, 1)], (1, 2), (0, 1)):
        for on_disk, replicas in product(product(disks, repeat=stateful), (0, 1, 2)):
            clients = tuple(
                TaskClient(
                    P[i],
                    size,
                    lags=tuple((t, 0 if i in where else CHANGELOG) for t, where in zip(TASKS, on_disk)),
                )
                for i, size in enumerate(threads)
            )
            yield TaskRequest(clients, TASKS[: stateful + rest], TASKS[:stateful], replicas)


def by_process(request):
    """Every answer in which each task is active on one process."""
    for owners in product(request.by_id, repeat=len(request.tasks)):
        yield TaskStep(
            request,
            TaskAssignment(
                {
                    p: ClientTasks(tuple(t for t, at in zip(request.tasks, owners) if at == p))
                    for p in request.by_id
                }
            ),
        )


def with_standbys(step):
    """The answer with every choice of the standbys that are asked for, by process: members are not named."""
    request, given = step.request, step.given
    asked = min(request.standby_replicas, len(request.clients) - 1)
    free = [[p for p in request.by_id if p != given.owners[task]] for task in request.stateful]
    for rows in product(*(combinations(ids, asked) for ids in free)):
        processes = {
            p: ClientTasks(
                given.processes[p].active,
                tuple(task for task, row in zip(request.stateful, rows) if p in row),
            )
            for p in request.by_id
        }
        yield TaskStep(request, TaskAssignment(processes))


def test_the_fewest_restores_of_standbys_count_where_others_as_even_beside_these_tasks_need_more(few):
    found = parse_claim("sticky-standbys", STREAMS)
    outcomes = set()
    for request in few(standby_requests(), 150):
        for step in few(by_process(request), 3):
            outcomes.add(confirm(found, list(with_standbys(step)), best_of_standbys(step)))
    both_seen(outcomes)


@pytest.mark.parametrize("claim_id", ["stable", "fixed-point"])
def test_an_application_at_rest_counts_where_it_may_be_given_something_else(claim_id, few):
    found = parse_claim(claim_id, STREAMS)
    outcomes = set()
    for request in few(task_requests(), 60):
        before = next(assignments(request))
        kept = tuple(
            replace(c, previous_active=before.processes[c.process_id].active) for c in request.clients
        )
        again = replace(request, clients=kept)
        first = TaskStep(again, before)
        outcomes.add(confirm(found, [TaskRun((first, then), (True, True), 2) for then in at_rest(again)]))
    both_seen(outcomes)


@pytest.mark.parametrize("claim_id", ["deterministic", "order-independent"])
@pytest.mark.parametrize("look", Look)
def test_second_looks_at_task_assignors_count_where_another_answer_is_valid(claim_id, look, few):
    found = parse_claim(claim_id, STREAMS)
    outcomes = set()
    for request in few((r for r in task_requests() if len(r.tasks) < 3), 30):
        answers = list(assignments(request))
        step = TaskStep(request, answers[0])
        outcomes.add(confirm(found, looked_at(step, answers, look)))
        assert not confirm(found, [step])
    assert outcomes == ({True, False} if look in found.kind.looks else {False})


# Kafka Connect


def all_dealt(request):
    """Every answer that stops nothing, tells no delay and starts what runs nowhere on one worker each."""
    free = sorted(request.configured - request.runners.keys())
    ids = [worker.worker_id for worker in request.workers]
    for owners in product(ids, repeat=len(free)):
        given = {i: tuple(work for work, owner in zip(free, owners) if owner == i) for i in ids}
        yield ConnectAssignment({i: WorkerChange(own) for i, own in given.items()})


def rests(request, answers):
    return [ConnectStep(request, answer, at_rest=True) for answer in answers]


def starts_what_runs(step):
    """Whether somebody is to start what runs already, or two are to start the same: other claims are about that."""
    given = [work for change in step.given.workers.values() for work in change.assigned]
    return len(set(given)) < len(given) or not step.request.runners.keys().isdisjoint(given)


def test_claims_about_calls_of_connect_count_everywhere(few):
    for request in few(connect.requests(), 20):
        step = ConnectStep(request, ConnectAssignment({}))
        unanswered_claims_count(step, CONNECT)
        stray = ConnectStep(request, ConnectAssignment({"nobody": WorkerChange()}))
        assert confirm(parse_claim("exists", CONNECT), [stray])
        for spelled in ("converges", "converges:3"):
            assert confirm(parse_claim(spelled, CONNECT), [ConnectRun((step,), 1)])


@pytest.mark.parametrize("claim_id", ["single-owner", "deleted-stops", "revoke-before-assign"])
def test_a_claim_about_a_rebalance_of_connect_counts_where_an_answer_breaks_it(claim_id, few):
    found = parse_claim(claim_id, CONNECT)
    both_seen(confirm(found, list(connect.steps(request))) for request in few(connect.requests(), 9))


def test_that_everything_runs_counts_where_something_may_be_left_out_at_rest(few):
    found = parse_claim("complete", CONNECT)
    requests = few(connect.requests(), 15)
    both_seen(confirm(found, [s for s in connect.steps(request) if s.at_rest]) for request in requests)


def test_the_balance_of_connect_counts_where_a_valid_answer_at_rest_can_lack_it(few):
    found = parse_claim("balanced-within-one", CONNECT)
    outcomes = set()
    for request in few(connect.requests(3), 60):
        outcomes.add(confirm(found, rests(request, all_dealt(request))))
    both_seen(outcomes)


@pytest.mark.parametrize(
    ("claim_id", "known"),
    [
        ("delayed-for-loss", {}),
        ("delayed-for-loss", {"lost_since": (("a", 10),)}),
        ("backs-off", {"took_back": True}),
        ("backs-off", {"waits_until_ms": 11}),
    ],
)
def test_a_claim_about_delays_of_connect_counts_where_an_answer_breaks_it(claim_id, known, few):
    found = parse_claim(claim_id, CONNECT)
    requests = few(connect.requests(), 9)
    outcomes = {confirm(found, list(connect.steps(request, **known))) for request in requests}
    assert outcomes == ({True} if claim_id == "delayed-for-loss" else {True, False})


def test_lost_work_counts_where_its_delay_is_over(few):
    found = parse_claim("lost-returns", CONNECT)
    lost = [r for r in connect.requests() if r.configured - r.runners.keys()]
    both_seen(
        confirm(found, list(connect.steps(request, lost_since=((work, since),))))
        for request in few(lost, 8)
        for work in request.configured - request.runners.keys()
        for since in (1, 9)
    )


def test_the_fewest_moves_of_connect_count_where_more_can_be_taken_back_before_a_balanced_rest(few):
    found = parse_claim("sticky-minimal", CONNECT)
    outcomes = set()
    for request in few([r for r in connect.requests() if len(r.workers) > 1], 40):
        runs = []
        for step in connect.steps(request):
            if step.given.delay_ms or starts_what_runs(step):
                continue
            then = replace(request, workers=connect.obeying(request, step.given), generation=2)
            runs += [ConnectRun((step, last), 1) for last in rests(then, all_dealt(then))]
        outcomes.add(confirm(found, runs))
    both_seen(outcomes)


def test_a_cluster_left_alone_counts_everywhere(few):
    found = parse_claim("stable", CONNECT)
    for request in few(connect.requests(), 9):
        first = ConnectStep(request, ConnectAssignment({}), at_rest=True)
        then = [ConnectRun((first,), 1, again) for again in connect.steps(request)]
        assert confirm(found, then)
    assert not confirm(found, [ConnectRun((first,), 1)])


@pytest.mark.parametrize("claim_id", ["deterministic", "order-independent"])
@pytest.mark.parametrize("look", Look)
def test_second_looks_at_connect_count_where_another_answer_is_valid(claim_id, look, few):
    found = parse_claim(claim_id, CONNECT)
    outcomes = set()
    for request in few([r for r in connect.requests() if not r.runners], 30):
        answers = list(all_dealt(request))
        step = ConnectStep(request, answers[0])
        outcomes.add(confirm(found, looked_at(step, answers, look)))
        assert not confirm(found, [step])
    assert outcomes == ({True, False} if look in found.kind.looks else {False})


def test_the_requests_are_as_many_as_they_should_be():
    every = chain(placement_requests(), plan_requests(), sendings(), task_requests(), connect.requests())
    assert sum(1 for _ in every) > 5_000
