"""The generator reaches every situation."""

from collections import Counter

import pytest

from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import Budget, RunOptions, claims_of
from kassay.engines.targets.resolve import resolve
from kassay.model.groups.history import CreateTopic, Join
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.registry import situations_of
from kassay.properties.sources import Seeded


def reached_by(spec, histories, **options):
    target = resolve(spec)
    own = [claim.id for claim in claims_of(target.kind, target.protocol, target.claims, RunOptions())]
    claims = (*own, "leader-neutral") if target.kind is CLIENT else own
    job = Job(target, RunOptions(claims=tuple(claims), budget=Budget(histories=histories), **options))
    with open_bench(job) as bench:
        return play_block(bench, 0, histories).reached


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "kind"), [("roundrobin", CLIENT), ("server-range", SERVER)])
def test_every_situation_is_reached(spec, kind):
    reached = reached_by(spec, 2500)
    unreached = {s.id: [name for name in s.names if not reached.get(name)] for s in situations_of(kind)}
    assert {name: parts for name, parts in unreached.items() if parts} == {}


def starts(histories=1000):
    """The histories of some seeds, each with the members of its first change."""
    for seed in range(histories):
        drawn = history(Seeded(seed), GroupProfile())
        yield drawn, [event.member for event in drawn.changes[0] if isinstance(event, Join)]


def reached_in(drawn, members):
    """What a history contains that a target may stumble on, by what it contains alone."""
    counts = drawn.cluster.counts
    events = [event for change in drawn.changes for event in change]
    known = counts.keys() | {event.topic.name for event in events if isinstance(event, CreateTopic)}
    owners = Counter(tp for member in members for tp in member.owned)
    generations = {member.generation for member in members if member.owned}
    if any(set(member.topics) - known - {tp.topic for tp in owners} for member in members):
        yield "an unknown topic in a subscription, of which nobody owns anything"
    if any(len(set(member.topics)) < len(member.topics) for member in members):
        yield "a topic twice in a subscription"
    if any(not member.topics for member in members):
        yield "no subscription"
    if any(number > 1 for number in owners.values()):
        yield "a partition that two members own"
    if any(tp.topic in counts and tp.partition >= counts[tp.topic] for tp in owners):
        yield "a partition beyond its topic"
    if any(tp.topic not in counts for tp in owners):
        yield "a partition of a topic that is gone"
    if len(generations) > 1:
        yield "two generations"
    if generations == {-1}:
        yield "owners without a generation"
    contested = [tp for tp in owners if sum(tp.topic in member.topics for member in members) > 2]
    if max(owners.values(), default=0) == 1 and len(contested) > 4:
        most = max(len({*member.owned}.intersection(contested)) for member in members)
        # Of three readers or more one owns three quarters of what they own.
        yield "a greedy past" if 4 * most >= 3 * len(contested) else "a past without a greedy member"


LEAST = {
    "an unknown topic in a subscription, of which nobody owns anything": 30,
    "a topic twice in a subscription": 30,
    "no subscription": 50,
    "a partition that two members own": 25,
    "a partition beyond its topic": 25,
    "a partition of a topic that is gone": 25,
    "two generations": 15,
    "owners without a generation": 25,
    "a past without a greedy member": 20,
    "a greedy past": 10,
}
"""How many of 1,000 histories contain it at the least: less than half of how many do."""


def test_histories_contain_what_a_target_may_stumble_on():
    counted = Counter(each for drawn, members in starts() for each in reached_in(drawn, members))
    assert {each: counted[each] for each, least in LEAST.items() if counted[each] < least} == {}
