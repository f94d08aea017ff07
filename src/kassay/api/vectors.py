"""Golden vectors of Kafka's own outputs."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from kassay.engines.targets.given import TargetLike, loaded
from kassay.report.result import DescribedResult, Progress, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.vectors.check import FileResult
    from kassay.report.blocks import Described


@dataclass(frozen=True, repr=False)
class CheckedVectors(DescribedResult):
    """The files in order, each with how many vectors passed, the failures, or why it is unknown."""

    files: tuple[FileResult, ...]

    @property
    def passed(self) -> int:
        """The number of vectors with Kafka's answer."""
        return sum(each.passed for each in self.files)

    @property
    def failed(self) -> int:
        """The number of vectors with another answer."""
        return sum(len(each.failures) for each in self.files)

    @property
    def unknown(self) -> tuple[FileResult, ...]:
        """The files that nothing checks."""
        return tuple(each for each in self.files if each.unknown is not None)

    def summary(self) -> str:
        """How many vectors passed and failed."""
        return f"{self.passed:,} passed, {self.failed:,} failed in {counted(len(self.files), 'file')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/vectors/1`."""
        return {"schema": "kassay/vectors/1", "files": [each.to_json() for each in self.files]}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each file."""
        return [
            {
                "name": each.name,
                "passed": each.passed,
                "failed": len(each.failures),
                "unknown": each.unknown or "",
            }
            for each in self.files
        ]

    def described(self) -> Described:
        """The files as blocks."""
        from kassay.report.checked import vectors_described

        return vectors_described(self.files)


def vectors(
    *paths: str | PathLike[str], target: TargetLike | None = None, progress: Progress = no_progress
) -> CheckedVectors:
    """Check golden vectors, recorded from Kafka's own classes, against kassay's references or a `target`.

    `paths` are files (.json or .json.gz) or folders of them. With a `target` only sets are compared, not the
    order inside lists. Returns how many vectors of each file have Kafka's answer. Raises `InputError` for a
    file that has no vectors or vectors that are not of the target's kind, and `TargetError`.

    >>> import kassay
    >>> kassay.vectors("tests/data/vectors/server-simple.json.gz")
    <CheckedVectors: 112 passed, 0 failed in 1 file>
    """
    from contextlib import ExitStack
    from functools import partial
    from pathlib import Path

    from kassay.engines.vectors.check import check_files
    from kassay.model.errors import InputError

    if not paths:
        raise InputError("paths: found none, expected at least one")
    results: list[FileResult] = []
    with ExitStack() as stack:
        factory, instead = None, None
        if target is not None:
            (instead,) = stack.enter_context(loaded([target]))
            factory = partial(stack.enter_context(instead.open()).new, {})
        for each in check_files([*map(Path, paths)], factory, exact=target is None, target=instead):
            results.append(each)
            progress(len(results), each.name)
    return CheckedVectors(tuple(results))
