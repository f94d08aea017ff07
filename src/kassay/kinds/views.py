"""What is reported of a case as frames, whatever kind of target it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kassay.kinds.frames import Frame, Reported
from kassay.kinds.marks import evidence
from kassay.kinds.registry import driver_for
from kassay.model.kinds import Kind
from kassay.model.trace import Trace


def frames_of(
    kind: Kind,
    steps: Iterable[Mapping[str, Any]],
    case: Mapping[str, Any],
    violations: Iterable[str] = (),
    broken: Iterable[Mapping[str, Any]] = (),
    could_be: Mapping[str, Any] | None = None,
) -> list[Frame]:
    """The frames of the steps of a case, those marked at which a claim is broken; none without steps.

    `violations` are what was found in words, `broken` where, and `could_be` is an answer that keeps the
    claim: the last two as a trace has them. Raises `InputError` for steps that the kind does not report.
    """
    reported = Reported(tuple(steps), case, evidence(violations, broken, could_be))
    return driver_for(kind).frames(reported) if reported.steps else []


def frames_of_trace(trace: Trace) -> list[Frame]:
    """The frames of a trace."""
    return frames_of(trace.kind, trace.narration, trace.case, trace.violations, trace.broken, trace.could_be)
