"""How far targets are from the certified optimum on instances, and the hunt for the worst distance.

An instance is played as a history that only starts: members join with what the instance says they own,
processes come with the tasks and the state that it says they have. What counts is the answer (eager), or the
assignment once the group is stable (cooperative, Streams tasks), counted from the owners before the first
round. Weights and co-partitioning are set aside, and so are racks of Streams clients, for the rules that are
measured know none of these: loads are partitions, or tasks. For a board, instance, answer and optimum become
one step.

A target that raises, does not become stable, or answers without an assignment fails on that instance:
the failure is counted, and the first such instance is reported. Instances that no target answers are
counted too.

The hunt goes through instances from small to larger. The ladder has random small groups with overlapping
subscriptions in order of size, so the first instance with a gap is a smallest one. The staircase (member
i reads topics i and i + 1, topic i has i partitions and belongs to member i) shows how a gap grows if a
rule moves one partition at a time and only a chain of moves would help.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple

from kassay.engines.processes.host import Maker
from kassay.engines.targets.resolve import Target
from kassay.kinds.groups.measures import measured_gap, play, told_group
from kassay.kinds.measures import AskedInstance, Asking, How, Missed, Telling, ToldInstance
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment
from kassay.model.kinds import Kind, every_kind
from kassay.reading.documents import Located, at
from kassay.solver.groups.optimum import Optimum
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import Distribution, Shortfall, as_group, distribution
from kassay.solver.instances.families import family_of
from kassay.solver.instances.suites import STAIRS, ladder, staircase
from kassay.solver.results import AnyOptimum, AnyProblem, Gap, OutOfTimeError


@dataclass(frozen=True)
class PosedInstance:
    """An instance and the kinds of targets that answer it; `solve` returns what runs a target on it."""

    name: str
    kinds: tuple[Kind, ...]
    solve: Callable[[How], Asking]
    """Raises `OutOfTimeError` if the optimum takes too long."""


def posed(located: Located) -> PosedInstance | None:
    """The instance at this place, None if no assignor answers it; raises `InputError` for an invalid one."""
    with at(located.where):
        family = family_of(located.document)
        kinds = kinds_of(family.name)
        if not kinds:
            return None
        problem = family.parse(located.document)
    named = replace(problem, name=problem.name or located.where)
    return PosedInstance(named.name, kinds, partial(driver_for(kinds[0]).ask_instance, named))


def kinds_of(family: str) -> tuple[Kind, ...]:
    """The kinds whose targets answer the instances of a family."""
    return tuple(kind for kind in every_kind() if kind.instances and kind.instances.family == family)


SCHEMA: Final = "kassay/gap/1"


class WorstAnswer(NamedTuple):
    """A gap, and what renders its board."""

    gap: Gap[Any, Any]
    telling: Telling


def _weight(gap: Gap[Any, Any] | None) -> tuple[int, ...]:
    """The order of gaps: by balance, then by movement, then by racks; no gap counts as the smallest."""
    if gap is None:
        return (0, 0, 0)
    return tuple(value or 0 for value in (gap.balance, gap.movement, gap.rack))


@dataclass
class TargetGaps:
    """A target's gaps, instance by instance, and its failures.

    `rounds_taken` counts instances by the rounds they took, and `worst` is the first of those furthest from
    the optimum, in balance, then in movement, then in racks; None if every answer is optimal.
    """

    target: Target
    gaps: list[Gap[AnyProblem, AnyOptimum]] = field(default_factory=list)
    failed: list[Missed] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    rounds_taken: Counter[int] = field(default_factory=Counter)
    worst: WorstAnswer | None = None

    @property
    def instances(self) -> int:
        """The number of instances that the target was called with."""
        return len(self.gaps) + len(self.failed)

    @property
    def distributions(self) -> dict[str, Distribution | None]:
        """The distribution of each gap; None if it was never measured."""
        full = [each for each in self.gaps if not each.missing]
        return {
            **{objective: distribution(self.gaps, attrgetter(objective)) for objective in Shortfall._fields},
            "moves": distribution(full, lambda each: each.moved - each.best.moved),
            "mismatches": distribution(full, lambda each: each.rack_mismatch - each.best.rack_mismatch),
        }

    @property
    def totals(self) -> dict[str, int]:
        """Moves and rack mismatches on all answered instances, whatever the balance; also of the optimum."""
        return {
            "moved": sum(each.moved for each in self.gaps),
            "optimal_moved": sum(each.best.moved for each in self.gaps),
            "rack_mismatch": sum(each.rack_mismatch for each in self.gaps),
            "optimal_rack_mismatch": sum(each.best.rack_mismatch for each in self.gaps),
            "missing": sum(each.missing for each in self.gaps),
        }

    def answers(self, instance: PosedInstance) -> bool:
        """Whether the instance is of the kind that the target answers."""
        return self.target.kind in instance.kinds

    def take(self, attempt: AskedInstance) -> None:
        """Count the target's result on an instance."""
        self.rounds += attempt.rounds
        self.rounds_taken[attempt.rounds] += 1
        self.seconds += attempt.seconds
        if isinstance(attempt.gap, Missed):
            self.failed.append(attempt.gap)
        else:
            self.gaps.append(attempt.gap)
            if attempt.telling is not None and _weight(attempt.gap) > _weight(self.worst and self.worst.gap):
                self.worst = WorstAnswer(attempt.gap, attempt.telling)

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
        """Whether every target was called with an instance; otherwise no gap is known."""
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


