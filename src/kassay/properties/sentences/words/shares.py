"""The words for share groups: members of a partition, copies of a member, and revoked copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from kassay.model.calls import Failure
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import SHARE
from kassay.model.groups.player import ROUNDS_MAX
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups.sharing import BestSharing, is_even, taken_back
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Things, Undefined, Vocabulary, flag, number
from kassay.properties.sentences.words.groups import CONDITIONS

_SAID_OF_SHARES: Final = (
    "equal_subscriptions",
    "no_duplicate_topics",
    "no_empty_subscriptions",
    "no_unknown_topics",
)
"""The assumptions that matter to share groups: racks, weights and instance ids have no effect there."""


class ShareScene(NamedTuple):
    """An outcome; with its optimum, or the rebalance that led to it, if the sentence needs it."""

    step: Step
    best: BestSharing | None = None
    rebalanced: Rebalanced | None = None


def _scene(scope: Scope, things: tuple[Any, ...]) -> ShareScene:
    if scope is Scope.OPTIMUM:
        return ShareScene(*things)
    if scope is not Scope.REBALANCE:
        return ShareScene(things[0])
    rebalanced: Rebalanced = things[0]
    if any(isinstance(step.answer, Failure) for step in rebalanced.steps):
        raise Undefined("a rebalance that was aborted")
    return ShareScene(rebalanced.steps[-1], None, rebalanced)


def _others(scene: ShareScene) -> Iterator[ShareScene]:
    """All readers of each or of the first partition, one reader, round robin, one that did not have it."""
    step, rebalanced = scene.step, scene.rebalanced
    if rebalanced is not None and step.is_open:
        endless = replace(rebalanced, steps=rebalanced.steps * ROUNDS_MAX, settled=False)
        yield scene._replace(rebalanced=endless)
    readers, by_id = step.group.subscribers, step.group.by_id

    def another(_: int, tp: TopicPartition) -> tuple[str, ...]:
        own = readers[tp.topic]
        return (next((who for who in own if tp not in by_id[who].owned), own[0]),)

    choices: tuple[Callable[[int, TopicPartition], tuple[str, ...]], ...] = (
        lambda _, tp: tuple(readers[tp.topic]),
        lambda i, tp: tuple(readers[tp.topic][: 1 if i else None]),
        lambda _, tp: (readers[tp.topic][0],),
        lambda _, tp: (readers[tp.topic][-1],),
        lambda i, tp: (readers[tp.topic][i % len(readers[tp.topic])],),
        another,
    )
    for choose in choices:
        by_member: dict[str, list[TopicPartition]] = {member_id: [] for member_id in by_id}
        for i, tp in enumerate(_assigned(scene)):
            for who in choose(i, tp):
                by_member[who].append(tp)
        answer = Assignment({member_id: tuple(own) for member_id, own in by_member.items()})
        yield scene._replace(step=replace(step, answer=answer))


def _members(scene: ShareScene) -> list[str]:
    return [member.member_id for member in scene.step.group.members]


def _topics(scene: ShareScene) -> list[str]:
    return [topic for topic in scene.step.cluster.counts if topic in scene.step.group.subscribers]


def _assigned(scene: ShareScene) -> list[TopicPartition]:
    """The assignable partitions with readers."""
    return [tp for topic in _topics(scene) for tp in scene.step.assignable_of(topic)]


def _sharing(scene: ShareScene, tp: TopicPartition) -> int:
    return sum(tp in tps for tps in scene.step.given.values())


def _share(scene: ShareScene, topic: str, member: str) -> int:
    return sum(tp.topic == topic for tp in scene.step.given.get(member, ()))


def _spread(scene: ShareScene, topic: str) -> int:
    shared = Counter(tp for tps in scene.step.given.values() for tp in tps)
    counts = [shared[tp] for tp in scene.step.assignable_of(topic)]
    if not counts:
        raise Undefined("a topic without assignable partitions")
    return max(counts) - min(counts)


def _withheld(scene: ShareScene) -> int:
    step = scene.step
    return sum(step.cluster.counts[topic] - len(step.assignable_of(topic)) for topic in _topics(scene))


def _rounds(scene: ShareScene) -> int:
    assert scene.rebalanced is not None
    return len(scene.rebalanced.steps) - scene.rebalanced.settled


def _best(scene: ShareScene) -> BestSharing:
    assert scene.best is not None
    return scene.best


def _loads(scene: ShareScene) -> Mapping[str, int]:
    return scene.step.loads


SHARE_WORDS: Final = Vocabulary(
    kinds=(SHARE,),
    things=(
        Things("members", "m", _members, "member"),
        Things("topics", "t", _topics, "topic"),
        Things("partitions", "p", _assigned, "partition"),
    ),
    measures=(
        number("load", "members", lambda s, m: _loads(s)[m], "partitions that a member has"),
        number("sharing", "partitions", _sharing, "members that have a partition"),
        number("share", "topics members", _share, "partitions of a topic that a member has"),
        number("spread", "topics", _spread, "the most members of a partition of a topic less the fewest"),
        number("copies", "", lambda s: sum(_loads(s).values()), "partitions of all members added up"),
        number("partitions", "", lambda s: len(_assigned(s)), "assignable partitions"),
        number("partitions", "topics", lambda s, t: len(s.step.assignable_of(t)), "those of a topic"),
        number("withheld", "", _withheld, "partitions of topics with readers that are not assignable"),
        number(
            "readers", "topics", lambda s, t: len(s.step.group.subscribers[t]), "members that read a topic"
        ),
        number("reads", "members", lambda s, m: len(s.step.read[m]), "topics that a member reads"),
        number("members", "", lambda s: len(s.step.group.members), "members of the group"),
        number("topics", "", lambda s: len(_topics(s)), "topics with readers"),
        number(
            "owned", "", lambda s: sum(len(m.owned) for m in s.step.group.members), "copies that members had"
        ),
        number(
            "taken_back",
            "",
            lambda s: len(taken_back(s.step)),
            "copies that left a member which had them and could have kept them",
        ),
        number("rounds", "", _rounds, "rounds in which anything changed", Scope.REBALANCE),
        number(
            "best_taken_back",
            "",
            lambda s: _best(s).taken_back,
            "the fewest copies that an even answer revokes",
            Scope.OPTIMUM,
        ),
        flag(
            "even",
            lambda s: is_even(s.step),
            "each partition has ceil(readers / partitions) members, and members' counts are within one",
        ),
        flag(
            "no_withheld", lambda s: not _withheld(s), "all partitions of topics with readers are assignable"
        ),
        *(each for each in CONDITIONS if each.name in _SAID_OF_SHARES),
    ),
    scope=Scope.OUTCOME,
    scene=_scene,
    others=_others,
    everything="the group",
)
