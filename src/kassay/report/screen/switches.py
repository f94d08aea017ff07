"""What detects each broken rule: a table for a terminal, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kassay.certify.protocols.switch_runs import SwitchRow, command
from kassay.report.screen.console import View, line, plain_table, stack


def all_off(row: SwitchRow) -> str:
    """The verdict without the switch, and how many states were walked for it."""
    verdict = str(row.off.result.verdict)
    return f"{verdict}, {row.off.states} states"


def switches_view(walked: Sequence[SwitchRow]) -> View:
    """The table for a terminal, and how many switches meet their expectations."""
    rows = [
        (
            row.switch.name,
            row.switch.bug,
            row.switch.model,
            ", ".join(f"{seen.kind} in {seen.length} steps" for seen in row.on.shown) or "not found",
            row.on.states,
            all_off(row),
            line("ok", style="green") if row.holds else line("WRONG", style="bold red"),
        )
        for row in walked
    ]
    table = plain_table(("switch", "bug", "model", "found by", "states", "all off", ""), rows)
    good = sum(row.holds for row in walked)
    verdict = f"{good} of {len(walked)} switches are found, and the models are clean without them"
    return stack(table, line(), line(verdict, style="bold green" if good == len(walked) else "bold red"))


def rows_json(walked: Sequence[SwitchRow]) -> dict[str, Any]:
    """The table as JSON values."""
    return {
        "schema": "kassay/switches/2",
        "switches": [
            {
                "switch": row.switch.name,
                "bug": row.switch.bug,
                "model": row.switch.model,
                "command": command(row.switch),
                "expected": list(row.switch.shows),
                "found": [{"kind": seen.kind, "length": seen.length} for seen in row.on.sightings],
                "states": row.on.states,
                "states_all_off": row.off.states,
                "verdict_all_off": str(row.off.result.verdict),
                "holds": row.holds,
            }
            for row in walked
        ],
    }
