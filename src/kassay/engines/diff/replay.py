"""Replays a saved difference against its two targets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from kassay.engines.diff.compare import Comparison
from kassay.engines.diff.document import Side, TargetDifference, difference_of
from kassay.engines.diff.run import comparison_of, lines_of
from kassay.engines.processes.host import Limits
from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.counterexamples import versions_of
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import Target, resolve
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.shape.codec import listed
from kassay.reading.documents import read_json

SCHEMA: Final = "kassay/difference-replay/1"
EXIT_CODES: Final = {Verdict.VIOLATED: 1, Verdict.HOLDS: 0, Verdict.UNKNOWN: 3}


_UNCHANGED: Final = "nothing that the difference keeps is another now: time, chance or the machine decided"


@dataclass(frozen=True)
class ReplayedDifference:
    """Both answers today: `violated` while they differ, unknown if nothing recorded explains a change."""

    difference: TargetDifference
    verdict: Verdict
    why: str
    lines: tuple[str, ...]
    changes: tuple[str, ...]
    narration: tuple[dict[str, Any], ...]

    @property
    def exit_code(self) -> int:
        """1 while they differ, 0 when they no longer do, 3 when that is unknown."""
        return EXIT_CODES[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/difference-replay/1`."""
        return {
            "schema": SCHEMA,
            "left": self.difference.left.target,
            "right": self.difference.right.target,
            "by": self.difference.by.value,
            "verdict": self.verdict.value,
            "why": self.why,
            "lines": list(self.lines),
            "changes": list(self.changes),
            "narration": list(self.narration),
        }


def read_difference(path: Path) -> TargetDifference:
    """The difference in the file; raises `InputError` for an invalid one."""
    return difference_from(read_json(path, "a difference"), path)


def difference_from(document: object, path: Path) -> TargetDifference:
    """As `read_difference`, for a document that is already read; `path` is its file."""
    difference = difference_of(document, str(path))
    listed(driver_for(difference.kind).narration).read(list(difference.narration), f"{path}: narration")
    return difference


def replay_difference(path: Path) -> ReplayedDifference:
    """Replay the case in the file against both targets under the recorded conditions.

    Raises `InputError` for a file that is no difference, `TargetNotFound` and `TargetNotLoadable`.
    """
    return replayed_difference(read_difference(path), path)


def replayed_difference(difference: TargetDifference, path: Path) -> ReplayedDifference:
    """As `replay_difference`, for a difference that is already read; `path` is its file."""
    sides = (difference.left, difference.right)
    with opened(difference, path) as (comparison, case, targets):
        compared = comparison.compare(case)
        narration = comparison.driver.narrate(case, comparison.leading)
    changes = tuple(
        change for side, target in zip(sides, targets, strict=True) for change in _changes(side, target)
    )
    verdict, why = Verdict.VIOLATED if compared.lines else Verdict.HOLDS, ""
    pythons = [
        side.target for side, target in zip(sides, targets, strict=True) if _other_python(side, target)
    ]
    if not compared.lines and (pythons or not changes):
        verdict = Verdict.UNKNOWN
        why = f"another Python runs {' and '.join(pythons)}" if pythons else _UNCHANGED
    return ReplayedDifference(difference, verdict, why, lines_of(compared), changes, tuple(narration))


@contextmanager
def opened(difference: TargetDifference, path: Path) -> Iterator[tuple[Comparison, Any, list[Target]]]:
    """The comparison under the conditions of the difference, its case, and both targets.

    Raises `InputError` for a case that its kind does not accept, `TargetNotFound` and `TargetNotLoadable`.
    """
    case = driver_for(difference.kind).form.read(difference.case, f"{path}: case")
    conditions = difference.conditions
    options = RunOptions(assume=frozenset(conditions.assume), config=conditions.config)
    targets = [_target(side, difference, path) for side in (difference.left, difference.right)]
    with ExitStack() as stack:
        benches = [stack.enter_context(open_bench(Job(target, options))) for target in targets]
        yield comparison_of(benches[0], benches[1], difference.by).led_by(difference.lead), case, targets


def _target(side: Side, difference: TargetDifference, path: Path) -> Target:
    conditions = difference.conditions
    target = resolve(
        side.target,
        in_process=conditions.in_process,
        limits=Limits(conditions.call_timeout_s, conditions.memory_mib),
        config=conditions.config,
        protocol=_protocol(side, difference),
    )
    if target.kind != difference.kind:
        raise InputError(
            f"{path}: recorded for kind {difference.kind}, {target.spec} is of kind {target.kind}"
        )
    return replace(target, assumes=())


def _protocol(side: Side, difference: TargetDifference) -> RebalanceProtocol | None:
    return side.protocol if difference.kind.chosen else None


def _changes(side: Side, target: Target) -> list[str]:
    """What changed in the target's parts since the difference was recorded."""
    here = versions_of(target)
    changes = [f"{side.target}: its source"] if side.digest != target.digest else []
    named = sorted(side.versions.keys() & here.keys() - {"python"})
    return changes + [
        f"{side.target}: {name} {side.versions[name]}" for name in named if side.versions[name] != here[name]
    ]


def _other_python(side: Side, target: Target) -> bool:
    """Whether the minor version of Python differs from the one that ran the target then."""
    then, now = side.versions.get("python"), dict(target.versions).get("python")
    return None not in (then, now) and str(then).rpartition(".")[0] != str(now).rpartition(".")[0]
