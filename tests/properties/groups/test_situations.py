"""A situation is what its sentence says, and what only comes near it does not count."""

import pytest

from kassay.model.calls import Failure, Look, Probe
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.errors import FailureKind
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import AddPartitions, Join, NewLeader, Rebalance, Resubscribe
from kassay.model.groups.kinds import CLIENT, GROUPS, SHARE
from kassay.model.groups.step import ShareStep, Step
from kassay.properties.registry import situations_of
from tests.properties.groups.steps import EAGER, T4, UV, member, rebalanced, step, tps

SITUATIONS = {situation.id: situation for situation in situations_of(CLIENT)}
UVW = Cluster.of({"u": 2, "v": 2, "w": 2})
RACKED = Cluster((Topic("t", 3, ((0,), (0,), (1,))),), (Broker(0, "r0"), Broker(1, "r1")))
FIVE = [member(name) for name in "abcde"]


def weighted(*weights):
    return Cluster((Topic("t", len(weights), weights=weights),))


def one(*members, cluster=T4, change=(), index=0, **extras):
    """A rebalance of one round."""
    of_step = {key: extras.pop(key) for key in ("failed_sync", "probes") if key in extras}
    of_rebalance = rebalanced(step(list(members), {}, cluster, **of_step), **extras)
    return of_rebalance.__class__(**{**vars_of(of_rebalance), "change": change, "index": index})


def vars_of(value):
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


