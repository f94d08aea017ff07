"""What a run aims at: every situation that its claims require, early, and by the index alone."""

import itertools
from dataclasses import replace

import pytest

from kassay.assignors.registry import load_all
from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import RunOptions, aim_at, aims_of, profile_of
from kassay.engines.runs.verdicts import Tally, verdict_of
from kassay.engines.targets.resolve import resolve
from kassay.kinds.controls import load_controls
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.history import NewLeader
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.kinds import Verdict
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.protocols.kinds import COORDINATOR
from kassay.model.streams.kinds import STREAMS
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.assumptions import ASSUMPTIONS
from kassay.properties.registry import Scope, load_claims, situations_of
from tests.mutants import connect_assignors

WITHIN = 100
"""By this case every situation was aimed at, and reached."""
CORRECT = {
    (CLIENT, "eager"): "optimal-sticky",
    (CLIENT, "cooperative"): "optimal-cooperative",
    (SERVER, "eager"): "uniform",
    (SHARE, "eager"): "share-simple",
    (STREAMS, "eager"): "streams-high-availability",
    (PLACER, "eager"): "placement:striped",
    (PLANNER, "eager"): "plan:optimal",
    (PARTITIONER, "eager"): "partitioner:explicit",
    (CONNECT, "eager"): "connect-eager",
    (CONNECT, "cooperative"): "optimal-connect",
}
DECLARED = [
    (reference.kind, reference.protocol.value, reference.claims)
    for reference in load_all().values()
    if reference.kind is not COORDINATOR
]
EVERYTHING = [
    (kind, protocol, tuple(claim for of, claim in load_claims() if of is kind)) for kind, protocol in CORRECT
]


def required_names(kind, claims, assume=frozenset()):
    """The situations, by part, that the claims require of inputs like these."""
    return {
        name
        for situation in situations_of(kind)
        if not set(claims).isdisjoint(situation.required_by) and assume.isdisjoint(situation.excluded_by)
        for name in situation.names
    }


def reached_names(job, protocol):
    """What the first cases of the job reach against a correct target, until nothing required is lacking."""
    correct = resolve(CORRECT[job.target.kind, protocol])
    lacking = required_names(job.target.kind, [p.kind.id for p in job.claims], job.assume)
    looks = parse_claim("pure", job.target.kind) if (job.target.kind, "pure") in load_claims() else None
    with open_bench(Job(correct, RunOptions())) as bench:
        subject = replace(bench.subject, claims=(looks,) if looks else ())
        for index in range(WITHIN):
            if lacking:
                lacking -= job.driver.examine(job.case(index), subject).reached.keys()
    return lacking


@pytest.mark.parametrize(("kind", "protocol", "claims"), dict.fromkeys([*DECLARED, *EVERYTHING]))
def test_every_required_situation_is_reached_early(kind, protocol, claims):
    own = resolve(CORRECT[kind, protocol])
    job = Job(replace(own, claims=claims), RunOptions())
    assert reached_names(job, protocol) == set()


ALONE = [(kind, protocol, claim) for kind, protocol, claims in EVERYTHING for claim in claims]
CAUGHT_BY_CASES = [
    control
    for control in load_controls()
    if control.breaks not in ("deterministic", "terminates")
    and parse_claim(control.breaks, control.kind).kind.scope is not Scope.TIMING
]
"""The controls that cases catch: not by a process with another hash seed, an alarm, or a clock."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "protocol", "claim"), ALONE)
def test_what_a_claim_requires_is_reached_early_when_it_is_asked_alone(kind, protocol, claim):
    assert (
        reached_names(Job(resolve(CORRECT[kind, protocol]), RunOptions(claims=(claim,))), protocol) == set()
    )


def first_caught(control, seed, cases=WITHIN):
    """The first case that shows the control's fault to its claim alone; None if none of so many does."""
    claim = parse_claim(control.breaks, control.kind)
    target = resolve(CORRECT.get((control.kind, control.protocol.value)) or CORRECT[control.kind, "eager"])
    job = Job(target, RunOptions(claims=(control.breaks,), seed=seed))
    subject = Subject(control.new, control.protocol, (claim,))
    return next((i for i in range(cases) if job.driver.examine(job.case(i), subject).violations), None)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 6, 9))])
@pytest.mark.parametrize("control", CAUGHT_BY_CASES, ids=lambda control: f"{control.kind}-{control.name}")
def test_a_claim_asked_alone_catches_its_control_early(control, seed):
    assert first_caught(control, seed) is not None


