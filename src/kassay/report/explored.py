"""Comparisons of releases, and broken rules, each described once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.engines.protocols.against import ReleaseComparison
from kassay.engines.protocols.switch_runs import SwitchRow
from kassay.report.blocks import Block, Described, HeadingBlock, RowsBlock, TextBlock, VerdictBlock
from kassay.report.screen.exploration import LIMITS, all_off
from kassay.writing.text import counted

_LOOKS: Final = {"different": "bad", "unknown": "warn", "same": "ok"}


def against_described(result: ReleaseComparison) -> Described:
    """Where two releases part: the shortest trace, then what each of them does."""
    release, against = result.settings.release, result.against
    word = result.to_json()["verdict"]
    why = f"; {LIMITS[result.limit]}" if result.limit else ""
    blocks: list[Block] = [
        VerdictBlock(
            word.capitalize(),
            _LOOKS[word],
            f"{result.settings.model}, {release} and {against}",
            f"{counted(result.pairs, 'pair')} of states{why}.",
        )
    ]
    if result.differs:
        steps = tuple((str(number), str(each)) for number, each in enumerate(result.trace, start=1))
        blocks.append(RowsBlock(("step", "action"), steps, ("step",)))
        for name, texts in ((release, result.left), (against, result.right)):
            blocks.append(HeadingBlock(f"Then {name}"))
            blocks += [TextBlock(each) for each in texts or ("nothing of the kind",)]
    return Described("two releases of a protocol model", (tuple(blocks),))


def switches_described(rows: Sequence[SwitchRow]) -> Described:
    """A row for each broken rule: what finds it, and what is found without it."""
    good = sum(each.holds for each in rows)
    verdict = VerdictBlock(
        "As expected" if good == len(rows) else "Not as expected",
        "ok" if good == len(rows) else "bad",
        counted(len(rows), "broken rule"),
        f"{good} found, and nothing new without them.",
    )
    cells = tuple(
        (
            row.switch.name,
            row.switch.bug,
            row.switch.model,
            ", ".join(f"{seen.kind} in {seen.length} steps" for seen in row.on.shown) or "not found",
            f"{row.on.states:,}",
            all_off(row),
            "ok" if row.holds else "wrong",
        )
        for row in rows
    )
    columns = ("switch", "bug", "model", "found by", "states", "without it", "")
    return Described(
        "rules of a protocol model, broken in turn", ((verdict, RowsBlock(columns, cells, ("states",))),)
    )
