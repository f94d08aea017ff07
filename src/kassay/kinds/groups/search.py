"""The search for the worst cases of groups, and the form that it changes.

Groups in a form that a search can change: numbers for names, widened to a size, one change at a time.

The search for worst cases of groups: changes subscriptions, owners, topics, and a member that leaves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar

from kassay.kinds.groups.scopes import starting_points
from kassay.kinds.search import SEED_CELL, SEEDS, WorstMeasure, WorstSearch, least_squares, measured
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave
from kassay.model.groups.metrics import moved
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups.balance import Best
from kassay.properties.groups.histories.generator import GENERATION
from kassay.properties.groups.sharing import is_even
from kassay.properties.sentences.words.shares import SHARE_WORDS, ShareScene


@dataclass(frozen=True)
class GroupShape:
    """Partitions of each topic, topics of each member, and the owner of each partition, -1 for none."""

    sizes: tuple[int, ...]
    reads: tuple[frozenset[int], ...]
    owners: tuple[int, ...]

    def history(self) -> History:
        """The history whose one change brings this group with its past."""
        topics = tuple(Topic(f"t{i:02d}", size) for i, size in enumerate(self.sizes))
        tps = [tp for topic in topics for tp in topic.tps()]
        owned: list[list[TopicPartition]] = [[] for _ in self.reads]
        for tp, owner in zip(tps, self.owners, strict=True):
            if owner >= 0:
                owned[owner].append(tp)
        generation = GENERATION if any(owned) else -1
        joins = tuple(
            Join(Member(f"m{i:02d}", tuple(topics[t].name for t in sorted(read)), tuple(own), generation))
            for i, (read, own) in enumerate(zip(self.reads, owned))
        )
        return History(Cluster(topics), (joins,))


def shape_of(case: History) -> GroupShape:
    """The group in the history's first change."""
    names = {topic.name: i for i, topic in enumerate(case.cluster.topics)}
    owner = {tp: i for i, join in enumerate(case.joins) for tp in join.member.owned}
    return GroupShape(
        tuple(topic.partitions for topic in case.cluster.topics),
        tuple(frozenset(names[topic] for topic in join.member.topics) for join in case.joins),
        tuple(owner.get(tp, -1) for topic in case.cluster.topics for tp in topic.tps()),
    )


def widened(shape: GroupShape, size: tuple[int, int]) -> GroupShape:
    """The group repeated next to itself, members and topics, until it has the size."""
    members, partitions = size
    sizes, reads, owners = list(shape.sizes), list(shape.reads), list(shape.owners)
    topics = len(shape.sizes)
    while sum(sizes) < partitions:
        original = (len(sizes)) % topics
        room = min(shape.sizes[original], partitions - sum(sizes))
        sizes.append(room)
        owners += [-1] * room
        reads = [read | {len(sizes) - 1} if original in read else read for read in reads]
    while len(reads) < members:
        reads.append(reads[len(reads) % len(shape.reads)])
    return GroupShape(tuple(sizes), tuple(reads), tuple(owners))