def require_measurable(target: Target, kinds: Collection[Kind]) -> None:
    """Raise `InputError` for a target that does not answer instances of these kinds."""
    if target.kind not in kinds:
        named = ", ".join(dict.fromkeys(kind.instances.called for kind in kinds if kind.instances))
        raise InputError(f"{target.spec}: is of kind {target.kind}, expected an assignor of {named}")


def measure(
    targets: Sequence[Target],
    instances: Iterable[Located],
    source: str,
    *,
    order: tuple[str, ...],
    solver: str = "flow",
    seconds: float | None = None,
    report: Callable[[int], object] = lambda _: None,
) -> GapReport:
    """The gaps of the targets on the instances; raises `InputError` for an invalid instance.

    `seconds` limits each search for an optimum by Z3. `report` gets the number of instances after each one.
    """
    measured = GapReport(source, order, solver, [TargetGaps(target) for target in targets])
    how = How(solver, order, seconds)
    with ExitStack() as stack:
        hosts = [stack.enter_context(target.open()) for target in targets]
        for number, located in enumerate(instances, start=1):
            instance = posed(located)
            report(number)
            if instance is None or not any(each.answers(instance) for each in measured.targets):
                measured.set_aside += 1
                continue
            try:
                ask = instance.solve(how)
            except OutOfTimeError as error:
                measured.unsolved.append(Missed(instance.name, str(error)))
                continue
            for host, each in zip(hosts, measured.targets, strict=True):
                if each.answers(instance):
                    each.take(ask(Maker(host), each.target.protocol))
    return measured


HUNT_SCHEMA: Final = "kassay/gap-hunt/1"
HUNTED: Final = ("balance", "movement")
FAMILY: Final = "consumers"
"""The family of the ladder's and the staircase's instances."""


class WorstFound(NamedTuple):
    """An instance with a gap, and the target's answer."""

    gap: Gap[Problem, Optimum]
    answer: Assignment

    @property
    def problem(self) -> Problem:
        """The instance."""
        return self.gap.problem

    def drawn(self) -> ToldInstance:
        """What its board displays."""
        return told_group(*as_group(self.problem), self.answer, self.gap.best.assignment)

    def to_json(self) -> dict[str, Any]:
        """The gap with its instance and both assignments."""
        both = {"answer": self.answer, "optimum": self.gap.best.assignment}
        return {
            **self.gap.document(),
            "instance": self.problem.document(),
            **{
                which: {m: sorted(map(list, tps)) for m, tps in assignment.items()}
                for which, assignment in both.items()
            },
        }


@dataclass
class Hunt:
    """The result: for each objective the smallest instance with a gap, and the smallest with the worst."""

    target: Target
    seed: int
    smallest: dict[str, WorstFound] = field(default_factory=dict)
    worst: dict[str, WorstFound] = field(default_factory=dict)
    stairs: list[WorstFound] = field(default_factory=list)
    failed: list[Missed] = field(default_factory=list)
    looked_at: int = 0
    finished: bool = False

    def to_json(self) -> dict[str, Any]:
        """The hunt as a document; its instances are valid input of `kassay optimum` and `kassay gap`."""
        return {
            "schema": HUNT_SCHEMA,
            "target": self.target.spec,
            "seed": self.seed,
            "looked_at": self.looked_at,
            "finished": self.finished,
            "failed": [missed._asdict() for missed in self.failed],
            "smallest": {name: worst.to_json() for name, worst in self.smallest.items()},
            "worst": {name: worst.to_json() for name, worst in self.worst.items()},
            "staircase": [
                {"steps": len(each.problem.members), **each.gap.document()} for each in self.stairs
            ],
        }


def hunt(target: Target, seed: int, seconds: float, report: Callable[[int], None] = lambda _: None) -> Hunt:
    """Hunt until the ladder ends or the time is spent; the staircase is always measured.

    Raises `TargetNotLoadable` if the target does not start.
    """
    deadline = time.monotonic() + seconds
    record = Hunt(target, seed)
    with target.open() as host:

        def look(problem: Problem) -> WorstFound | None:
            record.looked_at += 1
            played = play(Maker(host), target.protocol, *as_group(problem))
            measured = measured_gap(problem, played)
            if isinstance(measured, Missed):
                record.failed.append(measured)
                return None
            assert played.answer is not None
            return WorstFound(measured, played.answer)

        record.stairs = [each for each in map(look, map(staircase, STAIRS)) if each is not None]
        for problem in ladder(seed):
            if time.monotonic() > deadline:
                return record
            report(record.looked_at)
            each = look(problem)
            if each is not None:
                _remember(record, each)
        record.finished = True
    return record


def _remember(record: Hunt, each: WorstFound) -> None:
    """Keep the first instance with a gap, and the first with the largest."""
    for objective in HUNTED:
        value = getattr(each.gap, objective)
        if not value:
            continue
        record.smallest.setdefault(objective, each)
        if objective not in record.worst or value > getattr(record.worst[objective].gap, objective):
            record.worst[objective] = each
