"""Outcomes of groups: compared with the certified best, on instances, and next to the rules that users know.

The outcomes of consumer groups and share groups, compared with the certified best.

How assignors answer instances of consumer groups and share groups.

Weights and co-partitioning are left out, since the measured rules know neither: loads count partitions.

The figures of a rule of consumer groups, next to the rules that Kafka's users know.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from kassay.assignors import registry
from kassay.kinds.groups.oracle import best_of_group
from kassay.kinds.measures import (
    AskedInstance,
    Asking,
    Growth,
    How,
    Leaving,
    Measure,
    MeasuredRest,
    Missed,
    NewTarget,
    PlayedInstance,
    RuleFigures,
    Telling,
    ToldInstance,
    gap_of_played,
    measure_of,
)
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.documents import step_to_json
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import Change, Event, History, Join, Leave, Withhold
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.player import Player
from kassay.model.groups.playing import NewObject
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import RebalanceProtocol
from kassay.model.shape.codec import PARTITIONS
from kassay.properties.groups.balance import ORDER
from kassay.solver.groups.optimum import Figures, Optimum
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import as_group, best_by, gap, shortfall
from kassay.solver.groups.share_gap import as_share_group, share_gap
from kassay.solver.groups.shares import ShareProblem, best_sharing
from kassay.solver.results import Gap


def measured_group(outcome: Step) -> Measure | None:
    """A consumer group's outcome; None where the answer cannot be compared with the optimum."""
    best = best_of_group(outcome, ORDER)
    if not _is_assignment(outcome, sum(best.loads)):
        return None
    mine = Figures(
        tuple(sorted(outcome.loads.values())),
        len(moved(outcome.given, outcome.previous)),
        len(rack_mismatches(outcome.cluster, outcome.group, outcome.given)),
    )
    far = shortfall(mine, Figures(best.loads, best.moved, best.mismatched))
    units, equal = sum(mine.loads), outcome.group.equal_subscriptions
    return Measure(
        len(mine.loads), units, equal, far.balance, far.spread, mine.moved, best.moved, far.movement, far.rack
    )


def _is_assignment(outcome: Step, partitions: int) -> bool:
    """Whether the answer can be compared with the optimum: each partition once, assigned to a subscriber."""
    owners: set[TopicPartition] = set()
    given = 0
    for reader, tps in outcome.given.items():
        read = outcome.read.get(reader, frozenset())
        if any(tp[0] not in read or not outcome.cluster.has(tp) for tp in tps):
            return False
        owners.update(tps)
        given += len(tps)
    return given == len(owners) == partitions


def measured_share_group(outcome: Step) -> Measure | None:
    """A share group's outcome; None where the answer is not an assignment of the group."""
    problem = ShareProblem.of(outcome.cluster, outcome.group)
    try:
        gap = share_gap(problem, outcome.given)
    except InputError:
        return None
    return measure_of(gap, outcome.group.equal_subscriptions)


def rest_of_group(measured: Callable[[Step], Measure | None], rebalanced: Rebalanced) -> MeasuredRest | None:
    """The outcomes of a rebalance, and its rounds; None where its last call had no answer."""
    if isinstance(rebalanced.steps[-1].answer, Failure):
        return None
    # The last round only shows that the group is stable.
    rounds = max(1, len(rebalanced.steps) - 1) if rebalanced.settled else None
    return MeasuredRest([measured(outcome) for outcome in rebalanced.outcomes], rounds)


def _start_of(cluster: Cluster, group: Group) -> Change:
    """The start of the group: all members join at once, and its unassignable partitions are withheld."""
    events: list[Event] = [Join(member) for member in group.members]
    for topic, tps in cluster.partitions.items() if group.assignable is not None else ():
        withheld = tuple(tp.partition for tp in tps if tp not in (group.assignable or ()))
        events += [Withhold(topic, withheld)] if withheld else []
    return tuple(events)


def play(
    new: NewObject, protocol: RebalanceProtocol, cluster: Cluster, group: Group
) -> PlayedInstance[Assignment]:
    """The target's assignment of a group that starts."""
    history = History(cluster, (_start_of(cluster, group),))
    began = time.perf_counter()
    rebalanced = next(Player(new, protocol).play(history), None)
    seconds = time.perf_counter() - began
    if rebalanced is None:
        return PlayedInstance(None, "a group without members", 0, seconds)
    last = rebalanced.steps[-1].answer
    rounds = len(rebalanced.steps)
    if isinstance(last, Failure):
        return PlayedInstance(None, last.message, rounds, seconds)
    if not rebalanced.outcomes:
        return PlayedInstance(None, f"not stable after {rounds} rounds", rounds, seconds)
    return PlayedInstance(rebalanced.outcomes[-1].given, None, rounds, seconds)


def measured_gap(
    problem: Problem, played: PlayedInstance[Assignment], best: Optimum | None = None
) -> Gap[Problem, Optimum] | Missed:
    """The distance of a consumer group's assignment to the optimum, or why there is none."""
    return gap_of_played(problem.name, played, lambda answer: gap(problem, answer, best))


def ask_consumers(problem: Problem, how: How) -> Asking:
    """What calls a target with instances of consumer groups, without weights and co-partitioning."""
    plain = replace(problem.unweighted(), copartition=())
    best = best_by(how.solver, plain, how.order, how.seconds)
    group = as_group(plain)

    def ask(new: NewTarget, protocol: RebalanceProtocol) -> AskedInstance:
        played = play(new, protocol, *group)
        measured = measured_gap(plain, played, best)
        telling = _telling_of(group, played, best.assignment)
        return AskedInstance(measured, played.rounds, played.seconds, telling)

    return ask


def ask_sharing(problem: ShareProblem, how: How) -> Asking:
    """What calls a target with instances of share groups."""
    how.flow_only("share groups")
    best, group = best_sharing(problem), as_share_group(problem)

    def ask(new: NewTarget, protocol: RebalanceProtocol) -> AskedInstance:
        played = play(new, protocol, *group)
        measured = gap_of_played(problem.name, played, lambda answer: share_gap(problem, answer, best))
        telling = _telling_of(group, played, best.assignment)
        return AskedInstance(measured, played.rounds, played.seconds, telling)

    return ask


def _telling_of(
    group: tuple[Cluster, Group],
    played: PlayedInstance[Assignment],
    best: Mapping[str, Sequence[TopicPartition]],
) -> Telling | None:
    if played.answer is None:
        return None
    return partial(told_group, *group, played.answer, best)


def told_group(
    cluster: Cluster, group: Group, answer: Assignment, best: Mapping[str, Sequence[TopicPartition]]
) -> ToldInstance:
    """A consumer group or a share group that starts, as a trace step."""
    step = step_to_json(Step(cluster, group, _sorted(answer), 1))
    given = {member_id: PARTITIONS.write(sorted(tps)) for member_id, tps in best.items()}
    return ToldInstance({"change": 0, "settled": True, "rounds": [step]}, given, "", (0, 0))


def _sorted(answer: Assignment) -> Assignment:
    return Assignment({member_id: tuple(sorted(tps)) for member_id, tps in answer.items()})


MEMBERS: Final = ("C0", "C1", "C2")
COMPARED: Final = ("range", "roundrobin", "sticky", "cooperative-sticky", "optimal-sticky")
"""The rules that a rule is compared with."""

TOPICS_MAX: Final = 12
FIGURE_PARTITIONS: Final = 4


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
    cluster, joins = _start(topics, FIGURE_PARTITIONS)
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
