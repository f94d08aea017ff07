"""Assignors of Streams tasks certified: the driver judges, shrinks and writes down."""

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.assignors.streams.sticky import StreamsSticky
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.runs.shrink import shrink
from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.kinds.streams.kind import TaskDriver
from kassay.kinds.streams.oracle import best_of_members
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Drawn, Seeded
from kassay.properties.streams.scenarios import TAGGED, tagged_task_history, task_history
from kassay.properties.streams.situations import SENTENCES
from kassay.properties.streams.stickiness import homes, spent
from tests.kinds.descent import descent
from tests.mutants import task_assignors
from tests.paths import TARGETS

DRIVER = TaskDriver(STREAMS)
PROFILE = GroupProfile(kind=STREAMS)

histories = st.composite(lambda draw: task_history(Drawn(draw)))()


def subject(new, *claims, twin=None):
    statements = (*validity_claims(STREAMS), *(parse_claim(c, STREAMS) for c in claims))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements, twin=twin)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


@given(histories)
def test_a_history_survives_being_written_down(case):
    assert DRIVER.form.read(DRIVER.form.write(case), "case") == case


@pytest.mark.slow
@given(histories)
def test_smaller_histories_are_smaller_and_well_formed(case):
    for less in DRIVER.shrink_candidates(case):
        assert DRIVER.size(less)[:9] <= DRIVER.size(case)[:9]  # names aside
        assert less.processes
        assert less.partitions
        assert 0 <= less.stateful <= len(less.partitions)


@given(histories)
def test_what_breaks_whatever_happens_shrinks_to_one_task_on_one_thread(case):
    smallest = descent(DRIVER, case)
    assert (smallest.changes, smallest.partitions, smallest.stateful) == ((), (1,), 0)
    assert [process.threads for process in smallest.processes] == [1]
    assert smallest.standby_replicas == 0


@given(st.sampled_from(sorted(TAGGED)), st.integers(0, 1_000))
def test_what_breaks_whatever_happens_shrinks_to_no_tags(aim, seed):
    life = tagged_task_history(Seeded(seed), aim)
    assert DRIVER.size(next(DRIVER.shrink_candidates(life))) < DRIVER.size(life)
    smallest = descent(DRIVER, life)
    assert smallest.rack_aware_tags == ()
    assert [(process.rack, process.tags) for process in smallest.processes] == [(None, ())]


def test_tags_that_play_a_part_stay():
    life = tagged_task_history(Seeded(4), "several-tags")

    def keeps(case):
        return any(("zone", "b") in join.tags for join in case.processes) and "zone" in case.rack_aware_tags

    while smaller := next(filter(keeps, DRIVER.shrink_candidates(life)), None):
        life = smaller
    assert life.rack_aware_tags == ("zone",)
    assert [(process.rack, process.tags) for process in life.processes] == [(None, (("zone", "b"),))]


@pytest.mark.slow_cases("StreamsHighAvailability")
@pytest.mark.parametrize("new", [StreamsSticky, StreamsHighAvailability])
def test_references_keep_what_they_declare(new):
    claims = ("standby-disjoint", "stable", "converges", "deterministic")
    whom = subject(new, *claims, twin=lambda config: new())
    lives = [DRIVER.generate(Seeded(seed), PROFILE) for seed in range(150)]
    lives += [DRIVER.generate(Seeded(seed), PROFILE, aim) for aim in TAGGED for seed in range(10)]
    seen = [DRIVER.examine(life, whom) for life in lives]
    assert [violation for one in seen for violation in one.violations] == []
    assert {name for one in seen for name in one.reached} == set(SENTENCES)
    assert {claim for one in seen for claim in one.judged} == {p.id for p in whom.claims}


@pytest.mark.parametrize(("claim", "faulty"), task_assignors.FAULTY.items())
def test_each_fault_is_found_and_shrinks_to_a_small_history(claim, faulty):
    whom = replace(subject(faulty), claims=(parse_claim(claim, STREAMS),))
    case = next(
        c for seed in range(300) if broken(c := DRIVER.generate(Seeded(seed), PROFILE), whom) == {claim}
    )
    found = shrink(DRIVER, case, whom, parse_claim(claim, STREAMS))
    sizes = DRIVER.counts(found.case)
    # A needless move shows when one process goes and the two that stay need not exchange anything.
    assert sizes["members"] <= (3 if claim == "sticky-minimal" else 2)
    assert sizes["partitions"] <= 3
    assert sizes["events"] <= 1


def test_a_run_that_ends_in_an_error_is_told_to_its_end():
    class Raises:
        name = "raises"

        def assign(self, request):
            raise RuntimeError("no idea")

    case = task_history(Seeded(0))
    assert broken(case, subject(Raises, "converges")) == {"total"}
    (told,) = DRIVER.narrate(case, subject(Raises))
    assert "no idea" in told["failure"]["message"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"processes": []}, "at least one process"),
        ({"stateful": 9}, "at most"),
        ({"processes": [{"process": "p", "threads": 1}]}, "expected a UUID"),
        ({"changes": [{"events": [{"event": "Nap", "process": "p"}]}]}, "unknown event 'Nap'"),
    ],
)
def test_what_is_no_history_is_said(change, said):
    with pytest.raises(InputError, match=said):
        DRIVER.form.read(DRIVER.form.write(task_history(Seeded(1))) | change, "case")


P, T = "00000000-0000-0000-0000-000000000001", TaskId(0, 0)


