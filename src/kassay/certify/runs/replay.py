"""Playing a saved trace again, on this machine and against this or another target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.certify.kinds.registry import driver_for
from kassay.certify.processes.host import Limits
from kassay.certify.runs.blocks import Job, open_bench
from kassay.certify.runs.options import RunOptions
from kassay.certify.runs.shrink import broken
from kassay.certify.targets.resolve import Target, resolve
from kassay.model.errors import InputError
from kassay.model.groups.trace import Trace, trace_of
from kassay.model.kinds import Kind
from kassay.properties.registry import promise
from kassay.reading.documents import read_json


@dataclass(frozen=True)
class Replayed:
    """What a trace did when it was played again.

    `changed` says that the target's source is not the one that the trace was recorded against.
    """

    trace: Trace
    target: str
    violations: tuple[str, ...]
    narration: tuple[Mapping[str, Any], ...]
    changed: bool

    @property
    def exit_code(self) -> int:
        """1 while the claim is still broken, else 0."""
        return 1 if self.violations else 0

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/replay/1`."""
        return {
            "schema": "kassay/replay/1",
            "target": self.target,
            "claim": self.trace.claim,
            "violated": bool(self.violations),
            "violations": list(self.violations),
            "source_changed": self.changed,
            "told": list(self.narration),
        }


def read_trace(path: Path) -> Trace:
    """The trace in the file; raises `InputError` for anything that is not one."""
    return trace_of(read_json(path, "a trace"), str(path))


def load_trace(path: Path, spec: str | None, in_process: bool, limits: Limits) -> tuple[Trace, Target]:
    """The trace and the target to play it against.

    Raises `InputError` for a file that is no trace, `TargetNotFound` and `TargetNotLoadable`.
    """
    trace = read_trace(path)
    target = resolve(
        spec or trace.target,
        in_process=in_process,
        limits=limits,
        protocol=trace.protocol if spec is None and trace.kind == Kind.CLIENT else None,
    )
    if target.kind != trace.kind:
        raise InputError(f"{path}: recorded for kind {trace.kind}, {target.spec} is of kind {target.kind}")
    return trace, target


def replay(path: Path, trace: Trace, target: Target) -> Replayed:
    """Play the trace's case against the target and judge the trace's claim."""
    driver = driver_for(trace.kind)
    case = driver.form.read(trace.case, f"{path}: case")
    promised = promise(trace.claim, trace.kind)
    job = Job(target, RunOptions(claims=(trace.claim,)))
    with open_bench(job) as bench:
        subject = bench.subject_of(promised)
        violations = broken(driver, case, subject, promised)
        narration = driver.narrate(case, subject)
    return Replayed(
        trace=trace,
        target=target.spec,
        violations=tuple(dict.fromkeys(str(violation) for violation in violations)),
        narration=tuple(narration),
        changed=trace.digest is not None and target.digest != trace.digest,
    )
