"""An audit as one page: the verdict, groups with a timeline each, findings with their boards, and gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kassay.engines.audits.values import AuditedRebalance, AuditFinding, GroupAudit, LogAudit, verdict
from kassay.report.pages.layout import PAGE_BYTES_MAX, board_of, fragment
from kassay.report.pages.layout import render as page
from kassay.report.screen.audits import UNLOADABLE, at, duration, no_reader, protocols, where
from kassay.writing.text import counted, shell_command

DRAWN_MAX: Final = 800
"""The maximum number of rebalances on a page, for all groups together."""
GROUPS_MAX: Final = 600
"""The maximum number of groups with an entry of their own; the table has them all."""
BOARDS_MAX: Final = 12
_LEAST: Final = 10
_LOOKS: Final = {"findings": "bad", "clean": "ok", "unknown": "warn"}
_WORDS: Final = {
    "bad": "breaks a claim",
    "warn": "moves needlessly",
    "ok": "nothing found",
    "plain": "not judged",
}
_OTHERS: Final = {
    "Groups that move partitions needlessly": ("warn",),
    "Groups without findings": ("ok", "plain"),
}
"""The folds of the groups that break no claim, by their style."""
_WHO: Final = 3
_NAME: Final = 48
_HEIGHT: Final = 56
_FINDINGS: Final = 40
_FIGURES: Final = (
    "moved",
    "needless",
    "double owners",
    "no reader, at most",
    "unrest",
    "worst spread",
)


class TimelineMark(NamedTuple):
    """A rebalance on a timeline: per cent from the left, its height in pixels, its style and words."""

    x: float
    height: int
    look: str
    text: str


class GroupView(NamedTuple):
    """A group on the page."""

    anchor: str
    name: str
    look: str
    word: str
    figures: tuple[tuple[str, str], ...]
    marks: tuple[TimelineMark, ...]
    began: str
    ended: str
    left_out: int
    rows: tuple[tuple[str, ...], ...]
    causes: tuple[tuple[str, str], ...]
    findings: tuple[tuple[AuditFinding, str, str | None, str | None], ...]
    more: int
    gaps: tuple[str, ...]


def render(audit: LogAudit, files: Sequence[str]) -> str:
    """The whole page; of a large audit the newest and most severe parts, up to the maximum size of a page."""
    drawn, boards = DRAWN_MAX, BOARDS_MAX
    while True:
        text = _page(audit, files, drawn, boards)
        if len(text.encode()) <= PAGE_BYTES_MAX or drawn == 0:
            return text
        drawn, boards = drawn // 2, boards // 2


def _page(audit: LogAudit, files: Sequence[str], drawn: int, boards: int) -> str:
    word = verdict(audit)
    each = max(_LEAST, drawn // max(1, len(audit.groups))) if drawn else 0
    room = drawn // max(_LEAST, each) if each else 0
    gravest = sorted(
        audit.groups, key=lambda group: (-len(group.findings), -group.needless_at_least, group.name)
    )
    shown = gravest[:GROUPS_MAX] if drawn else gravest[:1]
    room_for = _Boards(boards)
    views = [
        _group(group, f"group-{number}", each if number <= max(room, 1) else 0, room_for)
        for number, group in enumerate(shown, start=1)
    ]
    total = sum(audit.records.values())
    return page(
        "audit",
        ("board", "audit", "findings", "index"),
        word=word.capitalize(),
        look=_LOOKS[word],
        subject=", ".join(files[:_WHO]) + (f" and {len(files) - _WHO} more" if len(files) > _WHO else ""),
        said=f"{counted(audit.judged, 'rebalance')} judged in {counted(len(audit.groups), 'group')}, "
        f"{counted(audit.findings, 'finding')}, {total:,} {'record' if total == 1 else 'records'} read.",
        doubts=tuple(_doubts(audit)),
        rows=[_row(group) for group in gravest[: DRAWN_MAX if drawn else _FINDINGS]],
        groups=[each for each in views if each.look == "bad"],
        others=[
            (title, others)
            for title, looks in _OTHERS.items()
            if (others := [view for view in views if view.look in looks])
        ],
        shown=len(shown),
        left_out=len(audit.groups) - len(shown),
        unread=audit.unread,
        records=sorted(audit.records.items()),
    )


class _Boards:
    """Draws boards of findings up to the size limit."""

    def __init__(self, most: int) -> None:
        self._left, self._number = most, 0

    def draw(self, finding: AuditFinding) -> str | None:
        """The board of the finding's trace; None without a trace, or if the page is full."""
        if finding.trace is None or not self._left:
            return None
        self._number += 1
        board = board_of(finding.trace, f"trace-{self._number}")
        if board is None:
            return None
        self._left -= 1
        return fragment("boards", "board", board)


def _doubts(audit: LogAudit) -> Iterator[str]:
    """What could make the result mean less, and a log that does not load."""
    for failure in audit.unloadable:
        place = where(failure.moment)
        yield f"No broker can load this log: {place}, {failure.record}: {failure.why}. {UNLOADABLE}"
    if not audit.judged:
        yield "No rebalance could be judged: gaps, or groups of other protocols."
    gaps = sum(len(group.gaps) for group in audit.groups)
    if gaps:
        yield f"{counted(gaps, 'gap')}: the log is compacted. Nothing is said across a gap."
    for note in audit.notes:
        is_file = not note.split(" ")[0].isalpha()
        yield f"{note}." if is_file else f"{note[:1].upper()}{note[1:]}."