def of_threads(first, second):
    given = {f"{P}-0-0": ClientTasks(first), f"{P}-0-1": ClientTasks(second)}
    return TaskAssignment({P: ClientTasks((*first, *second))}, members=given)


def test_threads_are_compared_where_both_answers_name_them_and_processes_get_the_same():
    one, two, by_process = of_threads((T,), ()), of_threads((), (T,)), TaskAssignment({P: ClientTasks((T,))})
    other = of_threads((), ())

    def compared(answer, with_another):
        return DRIVER.parts(DRIVER.comparable(answer, with_another))

    assert compared(one, two) == {
        f"{P} active": (T,),
        f"{P} standby": (),
        f"{P}-0-0 active": (T,),
        "probing": False,
    }
    assert compared(two, one)[f"{P}-0-1 active"] == (T,)
    assert compared(one, one) == compared(one, of_threads((T,), ()))
    assert compared(one, by_process) == compared(by_process, one) == DRIVER.parts(by_process)
    assert compared(one, other) == DRIVER.parts(by_process)


BY_MEMBER = TaskAssignment({}, members={})


def drawn(rng):
    """Up to three processes of two threads and five tasks, the first of which have state."""
    count = rng.randint(0, 5)
    tasks = [TaskId(0, n) for n in range(count)]
    stateful = tuple(tasks[: rng.randint(0, count)])
    threads = [rng.randint(1, 2) for _ in range(rng.randint(1, 3))]
    seats = [(p, n) for p, size in enumerate(threads) for n in range(size)]
    ran = {task: rng.choice([None, *seats]) for task in tasks}
    clients = []
    for p, size in enumerate(threads):
        held = tuple(ClientTasks(tuple(t for t in tasks if ran[t] == (p, n))) for n in range(size))
        own = tuple(task for each in held for task in each.active)
        lags = tuple((t, RUNNING if t in own else rng.choice((0, 20_000, CHANGELOG))) for t in stateful)
        clients.append(TaskClient(process_id(2 * p), size, own, (), lags, held, rng.randint(0, 1)))
    return TaskRequest(tuple(clients), tuple(tasks), stateful)


def within_one(who, members):
    counts = [who.count(member) for member in members]
    return max(counts) - min(counts) <= 1


def test_the_least_and_the_most_are_those_of_all_balanced_answers():
    rng, apart = Random(17), 0
    for _ in range(80):
        request = drawn(rng)
        members = list(homes(request))
        balanced = [
            spent(request, dict(zip(request.tasks, who, strict=True)))
            for who in product(members, repeat=len(request.tasks))
            if within_one(who, members) and within_one(who[: len(request.stateful)], members)
        ]
        least = best_of_members(TaskStep(request, BY_MEMBER))
        assert (least.best, least.most) == (min(balanced), max(balanced))
        apart += least.most > least.best
    assert apart > 30


def test_without_members_in_the_answer_there_is_nothing_to_compare():
    request = drawn(Random(1))
    assert best_of_members(TaskStep(request, TaskAssignment({}))) is None
    assert best_of_members(TaskStep(TaskRequest((), (), ()), BY_MEMBER)) is None


OF_USERS, WITH_TAGS = TARGETS / "threads.py", TARGETS / "tags.py"
FAULTS = {
    "keeps a copy too few": "standby-count",
    "keeps copies everywhere": "standby-count",
    "keeps copies by name": "threads-balanced",
    "copies what has no state": "task-errors",
    "leaves out who has nothing": "task-errors",
    "gives all state to one": "stateful-balanced",
    "gives all to one": "balanced-within-one",
    "counts no threads": "balanced-optimal",
    "hands each task on": "converges",
    "deals what is new from the other end": "fixed-point",
    "warms everything up at first": "warm-ups",
    "goes by the list": "order-independent",
}


def verdicts(name, histories, of=OF_USERS, **settings):
    """The verdict on each claim on so many histories of a class of a user's file, in this process."""
    target = resolve(f"{of}:{name}", in_process=True, config=settings.get("config", {}))
    options = RunOptions(budget=Budget(histories=histories), controls=False, shrink=False, **settings)
    return {result.id: result.verdict for result in certify(target, options).claims}


@pytest.mark.slow_cases("hands each task on-converges")
@pytest.mark.parametrize(("fault", "claim"), FAULTS.items())
def test_a_users_faulty_assignor_breaks_the_claim_that_its_fault_is_about(fault, claim):
    judged = verdicts("ByProcess", 30, claims=(claim,), config={"fault": fault})
    assert judged[parse_claim(claim, STREAMS).id] is Verdict.VIOLATED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ByProcess", "ByMember"])
def test_a_users_sound_assignor_is_certified_by_all_that_it_declares(name):
    judged = verdicts(name, 90)
    assert set(judged.values()) == {Verdict.HOLDS}, judged
    assert len(judged) > 14


@pytest.mark.parametrize(
    "fault", ["knows no tags", "knows one tag", "forgets the other copies", "never gives a tag up"]
)
def test_a_users_fault_in_spreading_copies_over_tags_is_told(fault):
    judged = verdicts("BySharing", 60, of=WITH_TAGS, claims=("standby-tags",), config={"fault": fault})
    assert judged["standby-tags"] is Verdict.VIOLATED


def test_copies_that_share_as_few_tags_as_they_can_are_certified():
    """The rule compares every set of processes, which takes too long where they are many."""
    small = verdicts("BySharing", 130, of=WITH_TAGS, assume=frozenset({"small-sizes"}))
    assert set(small.values()) == {Verdict.HOLDS}
