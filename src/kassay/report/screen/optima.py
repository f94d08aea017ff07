"""Optima, gaps, proofs and rankings as tables for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from kassay.report.screen.console import View, line, plain_table, stack

if TYPE_CHECKING:
    from kassay.certify.optimum.solve import OptimumLine
    from kassay.solver.proofs.prove import Proof

_STYLES: Final = {"optimal": "green", "interval": "yellow", "unknown": "yellow", "infeasible": "bold red"}
_COLUMNS: Final = ("instance", "status", "loads", "moved", "racks", "value", "s", "proven by")
_PLAIN: Final = 8
_NARROW: Final = 4
_SHOWN: Final = 12
"""The maximum number of members whose assignment is shown."""


def optimum_row(result: OptimumLine) -> tuple[object, ...]:
    """The line of one result in `optimum_table`."""
    status = line(result.status, style=_STYLES[result.status])
    seconds = f"{result.seconds:.3f}"
    if not result.answered:
        return (result.name, status, "-", "-", "-", "-", seconds, result.why)
    lower, upper = result.lower, result.upper
    return (
        result.name,
        status,
        runs(result.loads, _NARROW),
        result.moved,
        result.rack_mismatch,
        upper if lower == upper else f"{lower}..{upper}",
        seconds,
        _proven_by(result),
    )


def _proven_by(result: OptimumLine) -> str:
    """What proves an optimum; for an interval the first goal without a proof, and its bound."""
    unmet = next((goal for goal in result.goals if not goal.proven), None)
    if unmet is None:
        return re.split("[,:]| prove", result.bound)[0]
    if isinstance(unmet.value, Sequence):
        return f"{unmet.goal} parts at {unmet.parts_at} of {len(unmet.value)}"
    return f"{unmet.goal} {unmet.value}, at least {unmet.bound}"


def optimum_table(rows: Sequence[tuple[object, ...]]) -> View:
    """One line per result, and how many there are of each status."""
    table = plain_table(_COLUMNS, rows, ("moved", "racks", "value", "s"))
    counts = Counter(str(row[1]) for row in rows)
    statuses = ", ".join(f"{count} {status}" for status, count in counts.items())
    if len(rows) < 2:
        return table
    return stack(table, line(), line(f"{len(rows)} instances: {statuses}", style="bold"))


def assignment_view(result: OptimumLine) -> View:
    """The partitions of each member if there are few; otherwise nothing."""
    given = result.assignment
    if not given or len(given) > _SHOWN:
        return line()
    rows = [
        (f"  {m}", len(list(_named(topics))), " ".join(_named(topics)) or "-") for m, topics in given.items()
    ]
    return plain_table(("  member", "load", "is given"), rows, ("load",))


def _named(topics: Mapping[str, Sequence[int]]) -> Iterable[str]:
    return [f"{topic}-{partition}" for topic, partitions in topics.items() for partition in partitions]


def runs(numbers: Sequence[int], most: int = _PLAIN) -> str:
    """Ascending numbers; if more than `most`, `4x3` for 3 3 3 3, and without the middle."""
    if len(numbers) <= most:
        return " ".join(map(str, numbers))
    parts = []
    for value, same in groupby(numbers):
        count = len(list(same))
        parts.append(f"{count}x{value}" if count > 1 else str(value))
    ends = most // 3 + 1
    return " ".join(parts if len(parts) <= most else [*parts[:ends], "...", *parts[-ends:]])


def proof_view(proofs: Sequence[Proof]) -> View:
    """One line per proof, counterexamples below their claims."""
    rows: list[tuple[object, ...]] = []
    for proof in proofs:
        style = "yellow" if proof.as_expected else "bold red"
        verdict = line(str(proof.verdict), style="green" if str(proof.verdict) == "proved" else style)
        rows.append((proof.obligation.name, verdict, f"{proof.elapsed_s:.2f}", proof.obligation.sentence))
        if proof.counterexample is not None:
            values = ", ".join(f"{name} = {value}" for name, value in proof.counterexample.items())
            rows.append(("", "", "", line(f"not for {values}", style="yellow")))
        if proof.vacuous:
            rows.append(("", "", "", line("vacuous: nothing meets its assumptions", style="bold red")))
    summary = ", ".join(f"{count} {outcome}" for outcome, count in Counter(map(_outcome, proofs)).items())
    table = plain_table(("claim", "verdict", "s", "which says"), rows, ("s",))
    return stack(table, line(), line(summary, style="bold"))


def _outcome(proof: Proof) -> str:
    if not proof.as_expected:
        return f"{proof.verdict} but expected to be {proof.obligation.expected}"
    return "refuted as expected" if str(proof.verdict) == "refuted" else str(proof.verdict)
