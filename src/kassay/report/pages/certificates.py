"""Certificates as one page: the verdict with the violated claims, an index of findings, what holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.engines.runs.certificate import Certificate, ClaimResult, CoveredDimension
from kassay.model.kinds import Verdict
from kassay.report import facts
from kassay.report.pages.findings import BoardRoom, FindingView, finding_view
from kassay.report.pages.layout import render as page

NAMED_MAX: Final = 4
"""The banner names at most this many violated claims."""
LOOKS: Final = {"certified": "ok", "not-certified": "bad", "unknown": "warn"}
"""The style of verdicts."""


class BannerView(NamedTuple):
    """The verdict in words: `claims` violated of `total`, of them `ordinary` on ordinary input, by name.

    `score` has a style for each claim, and `key` the same in words.
    """

    claims: int
    total: int
    ordinary: int
    named: tuple[str, ...]
    more: int
    worst: str
    score: tuple[str, ...]
    key: str


@dataclass(frozen=True)
class Section:
    """One certificate in reading order; `anchor` names it in links."""

    anchor: str
    target: str
    word: str
    look: str
    banner: BannerView
    figures: tuple[tuple[str, str], ...]
    doubts: tuple[str, ...]
    limits: tuple[str, ...]
    findings: tuple[FindingView, ...]
    unknown: tuple[ClaimResult, ...]
    holds: tuple[ClaimResult, ...]
    reached: tuple[tuple[str, int], ...]
    coverage: tuple[CoveredDimension, ...]

    @property
    def marks(self) -> tuple[str, ...]:
        """What the marks in the bars of its findings stand for."""
        return tuple(dict.fromkeys(each.marked for each in self.findings if each.marked))


def render(certificates: Sequence[Certificate], missing: Sequence[facts.NotLoaded] = ()) -> str:
    """The whole page; `missing` targets are above all tested ones."""
    boards = BoardRoom()
    sections = [_section(each, number, boards) for number, each in enumerate(certificates, start=1)]
    words = Counter([*("not loaded" for _ in missing), *(section.word.lower() for section in sections)])
    targets = [*(each.target for each in missing), *(section.target for section in sections)]
    return page(
        "certificates",
        ("board", "findings", "index"),
        sections=sections,
        summary=", ".join(f"{count} {word}" for word, count in words.items()),
        missing=missing,
        title=targets[0] if len(targets) == 1 else f"{len(targets)} targets",
    )


def _section(certificate: Certificate, number: int, boards: BoardRoom) -> Section:
    by_mark = facts.judged(certificate.claims)
    broken = sorted((each for each in by_mark if each[1] in ("violated", "known")), key=_order)
    anchor = f"target-{number}"
    findings = tuple(
        finding_view(result, mark, why, certificate, f"{anchor}-{place}", boards)
        for place, (result, mark, why) in enumerate(broken, start=1)
    )
    warnings, violated = tuple(facts.warnings(certificate)), certificate.verdict == "not-certified"
    return Section(
        anchor=anchor,
        target=certificate.target,
        word=certificate.verdict.replace("-", " ").capitalize(),
        look=LOOKS[certificate.verdict],
        banner=_banner(certificate, by_mark, findings),
        figures=facts.run_facts(certificate),
        doubts=() if violated else warnings,
        limits=warnings if violated else (),
        findings=findings,
        unknown=tuple(result for result, mark, _ in by_mark if mark == Verdict.UNKNOWN.value),
        holds=tuple(result for result, mark, _ in by_mark if mark == Verdict.HOLDS.value),
        reached=tuple(certificate.reached.items()),
        coverage=certificate.coverage,
    )


def _order(each: tuple[ClaimResult, str, str]) -> tuple[bool, bool, int]:
    """Accepted findings last; ordinary input before conflicting input; then by how often."""
    result, mark, _ = each
    return mark == "known", is_conflicting(result), -result.failed


def is_conflicting(result: ClaimResult) -> bool:
    """Whether the claim was violated on conflicting input only."""
    return result.counterexample is not None and result.counterexample.trace.contradictory


def _banner(
    certificate: Certificate,
    by_mark: Sequence[tuple[ClaimResult, str, str]],
    findings: Sequence[FindingView],
) -> BannerView:
    violated = [result for result, mark, _ in by_mark if mark == "violated"]
    fresh = [each for each in findings if each.mark == "violated"]
    styles = Counter(_style(*each) for each in by_mark)
    words = {
        "bad": "violated",
        "odd": "violated on conflicting input only",
        "known": "accepted",
        "unknown": "unknown",
        "ok": "hold",
    }
    return BannerView(
        claims=len(violated),
        total=len(certificate.claims),
        ordinary=sum(not is_conflicting(each) for each in violated),
        named=tuple(each.result.id for each in fresh[:NAMED_MAX]),
        more=max(0, len(fresh) - NAMED_MAX),
        worst=fresh[0].sentence if fresh else "",
        score=tuple(style for style in words for _ in range(styles[style])),
        key=" · ".join(f"{styles[style]} {word}" for style, word in words.items() if styles[style]),
    )


def _style(result: ClaimResult, mark: str, _: str) -> str:
    if mark == "violated":
        return "odd" if is_conflicting(result) else "bad"
    return "ok" if mark == "holds" else mark
