"""What an upgrade of Kafka changes for a group: who took over in the rule since, and the smallest example."""

from __future__ import annotations

import sys
from typing import Any, Final

from kassay.assignors import registry
from kassay.assignors.registry import Reference
from kassay.certify.diff.compare import By
from kassay.certify.diff.run import diff
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.targets.resolve import resolve
from kassay.kinds.registry import driver_for

SCHEMA: Final = "kassay/upgrade/1"
HISTORIES: Final = 1000


def upgrade(rule: str, since: str) -> dict[str, Any]:
    """The document `kassay/upgrade/1`: who took over since the release, and where answers and quality differ.

    `examples` has what `diff` finds between the rule of that release and today's in so many histories, with
    the whole difference. Raises `InputError` for a rule or a release that is none.
    """
    before, later = registry.changes_since(rule, since)
    now = later[-1][1] if later else before
    return {
        "schema": SCHEMA,
        "what": "upgrade",
        "rule": before.rule,
        "since": since,
        "before": _described(before),
        "changes": [{"release": release, **_described(reference)} for release, reference in later],
        "examples": [_example(before, now, by) for by in _ways(before)] if later else [],
    }


def _ways(reference: Reference) -> tuple[By, ...]:
    return tuple(By) if driver_for(reference.kind).goals else (By.ANSWER,)


def _described(reference: Reference) -> dict[str, str]:
    """A reference as its file tells it."""
    header = (sys.modules[reference.factory.__module__].__doc__ or "").strip()
    return {
        "spec": reference.spec,
        "releases": reference.releases,
        "summary": reference.summary,
        "header": header,
    }


def _example(before: Reference, now: Reference, by: By) -> dict[str, Any]:
    """Where the two differ, or on how many inputs they do not."""
    options = RunOptions(budget=Budget(histories=HISTORIES))
    report = diff(resolve(before.spec), resolve(now.spec), options, by)
    smallest = report.smallest
    return {
        "by": by.value,
        "seed": report.seed,
        "histories": report.cases,
        "inputs": report.inputs,
        "differing": report.differing,
        "difference": None if smallest is None else {**smallest.counts, **smallest.difference.to_json()},
    }
