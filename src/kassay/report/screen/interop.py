"""Pairs of client libraries in one group: a table for each strategy, and what is wrong with each pair."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.engines.live.clients import LIBRARIES
from kassay.engines.live.interop import InteropResult, PairResult
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted

_STYLES = {"agrees": "bold green", "unknown": "bold yellow", "differs": "bold red"}
NONE = "-"


def interop_view(result: InteropResult) -> View:
    """The verdict, a table for each strategy with the leaders as rows, and the pairs that do not agree."""
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result.versions().items()))
    plays = sum(len(each.plays) for each in result.pairs)
    parts: list[View] = [
        whole_line((result.word.upper(), _STYLES[result.word]), f"  {summary(result)}"),
        line(),
        line(f"Kafka {result.release} with {versions or 'no client'}"),
        line(f"{counted(len(result.pairs), 'pair')} in order, {plays:,} plays"),
    ]
    for title, pairs in by_strategy(result):
        head, rows = matrix(pairs)
        parts += [line(), line((title, "bold")), plain_table(head, rows)]
    for each in result.pairs:
        if words := remark(each):
            parts += [line(), whole_line(words)]
    return stack(*parts)


def summary(result: InteropResult) -> str:
    """How many pairs agree with either leader."""
    fine = sum((each.cell(), each.cell(handed=True)) == ("agrees", "agrees") for each in result.pairs)
    return f"{fine:,} of {counted(len(result.pairs), 'pair')} in order agree with either leader"


def by_strategy(result: InteropResult) -> list[tuple[str, list[PairResult]]]:
    """The pairs of each strategy and protocol, with a title."""
    groups: dict[str, list[PairResult]] = {}
    for each in result.pairs:
        groups.setdefault(f"{each.pair.strategy} ({each.pair.protocol} groups)", []).append(each)
    return list(groups.items())


def matrix(pairs: Sequence[PairResult]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the rows of a table: who joined first and leads, and who came second."""
    known = {name: place for place, name in enumerate(LIBRARIES)}
    names = sorted(
        {name for each in pairs for name in (each.pair.first, each.pair.second)},
        key=lambda name: (known.get(name.partition("@")[0], len(known)), name),
    )
    cells = {(each.pair.first, each.pair.second): each.cell() for each in pairs}
    rows = [(first, *(cells.get((first, second), NONE) for second in names)) for first in names]
    return ("first, leads", *names), rows


def remark(result: PairResult) -> str:
    """What is wrong with a pair; empty if both leaders agree."""
    pair, cells = result.pair, (result.cell(), result.cell(handed=True))
    if cells == ("agrees", "agrees"):
        return ""
    words = f"{pair.strategy}: {pair.first} leads {pair.second}: {cells[0]}; then the other way: {cells[1]}"
    if result.unstable:
        seen = ", ".join(" then ".join(play.cells()) for play in result.decided)
        words += f" [{seen}]"
    return f"{words}. {result.text}" if result.text else words
