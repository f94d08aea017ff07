"""The results of a campaign and of a fleet's replay, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted, percent, shell_command

Row = Mapping[str, Any]
_STYLES: Final = {"violated": "bold red", "unknown": "bold yellow", "holds": "bold green"}
"""The verdicts, the most severe first."""


def campaign_terminal(outcome: Row) -> View:
    """The verdict, the findings, the leaderboard and the cost as readable text."""
    word = verdict(outcome)
    parts: list[View] = [
        line(
            (word.upper(), _STYLES[word]),
            f"  {outcome['spec']['name']}: {said(outcome)}",
            (unfinished(outcome), "yellow"),
        )
    ]
    parts += [
        line(
            (f"{row['target']} ", "bold"),
            "breaks ",
            (f"{row['claim']}", "red"),
            f" on {row['input']} input, {shown_by(row)}; smallest: "
            f"{row['profile']} history {row['history']}, {row['message']}",
            (f"; {row['others']} further kinds" if row["others"] else ""),
        )
        for row in outcome["findings"]
    ]
    return stack(
        *parts,
        figures(outcome["studies"]["leaderboard"], LEADERS),
        line(took(outcome["totals"]), style="dim"),
    )


def verdict(outcome: Row) -> str:
    """The most severe verdict over all profiles; unknown if no claim was judged."""
    verdicts = {row["verdict"] for row in outcome["verdicts"] if row["profile"] == "*"}
    return next((each for each in _STYLES if each in verdicts), "unknown")


def said(outcome: Row) -> str:
    """The claims by their verdicts over all profiles, and what was played."""
    rows = [row for row in outcome["verdicts"] if row["profile"] == "*"]
    counts = Counter(row["verdict"] for row in rows)
    claims = [f"{counted(counts[each], 'claim')} {each}" for each in ("violated", "unknown") if counts[each]]
    if counts["holds"]:
        claims.append(f"{counted(counts['holds'], 'claim')} {'holds' if counts['holds'] == 1 else 'hold'}")
    targets = counted(len({row["target"] for row in rows}), "target")
    return (
        f"{', '.join(claims) or 'no claim judged'}; {targets}, "
        f"{outcome['histories']:,} histories, seed {outcome['spec']['seed']}"
    )


def shown_by(finding: Row) -> str:
    """How many histories show a finding, or the claim whose counterexample does."""
    if by := finding["broken_by"]:
        return f"shown by the counterexample to {by}"
    return f"in {counted(finding['failed'], 'history')}"


def unfinished(outcome: Row) -> str:
    """What is missing in an incomplete campaign; empty for a complete one."""
    return (
        ""
        if outcome["complete"]
        else f", unfinished: all figures are of these, {outcome['totals']['of']:,} planned"
    )


def took(totals: Row) -> str:
    """The cost of the campaign, in one line."""
    peak = totals["peak_kib"]
    memory = (
        "memory unknown"
        if peak["all"] is None
        else f"at most {peak['all'] / 1024:,.0f} MiB at a time (Python {peak['driver'] / 1024:,.0f}, "
        f"Java {peak['java'] / 1024:,.0f}, workers {peak['workers'] / 1024:,.0f})"
    )
    return (
        f"{totals['elapsed_s']:,.1f} s in {totals['batches']} batches and {totals['tasks']:,} tasks, "
        f"{totals['histories_per_s']:,.0f} histories/s, "
        f"slots idle {percent(totals['idle_share'], bad=True)}, {memory}"
    )


LEADERS: Final = (
    ("target", "target"),
    ("histories", "histories"),
    ("holds", "hold"),
    ("violated", "violated"),
    ("unknown", "unknown"),
    ("instances", "instances"),
    ("unbalanced_share", "not optimal"),
    ("balance_mean", "balance gap"),
    ("movement_mean", "needless moves"),
    ("rounds_mean", "rounds"),
)


FINDINGS: Final = (
    ("target", "target"),
    ("claim", "claim"),
    ("input", "input"),
    ("failed", "histories"),
    ("members", "members"),
    ("partitions", "partitions"),
    ("events", "events"),
    ("message", "message"),
)
_TEXTS: Final = ("target", "profile", "assignor", "claim", "input", "message")


def figures(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> View:
    """The rows as a table, names left-aligned and numbers right-aligned."""
    numbers = [title for key, title in columns if key not in _TEXTS]
    cells = ([shown(row[key], key) for key, _ in columns] for row in rows)
    return plain_table([title for _, title in columns], cells, numbers)


def shown(value: object, key: str = "") -> str:
    """A cell as text."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return (
            percent(value, bad=True)  # of what is not optimal
            if key.endswith("_share")
            else f"{value:.3g}"
            if abs(value) < 1e6
            else f"{value:,.0f}"
        )
    return f"{value:,}" if isinstance(value, int) else str(value)


