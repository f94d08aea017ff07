"""Wide requests: each class and size is made, is recognised, stays sound, trips a wire, and shrinks away."""

import pytest

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.assignors.registry import load_all
from kassay.kinds.judging import Subject
from kassay.kinds.placement.kind import PlacementCase, PlacementDriver, PlanDriver
from kassay.kinds.wide import Widths, wide_case
from kassay.model.cluster import Broker
from kassay.model.kinds import RebalanceProtocol
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Move, Plan
from kassay.model.placement.request import PlacementRequest
from kassay.properties.claims import parse_claim
from kassay.properties.profile import Profile
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Seeded
from tests.kinds.descent import descent
from tests.mutants import placers

DRIVERS = {PLACER: PlacementDriver(PLACER), PLANNER: PlanDriver(PLANNER)}
PROFILE = Profile()
CLASSES = [
    (kind, each, known) for kind, own in DRIVERS.items() for each in own.ranges for known in each.classes
]
SIZES = [
    (kind, size, number)
    for kind, own in DRIVERS.items()
    for size in own.countable
    for number in (*size.small, *size.large)
]
REFERENCES = [known for known in load_all().values() if known.kind in DRIVERS]
SOUND = {PLACER: placers.Sound, PLANNER: OptimalPlan}
REFUSED = {("replication factor", "one more than brokers"), ("replication factor", "32767")}
"""Classes with which the right answer is an error."""
DECLINED = {
    *(
        ("brokers without a rack", known)
        for known in ("one broker without", "only one broker with", "half without")
    ),
    *(("fenced brokers", known) for known in ("fewer left than the factor", "all")),
}
"""Classes with which an error may be the answer."""
all_classes = pytest.mark.parametrize(
    ("kind", "range_", "wanted"), CLASSES, ids=[f"{k}, {r.id}: {c}" for k, r, c in CLASSES]
)
all_sizes = pytest.mark.parametrize(
    ("kind", "size", "number"), SIZES, ids=[f"{k}, {n} {s.id}" for k, s, n in SIZES]
)


def subject(kind, new, *claims):
    validity = validity_claims(kind)
    known = {made.id for made in validity}
    statements = (*validity, *(parse_claim(claim, kind) for claim in claims if claim not in known))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements)


def case_of(kind, range_, wanted, seed=0):
    source = Seeded(seed)
    return range_.widen(DRIVERS[kind].generate(source, PROFILE), wanted, source)


def broken(kind, case, whom):
    return {violation.claim for violation in DRIVERS[kind].examine(case, whom).violations}


class Tripwire:
    """Correct on every request but those that show a class: there each answer is spoilt."""

    def __init__(self, kind, seen, spoil):
        self.rule, self.seen, self.spoil = SOUND[kind](), seen, spoil

    def place(self, request, random):
        answer = self.rule.place(request, random)
        return self.spoil(answer, request) if self.seen(PlacementCase(request, 0)) else answer

    def plan(self, request):
        answer = self.rule.plan(request)
        return self.spoil(answer, request) if self.seen(request) else answer


def _raises(answer, request):
    raise IndexError("the table is full")


def _repeats(answer, request):
    """A broker twice, or one replica too few."""
    if isinstance(answer, Plan):
        partition, row = request.before[0]
        return Plan(request.brokers, request.before, (Move(partition, row[0]),), request.replication_factor)
    return ((answer[0][0],) * max(2, len(answer[0])), *answer[1:])


def caught(kind, case, seen, spoil):
    return broken(kind, case, subject(kind, lambda: Tripwire(kind, seen, spoil)))


# Ranges


@all_classes
def test_each_class_is_made_in_a_legal_request_and_recognised(kind, range_, wanted):
    driver = DRIVERS[kind]
    for seed in range(25):
        case = case_of(kind, range_, wanted, seed)
        assert range_.seen(case, wanted)
        assert driver.read(driver.form.write(case)) == case
        request = case if kind is PLANNER else case.request
        ids = [broker.broker_id for broker in request.brokers]
        assert len(set(ids)) == len(ids)
        assert min(ids) >= 0
        assert max(ids) < 2**31
        if kind is PLANNER:
            assert all(len(set(row)) == len(row) == request.replication_factor for _, row in request.before)
        else:
            assert all(len(set(row)) == len(row) for row in request.existing)


def test_most_classes_are_not_in_plain_requests():
    plain = {
        kind: [own.generate(Seeded(seed), PROFILE) for seed in range(60)] for kind, own in DRIVERS.items()
    }
    new = [(k, r.id, c) for k, r, c in CLASSES if not any(r.seen(case, c) for case in plain[k])]
    assert len(new) > len(CLASSES) * 0.4


@pytest.mark.slow
@all_classes
def test_references_keep_their_claims_on_each_class(kind, range_, wanted):
    for seed in range(3):
        case = case_of(kind, range_, wanted, seed)
        for known in REFERENCES:
            if known.kind is kind:
                assert broken(kind, case, subject(kind, known.factory, *known.claims)) == set(), known.name


@pytest.mark.slow
@all_classes
def test_what_fails_only_on_a_class_is_caught(kind, range_, wanted):
    cases = [case_of(kind, range_, wanted, seed) for seed in range(20)]
    if (range_.id, wanted) in REFUSED:
        assert "too-few-brokers" in broken(kind, cases[0], subject(kind, _PlacesAlways))
    elif (range_.id, wanted) not in DECLINED:
        case = next(case for case in cases if _is_answered(kind, case))
        assert "total" in caught(kind, case, lambda c: range_.seen(c, wanted), _raises)
        assert "replicas-distinct" in caught(kind, case, lambda c: range_.seen(c, wanted), _repeats)


