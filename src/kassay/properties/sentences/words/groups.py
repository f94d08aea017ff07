"""The words for consumer groups: loads, moves, and rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.player import ROUNDS_MAX
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups.balance import Best
from kassay.properties.groups.histories.assumptions import ASSUMPTIONS, within
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Quantity, Things, Undefined, Vocabulary, flag, number

MEMBERS_MAX: Final = 8
"""The number of members that get all they read, each in one of the other answers."""


class GroupScene(NamedTuple):
    """An outcome; with its optimum, or the rebalance that led to it, if the sentence needs it."""

    step: Step
    best: Best | None = None
    rebalanced: Rebalanced | None = None


def _scene(scope: Scope, things: tuple[Any, ...]) -> GroupScene:
    if scope is Scope.OPTIMUM:
        return GroupScene(*things)
    if scope is not Scope.REBALANCE:
        return GroupScene(things[0])
    rebalanced: Rebalanced = things[0]
    steps = rebalanced.steps
    if any(step.failed_sync or isinstance(step.answer, Failure) for step in steps):
        raise Undefined("a rebalance that was aborted")
    # For a group that never became stable, the last state counts.
    first, last = steps[0], steps[-1]
    return GroupScene(replace(last, group=first.group, cluster=first.cluster), None, rebalanced)


def _others(scene: GroupScene) -> Iterator[GroupScene]:
    """All to one member, evenly, to other than previous owners, to previous owners; endlessly many rounds."""
    step, rebalanced = scene.step, scene.rebalanced
    readers, previous = step.group.subscribers, step.previous
    tps = [tp for topic, own in step.cluster.partitions.items() if topic in readers for tp in own]
    if rebalanced is not None and step.is_contested:
        endless = replace(rebalanced, steps=rebalanced.steps * ROUNDS_MAX, settled=False)
        yield scene._replace(rebalanced=endless)
    taken = dict.fromkeys(step.group.by_id, 0)

    def lightest(tp: TopicPartition) -> str:
        who = min(readers[tp.topic], key=taken.__getitem__)
        taken[who] += 1
        return who

    def another(tp: TopicPartition) -> str:
        return next((who for who in readers[tp.topic] if who != previous.get(tp)), readers[tp.topic][0])

    def the_same(tp: TopicPartition) -> str:
        who = previous.get(tp, "")
        return who if who in readers[tp.topic] else readers[tp.topic][0]

    greedy = [_to(readers, member.member_id) for member in step.group.members[:MEMBERS_MAX]]
    for choose in (*greedy, another, lightest, the_same):
        by_member: dict[str, list[TopicPartition]] = {m.member_id: [] for m in step.group.members}
        for tp in tps:
            by_member[choose(tp)].append(tp)
        answer = Assignment({member_id: tuple(own) for member_id, own in by_member.items()})
        yield scene._replace(step=replace(step, answer=answer))


def _to(readers: Mapping[str, Sequence[str]], member: str) -> Callable[[TopicPartition], str]:
    """Assigns the member all it reads, and the rest to the first reader."""
    return lambda tp: member if member in readers[tp.topic] else readers[tp.topic][0]


def _members(scene: GroupScene) -> list[str]:
    return [member.member_id for member in scene.step.group.members]


def _topics(scene: GroupScene) -> list[str]:
    return [topic for topic in scene.step.cluster.counts if topic in scene.step.group.subscribers]


def _racks(scene: GroupScene) -> list[str]:
    return sorted({member.rack for member in scene.step.group.members if member.rack is not None})


def _partitions(scene: GroupScene) -> int:
    counts = scene.step.cluster.counts
    return sum(counts[topic] for topic in _topics(scene))


def _load(scene: GroupScene, member: str) -> int:
    return scene.step.loads[member]


def _weight(scene: GroupScene, member: str) -> int:
    cluster = scene.step.cluster
    return sum(cluster.weight(tp) for tp in scene.step.given.get(member, ()) if cluster.has(tp))


def _share(scene: GroupScene, topic: str, member: str) -> int:
    return len(scene.step.shares[topic].get(member, ()))


def _spread(scene: GroupScene, topic: str) -> int:
    shares = [len(numbers) for numbers in scene.step.shares[topic].values()]
    return max(shares) - min(shares)


def _rack_load(scene: GroupScene, rack: str) -> int:
    loads = scene.step.loads
    return sum(loads[m.member_id] for m in scene.step.group.members if m.rack == rack)


def _moved(scene: GroupScene) -> int:
    return len(moved(scene.step.given, scene.step.previous))


def _lost(scene: GroupScene, member: str) -> int:
    gone = moved(scene.step.given, scene.step.previous)
    return sum(scene.step.previous[tp] == member for tp in gone)


def _away(scene: GroupScene) -> int:
    step = scene.step
    return len(rack_mismatches(step.cluster, step.group, step.given))


def rounds_of(scene: GroupScene) -> int:
    """The rounds of the scene's rebalance with changes, without the one that shows stability."""
    rebalanced = scene.rebalanced
    assert rebalanced is not None
    return len(rebalanced.steps) - rebalanced.settled


