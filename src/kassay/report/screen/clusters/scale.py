"""A consumer group at each number of members, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from kassay.certify.clusters.scale import GroupScale, Lag, Scaled
from kassay.certify.clusters.whatif import PlayedStep
from kassay.report.screen.clusters.what_if import group_head
from kassay.report.screen.console import View, line, plain_table, stack

_COLUMNS: Final = ("members", "a member", "spread", "idle", "moves", "best spread", "fewest moves", "safe")
_LAGS: Final = ("busiest's lag", "at best")
_NUMBERS: Final = (*_COLUMNS[:-1], *_LAGS)


def scale_view(answer: GroupScale) -> View:
    """Each count next to the optimum, and which of them are safe."""
    parts: list[View] = [
        *group_head(answer.observed),
        line(),
        line("with ", (answer.target, "bold"), ", from today on:"),
        plain_table(columns_of(answer), rows_of(answer), _NUMBERS),
    ]
    parts += [
        line(f"{each.members} members: {answer.target} failed: {each.failure}", style="bold red")
        for each in answer.failed
    ]
    safe = spans(each.members for each in answer.counts if each.is_safe)
    best = spans(each.members for each in answer.counts if each.is_safe_at_best)
    parts += [
        line(),
        line(f"safe numbers of members with {answer.target}: {safe or 'none'}", style="bold"),
        line(f"with the certified optimum: {best or 'none'}"),
        line(meaning_of(answer), style="dim"),
    ]
    return stack(*parts)


def columns_of(answer: GroupScale) -> tuple[str, ...]:
    """The columns; those for lags only if lags are weighed."""
    weighed = any(each.lag is not None for each in answer.counts)
    return (*_COLUMNS[:-1], *(_LAGS if weighed else ()), _COLUMNS[-1])


def rows_of(answer: GroupScale) -> list[tuple[object, ...]]:
    """One row per number of members, under `columns_of`."""
    weighed = len(columns_of(answer)) > len(_COLUMNS)
    return [_row(each, answer.today, weighed=weighed) for each in answer.counts]


def meaning_of(answer: GroupScale) -> str:
    """What safe means."""
    return (
        f"safe: no member idle, loads within one, at most {answer.extra_moves} moves more than the fewest. "
        "Fewer members are the first by id; moves +n are partitions of those that went."
    )


def _row(each: Scaled, today: int, *, weighed: bool) -> tuple[object, ...]:
    name = f"{each.members} (today)" if each.members == today else str(each.members)
    own = ("-",) * 4 if each.assignor is None else _cells(each.assignor)
    lag = _lag(each.lag) if weighed else ()
    mark = line("safe", style="green") if each.is_safe else ""
    return (name, *own, each.optimum.loads.spread, each.optimum.moved, *lag, mark)


def _cells(step: PlayedStep) -> tuple[object, ...]:
    loads = step.loads
    own = f"{loads.least}..{loads.most}" if loads.spread else f"{loads.most}"
    moves = f"{step.moved}+{step.orphaned}" if step.orphaned else str(step.moved)
    return own, loads.spread, line(str(len(loads.idle)), style="yellow" if loads.idle else ""), moves


def _lag(lag: Lag | None) -> tuple[object, ...]:
    if lag is None:
        return "-", "-"
    best = str(lag.least_bound) if lag.is_exact else f"{lag.least_bound} to {lag.least_found}"
    return lag.most, best


def spans(counts: Iterable[int]) -> str:
    """The counts, with runs of three or more as `5-9`.

    >>> spans([1, 2, 5, 6, 7])
    '1 2 5-7'
    """
    parts = []
    for _, run in groupby(enumerate(counts), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        parts += [f"{numbers[0]}-{numbers[-1]}"] if len(numbers) > 2 else [str(number) for number in numbers]
    return " ".join(parts)
