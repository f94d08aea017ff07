"""How far targets are from the certified optimum: assignors on consumer instances, share assignors on theirs.

An instance is played as a history that only starts: the members join with what the instance says they
own. What counts is the answer (eager), or the assignment once the group is at rest, counted from the
owners before the first round (cooperative). Weights and co-partitioning are set aside, for the rules
that are measured know neither: loads are partitions.

A target that raises, does not come to rest, or answers with no assignment fails on that instance: it
is counted, and the first such instance is told. Instances that no target answers are counted as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, NamedTuple, overload

from kassay.certify.targets.resolve import Target
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import Change, Event, History, Join, Withhold
from kassay.model.groups.player import Player
from kassay.model.groups.playing import NewObject
from kassay.model.kinds import CONSUMER_GROUPS, GROUPS, Kind
from kassay.reading.documents import Located, at
from kassay.solver.consumers.documents import best_by
from kassay.solver.consumers.gap import Distribution, Gap, Shortfall, as_group, distribution, gap
from kassay.solver.consumers.optimum import Optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.families import family_of
from kassay.solver.results import OutOfTimeError
from kassay.solver.sharing.gap import ShareGap, as_share_group, share_gap
from kassay.solver.sharing.optimum import ShareOptimum, best_sharing
from kassay.solver.sharing.problem import ShareProblem

SCHEMA: Final = "kassay/gap/1"


class PlayedInstance(NamedTuple):
    """What a target made of a group: its answer or why there is none, in how many rounds and seconds."""

    answer: Assignment | None
    failure: str | None
    rounds: int
    seconds: float


class Missed(NamedTuple):
    """An instance without a gap, and why."""

    name: str
    reason: str


@dataclass
class TargetGaps:
    """A target's gaps, instance by instance, and where it failed."""

    target: Target
    gaps: list[Gap | ShareGap] = field(default_factory=list)
    failed: list[Missed] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0

    @property
    def instances(self) -> int:
        """Instances asked."""
        return len(self.gaps) + len(self.failed)

    @property
    def distributions(self) -> dict[str, Distribution | None]:
        """The distribution of each gap; None where it was never judged."""
        full = [each for each in self.gaps if not each.missing]
        return {
            **{objective: distribution(self.gaps, attrgetter(objective)) for objective in Shortfall._fields},
            "moves": distribution(full, lambda each: each.moved - each.best.moved),
            "mismatches": distribution(full, lambda each: each.rack_mismatch - each.best.rack_mismatch),
        }

    @property
    def totals(self) -> dict[str, int]:
        """Moves and rack mismatches on all instances answered, whatever the balance, and the optimum's."""
        return {
            "moved": sum(each.moved for each in self.gaps),
            "optimal_moved": sum(each.best.moved for each in self.gaps),
            "rack_mismatch": sum(each.rack_mismatch for each in self.gaps),
            "optimal_rack_mismatch": sum(each.best.rack_mismatch for each in self.gaps),
            "missing": sum(each.missing for each in self.gaps),
        }

    def answers(self, problem: Problem | ShareProblem) -> bool:
        """Whether the instance is of the kind that the target answers."""
        return (self.target.kind is Kind.SHARE) is isinstance(problem, ShareProblem)

    def take(
        self, problem: Problem | ShareProblem, best: Optimum | ShareOptimum, played: PlayedInstance
    ) -> None:
        """Measure what the target made of an instance."""
        self.rounds += played.rounds
        self.seconds += played.seconds
        measured = measured_gap(problem, played, best)
        if isinstance(measured, Missed):
            self.failed.append(measured)
        else:
            self.gaps.append(measured)

    def to_json(self) -> dict[str, Any]:
        """The target's part of the document."""
        return {
            "target": self.target.spec,
            "protocol": self.target.protocol.value,
            "answered": len(self.gaps),
            "failed": [missed._asdict() for missed in self.failed],
            "gaps": {
                objective: None if gaps is None else gaps._asdict()
                for objective, gaps in self.distributions.items()
            },
            "totals": self.totals,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 6),
            "instances": [each.document() for each in self.gaps],
        }


