"""The certificate: what was tested, how, and the results; `kassay/certificate/5`."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import Any, Final

from kassay import __version__
from kassay.certify.runs.environments.coverage import EnvironmentCoverage
from kassay.model.kinds import Kind
from kassay.model.trace import Trace
from kassay.model.verdict import Verdict

SCHEMA: Final = "kassay/certificate/5"


@dataclass(frozen=True)
class Counterexample:
    """The smallest case found that violates a claim; `code` is a test that reproduces it, for pages."""

    trace: Trace
    members: int
    partitions: int
    events: int
    message: str
    path: str | None = None
    code: str = ""

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
        }


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Certificate:
    """The results of a run on one target; if `interrupted`, the results up to then."""

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
    environment: EnvironmentCoverage = field(default_factory=EnvironmentCoverage)

    @property
    def verdict(self) -> str:
        """`certified`, `not-certified`, or `unknown`; known findings do not count against the target.

        A run without claims, or an interrupted one, certifies nothing.
        """
        fresh = [c for c in self.claims if c.known is None]
        if any(c.verdict is Verdict.VIOLATED for c in fresh):
            return "not-certified"
        if self.interrupted or not self.claims or any(c.verdict is Verdict.UNKNOWN for c in fresh):
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
            **vars(self),
            "kind": self.kind.name,
            "assume": list(self.assume),
            "claims": [claim.to_json() for claim in self.claims],
            "environment": self.environment.to_json(),
            "notes": list(self.notes),
            "verdict": self.verdict,
            "versions": {"kassay": __version__, "python": platform.python_version()},
        }
