"""Hunts a target's largest distance to the optimum, on instances from small to large.

The ladder has random small groups with overlapping subscriptions in order of size, so the first instance with
a gap is a smallest one. The staircase (member i reads topics i and i + 1, topic i has i partitions and
belongs to member i) shows how a gap grows if a rule moves one partition at a time and only a chain of moves
would help.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kassay.certify.processes.host import Maker
from kassay.certify.targets.resolve import Target
from kassay.kinds.groups.instances import measured_gap, play, told_group
from kassay.kinds.instances import Missed, ToldInstance
from kassay.model.groups.group import Assignment
from kassay.solver.consumers.gap import as_group
from kassay.solver.consumers.optimum import Optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.gap import Gap
from kassay.solver.instances.hunt import STAIRS, ladder, staircase

SCHEMA: Final = "kassay/gap-hunt/1"
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
            "schema": SCHEMA,
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
