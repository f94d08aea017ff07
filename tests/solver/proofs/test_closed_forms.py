"""Closed forms are what the references answer: every group of small sizes fits, and of an exact form none else.

The placers' formulas allow every placement that there is: all small topics, from all starts and distances.

A closed form speaks the language of sentences: what its terms and conditions are called are words of it.
"""

from collections import Counter
from itertools import permutations, product

import pytest
import z3

from kassay.assignors.groups.client.ceil_range import CeilRange
from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.placement.rack_aware import RackAware
from kassay.assignors.placement.rack_unaware import RackUnaware
from kassay.assignors.placement.striped import Striped
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Broker, Cluster
from kassay.model.groups.group import Group, Member
from kassay.model.java import JavaRandom, Recorded
from kassay.model.placement.request import PlacementRequest
from kassay.properties.sentences.claims import vocabulary_of
from kassay.solver.proofs.closed_forms import FORMS, PLACED

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
    form = FORMS[spec][0]
    whole, broker = form.whole(), form.each["brokers"]("x")
    solver = solver_of(*whole.known, *broker.known)
    for brokers, partitions in product(range(1, 5), range(1, 9)):
        for rf, seed in product(range(1, brokers + 1), range(brokers)):
            racks = (None,) * brokers
            rows = placed(PLACERS[spec], partitions, rf, racks, seed)
            values = sized(racks, partitions, rf) | extremes(rows, brokers)
            terms = {**whole.terms, **broker.terms}
            for own in {tuple(each.items()) for each in numbers_of(rows, racks, "brokers")}:
                assert possible(solver, terms, values | dict(own)), (values, own)


def numbers_of(rows, racks, things):
    """What the things of each kind have of the first rows, as a sentence names it."""
    numbers = {
        "replicas": Counter(b for row in rows for b in row),
        "leaders": Counter(row[0] for row in rows if row),
    }
    if things == "racks":
        return [
            {"brokers": racks.count(r)}
            | {name: sum(of[b] for b in range(len(racks)) if racks[b] == r) for name, of in numbers.items()}
            for r in sorted(set(racks))
        ]
    if things == "brokers":
        return [{name: of[b] for name, of in numbers.items()} for b in range(len(racks))]
    return [{"replicas": len(set(row)), "racks": len({racks[b] for b in row})} for row in rows]


def rack_aware_topics(racks, most):
    """(replication factor, rows) of each topic of up to `most` partitions, from all starts and distances."""
    size = len(racks)
    brokers = tuple(Broker(i, f"r{rack}") for i, rack in enumerate(racks))
    for rf, start, shift in product(range(1, size + 1), range(size), range(max(1, size - 1))):
        rows = RackAware().place(
            PlacementRequest(most, rf, brokers), Recorded([(size, start), (size, shift)])
        )
        for partitions in range(1, most + 1):
            yield rf, rows[:partitions]


def assert_within(form, racks, most):
    """Every topic of `rack-aware` on these racks is within the form: as a whole, and each of its things."""
    whole, solvers = form.whole(), {}
    for things, each in form.each.items():
        unknowns = each("x")
        terms = {**whole.terms, **unknowns.terms}
        solvers[things] = solver_of(*whole.known, *unknowns.known), terms
        sizes = {name: whole.terms[name] for name in ("brokers", "partitions", "rf", "racks")}
        solvers[things][1].update({f"the {name}": term for name, term in sizes.items()})
    seen = set()
    for rf, rows in rack_aware_topics(racks, most):
        whole_values = {f"the {name}": value for name, value in sized(racks, len(rows), rf).items()}
        whole_values |= extremes(rows, len(racks))
        for things, (solver, terms) in solvers.items():
            for own in numbers_of(rows, racks, things):
                values = whole_values | own
                key = things, *values.values()
                if key not in seen:
                    seen.add(key)
                    assert possible(solver, terms, values), (things, values)


_, EVENLY_ALTERNATED, ALTERNATED = FORMS["placement:rack-aware"]


@pytest.mark.parametrize("racks", [(0,), (0, 1), (0, 0, 0), (0, 0, 1, 1)])
def test_rack_aware_with_equal_racks_is_within_its_form(racks):
    assert_within(EVENLY_ALTERNATED, racks, 3 * len(racks) + 1)


@pytest.mark.parametrize("racks", [(0,), (0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 1, 1)])
def test_rack_aware_with_racks_of_whatever_sizes_is_within_its_form(racks):
    assert_within(ALTERNATED, racks, 2 * len(racks) + 1)


