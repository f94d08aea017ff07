"""Circles, their costs and the parts that hang together, beside what following every path says."""

import random

import pytest

from kassay.properties.groups.circles import Arc, components, potentials, some_circle_costs


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
