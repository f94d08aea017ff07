"""The figures of a rule of consumer groups, next to the rules that Kafka's users know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.assignors import registry
from kassay.kinds.figures import Growth, Leaving, RuleFigures
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced

MEMBERS: Final = ("C0", "C1", "C2")
COMPARED: Final = ("range", "roundrobin", "sticky", "cooperative-sticky", "optimal-sticky")
"""The rules that a rule is compared with."""

TOPICS_MAX: Final = 12
PARTITIONS: Final = 4


def figures_of_rule(rule: registry.Reference) -> RuleFigures:
    """The spread of loads as topics are added, and what moves when a member leaves."""
    return RuleFigures(tuple(growth(rule)), tuple(leaving(rule)))


def growth(subject: registry.Reference, topics_max: int = TOPICS_MAX) -> list[Growth]:
    """The loads of three members with 1, 2, ... topics of four partitions, from a run of each rule."""
    rows = []
    for count in range(1, topics_max + 1):
        loads = _loads(subject, count)
        others = {rule.spec: _spread(_loads(rule, count)) for rule in _beside(subject)}
        rows.append(Growth(count, loads, _spread(loads), others))
    return rows


def _spread(loads: tuple[int, ...]) -> int:
    return max(loads) - min(loads)


def _beside(rule: registry.Reference) -> list[registry.Reference]:
    known = registry.load_all()
    return [known[name] for name in COMPARED if name != rule.spec]


def _start(topics: int, partitions: int) -> tuple[Cluster, tuple[Join, ...]]:
    """Three members that all read the topics."""
    names = [f"t{number:02d}" for number in range(topics)]
    cluster = Cluster(tuple(Topic(name, partitions) for name in names))
    return cluster, tuple(Join(Member(member_id, tuple(names))) for member_id in MEMBERS)


def _loads(rule: registry.Reference, topics: int) -> tuple[int, ...]:
    cluster, joins = _start(topics, PARTITIONS)
    (only,) = _played(rule, History(cluster, (joins,)))
    assignment = only.outcomes[-1].given
    return tuple(len(assignment[member_id]) for member_id in MEMBERS)


def _played(rule: registry.Reference, history: History) -> list[Rebalanced]:
    def new(config: Mapping[str, str]) -> Assignor:
        """A new object of the rule, configured."""
        assignor: Assignor = rule.factory()
        assignor.configure(config)
        return assignor

    return list(Player(new, rule.protocol).play(history))


LEAVING_SIZES: Final = ((1, 3), (1, 9), (2, 2), (3, 4), (5, 7), (10, 10), (4, 100))


def leaving(rule: registry.Reference) -> list[Leaving]:
    """What moves when C1 leaves, for these topics and partitions, from a run of each rule."""
    return [_left(rule, topics, partitions) for topics, partitions in LEAVING_SIZES]


def _left(subject: registry.Reference, topics: int, partitions: int) -> Leaving:
    cluster, joins = _start(topics, partitions)
    history = History(cluster, (joins, (Leave(MEMBERS[1]),)))
    needed, all_moved = {}, {}
    for rule in (subject, *_beside(subject)):
        before, after = _played(rule, history)
        outcome = after.outcomes[-1]
        needed[rule.spec] = len(before.outcomes[-1].given[MEMBERS[1]])
        all_moved[rule.spec] = needed[rule.spec] + len(moved(outcome.given, outcome.previous))
    return Leaving(topics, topics * partitions, needed, all_moved)
