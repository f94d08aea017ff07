"""What a run of live histories found: findings, the counts of each claim, figures, as values and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.engines.live.claims.rulings import CLAIMS, LiveFigures, LiveVerdict, Ruling, Word
from kassay.engines.live.shrink import ShrunkScript
from kassay.engines.live.upgrade import BrokerStep

STABLE_SHARE: Final = 3 / 5
"""A finding that fewer of its plays show is unstable."""
INTERRUPTED: Final = 130
"""The exit code of a run that Ctrl-C ended before it found anything."""
FAILED: Final = 4
"""The exit code of a run that failed before it found anything."""


@dataclass(frozen=True)
class LiveFinding:
    """A claim that a history breaks, and in how many plays of its script it was seen."""

    ruling: Ruling
    action: str
    script: str
    seen: int
    plays: int
    shrunk: ShrunkScript | None = None
    shrunk_script: str = ""
    report: str = ""

    @property
    def unstable(self) -> bool:
        """Whether too few plays show it."""
        return self.seen < STABLE_SHARE * self.plays

    def document(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "claim": self.ruling.claim,
            "step": self.ruling.step,
            "action": self.action,
            "text": self.ruling.text,
            "clients": list(self.ruling.clients),
            "script": self.script,
            "seen": self.seen,
            "plays": self.plays,
            "unstable": self.unstable,
            "shrunk": self._shrunk_document(),
            "report": self.report,
        }

    def _shrunk_document(self) -> dict[str, Any] | None:
        if self.shrunk is None:
            return None
        return {
            "script": self.shrunk_script,
            "actions": len(self.shrunk.script.actions),
            "seen": self.shrunk.seen,
            "plays": self.shrunk.plays,
            "candidates": self.shrunk.candidates,
            "minimal": self.shrunk.minimal,
        }


@dataclass(frozen=True)
class PlayedScript:
    """A script that was played, with its verdict and the versions that the clients reported."""

    title: str
    script: str
    verdict: LiveVerdict
    versions: Mapping[str, str]
    steps: int
    findings: tuple[LiveFinding, ...] = ()
    brokers: tuple[BrokerStep, ...] = ()


@dataclass(frozen=True)
class LiveClaimCount:
    """How often a claim was judged, was unknown and was violated; `why` it was not judged."""

    claim: str
    judged: int
    unknown: int
    violated: int
    why: tuple[str, ...]


@dataclass(frozen=True)
class LiveResult:
    """A run: what it played and found. `peak_mib`: the most memory that broker and clients had at a time.

    `replay`: the options with which a script of this run is played again. `failed`: why the run ended before
    its time, or empty.
    """

    run: str
    release: str
    seed: int
    played: tuple[PlayedScript, ...]
    seconds: float
    peak_mib: float
    folder: str
    replay: tuple[str, ...] = ()
    interrupted: bool = False
    failed: str = ""

    @property
    def findings(self) -> tuple[LiveFinding, ...]:
        """All findings."""
        return tuple(each for played in self.played for each in played.findings)

    @property
    def figures(self) -> LiveFigures:
        """The sums over all histories."""
        return sum((each.verdict.figures for each in self.played), LiveFigures())

    @property
    def word(self) -> str:
        """`violated`, `unknown` if a claim was never judged although it could have failed, or `holds`."""
        if self.findings:
            return "violated"
        counts = self.counts()
        return "unknown" if not self.played or any(c.unknown and not c.judged for c in counts) else "holds"

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        if not self.findings and (self.interrupted or self.failed):
            return INTERRUPTED if self.interrupted else FAILED
        return {"violated": 1, "unknown": 3, "holds": 0}[self.word]

    def counts(self, client: str | None = None) -> list[LiveClaimCount]:
        """The counts of each claim, over all histories or those that rest on one client."""
        rulings = [
            ruling
            for played in self.played
            for ruling in played.verdict.rulings
            if client is None or client in ruling.clients
        ]
        counts = []
        for claim in CLAIMS:
            mine = [each for each in rulings if each.claim == claim and each.word is not Word.VACUOUS]
            unknown = [each for each in mine if each.word is Word.UNKNOWN]
            violated = sum(each.word is Word.VIOLATED for each in mine)
            why = tuple(sorted({each.text for each in unknown} | _not_applicable(rulings, claim)))
            counts.append(LiveClaimCount(claim, len(mine) - len(unknown), len(unknown), violated, why))
        return counts

    def replay_of(self, finding: LiveFinding) -> tuple[str, ...]:
        """The words of the command that plays a finding again: its smallest script."""
        script = finding.script if finding.shrunk is None else finding.shrunk_script
        return ("kassay", "live", *self.replay, script)

    @property
    def clients(self) -> dict[str, str]:
        """The versions of the clients."""
        return {name: version for each in self.played for name, version in each.versions.items()}

    def to_json(self) -> dict[str, Any]:
        """The result as JSON."""
        figures = self.figures
        return {
            "schema": "kassay/live/1",
            "verdict": self.word,
            "run": self.run,
            "interrupted": self.interrupted,
            "failed": self.failed,
            "release": self.release,
            "seed": self.seed,
            "clients": self.clients,
            "histories": [
                {
                    "title": each.title,
                    "script": each.script,
                    "steps": each.steps,
                    "beliefs": list(each.verdict.beliefs),
                    "brokers": [step.to_json() for step in each.brokers],
                }
                for each in self.played
            ],
            "claims": [_count_document(each) for each in self.counts()],
            "by_client": {
                name: [_count_document(each) for each in self.counts(name)] for name in sorted(self.clients)
            },
            "findings": [each.document() for each in self.findings],
            "moved": figures.moved,
            "least": figures.least,
            "changed_owner": figures.changed_owner,
            "records_read": figures.read,
            "records_read_twice": figures.read_twice,
            "seconds": round(self.seconds, 1),
            "peak_mib": round(self.peak_mib),
            "folder": self.folder,
        }


def _not_applicable(rulings: Iterable[Ruling], claim: str) -> set[str]:
    """Why the claim says nothing at a step, where there is a reason."""
    vacuous = (each for each in rulings if each.claim == claim and each.word is Word.VACUOUS and each.text)
    return {f"not applicable: {each.text}" for each in vacuous}


def _count_document(count: LiveClaimCount) -> dict[str, Any]:
    return {
        "claim": count.claim,
        "judged": count.judged,
        "unknown": count.unknown,
        "violated": count.violated,
        "why": list(count.why),
    }