@dataclass
class GapReport:
    """The gaps of several targets on the same instances.

    `unsolved` are instances whose optimum was not found in time, `set_aside` those that no target answers.
    """

    source: str
    order: tuple[str, ...]
    solver: str
    targets: list[TargetGaps]
    unsolved: list[Missed] = field(default_factory=list)
    set_aside: int = 0

    @property
    def measured(self) -> bool:
        """Whether every target was asked about an instance; without one nothing is known of any."""
        return all(each.instances for each in self.targets)

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay gap --json`."""
        return {
            "schema": SCHEMA,
            "instances": self.source,
            "order": ",".join(self.order),
            "solver": self.solver,
            "set_aside": self.set_aside,
            "unsolved": [missed._asdict() for missed in self.unsolved],
            "targets": [each.to_json() for each in self.targets],
        }


def require_measurable(target: Target, share_groups: bool = False) -> None:
    """Raise `InputError` for a target that answers no consumer groups; share groups are some if so said."""
    if target.kind not in (GROUPS if share_groups else CONSUMER_GROUPS):
        raise InputError(
            f"{target.spec}: is of kind {target.kind}, expected an assignor of consumer groups"
            + (" or share groups" if share_groups else "")
        )


def _comes_together(cluster: Cluster, group: Group) -> Change:
    """All members come at once, and what the group may not give out is withheld."""
    events: list[Event] = [Join(member) for member in group.members]
    for topic, tps in cluster.partitions.items() if group.assignable is not None else ():
        withheld = tuple(tp.partition for tp in tps if tp not in (group.assignable or ()))
        events += [Withhold(topic, withheld)] if withheld else []
    return tuple(events)


def play(new: NewObject, target: Target, cluster: Cluster, group: Group) -> PlayedInstance:
    """What the target makes of a group that has just come together."""
    history = History(cluster, (_comes_together(cluster, group),))
    began = time.perf_counter()
    rebalanced = next(Player(new, target.protocol).play(history), None)
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


@overload
def measured_gap(problem: Problem, played: PlayedInstance) -> Gap | Missed: ...
@overload
def measured_gap(
    problem: Problem | ShareProblem, played: PlayedInstance, best: Optimum | ShareOptimum
) -> Gap | ShareGap | Missed: ...
def measured_gap(
    problem: Problem | ShareProblem, played: PlayedInstance, best: Optimum | ShareOptimum | None = None
) -> Gap | ShareGap | Missed:
    """The distance of what was answered to the optimum, or why there is none."""
    if played.answer is None:
        return Missed(problem.name, played.failure or "no answer")
    try:
        if isinstance(problem, ShareProblem):
            return share_gap(problem, played.answer, best if isinstance(best, ShareOptimum) else None)
        return gap(problem, played.answer, best if isinstance(best, Optimum) else None)
    except InputError as error:
        return Missed(problem.name, f"no assignment: {error}")


def problem_of(located: Located) -> Problem | ShareProblem | None:
    """The instance's problem, without what assignors do not know; None where no assignor answers it."""
    with at(located.where):
        family = family_of(located.document)
        if family.name not in ("consumers", "sharing"):
            return None
        problem: Problem | ShareProblem = family.parse(located.document)
    named = problem.name or located.where
    if isinstance(problem, ShareProblem):
        return replace(problem, name=named)
    return replace(problem.unweighted(), copartition=(), name=named)


def _best_and_asked(
    problem: Problem | ShareProblem, solver: str, order: tuple[str, ...], seconds: float | None
) -> tuple[Optimum | ShareOptimum, tuple[Cluster, Group]]:
    """The optimum of a problem, and the problem as an assignor sees it."""
    if not isinstance(problem, ShareProblem):
        return best_by(solver, problem, order, seconds), as_group(problem)
    if solver != "flow":
        raise InputError(f"--solver: {solver} does not take share groups, expected flow")
    return best_sharing(problem), as_share_group(problem)


def measure(
    targets: Sequence[Target],
    instances: Iterable[Located],
    source: str,
    *,
    order: tuple[str, ...],
    solver: str = "flow",
    seconds: float | None = None,
    report: Callable[[int], None] = lambda _: None,
) -> GapReport:
    """The gaps of the targets on the instances; raises `InputError` for an instance that is none.

    `seconds` limits each search for an optimum by Z3. `report` is told after each instance how many
    there were.
    """
    measured = GapReport(source, order, solver, [TargetGaps(target) for target in targets])
    with ExitStack() as stack:
        hosts = [stack.enter_context(target.open()) for target in targets]
        for number, located in enumerate(instances, start=1):
            problem = problem_of(located)
            report(number)
            if problem is None or not any(each.answers(problem) for each in measured.targets):
                measured.set_aside += 1
                continue
            try:
                best, asked = _best_and_asked(problem, solver, order, seconds)
            except OutOfTimeError as error:
                measured.unsolved.append(Missed(problem.name, str(error)))
                continue
            for host, each in zip(hosts, measured.targets, strict=True):
                if each.answers(problem):
                    each.take(problem, best, play(host.new, each.target, *asked))
    return measured
