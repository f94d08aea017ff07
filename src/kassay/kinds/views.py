"""A reported case as frames, for every kind of target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kassay.kinds.broken import evidence
from kassay.kinds.frames import Frame, Reported
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
    """The frames of the steps of a case, marked where a claim is broken; none without steps.

    `violations` are the findings in words, `broken` their places, and `could_be` an answer that keeps the
    claim: the last two in the form of a trace. Raises `InputError` for steps that the kind does not report.
    """
    reported = Reported(tuple(steps), case, evidence(violations, broken, could_be))
    return driver_for(kind).frames(reported) if reported.steps else []


def frames_of_trace(trace: Trace) -> list[Frame]:
    """The frames of a trace."""
    return frames_of(trace.kind, trace.narration, trace.case, trace.violations, trace.broken, trace.could_be)
