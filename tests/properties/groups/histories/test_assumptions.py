"""What a user may assume: each narrowing says what it says, and the generator keeps to it."""

from collections import Counter

import pytest

from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.groups.kinds import SERVER, SHARE
from kassay.model.groups.player import Player
from kassay.model.kinds import every_kind
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.groups.histories.assumptions import ASSUMPTIONS, within
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.sources import Seeded, derive_seed


def no_conflict(cluster, members):
    """Whether claims are of the latest generation, of partitions that are there and read, and of one member."""
    newest = max(member.generation for member in members)
    claims = [(member, tp) for member in members for tp in member.owned]
    there = {(topic.name, p) for topic in cluster.topics for p in range(topic.partitions)}
    sound = (m.generation == newest and tp.topic in m.topics and tuple(tp) in there for m, tp in claims)
    return all(sound) and len({tp for _, tp in claims}) == len(claims)


# Each assumption once more, out of the input alone.
MEANT = {
    "equal-subscriptions": lambda _, members: len({frozenset(m.topics) for m in members}) == 1,
    "no-conflicting-claims": no_conflict,
    "no-duplicate-topics": lambda _, members: (
        not any(m.topics.count(t) > 1 for m in members for t in m.topics)
    ),
    "no-empty-subscriptions": lambda _, members: () not in {m.topics for m in members},
    "no-racks": lambda cluster, members: not cluster.brokers and {m.rack for m in members} == {None},
    "no-static": lambda _, members: {m.instance_id for m in members} == {None},
    "no-unknown-topics": lambda cluster, members: (
        {t for m in members for t in m.topics} <= {topic.name for topic in cluster.topics}
    ),
    "no-weights": lambda cluster, _: {topic.weights for topic in cluster.topics} <= {None},
}


def steps(profile):
    """The rounds of 150 histories."""
    for index in range(150):
        case = history(Seeded(derive_seed(1, index)), profile)
        yield from (step for one in Player(lambda _: RoundRobin()).play(case) for step in one.steps)


def test_every_assumption_has_a_meaning_here():
    assert set(MEANT) == set(ASSUMPTIONS)


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_an_assumption_is_told_from_the_input(assumption):
    seen = Counter()
    for step in steps(GroupProfile()):
        meant = MEANT[assumption](step.cluster, step.group.members)
        assert within(step, frozenset({assumption})) is meant
        seen[meant] += 1
    assert min(seen[True], seen[False]) > 15


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_an_assumption_keeps_its_inputs_out(assumption):
    kept = [
        MEANT[assumption](step.cluster, step.group.members)
        for step in steps(GroupProfile(assume=frozenset({assumption})))
    ]
    assert len(kept) > 300
    assert all(kept)


def test_all_assumptions_at_once_are_all_kept():
    everything = frozenset(ASSUMPTIONS)
    for step in steps(GroupProfile()):
        alone = [within(step, frozenset({assumption})) for assumption in ASSUMPTIONS]
        assert within(step, everything) is all(alone)


def test_an_assumption_that_is_not_known_is_named_with_those_that_are():
    with pytest.raises(InputError, match="unknown assumption 'no-bugs': expected one of equal-subscriptions"):
        parse_assumptions(["no-racks", "no-bugs"])
    assert parse_assumptions(["no-racks", "no-static"]) == {"no-racks", "no-static"}


@pytest.mark.parametrize("kind", list(every_kind()), ids=str)
@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_an_assumption_is_of_a_kind_exactly_where_it_narrows_its_inputs(kind, assumption):
    def cases(assume):
        profile = GroupProfile(kind=kind, assume=assume)
        return [driver_for(kind).generate(Seeded(seed), profile) for seed in range(30)]

    narrows = cases(frozenset()) != cases(frozenset({assumption}))
    heeded = assumption in kind.assumptions
    assert heeded is narrows or (kind in (SERVER, SHARE) and heeded)
    if heeded:
        assert parse_assumptions([assumption], kind) == {assumption}
    else:
        with pytest.raises(InputError, match=f"'{assumption}' narrows nothing of kind {kind}, expected"):
            parse_assumptions([assumption], kind)
