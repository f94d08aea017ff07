from __future__ import annotations

import pytest

from kassay.solver.consumers.explain import explain_balance, why_not_at_least, why_not_at_most
from kassay.solver.consumers.optimum import optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.consumers import consumer


def test_the_sentence_names_who_forces_it() -> None:
    document = {
        "family": "A",
        "members": [
            {"id": "a", "topics": ["t"]},
            {"id": "b", "topics": ["t", "u"]},
            {"id": "c", "topics": ["u"]},
        ],
        "topics": [{"name": "t", "partitions": 11}, {"name": "u", "partitions": 1}],
    }
    heaviest, lightest = explain_balance(optimum(Problem.parse(document)))
    assert heaviest.sentence == (
        "t has 11 partitions, read by a, b alone; 2 x 5 = 10 is too little, so somebody has at least 6."
    )
    assert lightest.sentence == (
        "c reads u (1 partition) and nothing else; 1 x 2 = 2 is more, so somebody has at most 1."
    )


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_those_of_the_optimum_and_sets_are_minimal(seed: int) -> None:
    problem = Problem.parse(consumer("random", seed, members=7, partitions=25, topics=5, density=30))
    best = optimum(problem)
    heaviest = why_not_at_most(problem, best.loads[-1] - 1)
    lightest = why_not_at_least(problem, best.loads[0] + 1)
    assert heaviest is not None
    assert lightest is not None
    assert heaviest.bound == best.loads[-1]
    assert lightest.bound == best.loads[0]
    readers = {m.member_id for m in problem.members if m.topics & set(heaviest.topics)}
    assert readers == set(heaviest.members)
    assert why_not_at_most(problem, best.loads[-1]) is None
    assert why_not_at_least(problem, best.loads[0]) is None


def test_an_even_balance_needs_no_explanation() -> None:
    assert explain_balance(optimum(Problem.parse(consumer("join", 1)))) == ()
