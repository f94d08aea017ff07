"""The smallest input on which two targets differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.engines.targets.given import TargetLike, loaded
from kassay.engines.targets.limits import CALL_TIMEOUT_S
from kassay.report.result import DescribedResult, Progress, no_progress
from kassay.writing.text import counted, shortened

if TYPE_CHECKING:
    from kassay.engines.diff.document import TargetDifference
    from kassay.engines.diff.run import DiffReport
    from kassay.report.blocks import Described


@dataclass(frozen=True, repr=False)
class ComparedTargets(DescribedResult):
    """Two targets on the same inputs; `path` is the file of the smallest difference, if it was written."""

    report: DiffReport
    path: str | None = None

    @property
    def verdict(self) -> str:
        """The word "differ", "alike", or "unknown" if nothing could be compared."""
        return self.report.verdict

    @property
    def difference(self) -> TargetDifference | None:
        """The smallest difference: its `case`, its `lines` in words; None if there is none."""
        return None if self.report.smallest is None else self.report.smallest.difference

    def summary(self) -> str:
        """The verdict, and in how many histories they differ."""
        report, histories = self.report, counted(self.report.cases, "history")
        words = {"differ": f"differ in {report.differing} of {histories}", "alike": f"agree in {histories}"}
        names = f"{shortened(report.left)} and {shortened(report.right)}"
        return f"{names} {words.get(self.verdict, 'could not be compared')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/diff/1`."""
        return self.report.to_json(self.path)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each part of the smallest difference."""
        lines = () if self.difference is None else self.difference.lines
        return [{"left": self.report.left, "right": self.report.right, "difference": each} for each in lines]

    def described(self) -> Described:
        """The smallest difference, step by step."""
        from kassay.report.described import diff_described

        return diff_described(self.report, self.path)


def diff(
    left: TargetLike,
    right: TargetLike,
    *,
    by: str = "answer",
    assume: Sequence[str] = (),
    protocol: str | None = None,
    histories: int | None = None,
    seconds: float | None = None,
    exhaustive: tuple[int, int] | None = None,
    config: Mapping[str, str] | None = None,
    seed: int = 0,
    out: str | PathLike[str] | None = None,
    progress: Progress = no_progress,
) -> ComparedTargets:
    """Run the same histories against two targets, and find the smallest input on which they differ.

    They are compared `by` answer, or by quality: balance, movement and rack matches. The budget is
    `histories` or `seconds` (30 by default), or every group up to `exhaustive` members and partitions;
    histories continue with the answers of one of the targets, alternating. The difference is written below
    the folder `out`, if given.

    Returns the verdict, with that input and both answers. Raises `InputError` for targets of two kinds and
    options that do not fit, and `TargetError` for a target that cannot be loaded.

    >>> import kassay
    >>> compared = kassay.diff("range", "roundrobin", histories=20)
    >>> compared
    <ComparedTargets: range and roundrobin differ in 18 of 20 histories>
    >>> print(compared.difference.lines[0])
    different: m0 differs: range gives t1-0 and t0-0, roundrobin gives t0-0.
    """
    from kassay.engines.diff.compare import By
    from kassay.engines.diff.run import diff as run
    from kassay.engines.processes.host import Limits
    from kassay.engines.runs.options import (
        DEFAULT_SECONDS,
        Budget,
        RunOptions,
        conditions,
        protocol_named,
        require_heeded,
    )
    from kassay.properties.assumptions import parse_assumptions
    from kassay.reading.documents import wrong

    if by not in [*By]:
        raise wrong("by", by, " or ".join(By))
    if (seconds, histories, exhaustive) == (None, None, None):
        seconds = DEFAULT_SECONDS
    options = RunOptions(
        assume=parse_assumptions(list(assume)),
        protocol=None if protocol is None else protocol_named(protocol),
        budget=Budget(seconds, histories),
        seed=seed,
        exhaustive=exhaustive,
        limits=Limits(call_timeout_s=CALL_TIMEOUT_S),
        config=dict(config or {}),
    )

    def report(cases: int, inputs: int) -> None:
        progress(cases, f"{cases} histories, {inputs} inputs")

    with loaded([left, right], **conditions(options)) as ready:
        require_heeded(ready, options)
        compared = run(ready[0], ready[1], options, By(by), report)
    return ComparedTargets(compared, None if out is None else _saved(compared, Path(out)))


def _saved(report: DiffReport, out: Path) -> str | None:
    """The path of the difference's file, if there is a difference."""
    from kassay.writing.files import file_name, json_text, write_text

    if report.smallest is None:
        return None
    names = ("diff", report.left, report.right, *(["quality"] if report.by == "quality" else []))
    path = str(out / "traces" / file_name(*names, suffix=".json"))
    write_text(json_text(report.smallest.difference.to_json(), indent=1) + "\n", path)
    return path
