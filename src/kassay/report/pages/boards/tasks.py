"""Boards of Kafka Streams: processes as rows, tasks as tiles in the role that they are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.kinds.frames import (
    Beside,
    Cell,
    Frame,
    Grid,
    Guilt,
    Row,
    Tile,
    TileLook,
    beside_words,
    number_ranges,
)

TASKS_LISTED_MAX: Final = 24
"""Up to so many tasks of a note stand one by one."""
COLUMNS = ("process", "had", "active", "standby and warm-up", "per thread")


def frames(
    steps: Sequence[Mapping[str, Any]], happened: Sequence[tuple[str, ...]], evidence: Guilt
) -> list[Frame]:
    """A frame a rebalance: the start, one a change, and those that follow until the tasks are at rest."""
    drawn = []
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        place = number, None
        events = happened[number - 1] if 0 < number <= len(happened) else ()
        failure = step.get("failure")
        possible = evidence.beside(place)
        drawn.append(
            Frame(
                anchor=f"rebalance-{number + 1}",
                label=str(number + 1),
                title=f"Rebalance {number + 1} of {len(steps)}"
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


def _notes(step: Mapping[str, Any]) -> tuple[str, ...]:
    stateful = _listed(step["stateful"]) or "none"
    tags = ", ".join(step.get("rack_aware_tags", ()))
    probing = (
        ("Asks for another rebalance, to look at warm-ups again",) if step.get("probing_rebalance") else ()
    )
    copies = f"Standby copies: {step['standby_replicas']}" + (f", spread over {tags}" if tags else "")
    return (f"Tasks with state: {stateful}", copies, *probing)


def _listed(tasks: Sequence[str]) -> str:
    """The tasks, which ascend, one by one, or of many the numbers of each subtopology in ranges."""
    if len(tasks) <= TASKS_LISTED_MAX:
        return ", ".join(tasks)
    numbers: dict[str, list[int]] = {}
    for task in tasks:
        subtopology, _, number = task.rpartition("_")
        numbers.setdefault(subtopology, []).append(int(number))
    return "; ".join(f"{subtopology}_: {number_ranges(each)}" for subtopology, each in numbers.items())


def _table(step: Mapping[str, Any], answer: Mapping[str, Any] | None, names: frozenset[str]) -> Grid:
    copies = Counter(task for given in (answer or {}).values() for task in given["standby"])
    warm = {task for task, count in copies.items() if count > step["standby_replicas"]}
    rows = tuple(_row(process, answer, names, warm) for process in step["processes"])
    return Grid(COLUMNS, rows)


def _row(
    process: Mapping[str, Any], answer: Mapping[str, Any] | None, names: frozenset[str], warm: set[str]
) -> Row:
    given = None if answer is None else answer.get(process["id"])
    had = {*process["active"], *process["standby"]}
    if given is None:
        text = "no answer" if answer is None else "no entry"
        cells: tuple[Cell, ...] = (Cell(text=text, given=True), Cell(), Cell(text="–", numeric=True))
    else:
        active = tuple(_tile(t, TileLook.PLAIN if t in had else TileLook.NEW, names) for t in given["active"])
        standby = tuple(
            _tile(t, TileLook.WARM_UP if t in warm else TileLook.STANDBY, names) for t in given["standby"]
        )
        load = f"{len(active) / process['threads']:.3g}" if process["threads"] else "–"
        cells = Cell(active, given=True), Cell(standby, given=True), Cell(text=load, numeric=True)
    return Row(
        process["id"],
        (_had(process, given), *cells),
        extras=_extras(process),
        guilty=any(name.startswith(process["id"]) for name in names),
    )


def _had(process: Mapping[str, Any], given: Mapping[str, Any] | None) -> Cell:
    kept = set() if given is None else {*given["active"], *given["standby"]}
    roles = [(task, TileLook.KEPT) for task in process["active"]]
    roles += [(task, TileLook.STANDBY) for task in process["standby"]]
    tiles = (_tile(task, look if task in kept else TileLook.GONE, frozenset()) for task, look in roles)
    behind = ", ".join(f"{task} {lag} behind" for task, lag in process.get("lags", {}).items() if lag)
    return Cell(tuple(tiles), behind)


def _tile(task: str, look: TileLook, names: frozenset[str]) -> Tile:
    group, _, number = task.rpartition("_")
    return Tile(task, look, task in names, group, int(number) if number.isdigit() else None)


def _extras(process: Mapping[str, Any]) -> str:
    threads = f"{process['threads']} thread" + ("" if process["threads"] == 1 else "s")
    rack = [f"rack {process['rack']}"] if process.get("rack") is not None else []
    return ", ".join([threads, *rack, *(f"{k}={v}" for k, v in process.get("tags", {}).items())])


def _beside(step: Mapping[str, Any], possible: Mapping[str, Any]) -> Beside:
    table = _table(step, possible["answer"], frozenset())
    return beside_words(possible)._replace(table=table)
