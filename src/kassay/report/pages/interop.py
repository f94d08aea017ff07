"""Pairs of client libraries in one group as one HTML page."""

from __future__ import annotations

from typing import NamedTuple

from kassay.engines.live.interop import InteropResult
from kassay.report.pages.layout import render as page
from kassay.report.screen.interop import by_strategy, matrix, remark, summary

_LOOKS = {"agrees": "ok", "unknown": "warn", "differs": "bad"}


class StrategyView(NamedTuple):
    """The table of a strategy, and what is wrong with its pairs."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: tuple[str, ...]


def render(result: InteropResult) -> str:
    """The whole page."""
    strategies = [
        StrategyView(title, *matrix(pairs), tuple(filter(None, map(remark, pairs))))
        for title, pairs in by_strategy(result)
    ]
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result.versions().items()))
    return page(
        "interop",
        word=result.word,
        look=_LOOKS[result.word],
        subject=f"Kafka {result.release} with {versions}",
        said=summary(result),
        strategies=strategies,
    )
