"""A violated claim on a page: a sentence, a picture and how often; its board and its commands in the fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.engines.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.kinds.frames import Frame
from kassay.kinds.views import frames_of_trace
from kassay.report import facts
from kassay.report.facts import evidence_of
from kassay.report.loads import LoadBars, change_of, load_bars
from kassay.report.pages.layout import PAGE_BYTES_MAX, board_of, fragment
from kassay.writing.text import percent, shell_command

BOARDS_MAX: Final = 40
"""The maximum number of boards on a page; for further traces it has the command that prints them."""
BOARD_BYTES_MAX: Final = PAGE_BYTES_MAX * 7 // 10
"""The maximum size of a page's boards: the other parts need the rest."""
MESSAGES_MAX: Final = 6


@dataclass(frozen=True)
class FindingView:
    """A violated claim; `board` is None where the page is full, `marked` what the marks in its bars are."""

    anchor: str
    result: ClaimResult
    mark: str
    reason: str
    sentence: str
    bars: LoadBars | None
    change: tuple[tuple[str, str], ...]
    marked: str
    share: str
    often: str
    input: str
    size: str
    messages: tuple[str, ...]
    more: int
    board: str | None
    replay: str
    code: str
    explain: str
    conditions: tuple[str, ...]


class BoardRoom:
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


def finding_view(
    result: ClaimResult, mark: str, reason: str, certificate: Certificate, anchor: str, boards: BoardRoom
) -> FindingView:
    """The view of a claim that is violated, or whose violation is accepted (`mark` is then `known`)."""
    example, cases = result.counterexample, certificate.histories
    violations = () if example is None else example.trace.violations
    path = None if example is None else example.path
    frame = None if example is None else _broken_frame(example)
    bars = None if frame is None else load_bars(frame)
    return FindingView(
        anchor=anchor,
        result=result,
        mark="accepted" if mark == "known" else mark,
        reason=reason,
        sentence=result.sentence if example is None else evidence_of(example.trace),
        bars=bars,
        change=() if example is None else change_of(example.trace),
        marked=_marked(frame, bars),
        share=percent(result.failed / cases, bad=True) if cases and result.failed else "",
        often=f"{result.failed:,} of {cases:,}" if result.failed else "",
        input="" if example is None else _input(example),
        size="" if example is None else facts.size(example),
        messages=tuple(violations[:MESSAGES_MAX]),
        more=max(0, len(violations) - MESSAGES_MAX),
        board=None if example is None else boards.draw(example),
        replay=facts.replay_command(example),
        code="" if example is None else example.code,
        explain="" if path is None else shell_command(("kassay", "explain", path)),
        conditions=() if example is None else tuple(facts.conditions(example.trace)),
    )


def _input(example: Counterexample) -> str:
    return "conflicting input only" if example.trace.contradictory else "ordinary input"


def _broken_frame(example: Counterexample) -> Frame | None:
    """The frame that the board opens at."""
    frames = frames_of_trace(example.trace)
    return next((each for each in frames if each.broken), frames[-1] if frames else None)


def _marked(frame: Frame | None, bars: LoadBars | None) -> str:
    if frame is None or frame.alternative is None or bars is None or bars.rows[0].best is None:
        return ""
    return "the certified optimum" if "optimum" in frame.alternative.title else "another answer"