EQUAL = [
    tuple(broker // each for broker in range(racks * each))
    for racks, each in product(range(1, 8), repeat=2)
    if racks * each <= 7
]


@pytest.mark.slow
@pytest.mark.parametrize("racks", EQUAL)
def test_rack_aware_with_all_small_equal_racks_is_within_both_forms(racks):
    for form in (EVENLY_ALTERNATED, ALTERNATED):
        assert_within(form, racks, 2 * len(racks) + 1)


SMALL = [(0, *others) for size in range(1, 4) for others in product(range(3), repeat=size)]


@pytest.mark.slow
@pytest.mark.parametrize("racks", [*SMALL, (0, 0, 0, 1, 2), (0, 1, 1, 1, 1), (0, 0, 1, 1, 1, 2)])
def test_rack_aware_with_all_small_racks_is_within_its_form(racks):
    assert_within(ALTERNATED, racks, 2 * len(racks) + 3)


def test_a_broker_alone_in_its_rack_is_beyond_the_form_of_equal_racks():
    """With racks of 2 and 1 brokers the one has all replicas, where equal racks would share them."""
    whole = EVENLY_ALTERNATED.whole()
    rows = next(rows for rf, rows in rack_aware_topics((0, 0, 1), 3) if rf == 2 and len(rows) == 3)
    values = sized((0, 0, 1), 3, 2) | extremes(rows, 3)
    assert values["max(replicas)"] == 3
    unequal = {name: value for name, value in values.items() if name != "racks"}
    assert not possible(solver_of(*whole.known), whole.terms, unequal)


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


@pytest.mark.parametrize("racks", [(None, None, None), (0, 1), (0, 0, 1), (0, 0, 1, 1)])
def test_any_placement_is_within_the_forms_without_their_rules(racks):
    """All ways to put two partitions on up to three distinct brokers each, or on none."""
    size = len(racks)
    rows = [row for length in range(min(3, size) + 1) for row in permutations(range(size), length)]
    numbers = sized(racks, 2, 1)
    forms = 0
    for forms_of_rule in PLACED.values():
        for form in forms_of_rule:
            whole = form.anything.whole()
            if not possible(solver_of(*whole.known), whole.terms, numbers):
                continue
            forms += 1
            for things, each in form.anything.each.items():
                unknowns = each("x")
                solver = solver_of(*whole.known, *unknowns.known)
                solver.add(*(whole.terms[name] == value for name, value in numbers.items()))
                every = {
                    (tuple(own.items()), tuple(extremes_of_any(pair, size).items()))
                    for pair in product(rows, repeat=2)
                    for own in numbers_of(pair, racks, things)
                }
                for own, whole_values in every:
                    mine = [unknowns.terms[name] == value for name, value in own if name in unknowns.terms]
                    theirs = [whole.terms[name] == value for name, value in whole_values]
                    assert solver.check(*mine, *theirs) == z3.sat, (things, own, whole_values)
    assert forms >= 1


def extremes_of_any(rows, brokers):
    """The largest, smallest and total numbers of replicas and leaders; a partition may have none."""
    led = [row for row in rows if row]
    totals = {"sum(replicas)": sum(map(len, rows)), "sum(leaders)": len(led)}
    return extremes(led, brokers) | totals


EVERY = [(spec, form) for spec, forms in FORMS.items() for form in forms]


@pytest.mark.parametrize(("spec", "form"), EVERY)
def test_a_form_names_words_of_its_kind(spec, form):
    words = vocabulary_of(resolve(spec).kind)
    things = {*words.things_by_name}
    assert form.each.keys() <= things
    assert {need.split()[0] for need in form.needs} <= words.by_name.keys()
    whole = {name.removesuffix(")").split("(")[-1] for name in form.whole().terms}
    assert whole <= words.by_name.keys() | things
    for name, each in form.each.items():
        of_it = {measure.name for measure in words.measures if measure.of == (name,)}
        assert each("x").terms.keys() <= of_it | {"partitions", "brokers"}


@pytest.mark.parametrize(("spec", "form"), EVERY)
def test_what_is_shown_is_a_size_of_the_whole(spec, form):
    whole = form.whole()
    assert len(whole.shown) == 2
    assert all(any(term is each for term in whole.terms.values()) for each in whole.shown)
