"""Rounds and rebalances written down briefly, and what a claim says against them."""

from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.claims import parse_claim
from kassay.properties.groups.balance import Best
from kassay.properties.registry import applies

EAGER, COOPERATIVE = RebalanceProtocol.EAGER, RebalanceProtocol.COOPERATIVE
T4 = Cluster.of({"t": 4})


def tps(text):
    """Partitions written as `t0 t1 u0`: a topic's letter and a number."""
    return tuple(TopicPartition(word[0], int(word[1:])) for word in text.split())


def member(name, topics="t", owned="", generation=None, **extras):
    generation = generation if generation is not None else (1 if owned else -1)
    return Member(name, tuple(topics), tps(owned), generation, **extras)


def assignment(given):
    return Assignment({m: tps(text) for m, text in given.items()})


def step(members, given, cluster=T4, protocol=EAGER, **extras):
    answer = given if isinstance(given, Failure) else assignment(given)
    return Step(cluster, Group(tuple(members), members[0].member_id), answer, 2, protocol=protocol, **extras)


def rebalanced(*steps, settled=True, revocations=0, change=(), **extras):
    return Rebalanced(0, change, tuple(steps), settled, revocations, **extras)


def evidence(spelled, thing, *more):
    found = parse_claim(spelled, CLIENT)
    claim = found.kind
    if claim.parameter is not None:
        more = (*more, found.value)
    if not applies(claim, thing, *more):
        return None
    return list(claim.predicate(thing, *more))


AB = [member("a"), member("b")]
FAIR = {"a": "t0 t1", "b": "t2 t3"}
UV = Cluster.of({"t": 2, "u": 2})

BEST = Best(loads=(2, 2), moved=0, mismatched=0, assignment=assignment(FAIR))
