"""How far targets are from the certified optimum: assignors of groups and of tasks on their instances.

A target that raises, does not become stable, or answers without an assignment fails on that instance: the
failure is counted, and the first such instance is reported. Instances that no target answers are counted too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, NamedTuple

from kassay.certify.optimum.posed import PosedInstance, posed
from kassay.certify.processes.host import Maker
from kassay.certify.targets.resolve import Target
from kassay.kinds.instances import AskedInstance, How, Missed, Telling
from kassay.model.errors import InputError
from kassay.model.kinds import Kind
from kassay.reading.documents import Located
from kassay.solver.consumers.gap import Distribution, Shortfall, distribution
from kassay.solver.gap import AnyOptimum, AnyProblem, Gap
from kassay.solver.results import OutOfTimeError

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
    report: Callable[[int], None] = lambda _: None,
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
