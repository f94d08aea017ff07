"""Boards of replica placement: brokers with their racks as rows, replicas as tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kassay.kinds.frames import Beside, Cell, Frame, Grid, Guilt, Row, Tile, TileLook, beside_words

Replicas = Mapping[tuple[str, int], Sequence[int]]
"""The replicas of each partition by its group and number, the preferred leader first."""


def placed(steps: Sequence[Mapping[str, Any]], evidence: Guilt) -> list[Frame]:
    """A frame a request: where the replicas of the new partitions stand, beside those that were there."""
    return [_placed(step, number, len(steps), evidence) for number, step in enumerate(steps)]


def _placed(step: Mapping[str, Any], number: int, count: int, evidence: Guilt) -> Frame:
    request, last = step["request"], number == count - 1
    existing = dict(enumerate(request.get("existing", ())))
    names = evidence.guilty((number, None), last)
    possible = evidence.beside((number, None))
    return Frame(
        anchor=f"request-{number + 1}",
        label=str(number + 1),
        title=f"{request['partitions']} new partitions of {request['replication_factor']} replicas each",
        table=_brokers(request["brokers"], _by_number(existing, step.get("answer")), set(existing), names),
        notes=(f"{len(existing)} partitions were there before",) if existing else (),
        failure=_outcome(step),
        broken=evidence.broken((number, None), last),
        beside=None
        if possible is None
        else _beside(request["brokers"], _by_number(existing, possible["answer"]), set(existing), possible),
    )


def _by_number(existing: Mapping[int, Sequence[int]], answer: Any) -> Replicas:
    rows = {**existing, **dict(answer or ())}
    return {("", number): replicas for number, replicas in rows.items()}


def _beside(
    brokers: Sequence[Mapping[str, Any]], replicas: Replicas, old: set[int], possible: Mapping[str, Any]
) -> Beside:
    return beside_words(possible)._replace(table=_brokers(brokers, replicas, old, frozenset()))


def planned(steps: Sequence[Mapping[str, Any]], evidence: Guilt) -> list[Frame]:
    """The placement at the start, and after each move of a plan a frame."""
    return [frame for number, step in enumerate(steps) for frame in _planned(step, number, evidence)]


def _planned(step: Mapping[str, Any], number: int, evidence: Guilt) -> list[Frame]:
    request, moves = step["request"], step.get("moves", ())
    replicas = {(row["topic"], row["partition"]): row["replicas"] for row in request["before"]}
    names = evidence.guilty((number, None), True)
    drawn = []
    for turn, move in enumerate((None, *moves)):
        before = dict(replicas)
        if move is not None:
            replicas = {**replicas, (move["topic"], move["partition"]): move["replicas"]}
        last = turn == len(moves)
        drawn.append(
            Frame(
                anchor=f"move-{turn}",
                label="start" if move is None else str(turn),
                title="Before the first move" if move is None else f"After move {turn} of {len(moves)}",
                table=_brokers(request["brokers"], replicas, set(), names if last else frozenset(), before),
                events=() if move is None else (_moved(move),),
                failure=_outcome(step) if last else "",
                broken=last and evidence.broken((number, None), True),
            )
        )
    return drawn


def _moved(move: Mapping[str, Any]) -> str:
    what = f"{move['topic']}-{move['partition']}"
    if move["source"] is None and move["target"] is None:
        return f"the replicas of {what} are put in another order"
    if move["target"] is None:
        return f"the replica of {what} on broker {move['source']} is dropped"
    if move["source"] is None:
        return f"{what} gets a replica on broker {move['target']}"
    return f"a replica of {what} moves from broker {move['source']} to {move['target']}"


def _brokers(
    brokers: Sequence[Mapping[str, Any]],
    replicas: Replicas,
    old: set[int],
    names: frozenset[str],
    before: Replicas | None = None,
) -> Grid:
    """The brokers, those that replicas stand on without being there among them."""
    known = {broker["id"]: _place(broker) for broker in brokers}
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


def _place(broker: Mapping[str, Any]) -> str:
    rack = f"rack {broker['rack']}" if broker.get("rack") else "no rack"
    return f"{rack}, fenced" if broker.get("fenced") else rack


def _outcome(step: Mapping[str, Any]) -> str:
    """The refusal or the failure of a step; empty for an answer."""
    if "refused" in step:
        return f"refused: {step['refused']['java_class']}: {step['refused']['message']}"
    if "failure" in step:
        return f"{step['failure']['kind']}: {step['failure']['message']}"
    return ""