def _revocations(scene: GroupScene) -> int:
    assert scene.rebalanced is not None
    return scene.rebalanced.revocations


def _best(scene: GroupScene) -> Best:
    assert scene.best is not None
    return scene.best


def _gap(scene: GroupScene) -> int:
    loads = scene.step.loads.values()
    return sum(load * load for load in loads) - sum(load * load for load in _best(scene).loads)


def _assumed(name: str) -> Quantity:
    only = frozenset([name])
    return flag(name.replace("-", "_"), lambda scene: within(scene.step, only), f"as `--assume {name}`")


CONDITIONS: Final = tuple(map(_assumed, ASSUMPTIONS))
"""The assumptions as words."""

GROUP_WORDS: Final = Vocabulary(
    kinds=CONSUMER_GROUPS,
    things=(
        Things("members", "m", _members, "member"),
        Things("topics", "t", _topics, "topic"),
        Things("racks", "r", _racks, "rack"),
    ),
    measures=(
        number("load", "members", _load, "partitions that a member has"),
        number("load", "racks", _rack_load, "partitions that the members in a rack have"),
        number("weight", "members", _weight, "their weight: 1 each where the topic has no weights"),
        number("lost", "members", _lost, "partitions that left a member which had them before"),
        number("share", "topics members", _share, "partitions of a topic that a member has"),
        number("spread", "topics", _spread, "the largest share of a topic's readers less the smallest"),
        number("partitions", "", _partitions, "partitions of topics with readers"),
        number("partitions", "topics", lambda s, t: s.step.cluster.counts[t], "partitions of a topic"),
        number(
            "readers", "topics", lambda s, t: len(s.step.group.subscribers[t]), "members that read a topic"
        ),
        number("reads", "members", lambda s, m: len(s.step.read[m]), "topics that a member reads"),
        number("members", "", lambda s: len(s.step.group.members), "members of the group"),
        number("topics", "", lambda s: len(_topics(s)), "topics with readers"),
        number("racks", "", lambda s: len(_racks(s)), "racks that members are in"),
        number("owned", "", lambda s: len(s.step.previous), "partitions that a member had before"),
        number("moved", "", _moved, "partitions that left the member which had them before"),
        number("away", "", _away, "partitions whose member's rack has no replica"),
        number("rounds", "", rounds_of, "rounds in which anything changed", Scope.REBALANCE),
        number(
            "revocations", "", _revocations, "rounds in which a member gave something up", Scope.REBALANCE
        ),
        number("gap", "", _gap, "the sum of the squares of loads, less the least possible", Scope.OPTIMUM),
        number(
            "best_moved", "", lambda s: _best(s).moved, "the fewest moves at the best loads", Scope.OPTIMUM
        ),
        number("best_away", "", lambda s: _best(s).mismatched, "the fewest away then", Scope.OPTIMUM),
        number("best_max", "", lambda s: max(_best(s).loads), "the largest of the best loads", Scope.OPTIMUM),
        number("best_min", "", lambda s: min(_best(s).loads), "the smallest of them", Scope.OPTIMUM),
        *CONDITIONS,
    ),
    scope=Scope.OUTCOME,
    scene=_scene,
    others=_others,
    everything="the group",
)
