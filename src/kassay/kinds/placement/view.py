"""Replica placement as frames: brokers with their racks as rows, replicas as tiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kassay.kinds.broken import Guilt
from kassay.kinds.frames import (
    Cell,
    Frame,
    Grid,
    Reported,
    Row,
    Tile,
    TileLook,
    alternative_of,
    outcome_words,
)
from kassay.model.cluster import Broker
from kassay.model.placement.documents import (
    NUMBERED,
    PLACEMENT_STEP,
    PLAN_STEP,
    ReportedMove,
    ReportedPlacement,
    ReportedPlan,
)
from kassay.model.shape.codec import listed
from kassay.writing.text import counted

Replicas = Mapping[tuple[str, int], Sequence[int]]
"""The replicas of each partition by its group and number, the preferred leader first."""
LISTED_MAX: Final = 150
"""The number of partitions up to which a note lists their replicas in order."""


def placed_frames(reported: Reported) -> list[Frame]:
    """A frame for each request: the brokers of new replicas, and of the existing ones."""
    steps = listed(PLACEMENT_STEP).read(list(reported.steps), "narration")
    return [_placed(step, number, len(steps), reported.marks) for number, step in enumerate(steps)]


def _placed(step: ReportedPlacement, number: int, count: int, marks: Guilt) -> Frame:
    request, last, place = step.request, number == count - 1, (number, None)
    existing = {("", n): replicas for n, replicas in enumerate(request.existing)}
    old = {n for _, n in existing}
    new = {("", n): replicas for n, replicas in step.answer or ()}
    possible = marks.alternative(place)
    alternative = None
    if possible is not None:
        alternative = alternative_of(possible)
        if isinstance(possible.answer, list):  # and not a refusal
            could = {("", n): row for n, row in NUMBERED.read(possible.answer, "could_be.answer")}
            table = _brokers(request.brokers, {**existing, **could}, old, frozenset())
            alternative = alternative._replace(table=table)
    return Frame(
        anchor=f"request-{number + 1}",
        label=str(number + 1),
        title=f"{counted(request.partitions, 'new partition')} of "
        f"{counted(request.replication_factor, 'replica')} each",
        table=_brokers(request.brokers, {**existing, **new}, old, marks.guilty(place, last)),
        notes=(
            *(
                [f"{counted(len(existing), 'partition')} existed before: {_rows(existing)}"]
                if existing
                else []
            ),
            *([f"New partitions, preferred leader first: {_rows(new)}"] if new else []),
        ),
        failure=outcome_words(step.failure, step.refused),
        broken=marks.broken(place, last),
        alternative=alternative,
    )


def _rows(replicas: Replicas) -> str:
    """Partitions with their replicas in order: `0 on 1 2, 1 on 2 0`."""
    named = [
        f"{f'{group}-{number}' if group else number} on {' '.join(map(str, each)) or 'no broker'}"
        for (group, number), each in replicas.items()
    ]
    rest = len(named) - LISTED_MAX
    return ", ".join(named[:LISTED_MAX]) + (f" and {rest} more" if rest > 0 else "")


def planned_frames(reported: Reported) -> list[Frame]:
    """The placement at the start, and a frame after each move of a plan."""
    steps = listed(PLAN_STEP).read(list(reported.steps), "narration")
    return [frame for number, step in enumerate(steps) for frame in _planned(step, number, reported.marks)]


def _planned(step: ReportedPlan, number: int, marks: Guilt) -> list[Frame]:
    request, place = step.request, (number, None)
    replicas: dict[tuple[str, int], Sequence[int]] = {
        (tp.topic, tp.partition): each for tp, each in request.before
    }
    names, possible = marks.guilty(place, True), marks.alternative(place)
    frames = []
    for turn, move in enumerate((None, *step.moves)):
        before = changed = dict(replicas)
        if move is not None:
            changed = {(move.topic, move.partition): move.replicas}
            replicas = {**replicas, **changed}
        last = turn == len(step.moves)
        frames.append(
            Frame(
                anchor=f"move-{turn}",
                label="start" if move is None else str(turn),
                title="Before the first move" if move is None else f"After move {turn} of {len(step.moves)}",
                table=_brokers(request.brokers, replicas, set(), names if last else frozenset(), before),
                notes=(f"Replicas, preferred leader first: {_rows(changed)}",) if changed else (),
                events=() if move is None else (_moved(move),),
                failure=outcome_words(step.failure, step.refused) if last else "",
                broken=last and marks.broken(place, True),
                alternative=alternative_of(possible) if last and possible is not None else None,
            )
        )
    return frames


def _moved(move: ReportedMove) -> str:
    what = f"{move.topic}-{move.partition}"
    if move.source is None and move.target is None:
        return f"the replicas of {what} are put in another order"
    if move.target is None:
        return f"the replica of {what} on broker {move.source} is dropped"
    if move.source is None:
        return f"{what} gets a replica on broker {move.target}"
    return f"a replica of {what} moves from broker {move.source} to {move.target}"


def _brokers(
    brokers: Iterable[Broker],
    replicas: Replicas,
    old: set[int],
    names: frozenset[str],
    before: Replicas | None = None,
) -> Grid:
    """The brokers, including those that replicas name but the cluster lacks."""
    known = {broker.broker_id: _place(broker) for broker in brokers}
    strangers = sorted({broker for each in replicas.values() for broker in each} - known.keys())
    rows = []
    for broker, place in [*known.items(), *((each, "not among the brokers") for each in strangers)]:
        leads: list[Tile] = []
        follows: list[Tile] = []
        for (group, number), each in sorted(replicas.items()):
            was = (before or {}).get((group, number), each)
            for turn in (turn for turn, holder in enumerate(each) if holder == broker):
                look = (
                    TileLook.NEW
                    if broker not in was or (before is None and number not in old)
                    else TileLook.PLAIN
                )
                (follows if turn else leads).append(_tile(group, number, look, names))
        cells = Cell(tuple(leads), given=True), Cell(tuple(follows), given=True)
        count = Cell(text=str(len(leads) + len(follows)), numeric=True)
        rows.append(Row(f"broker {broker}", (*cells, count), place, f"broker {broker}" in names))
    return Grid(("broker", "leads (preferred)", "follows", "replicas"), tuple(rows))


def _tile(group: str, number: int, look: TileLook, names: frozenset[str]) -> Tile:
    text = f"{group}-{number}" if group else f"{number}"
    named = text in names if group else f"partition {number}" in names
    return Tile(text, look, named, group, number)


def _place(broker: Broker) -> str:
    rack = f"rack {broker.rack}" if broker.rack else "no rack"
    return f"{rack}, fenced" if broker.fenced else rack
