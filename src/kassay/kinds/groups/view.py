"""Consumer groups and share groups as frames, one for each round: members as rows, partitions as tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from kassay.kinds.broken import CouldBe
from kassay.kinds.frames import (
    Alternative,
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
from kassay.kinds.words import Event
from kassay.model.cluster import TopicPartition
from kassay.model.groups.documents import GIVEN, REBALANCED, ReportedMember, ReportedRebalance, ReportedRound
from kassay.model.shape.codec import listed
from kassay.writing.text import counted

COLUMNS: Final = ("member", "subscribed", "owned", "assigned", "load")
LISTED_MAX: Final = 8
"""The number of weights or racks in a note; twice as many for weights of partitions."""
BYTES_SHOWN: Final = 4
"""Bytes of user data that a row shows."""

Given = Mapping[str, Sequence[TopicPartition]]


def group_frames(reported: Reported, sentence: Callable[[Event], str]) -> list[Frame]:
    """A frame for each round of each rebalance."""
    rebalances = listed(REBALANCED).read(list(reported.steps), "narration")
    happened = reported.happened(sentence)
    notes = _notes(rebalances)
    places = [(step, turn) for step, each in enumerate(rebalances) for turn, _ in enumerate(each.rounds)]
    frames = []
    for number, (step, turn) in enumerate(places, start=1):
        rebalance, last, place = rebalances[step], number == len(places), (step, turn)
        round_ = rebalance.rounds[turn]
        names = reported.marks.guilty(place, last)
        possible = reported.marks.alternative(place)
        events = happened[rebalance.change] if turn == 0 and rebalance.change < len(happened) else ()
        frames.append(
            Frame(
                anchor=f"round-{number}",
                label=str(number),
                title=f"Round {number} of {len(places)}, generation {round_.generation}",
                table=_table(round_, names),
                notes=next(notes),
                events=events,
                failure=outcome_words(round_.failure, round_.refused),
                broken=reported.marks.broken(place, last),
                alternative=None if possible is None else _alternative(round_, possible),
            )
        )
    return frames


def _notes(rebalances: Sequence[ReportedRebalance]) -> Iterator[tuple[str, ...]]:
    """The notes on each round: its topics, and the changes since the round before."""
    rounds = [round_ for each in rebalances for round_ in each.rounds]
    leads = any(each.leader not in (None, *(m.member_id for m in each.members[:1])) for each in rounds)
    last: list[str] = []
    for each in rounds:
        varying = []
        if leads and each.leader is not None:
            varying.append(f"{each.leader} leads")
        if each.weights:
            varying.append(f"Weights: {_listed(_of_topics(each.weights))}")
        if each.racks:
            varying.append(f"Replicas in racks: {_listed(_of_partitions(each.racks))}")
        topics = ", ".join(f"{name} ({counted(count, 'partition')})" for name, count in each.topics.items())
        withheld = _withheld(each)
        yield (
            f"Topics: {topics or 'none'}",
            *([f"Not assignable: {withheld}"] if withheld else []),
            *(note for note in varying if note not in last),
        )
        last = varying


def _of_topics(weights: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for topic, row in weights.items():
        yield f"{topic} {' '.join(map(str, row[: 2 * LISTED_MAX]))}"


def _of_partitions(racks: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    for topic, rows in racks.items():
        for number, held in enumerate(rows):
            yield f"{topic}-{number} {'+'.join(held) or 'none'}"


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    rest = len(every) - LISTED_MAX
    return ", ".join(every[:LISTED_MAX]) + (f" and {rest} more" if rest > 0 else "")


def _withheld(round_: ReportedRound) -> str:
    """The partitions that a share group may not assign."""
    if round_.assignable is None:
        return ""
    able = frozenset(round_.assignable)
    every = (TopicPartition(topic, n) for topic, count in round_.topics.items() for n in range(count))
    return " ".join(str(tp) for tp in every if tp not in able) or "-"


def _table(round_: ReportedRound, names: frozenset[str]) -> Grid:
    rows = tuple(_row(member, round_, names) for member in round_.members)
    return Grid(COLUMNS, rows + _unassigned(round_, names))


def _row(member: ReportedMember, round_: ReportedRound, names: frozenset[str]) -> Row:
    given = () if round_.answer is None else round_.answer.get(member.member_id, ())
    owned = (
        _tile(tp, TileLook.KEPT if tp in given else TileLook.GONE, frozenset())
        for tp in sorted(set(member.owned))
    )
    since = f"generation {member.generation}" if member.owned or member.generation >= 0 else ""
    return Row(
        member.member_id,
        (
            Cell(text=", ".join(member.topics) or "nothing"),
            Cell(tuple(owned), since),
            _given(member, round_.answer, names),
            Cell(text=str(len(given)), numeric=True),
        ),
        extras=_extras(member, (round_.configs or {}).get(member.member_id, {})),
        guilty=member.member_id in names,
    )


def _extras(member: ReportedMember, config: Mapping[str, str]) -> str:
    said = [f"static {member.instance_id}"] if member.instance_id else []
    said += [f"rack {member.rack}"] if member.rack else []
    said += [f"{key}={value}" for key, value in config.items()]
    return ", ".join(said + ([_user_data(member.user_data)] if member.user_data else []))


def _user_data(digits: str) -> str:
    """User data as its first bytes and its length: only the assignor can read it."""
    size = len(digits) // 2
    return f"user data {digits[: 2 * BYTES_SHOWN]}" + (f".. ({size} bytes)" if size > BYTES_SHOWN else "")


def _given(member: ReportedMember, answer: Given | None, names: frozenset[str]) -> Cell:
    given = None if answer is None else answer.get(member.member_id)
    if given is None:
        return Cell(text="no answer" if answer is None else "no entry", given=True)
    tiles = (_tile(tp, TileLook.KEPT if tp in member.owned else TileLook.NEW, names) for tp in sorted(given))
    return Cell(tuple(tiles), given=True)


def _tile(tp: TopicPartition, look: TileLook, names: frozenset[str]) -> Tile:
    text = str(tp)
    return Tile(text, look, text in names or tp.topic in names, tp.topic, tp.partition)


def _unassigned(round_: ReportedRound, names: frozenset[str]) -> tuple[Row, ...]:
    """A row of the subscribed partitions that have no member; none without an answer."""
    if round_.answer is None:
        return ()
    assigned = {tp for member in round_.members for tp in round_.answer.get(member.member_id, ())}
    subscribed = {topic for member in round_.members for topic in member.topics}
    left = [
        tp
        for topic, count in round_.topics.items()
        if topic in subscribed
        for tp in (TopicPartition(topic, number) for number in range(count))
        if tp not in assigned
    ]
    if not left:
        return ()
    tiles = tuple(_tile(tp, TileLook.PLAIN, names) for tp in left)
    load = Cell(text=str(len(left)), numeric=True)
    return (Row("unassigned", (Cell(), Cell(), Cell(tiles, given=True), load)),)


def _alternative(round_: ReportedRound, possible: CouldBe) -> Alternative:
    """The members again, each with its alternative assignment."""
    answer = GIVEN.read(possible.answer, "could_be.answer")
    rows = []
    for member in round_.members:
        given = answer.get(member.member_id, ())
        cell = _given(member, {member.member_id: given}, frozenset())
        rows.append(Row(member.member_id, (cell, Cell(text=str(len(given)), numeric=True))))
    return alternative_of(possible, Grid(("member", "could be assigned", "load"), tuple(rows)))
