"""Boards of Kafka Connect: workers as rows, connectors and their tasks as tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from kassay.kinds.frames import Beside, Cell, Frame, Grid, Guilt, Row, Tile, TileLook, beside_words

COLUMNS = ("worker", "runs", "is to start", "is to stop", "runs then")


def frames(
    steps: Sequence[Mapping[str, Any]],
    happened: Sequence[tuple[str, ...]],
    waits: Sequence[int],
    evidence: Guilt,
) -> list[Frame]:
    """A frame a rebalance; events stand before the first one that is not earlier than they are."""
    times = list(accumulate(waits))
    turns = _turns([step["now_ms"] for step in steps], times)
    drawn = []
    for number, step in enumerate(steps):
        last, place = number == len(steps) - 1, (number, None)
        events = tuple(
            f"at {time} ms: {words}"
            for turn, time, texts in zip(turns, times, happened)
            for words in texts
            if turn == number
        )
        failure, possible = step.get("failure"), evidence.beside(place)
        drawn.append(
            Frame(
                anchor=f"rebalance-{number + 1}",
                label=str(number + 1),
                title=f"Rebalance {number + 1} of {len(steps)}, at {step['now_ms']} ms"
                + (", at rest" if step.get("at_rest") else ""),
                table=_table(step, step.get("answer"), evidence.guilty(place, last)),
                notes=_notes(step),
                events=events,
                failure=f"{failure['kind']}: {failure['message']}" if failure else "",
                broken=evidence.broken(place, last),
                beside=None if possible is None else _beside(step, possible),
            )
        )
    return drawn


def _turns(rebalances: Sequence[int], changes: Sequence[int]) -> list[int]:
    """For each change the number of the rebalance that follows it, by their times; each has its own."""
    turns: list[int] = []
    for time in changes:
        first = turns[-1] + 1 if turns else 1
        turns.append(
            next((n for n in range(first, len(rebalances)) if rebalances[n] >= time), len(rebalances))
        )
    return turns


def _notes(step: Mapping[str, Any]) -> tuple[str, ...]:
    connectors = ", ".join(f"{name} ({count} tasks)" for name, count in step["connectors"])
    lost = " ".join(_work(step["lost"]))
    delay = (f"All rejoin in {step['delay_ms']} ms",) if step.get("delay_ms") else ()
    return (f"Connectors: {connectors or 'none'}", *([f"Missing: {lost}"] if lost else []), *delay)


def _work(work: Mapping[str, Any]) -> list[str]:
    return [*work["connectors"], *work["tasks"]]


def _table(step: Mapping[str, Any], answer: Mapping[str, Any] | None, names: frozenset[str]) -> Grid:
    return Grid(COLUMNS, tuple(_row(worker, answer, names) for worker in step["workers"]))


def _row(worker: Mapping[str, Any], answer: Mapping[str, Any] | None, names: frozenset[str]) -> Row:
    runs = _work(worker["running"])
    change = None if answer is None else answer.get(worker["id"])
    starts, stops = ([], []) if change is None else (_work(change["assigned"]), _work(change["revoked"]))
    then = [work for work in dict.fromkeys([*runs, *starts]) if work not in stops]
    missing = "no answer" if answer is None else "no entry" if change is None else ""
    return Row(
        worker["id"],
        (
            Cell(
                tuple(
                    _tile(work, TileLook.GONE if work in stops else TileLook.KEPT, frozenset())
                    for work in runs
                )
            ),
            Cell(tuple(_tile(work, TileLook.NEW, names) for work in starts), missing),
            Cell(tuple(_tile(work, TileLook.GONE, names) for work in stops)),
            Cell(tuple(_tile(work, TileLook.PLAIN, names) for work in then), str(len(then)), given=True),
        ),
        guilty=worker["id"] in names,
    )


def _tile(work: str, look: TileLook, names: frozenset[str]) -> Tile:
    group, _, number = work.rpartition("-")
    return Tile(work, look, work in names, group, int(number) if group and number.isdigit() else None)


def _beside(step: Mapping[str, Any], possible: Mapping[str, Any]) -> Beside:
    return beside_words(possible)._replace(table=_table(step, possible["answer"], frozenset()))
