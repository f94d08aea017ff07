"""Closed forms are what the references answer: every group of small sizes fits, and of an exact form none else."""

from itertools import product

import pytest
import z3

from kassay.assignors.client.ceil_range import CeilRange
from kassay.assignors.client.range import Range
from kassay.assignors.client.roundrobin import RoundRobin
from kassay.assignors.placement.rack_aware import RackAware
from kassay.assignors.placement.rack_unaware import RackUnaware
from kassay.assignors.placement.striped import Striped
from kassay.model.cluster import Broker, Cluster
from kassay.model.groups.group import Group, Member
from kassay.model.java.randomness import JavaRandom
from kassay.model.placement.request import PlacementRequest
from kassay.solver.proofs.closed_forms import FORMS

RULES = {"range": Range, "roundrobin": RoundRobin, "ceil-range": CeilRange}


def loads_of(rule, members, sizes):
    names = tuple(f"t{i}" for i in range(len(sizes)))
    group = Group(tuple(Member(f"m{i}", names) for i in range(members)))
    answer = rule().assign(Cluster.of(dict(zip(names, sizes))), group)
    return [len(answer.get(f"m{i}", ())) for i in range(members)]


def seen_of(spec, members, total):
    """(topics, partitions, most, least) of every group of that many partitions."""
    most_topics = 1 if spec == "ceil-range" else total
    for topics in range(1, most_topics + 1):
        for sizes in product(range(1, total + 1), repeat=topics):
            if sum(sizes) == total:
                loads = loads_of(RULES[spec], members, sizes)
                yield topics, total, max(loads), min(loads)


@pytest.mark.parametrize("spec", RULES)
@pytest.mark.parametrize(("members", "total"), [(1, 3), (2, 4), (3, 4), (3, 5), (4, 2)])
def test_the_solutions_of_an_exact_form_are_the_groups_that_there_are(spec, members, total):
    form = FORMS[spec][0]
    assert form.exact
    whole = form.whole()
    terms = [whole.terms[name] for name in ("topics", "partitions", "max(load)", "min(load)")]
    solver = z3.Solver()
    solver.add(*whole.known, whole.terms["members"] == members, whole.terms["partitions"] == total)
    solutions = set()
    while solver.check() == z3.sat:
        values = tuple(solver.model().eval(term, model_completion=True).as_long() for term in terms)
        solutions.add(values)
        solver.add(z3.Not(z3.And(*(term == value for term, value in zip(terms, values)))))
    assert solutions == set(seen_of(spec, members, total))


@pytest.mark.parametrize("spec", ["range", "roundrobin"])
def test_a_topic_s_shares_are_within_the_form(spec):
    share = FORMS[spec][1].each["topics"]("t")
    for members, size, before in product((1, 2, 3, 4), range(1, 7), (0, 1, 3)):
        names = ("a", "b")
        group = Group(tuple(Member(f"m{i}", names) for i in range(members)))
        answer = RULES[spec]().assign(Cluster.of({"a": before, "b": size} if before else {"b": size}), group)
        shares = [sum(tp.topic == "b" for tp in answer.get(f"m{i}", ())) for i in range(members)]
        solver = z3.Solver()
        solver.add(*share.known, share.terms["partitions"] == size, share.terms["readers"] == members)
        assert solver.check() == z3.sat
        solver.add(share.terms["spread"] != max(shares) - min(shares))
        assert solver.check() == z3.unsat


def placed(rule, partitions, rf, racks, seed):
    brokers = tuple(Broker(i, None if rack is None else f"r{rack}") for i, rack in enumerate(racks))
    start = seed % len(brokers)
    request = PlacementRequest(partitions, rf, brokers, fixed_start_index=start)
    return rule().place(request, JavaRandom(seed))


def solver_of(*known):
    solver = z3.Solver()
    solver.add(*known)
    return solver


def possible(solver, terms, values):
    """Whether the form has a solution of these values."""
    return solver.check(*(terms[name] == value for name, value in values.items())) == z3.sat


def sized(racks, partitions, rf):
    return {"brokers": len(racks), "partitions": partitions, "rf": rf, "racks": len(set(racks) - {None})}


def extremes(rows, brokers):
    replicas = [sum(b in row for row in rows) for b in range(brokers)]
    leaders = [sum(row[0] == b for row in rows) for b in range(brokers)]
    return {
        "max(replicas)": max(replicas),
        "min(replicas)": min(replicas),
        "max(leaders)": max(leaders),
        "min(leaders)": min(leaders),
    }


PLACERS = {
    "placement:rack-unaware": RackUnaware,
    "placement:rack-aware": RackAware,
    "placement:striped": Striped,
}


@pytest.mark.parametrize("spec", PLACERS)
def test_every_placement_without_racks_is_within_the_form_of_its_rule(spec):
    whole = FORMS[spec][0].whole()
    solver = solver_of(*whole.known)
    for brokers, partitions in product(range(1, 5), range(1, 9)):
        for rf in range(1, brokers + 1):
            for seed in range(brokers):
                racks = (None,) * brokers
                rows = placed(PLACERS[spec], partitions, rf, racks, seed)
                values = sized(racks, partitions, rf) | extremes(rows, brokers)
                assert possible(solver, whole.terms, values), values


@pytest.mark.parametrize("racks", [(0,), (0, 1), (0, 0, 1), (0, 1, 1, 1), (0, 0, 1, 1), (0, 0, 1, 2)])
def test_leaders_of_rack_aware_go_in_turn_whatever_the_racks(racks):
    whole = FORMS["placement:rack-aware"][1].whole()
    solver = solver_of(*whole.known)
    for partitions, rf in product(range(1, 10), range(1, len(racks) + 1)):
        for seed in range(len(racks)):
            found = extremes(placed(RackAware, partitions, rf, racks, seed), len(racks))
            leaders = {name: found[name] for name in ("max(leaders)", "min(leaders)")}
            assert possible(solver, whole.terms, sized(racks, partitions, rf) | leaders)


@pytest.mark.parametrize("racks", [(0, 0), (0, 1, 0, 1), (0, 0, 0, 1, 1, 1), (0, 1, 2) * 2])
def test_each_rack_of_stripes_over_equal_racks_is_within_the_form(racks):
    form = FORMS["placement:striped"][1]
    whole, rack = form.whole(), form.each["racks"]("r")
    terms = {**whole.terms, **rack.terms, "brokers": whole.terms["brokers"]}
    solver, count = solver_of(*whole.known, *rack.known), len(set(racks))
    for partitions, rf, seed in product(range(1, 14), range(1, count + 1), range(2)):
        rows = placed(Striped, partitions, rf, racks, seed)
        for each in range(count):
            values = {
                "replicas": sum(racks[b] == each for row in rows for b in row),
                "leaders": sum(racks[row[0]] == each for row in rows),
            }
            assert possible(solver, terms, sized(racks, partitions, rf) | values), (partitions, rf, values)


def test_stripes_over_racks_of_one_broker_are_no_formula():
    """A list exhausted at the start of a lap, and not touched since, is passed over at the next start."""
    leaders = [row[0] for row in placed(Striped, 5, 1, (0, 1, 2), 0)]
    assert max(leaders.count(broker) for broker in range(3)) == 3 > -(-5 // 3)
    assert "brokers > racks" in FORMS["placement:striped"][1].needs
