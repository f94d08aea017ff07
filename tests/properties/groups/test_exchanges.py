"""Equally balanced answers that cost more are found if and only if there are some.

Circles, their costs and the parts that hang together, beside what following every path says.
"""

import random

import pytest

from kassay.kinds.groups.oracle import best_of_group
from kassay.model.cluster import Cluster
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS
from kassay.properties.claims import parse_claim
from kassay.properties.groups.balance import ORDER, RACK_FIRST
from kassay.properties.groups.exchanges import (
    Arc,
    components,
    mismatches_more,
    moves_more,
    potentials,
    some_circle_costs,
)
from tests.properties.confirming import answered, both_seen, confirm
from tests.properties.groups.answers import valid_answers
from tests.properties.groups.plain_exchanges import plainly_mismatches_more, plainly_moves_more
from tests.properties.groups.priced import brute_best, larger_priced, priced_inputs
from tests.properties.groups.steps import assignment, member, step


@pytest.mark.parametrize("kind", CONSUMER_GROUPS, ids=str)
def test_the_fewest_moves_count_where_as_balanced_an_answer_moves_more(kind, few):
    found = parse_claim("sticky-minimal", kind)
    inputs = priced_inputs(False, few.all)
    both_seen(confirm(found, answered(step, valid_answers(step)), brute_best(step)) for step in inputs)


@pytest.mark.parametrize("order", [ORDER, RACK_FIRST])
def test_the_fewest_mismatches_count_where_as_good_an_answer_has_more(order, few):
    found = parse_claim(f"rack-local:{order}", CLIENT)
    inputs = priced_inputs(True, few.all)
    both_seen(confirm(found, answered(s, valid_answers(s)), brute_best(s, order)) for s in inputs)


@pytest.mark.parametrize(
    "spelled", ["balanced-optimal", "sticky-minimal", f"rack-local:{ORDER}", f"rack-local:{RACK_FIRST}"]
)
def test_larger_groups_and_the_solvers_own_assignments(spelled, few):
    found = parse_claim(spelled, CLIENT)
    outcomes = set()
    for asked in larger_priced(len(few(range(600), 25))):
        answers = valid_answers(asked)
        if len(answers) <= 500:
            best = best_of_group(asked, found.argument or ORDER)
            outcomes.add(confirm(found, answered(asked, answers), best))
    both_seen(outcomes)


def test_what_goes_through_nodes_for_readers_is_said_of_each_arc_too():
    seen = set()
    for asked in larger_priced(250, seed=7):
        fewest = best_of_group(asked, ORDER).assignment
        more = moves_more(asked, fewest)
        assert more is plainly_moves_more(asked, fewest)
        away = mismatches_more(asked, fewest, unmoved=True)
        assert away is plainly_mismatches_more(asked, fewest, unmoved=True)
        first = best_of_group(asked, RACK_FIRST).assignment
        free = mismatches_more(asked, first, unmoved=False)
        assert free is plainly_mismatches_more(asked, first, unmoved=False)
        seen |= {("moves", more), ("unmoved", away), ("free", free)}
    assert len(seen) == 6


def test_an_assignment_that_is_not_the_cheapest_is_refused():
    asked = step(
        [member("a", owned="t0"), member("b", owned="t1")], {"a": "t1", "b": "t0"}, Cluster.of({"t": 2})
    )
    assert moves_more(asked, assignment({"a": "t0", "b": "t1"}))
    with pytest.raises(ValueError, match="no exchange saves"):
        moves_more(asked, asked.given)


def reached(start, arcs):
    seen = {start}
    while more := {arc.target for arc in arcs if arc.source in seen} - seen:
        seen |= more
    return seen


def graphs(count, least):
    rng = random.Random(3)
    for _ in range(count):
        nodes = rng.randint(1, 6)
        yield [
            Arc(rng.randrange(nodes), rng.randrange(nodes), rng.randint(least, 2))
            for _ in range(rng.randint(0, 12))
        ]


def test_nodes_are_of_one_component_iff_each_leads_to_the_other():
    for arcs in graphs(200, 0):
        number = components(arcs)
        ways = {node: reached(node, arcs) for node in number}
        for one in number:
            for other in number:
                both = other in ways[one] and one in ways[other]
                assert (number[one] == number[other]) is both


def test_no_arc_is_cheaper_than_its_potentials_say():
    refused = 0
    for arcs in graphs(200, -1):
        try:
            potential = potentials(arcs)
        except ValueError:
            refused += 1
            continue
        assert all(arc.cost + potential[arc.source] >= potential[arc.target] for arc in arcs)
    assert 0 < refused < 200


def test_where_nothing_costs_less_than_nothing_a_circle_costs_iff_an_arc_on_it_does():
    for arcs in graphs(200, 0):
        assert some_circle_costs(arcs) is any(a.cost and a.source in reached(a.target, arcs) for a in arcs)


def test_a_circle_may_cost_nothing_although_its_arcs_do():
    assert not some_circle_costs([Arc("a", "b", 1), Arc("b", "a", -1)])
    assert some_circle_costs([Arc("a", "b", 2), Arc("b", "a", -1)])


def test_a_circle_that_costs_less_than_nothing_is_refused():
    with pytest.raises(ValueError, match="no exchange saves"):
        some_circle_costs([Arc("a", "b", 0), Arc("b", "a", -1)])