def findings_view(rows: Sequence[Row], total: int, paths: Sequence[str] = ()) -> View:
    """The findings that a campaign keeps, of `total` in all, and the files of their traces."""
    if not rows:
        return line("no findings" if not total else f"none of the {total:,} findings")
    parts: list[View] = [figures(rows, FINDINGS), line()]
    if len(rows) < total:
        parts.append(line(f"{len(rows):,} of {total:,} findings", style="dim"))
    if paths:
        parts += [whole_line(f"saved: {path}") for path in paths]
        command = shell_command(("kassay", "explain", paths[0]))
        parts += [line(), whole_line(f"explain: {command}", style="cyan")]
        command = shell_command(("kassay", "replay", paths[0]))
        parts.append(whole_line(f"played again: {command}", style="cyan"))
    return stack(*parts)


COLUMNS: Final = (
    ("assignor", "assignor"),
    ("groups", "groups"),
    ("to_switch", "moves to switch"),
    ("moved", "moves"),
    ("moved_least", "needed"),
    ("balance", "balance gap"),
    ("spread_worst", "worst spread"),
    ("better", "better"),
    ("same", "same"),
    ("worse", "worse"),
    ("unknown", "unknown"),
)


def fleet_terminal(outcome: Mapping[str, Any]) -> View:
    """What happened, what each candidate would have done, and what could not be read."""
    events = ", ".join(f"{event} {times:,}" for event, times in outcome["events"].items())
    parts: list[View] = [
        line(
            f"{counted(outcome['groups'], 'group')}, {counted(outcome['snapshots'], 'snapshot')}; "
            f"inferred: {events or 'nothing happened'}"
        ),
        line("better, same, worse: groups against what really happened, by balance, then moves", style="dim"),
    ]
    parts.append(figures(outcome["assignors"], COLUMNS))
    unknown = [row for row in outcome["assignors"] if row["unknown"]]
    if unknown:
        each = ", ".join(f"{row['assignor']} {row['unknown']:,} of {row['groups']:,}" for row in unknown)
        parts.append(
            line(
                f"unknown groups: {each}: an assignment, of the candidate or of the group itself, is not "
                "valid, does not settle or is missing",
                style="yellow",
            )
        )
    if without := outcome["groups"] - outcome["groups_replayed"]:
        parts.append(line(f"no members in any snapshot, not replayed: {counted(without, 'group')}"))
    if outcome["changes"]:
        parts += [line("changed most", style="dim"), _changes(outcome["changes"])]
    parts += [
        line(f"rejected (table `rejected`): {counted(lines, 'line')}: {why}", style="yellow")
        for why, lines in outcome["rejected"].items()
    ]
    return stack(*parts)


def _changes(rows: Sequence[Mapping[str, Any]]) -> View:
    """The groups that gain or lose most under each candidate."""
    cells = [
        (
            row["assignor"],
            row["against_actual"],
            row["group"],
            f"balance gap {row['balance_more']:+,}",
            f"moves {row['moved_more']:+,}",
        )
        for row in rows
    ]
    columns = ("assignor", "against", "group", "balance", "moves")
    return plain_table(columns, cells, columns[3:], header=False)
