"""How assignors answer instances of consumer groups and share groups.

Weights and co-partitioning are left out, since the measured rules know neither: loads count partitions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from kassay.kinds.instances import (
    AskedInstance,
    Asking,
    How,
    Missed,
    NewTarget,
    PlayedInstance,
    Telling,
    ToldInstance,
    gap_of_played,
)
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.documents import step_to_json
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import Change, Event, History, Join, Withhold
from kassay.model.groups.player import Player
from kassay.model.groups.playing import NewObject
from kassay.model.groups.step import Step
from kassay.model.kinds import RebalanceProtocol
from kassay.model.shape.codec import PARTITIONS
from kassay.solver.groups.optimum import Optimum
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import as_group, best_by, gap
from kassay.solver.groups.share_gap import as_share_group, share_gap
from kassay.solver.groups.shares import ShareProblem, best_sharing
from kassay.solver.results import Gap


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
        return PlayedInstance(None, f"not at rest after {rounds} rounds", rounds, seconds)
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
