"""The scope of every small group, compared with a naive enumeration of the same definition.

The naive one takes the product of all values, with gaps between the names of topics and generations, drops what
is not legal, and brings what is left to a canonical form by renaming in order.
"""

from itertools import chain, combinations, product

import pytest

from kassay.assignors.registry import find
from kassay.kinds.groups.scopes import LEFT_OUT, GroupRules, cell_cases, scope_cases
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CLIENT, GROUPS, SERVER, SHARE
from kassay.model.groups.step import ShareStep, Step
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import situations_of

NONE, OLD, LATEST = -1, 2, 3


def subsets(items):
    """Every set of the items, in their order."""
    items = list(items)
    return list(chain.from_iterable(combinations(items, size) for size in range(len(items) + 1)))


def legal(kind, owned, generations):
    """Whether members of this kind of group can report this, whatever they read."""
    reported = [tp for own in owned for tp in own]
    if kind is CLIENT:
        # Clients either send generations or not; a member without one among others with one is new.
        sends = max(generations) != NONE
        return all(not own or generation != NONE for own, generation in zip(owned, generations)) or not sends
    # A coordinator computes one target for all; only share groups give a partition to two members.
    same = set(generations) == {LATEST if reported else NONE}
    return same and (kind is SHARE or len(set(reported)) == len(reported))


def canonical(sizes, reads, owned, generations):
    """The group with its topics numbered in the order of their names, and the latest generation as `LATEST`."""
    names = {old: f"t{new}" for new, old in enumerate(sorted(sizes))}
    latest = max(generations)
    return (
        tuple((names[name], sizes[name]) for name in sorted(sizes)),
        tuple(tuple(names[name] for name in read) for read in reads),
        tuple(tuple((names[name], number) for name, number in own) for own in owned),
        tuple(NONE if each == NONE else LATEST if each == latest else OLD for each in generations),
    )


def naive(kind, members_max, partitions_max):
    """The canonical forms of all legal groups up to this size."""
    forms = set()
    names = [f"t{i}" for i in range(partitions_max)]
    for counts in product(range(partitions_max + 1), repeat=len(names)):
        sizes = {name: count for name, count in zip(names, counts) if count}
        if sum(counts) > partitions_max:
            continue
        everything = [(name, number) for name, count in sizes.items() for number in range(count)]
        for members in range(1, members_max + 1):
            pasts = [
                (owned, generations)
                for owned in product(subsets(everything), repeat=members)
                for generations in product((NONE, OLD, LATEST), repeat=members)
                if legal(kind, owned, generations)
            ]
            for reads in product(subsets(sizes), repeat=members):
                forms |= {canonical(sizes, reads, *past) for past in pasts}
    return forms


def form_of(case):
    """A history of a scope in the same form."""
    ((*joins,),) = case.changes
    members = [join.member for join in joins]
    assert [member.member_id for member in members] == [f"m{i}" for i in range(len(members))]
    return (
        tuple((topic.name, topic.partitions) for topic in case.cluster.topics),
        tuple(member.topics for member in members),
        tuple(tuple(map(tuple, member.owned)) for member in members),
        tuple(member.generation for member in members),
    )


def scope(kind, members, partitions, *assume):
    """The histories of a scope."""
    return list(scope_cases(GroupProfile(kind=kind, assume=frozenset(assume)), members, partitions))


SIZES = [
    (CLIENT, 1, 3, 346),
    (CLIENT, 2, 2, 1584),
    pytest.param(CLIENT, 2, 3, 29_072, marks=pytest.mark.slow),
    (SERVER, 2, 2, 222),
    (SERVER, 2, 3, 3_066),
    (SERVER, 3, 2, 1_407),
    (SHARE, 2, 2, 366),
    (SHARE, 2, 3, 6_910),
    (SHARE, 3, 2, 5_039),
]


@pytest.mark.parametrize(("kind", "members", "partitions", "count"), SIZES)
def test_a_scope_has_every_legal_group_once(kind, members, partitions, count):
    forms = list(map(form_of, scope(kind, members, partitions)))
    assert len(forms) == len(set(forms)) == count
    assert set(forms) == naive(kind, members, partitions)


def is_contradictory(kind, case):
    """Whether the model calls the input of the first call contradictory."""
    group = Group(tuple(join.member for join in case.joins), "m0")
    step = (ShareStep if kind is SHARE else Step)(case.cluster, group, Assignment({}), 1)
    return step.contradictory


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_cells_have_the_groups_of_the_scope_whose_input_does_not_contradict_itself(kind):
    ordinary = [
        form_of(case) for case in scope(kind, 2, 2) if case.size[2] and not is_contradictory(kind, case)
    ]
    cells = [
        form_of(case)
        for members, partitions, pasts in product((1, 2), (1, 2), (False, True))
        for case in cell_cases(members, partitions, GroupRules(kind), pasts=pasts)
    ]
    assert len(cells) == len(set(cells))
    assert sorted(cells) == sorted(ordinary)


@pytest.mark.parametrize("kind", GROUPS, ids=str)
@pytest.mark.parametrize(
    ("assumption", "admits"),
    [
        ("equal-subscriptions", lambda kind, case: len({join.member.topics for join in case.joins}) == 1),
        ("no-empty-subscriptions", lambda kind, case: all(join.member.topics for join in case.joins)),
        ("no-conflicting-claims", lambda kind, case: not is_contradictory(kind, case)),
    ],
)
def test_an_assumption_keeps_what_it_admits(kind, assumption, admits):
    kept = {form_of(case) for case in scope(kind, 2, 2) if admits(kind, case)}
    assert {form_of(case) for case in scope(kind, 2, 2, assumption)} == kept


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_without_a_past_first_and_in_a_cell_smaller_subscriptions_first(kind):
    pasts = [
        any(join.member.owned or join.member.generation >= 0 for join in case.joins)
        for case in scope(kind, 2, 2, "no-conflicting-claims")
    ]
    assert pasts == sorted(pasts)
    for past in (False, True):
        sizes = [case.size[3] for case in cell_cases(2, 3, GroupRules(kind), pasts=past)]
        assert sizes == sorted(sizes)


def test_many_topics_are_not_listed_before_the_first_group():
    for equal in (False, True):
        first = next(cell_cases(2, 16, GroupRules(equal=equal), pasts=True))
        assert first.size[2] == 16


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_what_is_left_out_names_situations_of_the_kind(kind):
    known = {situation.id for situation in situations_of(kind)}
    assert {situation for situations in LEFT_OUT[kind].values() for situation in situations} <= known


TOO_LARGE = {
    "stale-on-overloaded",
    "chain",
    "pyramid",
    "one-by-one",
    "tiny-topics",
    "equal-topics",
    "outnumbered",
    "residue",
}
"""Situations that need more than two members or partitions."""


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_a_scope_reaches_every_situation_that_it_does_not_leave_out(kind):
    driver = driver_for(kind)
    rule = {CLIENT: "sticky", SERVER: "uniform", SHARE: "share-simple"}[kind]
    subject = Subject(lambda _: find(rule).factory(), RebalanceProtocol.EAGER, (parse_claim("pure", kind),))
    reached = set()
    for case in scope(kind, 2, 2):
        reached |= driver.examine(case, subject).reached.keys()
    left_out = {situation for situations in LEFT_OUT[kind].values() for situation in situations}
    wanted = {situation.id for situation in situations_of(kind) if situation.required_by}
    assert wanted - left_out - TOO_LARGE - {"two-objects"} <= {name.partition(":")[0] for name in reached}
