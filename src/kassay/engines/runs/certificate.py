"""The certificate: what was tested, how, and the results; `kassay/certificate/5`."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kassay import __version__
from kassay.engines.runs.environments.coverage import EnvironmentCoverage
from kassay.model.kinds import Kind, Verdict
from kassay.model.trace import Trace
from kassay.writing.text import series, shortened

SCHEMA: Final = "kassay/certificate/5"
REPR_MAX: Final = 90
"""The most characters of a name or a message in a `repr`."""


@dataclass(frozen=True, repr=False)
class Counterexample:
    """The smallest case found that violates a claim; `code` is a test that reproduces it, for pages."""

    trace: Trace
    members: int
    partitions: int
    events: int
    message: str
    path: str | None = None
    code: str = ""

    def __repr__(self) -> str:
        return f"<Counterexample: {shortened(self.message, REPR_MAX)}>"

    def to_json(self) -> dict[str, Any]:
        """The counterexample as the certificate has it; the trace is a separate file."""
        return {
            "trace": self.path,
            "input": "contradictory" if self.trace.contradictory else "ordinary",
            "members": self.members,
            "partitions": self.partitions,
            "events": self.events,
            "message": self.message,
            "broken": list(self.trace.broken),
            "could_be": self.trace.could_be,
            "repeated": None if self.trace.repeated is None else self.trace.repeated._asdict(),
        }


@dataclass(frozen=True, repr=False)
class ClaimResult:
    """One claim's verdict; `known` says that a baseline accepts the finding.

    Of the `judged` evaluations, those that could have failed are `checked`, and those of them that another
    process answered too are `across_processes`; None if the claim is not about processes.
    """

    id: str
    sentence: str
    verdict: Verdict
    why: str
    judged: int
    checked: int
    across_processes: int | None
    failed: int
    counterexample: Counterexample | None = None
    known: str | None = None

    def __repr__(self) -> str:
        return f"<ClaimResult: {shortened(self.id, REPR_MAX)} {self.verdict.value}>"

    def to_json(self) -> dict[str, Any]:
        """The claim as the certificate has it."""
        document = {
            "id": self.id,
            "verdict": self.verdict.value,
            "why": self.why,
            "judged": self.judged,
            "checked": self.checked,
            "across_processes": self.across_processes,
            "failed": self.failed,
            "counterexample": None if self.counterexample is None else self.counterexample.to_json(),
        }
        if self.known is not None:
            document["known"] = self.known
        return document


class CoveredDimension(NamedTuple):
    """The classes of one dimension of the input on which a claim was checked, and those still missing.

    `silent` are classes that were shown, and no claim of the run applied there: one about equal subscriptions
    says nothing of a reader that is alone.
    """

    id: str
    covered: tuple[str, ...]
    missing: tuple[str, ...]
    silent: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The dimension as the certificate has it."""
        lists = {"covered": self.covered, "missing": self.missing, "silent": self.silent}
        return {"id": self.id, **{name: list(classes) for name, classes in lists.items()}}


@dataclass(frozen=True, repr=False)
class Certificate:
    """The results of a run on one target; if `interrupted`, the results up to then.

    `coverage` says what of the wide input was checked; it is empty for a run over an exhaustive scope.
    `wide_share` is the share of the time of all cases that wide ones took.
    `narrowed_by` are the settings of a file that left claims or inputs out, each with its value.
    """

    target: str
    kind: Kind
    protocol: str
    digest: str | None
    seed: int
    budget: dict[str, Any]
    profile: str
    assume: tuple[str, ...]
    histories: int
    rebalances: int
    claims: tuple[ClaimResult, ...]
    reached: dict[str, int]
    controls: dict[str, Any]
    elapsed_s: float
    notes: tuple[str, ...] = field(default=())
    interrupted: bool = False
    coverage: tuple[CoveredDimension, ...] = ()
    wide_share: float = field(default=0.0, compare=False)
    narrowed_by: tuple[str, ...] = ()
    environment: EnvironmentCoverage = field(default_factory=EnvironmentCoverage)

    def __repr__(self) -> str:
        violated = [each.id for each in self.claims if each.verdict is Verdict.VIOLATED]
        breaks = f", breaks {shortened(series(violated, most=2), REPR_MAX)}" if violated else ""
        return f"<Certificate: {shortened(self.target)} is {self.verdict}{breaks}>"

    @property
    def uncovered(self) -> tuple[CoveredDimension, ...]:
        """The dimensions of which a class is missing."""
        return tuple(each for each in self.coverage if each.missing)

    @property
    def verdict(self) -> str:
        """`certified`, `not-certified`, or `unknown`; known findings do not count against the target.

        A run without claims, an interrupted one, or one that was too short for a dimension of the input or,
        if a claim is about environments, of the environment, certifies nothing. What this machine has no
        means to change is named next to the verdict.
        """
        fresh = [c for c in self.claims if c.known is None]
        if any(c.verdict is Verdict.VIOLATED for c in fresh):
            return "not-certified"
        undecided = any(c.verdict is Verdict.UNKNOWN for c in fresh)
        missed = self.uncovered or self.environment.missed
        if self.interrupted or not self.claims or undecided or missed:
            return "unknown"
        return "certified"

    @property
    def exit_code(self) -> int:
        """0 certified, 1 violated, 3 unknown, 130 interrupted with nothing violated so far."""
        if self.interrupted and self.verdict == "unknown":
            return 130
        return {"certified": 0, "not-certified": 1, "unknown": 3}[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """The document of the certificate."""
        return {
            "schema": SCHEMA,
            **{name: value for name, value in vars(self).items() if name != "wide_share"},
            "kind": self.kind.name,
            "assume": list(self.assume),
            "claims": [claim.to_json() for claim in self.claims],
            "environment": self.environment.to_json(),
            "notes": list(self.notes),
            "coverage": [dimension.to_json() for dimension in self.coverage],
            "narrowed_by": list(self.narrowed_by),
            "verdict": self.verdict,
            "versions": {"kassay": __version__, "python": platform.python_version()},
        }