# id: (what reaches it, what comes near it)
CASES = {
    "skipped-generation": (
        one(member("a", owned="t0", generation=2), member("b", owned="t1", generation=1)),
        one(member("a", owned="t0", generation=2), member("b", generation=1)),
    ),
    "owned-twice": (
        one(member("a", owned="t0"), member("b", owned="t0")),
        one(member("a", owned="t0", generation=2), member("b", owned="t0", generation=1)),
    ),
    "all-minus-one": (
        one(member("a", owned="t0", generation=-1), member("b", owned="t0", generation=-1)),
        one(member("a", owned="t0", generation=1), member("b", owned="t0", generation=1)),
    ),
    "stale-on-overloaded": (
        one(member("a", owned="t0 t1", generation=2), member("b", owned="t1", generation=1), member("c")),
        one(member("a", owned="t0", generation=2), member("b", owned="t0", generation=1), member("c")),
    ),
    "owned-and-resubscribe": (
        one(member("a", owned="t0"), member("b", owned="t0"), change=(Resubscribe("a", ("t",)),)),
        one(member("a", owned="t0"), member("b", owned="t1"), change=(Resubscribe("a", ("t",)),)),
    ),
    "racks-against": (
        one(member("a", owned="t0", rack="r1"), member("b"), cluster=RACKED),
        one(member("a", owned="t0", rack="r0"), member("b"), cluster=RACKED),
    ),
    "equal-topics": (
        one(member("a", "uv"), member("b", "uv"), cluster=UVW),
        one(member("a", "uv"), member("b", "v"), cluster=UVW),
    ),
    "leader-changed": (
        one(member("a"), change=(NewLeader("a"),), before=Assignment({"a": ()})),
        one(member("a"), change=(NewLeader("a"), Rebalance()), before=Assignment({"a": ()})),
    ),
    "no-change": (one(member("a"), quiet=True), one(member("a"))),
    "chain": (
        one(member("a", "uv"), member("b", "vw"), member("c", "wx"), cluster=Cluster.of(dict.fromkeys("uvwx", 1))),
        one(member("a", "uv"), member("b", "vw"), member("c", "wu"), cluster=UVW),
    ),
    "nested": (
        one(member("a", "u"), member("b", "uv"), cluster=UVW),
        one(member("a", "uw"), member("b", "uv"), cluster=UVW),
    ),
    "pyramid": (
        one(member("a", "u"), member("b", "uv"), member("c", "uvw"), cluster=UVW),
        one(member("a", "u"), member("b", "u"), member("c", "uvw"), cluster=UVW),
    ),
    "disjoint": (
        one(member("a", "u"), member("b", "v"), cluster=UVW),
        one(member("a", "u"), member("b", "uv"), cluster=UVW),
    ),
    "few-partitions": (one(*FIVE), one(*FIVE[:4])),
    "tiny-topics": (
        one(member("a", "uvw"), cluster=Cluster.of(dict.fromkeys("uvw", 1))),
        one(member("a", "uv"), cluster=Cluster.of(dict.fromkeys("uvw", 1))),
    ),
    "one-by-one": (
        one(*FIVE, change=(Join(FIVE[4]),), index=4),
        one(*FIVE, change=(Join(FIVE[3]), Join(FIVE[4])), index=4),
    ),
    "deleted-topic": (
        one(member("a", "tx", owned="x0")),
        one(member("a", "t", owned="x0")),
    ),
    "unknown-topic": (
        one(member("a", "tx")),
        one(member("a", "tx", owned="x0")),
    ),
    "empty-subscription": (one(member("a", ""), member("b")), one(member("a", ""), member("b", ""))),
    "duplicate-topic": (one(member("a", "tt")), one(member("a", "t"), member("b", "t"))),
    "static-return": (one(member("a"), renamed=(("a", "b"),)), one(member("a", instance_id="i"))),
    "leader-differs": (
        one(member("a", "u"), member("b", "uv"), cluster=UV),
        one(member("a", "uv"), member("b", "vu"), cluster=UV),
    ),
    "two-objects": (
        one(member("a"), probes=tuple(Probe(look, Assignment({})) for look in (Look.AGAIN, Look.OTHER))),
        one(member("a"), probes=(Probe(Look.AGAIN, Assignment({})),)),
    ),
    "partitions-added": (
        one(member("a", owned="t0"), change=(AddPartitions("t", 4),)),
        one(member("a", owned="t0"), change=(AddPartitions("u", 4),)),
    ),
    "weights": (one(member("a"), cluster=weighted(1, 3)), one(member("a"), cluster=weighted(2, 5))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_situation_counts_and_its_near_miss_does_not(name):
    reached, near = CASES[name]
    assert SITUATIONS[name].reached(reached)
    assert not SITUATIONS[name].reached(near)


def test_no_generation_is_skipped_by_claims_of_one_generation():
    contradiction = one(member("a", owned="t0", generation=1), member("b", owned="t0", generation=1))
    assert not SITUATIONS["skipped-generation"].reached(contradiction)


def test_every_situation_is_here_or_below():
    assert set(CASES) | {"failed-sync", "residue", "static-mix"} == set(SITUATIONS)


def test_a_failed_sync_counts_with_a_list_a_join_and_a_second_round():
    members = [member("a", owned="t0"), member("b")]
    first = step(members, {}, failed_sync=frozenset({"a"}))
    whole = rebalanced(first, first)
    joined = whole.__class__(**{**vars_of(whole), "change": (Join(members[1]),)})
    without = step([member("a"), member("b")], {}, failed_sync=frozenset({"a"}))
    reached = SITUATIONS["failed-sync"].reached
    assert reached(joined)
    assert not reached(whole)
    assert not reached(joined.__class__(**{**vars_of(joined), "steps": (first,)}))
    assert not reached(joined.__class__(**{**vars_of(joined), "steps": (without, without)}))


@pytest.mark.parametrize("size", range(2, 7))
def test_a_residue_is_counted_where_loads_are_skewed(size):
    reached = SITUATIONS["residue"].reached
    for partitions in range(2, 9):
        cluster = Cluster.of({"t": partitions})
        even = [member(f"m{i}") for i in range(size)]
        skewed = [member("m0", owned="t0 t1"), *even[1:]]
        assert reached(one(*skewed, cluster=cluster)) == f"{partitions % size}mod{size}"
        assert reached(one(*even, cluster=cluster)) is None
        assert reached(one(*skewed, member("x", "tu"), cluster=cluster)) is None


def test_a_mix_is_of_the_first_three():
    reached = SITUATIONS["static-mix"].reached
    static, plain = member("a", instance_id="i"), member("b")
    assert reached(one(static, plain, plain, static)) == "SDD"
    assert reached(one(plain, static, plain)) == "DSD"
    for members in ((static, plain), (plain, plain, plain), (static, static, static)):
        assert reached(one(*members)) is None


def test_the_helper_writes_partitions_as_they_are_read():
    assert [str(tp) for tp in tps("t0 u1")] == ["t-0", "u-1"]


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_every_situation_stands_a_rebalance_that_nobody_could_join(kind):
    """The metadata of every member raised, so the leader never saw a group."""
    racked = Cluster((Topic("t", 3, ((0,),) * 3),), (Broker(0, "r0"),))
    failed = Failure(FailureKind.RAISED, "subscription_user_data raised ValueError")
    nobody = (ShareStep if kind is SHARE else Step)(racked, Group(()), failed, 1, protocol=EAGER)
    for change in ((Join(member("a", "t")),), (AddPartitions("t", 1),), (Rebalance(),), (NewLeader("a"),)):
        reached = [s.id for s in situations_of(kind) if s.reached(rebalanced(nobody, change=change))]
        assert "racks-against" not in reached


@pytest.mark.parametrize(("count", "seen"), [(1, False), (2, True), (3, True)])
def test_equal_topics_have_at_least_two_partitions(count, seen):
    members = [member(name, ("u", "v")) for name in "ab"]
    cluster = Cluster.of({"u": count, "v": count})
    assert bool(SITUATIONS["equal-topics"].reached(one(*members, cluster=cluster))) is seen


@pytest.mark.parametrize(("names", "seen"), [("a", False), ("ab", True), ("abc", True)])
def test_equal_topics_have_at_least_two_subscribers(names, seen):
    members = [member(name, ("t", "u")) for name in names]
    assert bool(SITUATIONS["equal-topics"].reached(one(*members, cluster=UV))) is seen