def _row(group: GroupAudit) -> tuple[str, ...]:
    worst, unrest = group.worst_spread, group.longest_unrest_ms
    return (
        group.name,
        protocols(group),
        f"{len(group.rebalances):,}",
        f"{len(group.findings):,}",
        _known(group.moved, group.moved_at_least),
        _known(group.needless, group.needless_at_least),
        f"{group.double_owners:,}",
        no_reader(group).replace("-", "–"),
        "–" if unrest is None else duration(unrest),
        "–" if worst is None else f"{worst.spread} (could be {worst.best_spread})",
    )


def _known(number: int | None, at_least: int) -> str:
    """The number, or what it is at least."""
    return f"{number:,}" if number is not None else f"at least {at_least:,}" if at_least else "–"


def _group(group: GroupAudit, anchor: str, most: int, boards: _Boards) -> GroupView:
    chosen = _chosen(group.rebalances, most)
    look = (
        "bad" if group.findings else "warn" if group.needless_at_least else "ok" if group.judged else "plain"
    )
    times = [each.moment.timestamp for each in chosen]
    spread = [time for time in times if time is not None]
    begin, end = (min(spread), max(spread)) if len(spread) == len(times) and spread else (0, 0)
    last = max(1, len(chosen) - 1)
    by_time = end > begin
    highest = max((each.measured.moved or 0 for each in chosen if each.measured), default=0)
    marks = tuple(
        TimelineMark(
            round(2 + 96 * (((time or 0) - begin) / (end - begin) if by_time else number / last), 2),
            _height(each, highest),
            _look(each),
            _text(each),
        )
        for number, (each, time) in enumerate(zip(chosen, times))
    )
    words = Counter(cause.word.value for each in group.rebalances for cause in each.causes)
    causes = [(word, f"{count:,}") for word, count in words.most_common()]
    causes += [
        (f"{who[:_NAME]} rejoined", counted(count, "time")) for who, count in group.returns.most_common(5)
    ]
    causes += [("note", note) for note in group.notes]
    causes += [("moves not known", f"{count:,}: {reason}") for reason, count in group.unmeasured.items()]
    return GroupView(
        anchor,
        group.name,
        look,
        {"bad": counted(len(group.findings), "finding"), "warn": "needless moves"}.get(look, _WORDS[look]),
        tuple(zip(_FIGURES, _row(group)[4:])),
        marks,
        at(begin) if by_time else "oldest",
        at(end) if by_time else "newest",
        len(group.rebalances) - len(chosen),
        tuple(_cells(each) for each in chosen),
        tuple(causes) if most else (),
        tuple(
            (
                finding,
                where(finding.moment),
                boards.draw(finding),
                None if finding.path is None else shell_command(("kassay", "explain", finding.path)),
            )
            for finding in group.findings[: min(_FINDINGS, max(1, most))]
        ),
        max(0, len(group.findings) - min(_FINDINGS, max(1, most))),
        (*group.gaps[:5], *((f"and {len(group.gaps) - 5} more",) if len(group.gaps) > 5 else ())),
    )


def _chosen(rebalances: Sequence[AuditedRebalance], most: int) -> list[AuditedRebalance]:
    """The rebalances to draw, in order: those with findings, with needless moves, and the newest."""
    gravity = {"bad": 0, "warn": 1}
    ranked = sorted(range(len(rebalances)), key=lambda i: (gravity.get(_look(rebalances[i]), 2), -i))
    return [rebalances[i] for i in sorted(ranked[:most])]


def _look(rebalance: AuditedRebalance) -> str:
    if rebalance.findings:
        return "bad"
    if rebalance.measured is not None and rebalance.measured.needless:
        return "warn"
    return "ok" if rebalance.judged else "plain"


def _height(rebalance: AuditedRebalance, highest: int) -> int:
    moved = (rebalance.measured.moved or 0) if rebalance.measured else 0
    return 10 + round((_HEIGHT - 10) * moved / highest) if highest else 10


def _causes(rebalance: AuditedRebalance) -> str:
    parts = []
    for cause in rebalance.causes:
        who = ", ".join(name[:_NAME] for name in cause.who[:_WHO])
        more = f" and {len(cause.who) - _WHO} more" if len(cause.who) > _WHO else ""
        parts.append(f"{cause.word.value}: {who}{more}" if who else cause.word.value)
    return "; ".join(parts) or "–"


def _text(rebalance: AuditedRebalance) -> str:
    return f"generation {rebalance.generation}, {_WORDS[_look(rebalance)]}; {_causes(rebalance)}"


def _cells(rebalance: AuditedRebalance) -> tuple[str, ...]:
    figures = rebalance.measured
    moment = rebalance.moment
    return (
        str(rebalance.generation),
        "–" if moment.timestamp is None else at(moment.timestamp),
        _causes(rebalance),
        str(rebalance.members),
        "–" if figures is None or figures.moved is None else f"{figures.moved} ({figures.needless} needless)",
        "–" if figures is None else f"{figures.spread} ({figures.best_spread})",
        (rebalance.why_not or _WORDS[_look(rebalance)])[:160],
    )
