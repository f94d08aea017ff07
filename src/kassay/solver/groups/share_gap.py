"""The distance of a share assignor's answer from the certified optimum.

*balance* is the sum of two terms, part by part: squared distances of the partitions' members from the number
that each should have, and the squared counts of the members above the least for this number of copies. It is
0 exactly where the counts are the optimum's. *spread* is the largest count less the smallest, less the
optimum's, in the worst part. *movement*, the revoked copies above the fewest, is judged where the balance is
met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.solver.groups.shares import ShareOptimum, ShareProblem, best_sharing, held_of
from kassay.solver.results import Gap, Least

GENERATION: Final = 1
"""The generation that `as_share_group` gives to all owned partitions, so that none is stale."""
_Given = Mapping[int, frozenset[TopicPartition]]
"""The partitions of each member, by position."""


class ShareFigures(NamedTuple):
    """The figures of an answer: counts ascending, copies revoked, imbalance, partitions without a member.

    Only assignable copies count. `missing` partitions have readers and no member.
    """

    loads: tuple[int, ...]
    taken_back: int
    unevenness: int
    spread: int
    missing: int


ShareGap = Gap[ShareProblem, Least]
"""Of `loads`, copies by member; `moved` are revoked copies, `missing` partitions without a member."""


def share_gap(
    problem: ShareProblem,
    answer: Mapping[str, Iterable[TopicPartition]],
    optimum: ShareOptimum | None = None,
) -> ShareGap:
    """The distance of an answer (partitions by member id) to the optimum, computed if it is not given.

    Raises `InputError` if the answer is invalid for the problem: a partition twice with one member, with a
    member that does not read it, or missing from the problem.
    """
    optimum = optimum or best_sharing(problem)
    best = Least(tuple(optimum.loads), optimum.taken_back)
    mine = share_figures(problem, answer)
    gap = ShareGap(problem=problem, best=best, loads=mine.loads, moved=mine.taken_back, missing=mine.missing)
    if gap.missing:
        return gap
    movement = gap.moved - best.moved if mine.unevenness == 0 else None
    return replace(gap, balance=mine.unevenness, spread=mine.spread, movement=movement)


def share_figures(problem: ShareProblem, answer: Mapping[str, Iterable[TopicPartition]]) -> ShareFigures:
    """The figures of an answer; raises `InputError` if it is invalid for the problem."""
    given = _given(problem, answer)
    taken_back = unevenness = missing = 0
    spread = []
    loads = dict.fromkeys(range(len(problem.members)), 0)
    for part in problem.parts:
        targets = frozenset(part.partitions)
        copies = {reader: targets & given[reader] for reader in part.readers}
        sharing = Counter(tp for tps in copies.values() for tp in tps)
        counts = [len(copies[reader]) for reader in part.readers]
        missing += len(targets) - len(sharing)
        unevenness += sum((sharing[tp] - part.copies) ** 2 for tp in targets) + _above_even(counts)
        spread.append(max(counts) - min(counts) - (part.longer > 0))
        taken_back += sum(
            len(copies[m].union(tps)) - len(copies[m]) for m, tps in held_of(problem, part).items()
        )
        for reader in part.readers:
            loads[reader] += len(copies[reader])
    return ShareFigures(
        tuple(sorted(loads.values())), taken_back, unevenness, max(spread, default=0), missing
    )


def as_share_group(problem: ShareProblem) -> tuple[Cluster, Group]:
    """The problem as an assignor sees it; all owned partitions are of one generation."""
    topics = tuple(Topic(topic.name, topic.partitions) for topic in problem.topics)
    members = tuple(
        Member(m.member_id, tuple(sorted(m.topics)), tuple(sorted(m.owned)), GENERATION)
        for m in problem.members
    )
    given_out = frozenset(TopicPartition(t.name, p) for t in problem.topics for p in t.assignable)
    everything = len(given_out) == sum(topic.partitions for topic in problem.topics)
    return Cluster(topics, ()), Group(members, assignable=None if everything else given_out)


def _above_even(counts: list[int]) -> int:
    """The squared counts above the least for this number of copies."""
    least, longer = divmod(sum(counts), len(counts))
    even = longer * (least + 1) ** 2 + (len(counts) - longer) * least**2
    return sum(count * count for count in counts) - even


def _given(problem: ShareProblem, answer: Mapping[str, Iterable[TopicPartition]]) -> _Given:
    position = {member.member_id: m for m, member in enumerate(problem.members)}
    counts = {topic.name: topic.partitions for topic in problem.topics}
    given = dict.fromkeys(range(len(problem.members)), frozenset[TopicPartition]())
    for member_id, tps in answer.items():
        m = position.get(member_id)
        if m is None:
            raise InputError(f"assignment: member {member_id!r} is not in the group")
        listed = [TopicPartition(*tp) for tp in tps]
        for topic, partition in listed:
            if not 0 <= partition < counts.get(topic, 0) or topic not in problem.members[m].topics:
                raise InputError(f"assignment.{member_id}: {topic}-{partition} is not for this member")
        if len(set(listed)) < len(listed):
            raise InputError(f"assignment.{member_id}: a partition is given twice")
        given[m] = frozenset(listed)
    return given
