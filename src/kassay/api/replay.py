"""A recorded history, replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.engines.diff.document import TargetDifference, is_difference
from kassay.engines.diff.replay import ReplayedDifference, difference_from, replayed_difference
from kassay.engines.runs.replay import Instead, Replayed, played_back, trace_from
from kassay.engines.runs.replay import replay as run
from kassay.model.errors import InputError
from kassay.model.kinds import Verdict
from kassay.model.trace import Trace
from kassay.reading.documents import read_json, wrong
from kassay.report.result import DescribedResult
from kassay.writing.text import shortened

if TYPE_CHECKING:
    from kassay.report.blocks import Described

_WORDS = {"violated": "still violates", "holds": "no longer violates", "unknown": "may still violate"}


@dataclass(frozen=True, repr=False)
class Replay(DescribedResult):
    """A replay of a trace, or of a difference between two targets; violated while it is as recorded."""

    replayed: Replayed | ReplayedDifference

    @property
    def verdict(self) -> Verdict:
        """Violated, holds, or unknown if something that decided the result cannot be reproduced."""
        return self.replayed.verdict

    @property
    def violations(self) -> tuple[str, ...]:
        """The violations, or the differences, in words."""
        done = self.replayed
        return done.violations if isinstance(done, Replayed) else done.lines

    def summary(self) -> str:
        """Whether the target still violates the claim, or two targets still differ."""
        if isinstance(self.replayed, Replayed):
            playback = self.replayed.playback
            claim = shortened(playback.trace.claim)
            return f"{shortened(playback.target.spec)} {_WORDS[self.verdict.value]} {claim}"
        difference = self.replayed.difference
        names = f"{shortened(difference.left.target)} and {shortened(difference.right.target)}"
        words = {"violated": "still differ", "holds": "no longer differ", "unknown": "may still differ"}
        return f"{names} {words[self.verdict.value]}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/replay/3`, or `kassay/difference-replay/1` of a difference."""
        return self.replayed.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """One row with the verdict."""
        document = self.to_json()
        names = ("target", "claim", "left", "right", "by", "verdict", "why")
        return [{name: document[name] for name in names if name in document}]

    def described(self) -> Described:
        """The steps of the replay, and its verdict."""
        from kassay.report.explained import replay_described

        return replay_described(self.replayed, self.summary())


def replay(
    trace: str | PathLike[str] | Mapping[str, Any] | Trace | TargetDifference,
    *,
    target: str | None = None,
) -> Replay:
    """Replay a trace against its target under its recorded conditions.

    `trace` is a file, its document, or the trace of a counterexample; also a difference of `kassay.diff`.
    `target` replaces the recorded target. Returns whether the claim is still violated, step by step. Raises
    `InputError` for what is no trace, and `TargetError`.

    >>> import kassay
    >>> result = kassay.certify("ceil-range", claims="topic-even", histories=60, controls=False)
    >>> replayed = kassay.replay(result["topic-even"].counterexample.trace)
    >>> replayed
    <Replay: ceil-range still violates topic-even>
    >>> kassay.replay(result["topic-even"].counterexample.trace, target="range").verdict.value
    'holds'
    """
    path, document = _read(trace)
    if is_difference(document):
        if target is not None:
            own = "its own two targets and conditions"
            raise InputError(f"{path}: a difference is replayed with {own}, expected no options")
        return Replay(replayed_difference(difference_from(document, path), path))
    return Replay(run(played_back(trace_from(document, path), path, Instead(target=target))))


def _read(trace: str | PathLike[str] | Mapping[str, Any] | Trace | TargetDifference) -> tuple[Path, Any]:
    """Where the document is from, and the document."""
    if isinstance(trace, Trace):
        return Path("the trace"), trace.to_json()
    if isinstance(trace, TargetDifference):
        return Path("the difference"), trace.to_json()
    if isinstance(trace, Mapping):
        return Path("the document"), trace
    if not fspath(trace):
        raise wrong("trace", trace, "the path of a trace or of a difference")
    return Path(trace), read_json(Path(trace), "a trace")
