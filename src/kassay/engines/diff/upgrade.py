"""What a Kafka upgrade changes for a group: each new version of the rule, and the smallest example."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Final

from kassay.assignors import registry
from kassay.assignors.registry import Reference
from kassay.engines.diff.compare import By
from kassay.engines.diff.run import DiffReport, diff
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.registry import driver_for

SCHEMA: Final = "kassay/upgrade/1"
HISTORIES: Final = 1000


@dataclass(frozen=True)
class Upgrade:
    """The changes of a rule since a release: the rule then, its replacements by release, and examples.

    `examples` has what `diff` finds between the rule of that release and today's, if the rule was replaced.
    """

    before: Reference
    since: str
    changes: tuple[tuple[str, Reference], ...]
    examples: tuple[DiffReport, ...]

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/upgrade/1`."""
        return {
            "schema": SCHEMA,
            "what": "upgrade",
            "rule": self.before.rule,
            "since": self.since,
            "before": _described(self.before),
            "changes": [{"release": release, **_described(reference)} for release, reference in self.changes],
            "examples": [_example(report) for report in self.examples],
        }


def upgrade(rule: str, since: str) -> Upgrade:
    """What replaced the rule since the release, and where answers and quality differ.

    Compares the two on a fixed number of histories. Raises `InputError` for an unknown rule or release.
    """
    before, later = registry.changes_since(rule, since)
    if not later:
        return Upgrade(before, since, (), ())
    now = later[-1][1]
    options = RunOptions(budget=Budget(histories=HISTORIES))
    examples = tuple(diff(resolve(before.spec), resolve(now.spec), options, by) for by in _ways(before))
    return Upgrade(before, since, tuple(later), examples)


def _ways(reference: Reference) -> tuple[By, ...]:
    return tuple(By) if driver_for(reference.kind).goals else (By.ANSWER,)


def header_of(reference: Reference) -> str:
    """The module docstring of a reference."""
    return (sys.modules[reference.factory.__module__].__doc__ or "").strip()


def _described(reference: Reference) -> dict[str, str]:
    return {
        "spec": reference.spec,
        "releases": reference.releases,
        "summary": reference.summary,
        "header": header_of(reference),
    }


def _example(report: DiffReport) -> dict[str, Any]:
    """Where the two differ, or on how many inputs they agree."""
    smallest = report.smallest
    return {
        "by": report.by.value,
        "seed": report.seed,
        "histories": report.cases,
        "inputs": report.inputs,
        "differing": report.differing,
        "difference": None if smallest is None else {**smallest.counts, **smallest.difference.to_json()},
    }