@pytest.mark.parametrize(("id_", "wanted"), sorted(DECLINED))
def test_what_fails_where_it_may_decline_is_caught(id_, wanted):
    (range_,) = (each for each in DRIVERS[PLACER].ranges if each.id == id_)
    case = case_of(PLACER, range_, wanted)
    whom = subject(PLACER, _RepeatsFirst)
    assert "replicas-distinct" in broken(PLACER, case, whom)
    assert "total" in broken(PLACER, case, subject(PLACER, _Raises))


class _Raises:
    """Fails everywhere."""

    def place(self, request, random):
        raise IndexError("the table is full")


class _RepeatsFirst:
    """One broker for all replicas, and one more."""

    def place(self, request, random):
        return ((request.brokers[0].broker_id,) * (request.replication_factor + 1),) * request.partitions


class _PlacesAlways:
    """Places on the first broker, however many replicas are wanted."""

    def place(self, request, random):
        return ((request.brokers[0].broker_id,),) * request.partitions


def _is_answered(kind, case):
    """Whether the sound rule answers the request."""
    try:
        SOUND[kind]().plan(case) if kind is PLANNER else SOUND[kind]().place(case.request, None)
    except Exception:
        return False
    return True


@pytest.mark.slow
@all_classes
def test_a_wide_request_shrinks_to_the_smallest_where_it_does_not_matter(kind, range_, wanted):
    driver = DRIVERS[kind]
    smallest = descent(driver, case_of(kind, range_, wanted))
    if kind is PLACER:
        assert smallest.request == PlacementRequest(1, 1, (Broker(0),))
    else:
        ((partition, row),) = smallest.before
        (broker,) = smallest.brokers
        assert partition.topic in ("t0", "t1")
        assert (len(row), broker.rack) == (1, None)
        assert broker.broker_id < 100
        assert partition.partition < 10


# Sizes


@pytest.mark.slow
@all_sizes
def test_each_size_is_made_and_what_fails_only_there_is_caught(kind, size, number):
    driver = DRIVERS[kind]
    case = driver.sized(Seeded(number), PROFILE, {size.id: number})
    assert size.count(case) == number
    assert driver.read(driver.form.write(case)) == case
    assert all(each.count(case) < 10 for each in driver.countable if each is not size)
    for known in REFERENCES:
        if known.kind is kind:
            assert broken(kind, case, subject(kind, known.factory, *known.claims)) == set(), known.name
    assert "total" in caught(kind, case, lambda c: size.count(c) >= number, _raises)
    assert "replicas-distinct" in caught(kind, case, lambda c: size.count(c) >= number, _repeats)


@pytest.mark.parametrize("kind", DRIVERS, ids=str)
def test_small_sizes_come_together(kind):
    driver = DRIVERS[kind]
    for turn in range(8):
        sizes = {s.id: s.small[(turn + place) % len(s.small)] for place, s in enumerate(driver.countable)}
        case = driver.sized(Seeded(turn), PROFILE, sizes)
        assert {size.id: size.count(case) for size in driver.countable} == sizes


@pytest.mark.parametrize("kind", DRIVERS, ids=str)
def test_a_run_shows_every_class(kind):
    driver = DRIVERS[kind]
    widths = Widths(driver, frozenset())
    left = {(dimension, known) for dimension, own in widths.expected().items() for known in own}
    for turn in range(400):

        def generate(source, plan, attempt):
            wanted = driver.wide_profile(PROFILE, plan.dimensions)
            if plan.sizes:
                return driver.sized(source, wanted, plan.sizes)
            return driver.generate(source, wanted)

        left -= {*wide_case(widths, turn, turn, generate)[1]}
        if not left:
            break
    assert not left


def test_no_class_has_racks_where_they_are_excluded():
    assume = frozenset({"no-racks"})
    driver, profile = DRIVERS[PLACER], Profile(assume=assume)
    widths = Widths(driver, assume)
    assert "rack names" not in widths.expected()
    for each in widths.numbers:
        for known in each.classes:
            source = Seeded(1)
            case = each.widen(driver.generate(source, profile), known, source)
            assert all(broker.rack is None for broker in case.request.brokers)
    for size in widths.sizes:
        case = driver.sized(Seeded(2), profile, {size.id: 9})
        assert all(broker.rack is None for broker in case.request.brokers)


def test_a_large_factor_shrinks_in_few_steps():
    (range_,) = (each for each in DRIVERS[PLACER].ranges if each.id == "replication factor")
    case = case_of(PLACER, range_, "32767")
    first = next(DRIVERS[PLACER].shrink_candidates(case))
    assert first.request.replication_factor == len(case.request.brokers) + 1


@pytest.mark.parametrize("kind", DRIVERS, ids=str)
def test_large_ids_shrink_to_the_smallest_that_matters(kind):
    (range_,) = (each for each in DRIVERS[kind].ranges if each.id == "broker ids")
    case, driver = case_of(kind, range_, "32767 and 32768"), DRIVERS[kind]

    def largest(case):
        request = case if kind is PLANNER else case.request
        return max(broker.broker_id for broker in request.brokers)

    steps = 0
    while less := next((c for c in driver.shrink_candidates(case) if largest(c) > 300), None):
        case, steps = less, steps + 1
        assert steps < 200
    assert largest(case) == 301
