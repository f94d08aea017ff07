"""The figures of a group: what takes no search, the optimum, and useful counts as `kassay scale` has them."""

from random import Random

import pytest

from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.scale import scale
from kassay.engines.clusters.stability import Stability
from kassay.engines.targets.resolve import resolve
from kassay.engines.watch.figures import (
    BestFigures,
    UsefulCounts,
    best_figures,
    quick_figures,
    useful_counts,
    useful_of_equals,
)
from kassay.engines.watch.moves import moves_between, owned_by
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Group, Member
from tests.engines.watch.sights import sight

SKEWED = {"a": ["t-0", "t-1", "t-2"], "b": ["t-3"], "c": []}


def test_loads_and_owners_of_a_stable_group():
    figures = quick_figures(sight(SKEWED, {"t": 6}))
    assert (figures.partitions, figures.unowned, figures.idle) == (6, 2, 1)
    assert (figures.busiest, figures.spread, figures.double_owned) == (3, 3, 0)


def test_a_rebalance_leaves_only_what_several_members_own():
    figures = quick_figures(sight({"a": ["t-0", "t-1"], "b": ["t-1"]}, {"t": 3}, state="Reconciling"))
    assert (figures.double_owned, figures.spread, figures.unowned) == (1, None, None)


def test_members_of_a_share_group_share_partitions():
    both = {"a": ["t-0", "t-1"], "b": ["t-0", "t-1"]}
    figures = quick_figures(sight(both, {"t": 2}, kind="share", assignor="simple"))
    assert (figures.double_owned, figures.unowned, figures.spread) == (None, 0, 0)
    assert best_figures(sight(both, {"t": 2}, kind="share")) is None


def test_the_distance_to_the_optimum_is_what_has_to_move():
    assert best_figures(sight(SKEWED, {"t": 4})) == BestFigures(1, 1)
    assert best_figures(sight({"a": ["t-0", "t-1"], "b": ["t-2"]}, {"t": 3})) == BestFigures(1, 0)
    # b can read u alone: a spread of 2 is the least there is.
    apart = sight({"a": ["t-0", "t-1", "t-2"], "b": ["u-0"]}, {"t": 3, "u": 1}, topics={"a": "t", "b": "u"})
    assert best_figures(apart) == BestFigures(2, 0)
    assert best_figures(sight({}, {}, state="Empty")) is None


def counts_of_scale(spec, partitions, most):
    cluster = Cluster(tuple(Topic(f"t{n}", count) for n, count in enumerate(partitions)))
    member = Member("m", tuple(topic.name for topic in cluster.topics), (), 1)
    stable = Stability("Stable", (), None, (), ())
    group = ObservedGroup("g", cluster, Group((member,), "m"), (), spec, False, (), (), stable)
    return tuple(step.first for step in scale(group, resolve(spec), most).steps)


@pytest.mark.parametrize("partitions", [[1], [6], [4, 4, 3], [7, 1]], ids=str)
@pytest.mark.parametrize("spec", ["range", "roundrobin", "sticky", "uniform", "server-range"])
def test_useful_counts_are_those_of_scale(spec, partitions):
    most = sum(partitions) + 1
    assert useful_of_equals(spec, partitions) == counts_of_scale(spec, partitions, most)


def test_useful_counts_around_todays():
    five = {f"m{n}": [f"t-{n}"] for n in range(5)}
    assert useful_counts(sight(five, {"t": 12})) == UsefulCounts(3, 4, 6, 12)
    seven = {f"m{n}": [f"t-{n}"] for n in range(7)}
    assert useful_counts(sight(seven, {"t": 12})) == UsefulCounts(4, 6, 12, 12)
    assert useful_counts(sight({"a": ["t-0"]}, {"t": 1})) == UsefulCounts(1, 1, 1, 1)
    assert useful_counts(sight(five, {"t": 4, "u": 4}, assignor="range")) == UsefulCounts(2, 4, 4, 4)


def test_different_subscriptions_are_played():
    topics = {"a": ["t"], "b": ["t", "u"]}
    useful = useful_counts(sight({"a": ["t-0", "t-1"], "b": ["u-0"]}, {"t": 2, "u": 1}, topics=topics))
    assert useful == UsefulCounts(1, 1, 3, 3)


def test_an_assignor_that_is_none_of_kafkas_has_no_useful_counts():
    assert useful_counts(sight(SKEWED, {"t": 6}, assignor="./evil.py")) is None
    assert useful_counts(sight(SKEWED, {"t": 6}, kind="consumer", assignor="range")) is not None


def anything(random):
    """A group as no coordinator should describe it: owners of topics that they do not read, or several of one."""
    topics = {f"t{number}": random.choice([0, 1, 2, 5]) for number in range(random.randint(0, 3))}
    names = [f"m{number}" for number in range(random.randint(0, 4))]
    owned = {name: {f"t{random.randint(0, 3)}-{random.randint(0, 5)}" for _ in range(3)} for name in names}
    read = {name: random.sample(sorted(topics), random.randint(0, len(topics))) for name in names}
    counts = dict(topics)
    for topic, _, number in (tp.rpartition("-") for tps in owned.values() for tp in tps):
        counts[topic] = max(counts.get(topic, 0), int(number) + 1)
    kind = random.choice(["classic", "consumer", "share", "streams"])
    assignor = random.choice(["range", "sticky", "uniform", "mine", None])
    return sight(
        {name: sorted(tps) for name, tps in owned.items()}, counts, topics=read, kind=kind, assignor=assignor
    )


def test_any_description_has_figures():
    before = {}
    for seed in range(300):
        group = anything(Random(seed))
        figures, best, useful = quick_figures(group), best_figures(group), useful_counts(group)
        assert figures.unowned is None or figures.unowned >= 0
        assert best is None or best.moves >= 0
        assert useful is None or useful.lower <= useful.current <= useful.upper <= useful.most
        moves = moves_between(before, group)
        assert 0 <= moves.needless <= moves.moved
        before = owned_by(group)
