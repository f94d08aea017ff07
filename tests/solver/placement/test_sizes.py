"""Bytes that are evened out: nothing that goes before them is touched, and no placement gets below the bound."""

from collections import Counter
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.check.check import require_accepted
from kassay.solver.placement.documents import solve_placement, solve_within
from kassay.solver.placement.optimum import best_placement
from kassay.solver.placement.problem import Broker, PlacedTopic, PlacementProblem
from kassay.solver.placement.sizes import even_sizes, evened, least_busiest


@st.composite
def problems(draw, brokers=5, partitions=6):
    racks = draw(st.sampled_from([(None,), ("a", "b"), ("a", "b", "c")]))
    count = draw(st.integers(3, brokers))
    cordoned = draw(st.sets(st.integers(3, brokers - 1), max_size=1))
    members = tuple(Broker(n, racks[n % len(racks)], cordoned=n in cordoned) for n in range(count))
    rf = draw(st.integers(1, min(3, count - len(cordoned))))
    rows = draw(
        st.lists(
            st.permutations(range(count)).map(lambda row: tuple(row[:rf])), min_size=1, max_size=partitions
        )
    )
    problem = PlacementProblem(members, (PlacedTopic("t", len(rows), rf),), {"t": tuple(rows)})
    return problem, draw(st.lists(st.integers(0, 50), min_size=len(rows), max_size=len(rows)))


def bytes_by_broker(rows, sizes):
    held = Counter()
    for row, size in zip(rows, sizes, strict=True):
        held.update(dict.fromkeys(row, size))
    return held


@settings(max_examples=40)
@given(problems())
def test_counts_copies_and_racks_stay_as_they_were_and_the_proof_accepts_it(posed):
    problem, sizes = posed
    best = best_placement(problem)
    mine = evened(best, sizes)
    assert (mine.replicas, mine.copies) == (best.replicas, best.copies)
    before, after = (sum(v * v for v in bytes_by_broker(each.rows, sizes).values()) for each in (best, mine))
    assert after <= before
    solved = solve_placement(problem, sizes=sizes)
    assert require_accepted(solved.certificate, "mine")["status"] == "optimal"
    within = solve_within(problem, best.copies, None, sizes)
    assert require_accepted(within.certificate, "mine")


@settings(max_examples=25)
@given(problems(brokers=4, partitions=3))
def test_no_placement_has_its_busiest_broker_below_the_bound(posed):
    problem, sizes = posed
    racks = problem.racks or (0,) * len(problem.brokers)
    rf = problem.topics[0].rf
    spread = problem.spread(rf)
    able = [
        row
        for row in combinations(range(len(problem.brokers)), rf)
        if all(spread.least <= Counter(racks[b] for b in row)[rack] <= spread.most for rack in set(racks))
    ]
    busiest = min(
        max(bytes_by_broker(rows, sizes).values(), default=0) for rows in product(able, repeat=len(sizes))
    )
    assert least_busiest(problem, sizes) <= busiest


def test_sizes_that_lie_badly_are_put_right_without_a_copy_more():
    brokers = tuple(Broker(n) for n in range(4))
    rows = ((0,), (0,), (0,), (0,), (1,), (1,), (1,), (1,))
    problem = PlacementProblem(brokers, (PlacedTopic("t", 8, 1),), {"t": rows})
    sizes = [100, 100, 1, 1, 100, 100, 1, 1]
    picks = [{0}, {0}, {2}, {2}, {1}, {1}, {3}, {3}]
    mine = bytes_by_broker(even_sizes(problem, picks, sizes), sizes)
    assert sorted(mine.values()) == [101, 101, 101, 101]
    assert least_busiest(problem, sizes) == 101