@pytest.mark.parametrize("name", ["MovesWhileItWaits", "StartsWhatWasDeleted", "AnswersWhoLeft"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_a_claim_asked_alone_catches_the_fault_of_a_users_connect_assignor_early(name, seed):
    faulty = vars(connect_assignors)[name]
    claim = connect_assignors.FAULTY[faulty]
    target = resolve(f"{connect_assignors.__name__}:{name}", in_process=True)
    job = Job(target, RunOptions(claims=(claim,), seed=seed, in_process=True))
    with open_bench(job) as bench:
        assert any(bench.look(index)[1].violations for index in range(WITHIN))


@pytest.mark.parametrize("assume", ASSUMPTIONS)
@pytest.mark.parametrize("spec", ["optimal-sticky", "uniform"])
def test_an_assumption_takes_away_what_it_excludes_and_nothing_else(spec, assume):
    job = Job(resolve(spec), RunOptions(assume=frozenset({assume})))
    assert reached_names(job, "eager") == set()


@pytest.mark.parametrize(("kind", "protocol", "claims"), EVERYTHING)
def test_every_situation_that_a_claim_requires_has_a_recipe_but_for_what_is_always_there(
    kind, protocol, claims
):
    assert required_names(kind, claims) - driver_for(kind).aims.keys() <= {"two-objects"}


@pytest.mark.parametrize(("kind", "protocol", "claims"), EVERYTHING)
def test_all_recipes_have_had_their_turn_within_the_first_cases(kind, protocol, claims):
    statements = tuple(parse_claim(claim, kind) for claim in claims)
    aims = aims_of(kind, statements, frozenset(), driver_for(kind).aims)
    assert {aim_at(index, aims) for index in range(WITHIN)} - {""} == set(aims)
    assert len(set(aims)) == len(aims)


def test_every_second_case_is_aimed_and_the_rest_is_not():
    turns = [aim_at(index, ("a", "b", "c")) for index in range(12)]
    assert turns == ["", "a", "", "b", "", "c", "", "a", "", "b", "", "c"]
    assert [aim_at(index, ()) for index in range(3)] == [""] * 3


def test_what_is_aimed_at_follows_from_claims_and_not_from_the_target():
    claims = ("balanced-optimal", "stable")
    one, other = (
        Job(resolve(spec), RunOptions(claims=claims, seed=5)) for spec in ("range", "optimal-sticky")
    )
    assert one.aims == other.aims
    assert [one.case(index) for index in range(20)] == [other.case(index) for index in range(20)]
    fewer = Job(resolve("range"), RunOptions(claims=("topic-even",), seed=5))
    assert set(fewer.aims) < set(one.aims)


def test_a_shape_that_is_asked_for_is_what_every_case_has():
    assert Job(resolve("optimal-sticky"), RunOptions(profile="shape:range-idle")).aims == ()
    assert Job(resolve("optimal-sticky"), RunOptions(profile="large")).aims != ()


@pytest.mark.parametrize(
    ("claims", "often"),
    [
        ((), (False, False, False)),
        (("rack-local",), (True, False, False)),
        (("weighted-spread",), (False, True, False)),
        (("stable",), (False, False, False)),
        (("stable", "cooperative"), (False, False, True)),
    ],
)
def test_what_a_claim_speaks_of_is_there_often(claims, often):
    statements = tuple(parse_claim(claim, CLIENT) for claim in claims)
    profile = profile_of(CLIENT, statements, RunOptions())
    assert (profile.racked > 0.5, profile.weighted > 0.5, profile.quiet > 0.5) == often


def test_leaders_change_where_a_claim_speaks_of_it_or_implementations_are_mixed():
    def drawn(spec, **options):
        job = Job(resolve(spec), RunOptions(**options))
        events = [event for index in range(8) for change in job.case(index).changes for event in change]
        return any(isinstance(event, NewLeader) for event in events)

    assert not drawn("sticky")
    assert drawn("sticky", claims=("leader-neutral",))
    assert drawn("mixed:range,roundrobin", claims=("complete",))


class Counted:
    """An assignor object that counts how often it is asked."""

    def __init__(self, own, calls):
        self._own, self._calls = own, calls

    def __getattr__(self, name):
        return getattr(self._own, name)

    def assign(self, *asked):
        """What the object answers."""
        next(self._calls)
        return self._own.assign(*asked)


def test_a_slow_and_correct_sticky_assignor_is_certified_in_its_share_of_twenty_seconds():
    """At 6.5 ms a call half of 20 s are 1,538 calls, a third of them in wide cases; the rest is for controls."""
    job = Job(resolve("optimal-sticky"), RunOptions())
    calls = itertools.count()
    total = Tally()
    with open_bench(job) as bench:
        new = bench.subject.new
        bench.subject = replace(bench.subject, new=lambda config: Counted(new(config), calls))
        for start in range(0, WITHIN, 8):
            total.add(play_block(bench, start, start + 8))
            verdicts = {verdict_of(p, CLIENT, total, frozenset())[0] for p in job.claims}
            if verdicts == {Verdict.HOLDS}:
                break
    assert verdicts == {Verdict.HOLDS}
    assert next(calls) <= 1538
    assert all(claim.kind.scope is not Scope.TIMING for claim in job.claims)
