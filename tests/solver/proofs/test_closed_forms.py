"""Closed forms are what the references answer: every group of small sizes fits, and of an exact form none else."""

from itertools import product

import pytest
import z3

from kassay.assignors.client.ceil_range import CeilRange
from kassay.assignors.client.range import Range
from kassay.assignors.client.roundrobin import RoundRobin
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
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


def solutions_of(unknowns, names, *fixed):
    """The values that the terms of these names have together."""
    terms = [unknowns.terms[name] for name in names]
    solver = z3.Solver()
    solver.add(*unknowns.known, *fixed)
    while solver.check() == z3.sat:
        values = tuple(solver.model().eval(term, model_completion=True).as_long() for term in terms)
        yield values
        solver.add(z3.Not(z3.And(*(term == value for term, value in zip(terms, values)))))


@pytest.mark.parametrize(("members", "total"), [(1, 2), (2, 0), (2, 3), (3, 2)])
def test_without_the_rule_a_form_has_all_loads_that_there_are_and_no_others(members, total):
    loads = FORMS["range"][0].anything.whole()
    sizes = loads.terms["members"] == members, loads.terms["partitions"] == total
    found = set(solutions_of(loads, ("max(load)", "min(load)", "sum(load)"), *sizes))
    every = [each for each in product(range(total + 1), repeat=members) if sum(each) <= total]
    assert found == {(max(each), min(each), sum(each)) for each in every}


@pytest.mark.parametrize(("readers", "size"), [(1, 2), (2, 2), (3, 2)])
def test_without_the_rule_a_topic_has_all_spreads_that_there_are_and_no_others(readers, size):
    share = FORMS["range"][1].anything.each["topics"]("t")
    sizes = share.terms["readers"] == readers, share.terms["partitions"] == size
    every = [each for each in product(range(size + 1), repeat=readers) if sum(each) <= size]
    assert set(solutions_of(share, ("spread",), *sizes)) == {(max(each) - min(each),) for each in every}


@pytest.mark.parametrize("spec", FORMS)
def test_what_a_rule_answers_is_among_what_any_could(spec):
    """Whatever is false of any answer is false of the rule's: a formula's words have one more value at least."""
    for form in FORMS[spec]:
        anything = form.anything.whole()
        assert anything.terms.keys() == form.whole().terms.keys() | (anything.terms.keys() & ANY_WORDS)
        assert form.anything.each.keys() == form.each.keys()
        for things, each in form.each.items():
            assert each("x").terms.keys() <= form.anything.each[things]("x").terms.keys()


ANY_WORDS = {f"{of}({word})" for of in ("max", "min", "sum") for word in ("leaders", "replicas")}
