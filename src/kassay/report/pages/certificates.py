"""Certificates as one page: verdicts, what could make a pass meaningless, what is violated, what holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kassay.certify.runs.certificate import Certificate, ClaimResult, Counterexample, CoveredDimension
from kassay.model.kinds import Verdict
from kassay.report import facts
from kassay.report.pages.layout import PAGE_BYTES_MAX, board_of, fragment
from kassay.report.pages.layout import render as page
from kassay.writing.text import shell_command

BOARDS_MAX: Final = 40
"""The maximum number of boards on a page; for further traces it has the command that prints them."""
BOARD_BYTES_MAX: Final = PAGE_BYTES_MAX * 7 // 10
"""The maximum size of a page's boards: the other parts need the rest."""
MESSAGES_MAX: Final = 6
LOOKS: Final = {
    "certified": "ok",
    "not-certified": "bad",
    "unknown": "warn",
    "holds": "ok",
    "violated": "bad",
    "known": "warn",
}
"""The style of verdicts and marks."""


@dataclass(frozen=True)
class BrokenClaim:
    """A violated claim: its words, its board or None if the page is full, the commands to copy."""

    result: ClaimResult
    mark: str
    look: str
    reason: str
    size: str
    messages: tuple[str, ...]
    more: int
    board: str | None
    replay: str
    code: str
    explain: str
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One certificate in reading order; `anchor` names it in links."""

    anchor: str
    target: str
    word: str
    look: str
    counts: str
    played: str
    doubts: tuple[str, ...]
    seen: str
    findings: tuple[BrokenClaim, ...]
    unknown: tuple[ClaimResult, ...]
    holds: tuple[ClaimResult, ...]
    reached: tuple[tuple[str, int], ...]
    coverage: tuple[CoveredDimension, ...]


def render(certificates: Sequence[Certificate], missing: Sequence[facts.NotLoaded] = ()) -> str:
    """The whole page; `missing` targets are above all tested ones."""
    boards = _Boards()
    sections = [_section(each, number, boards) for number, each in enumerate(certificates, start=1)]
    words = Counter([*("not loaded" for _ in missing), *(section.word for section in sections)])
    targets = [*(each.target for each in missing), *(section.target for section in sections)]
    return page(
        "certificates",
        ("board",),
        sections=sections,
        summary=", ".join(f"{count} {word}" for word, count in words.items()),
        missing=missing,
        title=targets[0] if len(targets) == 1 else f"{len(targets)} targets",
    )


class _Boards:
    """Draws the boards of a page up to its size limit, and numbers its traces."""

    def __init__(self) -> None:
        self.traces, self.drawn, self.bytes = 0, 0, 0

    def draw(self, example: Counterexample) -> str | None:
        """The board of the next trace; None if the page is full, or the trace has no frames."""
        self.traces += 1
        if self.drawn >= BOARDS_MAX:
            return None
        board = board_of(example.trace, f"trace-{self.traces}")
        rendered = None if board is None else fragment("boards", "board", board)
        weight = 0 if rendered is None else len(rendered.encode())
        if rendered is None or self.bytes + weight > BOARD_BYTES_MAX:
            return None
        self.drawn, self.bytes = self.drawn + 1, self.bytes + weight
        return rendered


def _section(certificate: Certificate, number: int, boards: _Boards) -> Section:
    by_mark = facts.judged(certificate.claims)
    broken = [each for each in by_mark if each[1] in ("violated", "known")]
    counts = Counter(mark for _, mark, _ in by_mark)
    words = {"holds": "hold", "violated": "violated", "unknown": "unknown", "known": "accepted"}
    return Section(
        anchor=f"target-{number}",
        target=certificate.target,
        word=certificate.verdict.replace("-", " "),
        look=LOOKS[certificate.verdict],
        counts=", ".join(f"{counts[mark]} {word}" for mark, word in words.items() if counts[mark]),
        played=facts.played(certificate),
        doubts=tuple(facts.warnings(certificate)),
        seen=facts.controls(certificate),
        findings=tuple(
            _finding(*each, boards) for each in sorted(broken, key=lambda each: each[1] == "known")
        ),
        unknown=tuple(result for result, mark, _ in by_mark if mark == Verdict.UNKNOWN.value),
        holds=tuple(result for result, mark, _ in by_mark if mark == Verdict.HOLDS.value),
        reached=tuple(certificate.reached.items()),
        coverage=certificate.coverage,
    )


def _finding(result: ClaimResult, mark: str, reason: str, boards: _Boards) -> BrokenClaim:
    example = result.counterexample
    violations = () if example is None else example.trace.violations
    path = None if example is None else example.path
    return BrokenClaim(
        result=result,
        mark="accepted" if mark == "known" else mark,
        look=LOOKS[mark],
        reason=reason,
        size="" if example is None else facts.size(example),
        messages=tuple(violations[:MESSAGES_MAX]),
        more=max(0, len(violations) - MESSAGES_MAX),
        board=None if example is None else boards.draw(example),
        replay=facts.replay_command(example),
        code="" if example is None else example.code,
        explain="" if path is None else shell_command(("kassay", "explain", path)),
        conditions=() if example is None else tuple(facts.conditions(example.trace)),
    )
