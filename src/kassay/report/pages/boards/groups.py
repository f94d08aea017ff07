"""Boards of consumer groups and share groups: members as rows, partitions as tiles, a frame a round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kassay.kinds.frames import Beside, Cell, Frame, Grid, Guilt, Row, Tile, TileLook, beside_words
from kassay.report import facts
from kassay.writing.text import counted

Partition = tuple[str, int]


def frames(
    steps: Sequence[Mapping[str, Any]], happened: Sequence[tuple[str, ...]], evidence: Guilt
) -> list[Frame]:
    """A frame a round; `happened` has the events of each change, in words."""
    rounds = iter(facts.rounds_of(steps))
    places = [(n, turn) for n, step in enumerate(steps) for turn, _ in enumerate(step.get("rounds", ()))]
    drawn = []
    for number, (place, round_) in enumerate(zip(places, rounds), start=1):
        last = number == len(places)
        change = steps[place[0]].get("change")
        events = happened[change] if place[1] == 0 and change is not None and change < len(happened) else ()
        names = evidence.guilty(place, last)
        table = _table(round_.members, names, ("reads", "claims", "is given"))
        left = _nobody(round_, names)
        possible = evidence.beside(place)
        drawn.append(
            Frame(
                anchor=f"round-{number}",
                label=str(number),
                title=f"Round {number} of {len(places)}, generation {round_.generation}",
                table=table._replace(rows=table.rows + left),
                notes=_notes(round_),
                events=events,
                failure=round_.failure,
                broken=evidence.broken(place, last),
                beside=None if possible is None else _beside(round_, possible),
            )
        )
    return drawn


def _notes(round_: facts.RoundFacts) -> tuple[str, ...]:
    topics = ", ".join(f"{name} ({counted(count, 'partition')})" for name, count in round_.topics.items())
    withheld = (f"Not to be given out: {round_.withheld}",) if round_.withheld else ()
    return (f"Topics: {topics or 'none'}", *withheld)


def _table(members: Iterable[facts.MemberFacts], names: frozenset[str], columns: tuple[str, ...]) -> Grid:
    rows = (_row(member, names) for member in members)
    return Grid(("member", *columns, "load"), tuple(rows))


def _row(member: facts.MemberFacts, names: frozenset[str]) -> Row:
    given = list(member.given or ())
    claims = [
        _tile(tp, TileLook.KEPT if tp in given else TileLook.GONE, frozenset())
        for tp in sorted(set(member.claims))
    ]
    generation = f"generation {member.generation}" if member.since else ""
    return Row(
        member.member_id,
        (
            Cell(text=", ".join(member.topics) or "nothing"),
            Cell(tuple(claims), generation),
            _given(member, given, names),
            Cell(text=str(len(given)), numeric=True),
        ),
        extras=member.extras,
        guilty=member.member_id in names,
    )


def _given(member: facts.MemberFacts, given: Sequence[Partition], names: frozenset[str]) -> Cell:
    if not member.answered or member.given is None:
        return Cell(text="no entry" if member.answered else "no answer", given=True)
    tiles = (_tile(tp, TileLook.KEPT if tp in member.claims else TileLook.NEW, names) for tp in sorted(given))
    return Cell(tuple(tiles), given=True)


def _tile(tp: Partition, look: TileLook, names: frozenset[str]) -> Tile:
    text = f"{tp[0]}-{tp[1]}"
    return Tile(text, look, text in names or tp[0] in names, tp[0], tp[1])


def _nobody(round_: facts.RoundFacts, names: frozenset[str]) -> tuple[Row, ...]:
    """A row of the partitions that somebody reads and nobody is given; none without an answer."""
    if not any(member.answered for member in round_.members):
        return ()
    owned = {tp for member in round_.members for tp in member.given or ()}
    read = {topic for member in round_.members for topic in member.topics}
    left = [
        (topic, number)
        for topic, count in round_.topics.items()
        if topic in read
        for number in range(count)
        if (topic, number) not in owned
    ]
    if not left:
        return ()
    tiles = tuple(_tile(tp, TileLook.PLAIN, names) for tp in left)
    return (
        Row("nobody", (Cell(), Cell(), Cell(tiles, given=True), Cell(text=str(len(left)), numeric=True))),
    )


def _beside(round_: facts.RoundFacts, possible: Mapping[str, Any]) -> Beside:
    """The members once more, with what each could be given."""
    rows = []
    for member in round_.members:
        given = [(topic, number) for topic, number in possible["answer"].get(member.member_id, ())]
        cell = _given(member._replace(given=given, answered=True), given, frozenset())
        rows.append(Row(member.member_id, (cell, Cell(text=str(len(given)), numeric=True))))
    table = Grid(("member", "could be given", "load"), tuple(rows))
    return beside_words(possible)._replace(table=table)