def separate_copies(shape: GroupShape, size: tuple[int, int]) -> GroupShape:
    """Separate copies of the group, as many as fit, and one topic for the remaining members.

    The optimum of groups without a common topic is the optimum of each: gaps add up, and the remainder has
    none. Where only members or only partitions would remain, one copy fewer is made; without any copy, the
    group `widened`.
    """
    members, partitions = size
    each = len(shape.reads), sum(shape.sizes)
    for copies in range(min(members // each[0], partitions // each[1]), 0, -1):
        left = members - copies * each[0], partitions - copies * each[1]
        if all(left) or not any(left):
            return _joined([shape] * copies + ([one_topic(left)] if all(left) else []))
    return widened(shape, size)


def stairs(size: tuple[int, int]) -> GroupShape:
    """Member i had i partitions of a topic that it and the one before it read: no single move helps.

    A move between neighbours only swaps their loads; moves along the whole stairs at once would help. Extra
    partitions raise the loads from below; extra members read a topic of their own.
    """
    members, partitions = size
    steps = max(n for n in range(1, members + 1) if n == 1 or n * (n - 1) // 2 + (n < members) <= partitions)
    if steps == 1:
        return one_topic(size)
    if steps < members:
        left = members - steps, partitions - steps * (steps - 1) // 2
        return _joined([_stairs_of(range(steps)), one_topic(left)])
    each, more = divmod(partitions - steps * (steps - 1) // 2, steps)
    return _stairs_of([i + each + (i < more) for i in range(steps)])


def _stairs_of(loads: Sequence[int]) -> GroupShape:
    """Each member owned its load in partitions of one topic, which the member before it reads as well."""
    had = [i for i, load in enumerate(loads) if load]
    number = {member: topic for topic, member in enumerate(had)}
    reads = tuple(frozenset(number[m] for m in (i, i + 1) if m in number) for i in range(len(loads)))
    return GroupShape(
        tuple(loads[i] for i in had), reads, tuple(member for member in had for _ in range(loads[member]))
    )


def _joined(shapes: Iterable[GroupShape]) -> GroupShape:
    """One group made of several that share nothing."""
    sizes: list[int] = []
    reads: list[frozenset[int]] = []
    owners: list[int] = []
    for shape in shapes:
        topics, members = len(sizes), len(reads)
        sizes += shape.sizes
        reads += [frozenset(topic + topics for topic in read) for read in shape.reads]
        owners += [owner if owner < 0 else owner + members for owner in shape.owners]
    return GroupShape(tuple(sizes), tuple(reads), tuple(owners))


def one_topic(size: tuple[int, int]) -> GroupShape:
    """All members read one topic without owners."""
    members, partitions = size
    return GroupShape((partitions,), (frozenset({0}),) * members, (-1,) * partitions)


def chained(size: tuple[int, int]) -> GroupShape:
    """Member i reads topics i and i + 1 and owned topic i, whose sizes rise."""
    members, partitions = size
    topics = min(members, partitions)
    sizes = [1] * topics
    for i in range(partitions - topics):
        sizes[topics - 1 - i % topics] += 1
    reads = tuple(
        frozenset(t for t in (i, i + 1) if t < topics) or frozenset({topics - 1}) for i in range(members)
    )
    owners = [topic for topic, count in enumerate(sizes) for _ in range(count)]
    return GroupShape(tuple(sizes), reads, tuple(owners))


def changed(shape: GroupShape, rng: random.Random) -> GroupShape:
    """One thing changed: a subscription, an owner, the order of two members, or the topic of a partition."""
    change: Callable[[GroupShape, random.Random], GroupShape] = rng.choice(
        (_read_more_or_less, _owned_by_another, _turned, _topic_of_another_size)
    )
    return change(shape, rng)


def _read_more_or_less(shape: GroupShape, rng: random.Random) -> GroupShape:
    member, topic = rng.randrange(len(shape.reads)), rng.randrange(len(shape.sizes))
    read = shape.reads[member] ^ {topic}
    reads = (*shape.reads[:member], read, *shape.reads[member + 1 :])
    if not read or not any(topic in own for own in reads):
        return shape
    return _consistent(replace(shape, reads=reads))


def _owned_by_another(shape: GroupShape, rng: random.Random) -> GroupShape:
    at = rng.randrange(len(shape.owners))
    owner = rng.randrange(-1, len(shape.reads))
    return _consistent(replace(shape, owners=(*shape.owners[:at], owner, *shape.owners[at + 1 :])))


def _turned(shape: GroupShape, rng: random.Random) -> GroupShape:
    a, b = rng.randrange(len(shape.reads)), rng.randrange(len(shape.reads))
    reads = list(shape.reads)
    reads[a], reads[b] = reads[b], reads[a]
    new = {a: b, b: a}
    return replace(shape, reads=tuple(reads), owners=tuple(new.get(owner, owner) for owner in shape.owners))


def _topic_of_another_size(shape: GroupShape, rng: random.Random) -> GroupShape:
    a, b = rng.randrange(len(shape.sizes)), rng.randrange(len(shape.sizes))
    if a == b or shape.sizes[a] < 2:
        return shape
    sizes = list(shape.sizes)
    sizes[a], sizes[b] = sizes[a] - 1, sizes[b] + 1
    owners = list(shape.owners)
    moved = owners.pop(sum(shape.sizes[: a + 1]) - 1)
    owners.insert(sum(sizes[: b + 1]) - 1, moved)
    return _consistent(replace(shape, sizes=tuple(sizes), owners=tuple(owners)))


def _consistent(shape: GroupShape) -> GroupShape:
    """The shape without owners that do not read their partition: such a partition has no owner."""
    topics = [topic for topic, size in enumerate(shape.sizes) for _ in range(size)]
    owners = tuple(o if o >= 0 and t in shape.reads[o] else -1 for t, o in zip(topics, shape.owners))
    return replace(shape, owners=owners)


class GroupSearch(WorstSearch):
    """Consumer groups with a past: sizes of topics, subscriptions and owners."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "max(load) - min(load) - (best_max - best_min) < {}",
            "largest less smallest load, less that of the optimum",
        ),
        "moves": WorstMeasure(
            "(moved - best_moved) * max(0, 1 - gap) < {}",
            "moves beyond the fewest, where the loads are the best",
        ),
        "rounds": WorstMeasure("rounds < {}", "rounds until nothing changes"),
        "gap": WorstMeasure("gap < {}", "sum of squared loads, less the least possible"),
    }

    def small(self, size: tuple[int, int]) -> Iterator[History]:
        """Every group of the size without a past, with all topics read."""
        return starting_points(*size, pasts=False)

    def seeds(self, value: Callable[[Any], int], size: tuple[int, int]) -> Iterator[History]:
        """The worst small groups, widened; a chain, one topic, stairs, and copies of the worst group."""
        small = (min(size[0], SEED_CELL[0]), min(size[1], SEED_CELL[1]))
        # A small group is evaluated in the form in which it is changed; its names have two digits.
        every = [shape_of(case).history() for case in self.small(small)]
        ranked = sorted(every, key=value, reverse=True)
        for case in ranked[:SEEDS]:
            yield self.widened(case, size)
        for shape in (
            chained(size),
            one_topic(size),
            stairs(size),
            separate_copies(shape_of(ranked[0]), size),
        ):
            yield shape.history()

    def widened(self, case: History, size: tuple[int, int]) -> History:
        """The group repeated next to itself."""
        return widened(shape_of(case), size).history()

    def changed(self, case: History, rng: random.Random) -> History:
        """Another subscription, owner, order of members or topic."""
        return changed(shape_of(case), rng).history()

    def value(self, badness: str, played: Rebalanced, best: Any, /) -> int:
        """The measure of the last rebalance."""
        try:
            if badness == "rounds":
                return len(played.steps) - played.settled
            outcome: Step = played.outcomes[-1]
            least: Best = best(outcome)
        except IndexError:
            return -1
        loads = outcome.loads.values()
        gap = sum(load**2 for load in loads) - sum(load**2 for load in least.loads)
        if badness == "gap":
            return gap
        if badness == "moves":
            return len(moved(outcome.given, outcome.previous)) - least.moved if gap == 0 else 0
        return max(loads) - min(loads) - (max(least.loads) - min(least.loads))

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """With n partitions, loads differ by at most n, squares sum to at most n squared, and at most n move.

        Even loads have the least squares. The answers of the optimum's own rules are certified.
        """
        members, partitions = size
        if badness == "rounds":
            return None
        if spec.startswith("optimal-"):
            return 0
        if badness == "spread":
            return partitions if members > 1 else 0
        return partitions if badness == "moves" else partitions**2 - least_squares(partitions, members)

    def expected(self, badness: str, spec: str, kind: object) -> str:
        """A message: members of a group have no leaders among the partitions."""
        return f"--worst {badness}: {spec} has no leaders, expected {', '.join(self.measures)}"


class ShareSearch(WorstSearch):
    """Share groups with a past in which one member had each partition; at most one member leaves."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "all t: spread(t) < {}",
            "members of one partition of a topic less those of another",
        ),
        "moves": WorstMeasure(
            "taken_back - best_taken_back < {} where even",
            "copies taken back beyond the fewest, where the answer is even",
        ),
        "rounds": WorstMeasure("rounds < {}", "rounds until nothing changes"),
    }

    def small(self, size: tuple[int, int]) -> Iterator[History]:
        """Every group of the size with all topics read, each with and without a past."""
        return chain.from_iterable(starting_points(*size, pasts=past) for past in (False, True))

    def widened(self, case: History, size: tuple[int, int]) -> History:
        """The group repeated next to itself."""
        return widened(shape_of(case), size).history()

    def changed(self, case: History, rng: random.Random) -> History:
        """Another subscription, owner, order of members or topic; or another leaving member, or none."""
        if rng.randrange(4):
            other = changed(shape_of(case), rng).history()
            return replace(other, changes=(*other.changes, *case.changes[1:]))
        goes = rng.randrange(len(case.joins))
        after = ((Leave(case.joins[goes].member.member_id),),) if goes else ()
        return replace(case, changes=(case.changes[0], *after))

    def value(self, badness: str, played: Rebalanced, best: Any, /) -> int:
        """The measure of the last rebalance."""
        if badness == "rounds":
            return measured(SHARE_WORDS, "rounds", ShareScene(played.steps[-1], None, played))
        if not played.outcomes:
            return -1
        step: Step = played.outcomes[-1]
        if badness == "moves":
            scene = ShareScene(step, best(step))
            taken = measured(SHARE_WORDS, "taken_back", scene)
            return taken - measured(SHARE_WORDS, "best_taken_back", scene) if is_even(step) else 0
        topics = [topic for topic in step.group.subscribers if step.assignable_of(topic)]
        return max((measured(SHARE_WORDS, "spread", ShareScene(step), topic) for topic in topics), default=-1)

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """Any number of members may share a partition if there is another; each copy is taken back once."""
        members, partitions = size
        if badness == "spread":
            return members if partitions > 1 else 0
        return members * partitions if badness == "moves" else None
