"""How far targets are from the certified optimum on consumer instances.

An instance is played as a history that only starts: the members join with what the instance says they
own. What counts is the answer (eager), or the assignment once the group is at rest, counted from the
owners before the first round (cooperative). Weights and co-partitioning are set aside, for the rules
that are measured know neither: loads are partitions.

A target that raises, does not come to rest, or answers with no assignment fails on that instance: it
is counted, and the first such instance is told. Other families of instances are counted as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, NamedTuple

from kassay.certify.targets.resolve import Target
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import History, Join
from kassay.model.groups.player import Player
from kassay.model.groups.playing import NewObject
from kassay.model.kinds import CONSUMER_GROUPS
from kassay.reading.documents import Located, at
from kassay.solver.consumers.documents import best_by
from kassay.solver.consumers.gap import Distribution, Gap, Shortfall, as_group, distribution, gap
from kassay.solver.consumers.optimum import Optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.families import family_of
from kassay.solver.results import OutOfTimeError

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
    gaps: list[Gap] = field(default_factory=list)
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

    def take(self, problem: Problem, best: Optimum, played: PlayedInstance) -> None:
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

    `unsolved` are instances whose optimum was not found in time, `set_aside` those of other families.
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


def require_measurable(target: Target) -> None:
    """Raise `InputError` for a target that answers no consumer groups."""
    if target.kind not in CONSUMER_GROUPS:
        raise InputError(f"{target.spec}: is of kind {target.kind}, expected an assignor of consumer groups")


def play(new: NewObject, target: Target, cluster: Cluster, group: Group) -> PlayedInstance:
    """What the target makes of a group that has just come together."""
    history = History(cluster, (tuple(Join(member) for member in group.members),))
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


def measured_gap(problem: Problem, played: PlayedInstance, best: Optimum | None = None) -> Gap | Missed:
    """The distance of what was answered to the optimum, or why there is none."""
    if played.answer is None:
        return Missed(problem.name, played.failure or "no answer")
    try:
        return gap(problem, played.answer, best)
    except InputError as error:
        return Missed(problem.name, f"no assignment: {error}")


def problem_of(located: Located) -> Problem | None:
    """The instance's problem, without what assignors do not know; None for another family."""
    with at(located.where):
        family = family_of(located.document)
        if family.name != "consumers":
            return None
        problem: Problem = family.parse(located.document)
    named = problem.name or located.where
    return replace(problem.unweighted(), copartition=(), name=named)


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
            if problem is None:
                measured.set_aside += 1
                continue
            try:
                best = best_by(solver, problem, order, seconds)
            except OutOfTimeError as error:
                measured.unsolved.append(Missed(problem.name, str(error)))
                continue
            cluster, group = as_group(problem)
            for host, each in zip(hosts, measured.targets, strict=True):
                each.take(problem, best, play(host.new, each.target, cluster, group))
    return measured
