"""Draws swim lanes: one lane per actor, time downward, one row per step, in per cent of each row.

A message that takes more than one step goes from its sender's lane into an adjacent track, down the track,
and on to its receiver's lane where it arrives. So a row can be as high as its words need.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from kassay.model.explore.graph import Action
from kassay.report.figures.messages import Message, messages_of
from kassay.report.screen.swimlanes import LaneRow, lanes, rows

TIME: Final = "time"
"""The actor of steps that advance a clock: it has no lane."""
_CALL: Final = 32.0
_REPLY: Final = 68.0
"""How far down its row a message crosses from lane to lane."""
_TRACK_FIRST: Final = 0.2
_TRACK_NEXT: Final = 0.16
_TRACK_LAST: Final = 0.84
"""The places of tracks, as fractions of the distance from a client's lane to the next one."""


class Arrow(NamedTuple):
    """A horizontal piece of a message; `head`: it ends at its receiver, `lost`: it was lost there."""

    x1: float
    x2: float
    y: float
    reply: bool
    head: bool
    lost: bool = False


class Track(NamedTuple):
    """A vertical piece of a message in flight."""

    x: float
    y1: float
    y2: float
    reply: bool


class Dot(NamedTuple):
    """A step of one actor alone; `fault` if it is a fault of the actor."""

    x: float
    fault: bool


class LaneStep(NamedTuple):
    """One row: the actor, the action, the answer, and the drawing."""

    number: int
    actor: str
    to: str
    text: str
    reply: str
    fault: bool
    arrows: tuple[Arrow, ...]
    tracks: tuple[Track, ...]
    dots: tuple[Dot, ...]


class SwimLane(NamedTuple):
    """A lane: its actor, and its place."""

    name: str
    x: float


class Lanes(NamedTuple):
    """A whole diagram."""

    lanes: tuple[SwimLane, ...]
    steps: tuple[LaneStep, ...]


def lanes_of(actions: Sequence[Action], unread: Sequence[Collection[str]] = ()) -> Lanes:
    """The diagram of a trace; for `unread` see `messages_of`."""
    names = [name for name in lanes(actions) if name != TIME]
    places = {name: round(100 * (number + 0.5) / len(names), 2) for number, name in enumerate(names)}
    messages = [(each, track) for each, track in _tracked(messages_of(actions, unread), places)]
    texts: dict[int, list[LaneRow]] = {}
    for row in rows(actions):
        texts.setdefault(row.number, []).append(row)
    steps = (
        _step(number, action, texts[number], places, messages) for number, action in enumerate(actions, 1)
    )
    return Lanes(tuple(SwimLane(name, x) for name, x in places.items()), tuple(steps))


def _tracked(messages: Sequence[Message], places: dict[str, float]) -> list[tuple[Message, float]]:
    """Each message with the place of its track, which no other message in flight uses at the same time."""
    lane = 100 / len(places) if places else 100.0
    taken: list[tuple[Message, int]] = []
    for message in messages:
        busy = {slot for other, slot in taken if other.client == message.client and _overlap(other, message)}
        slot = next(number for number in range(len(taken) + 1) if number not in busy)
        taken.append((message, slot))
    tracked = []
    for message, slot in taken:
        part = min(_TRACK_FIRST + _TRACK_NEXT * slot, _TRACK_LAST)
        side = 1 if places[message.server] > places[message.client] else -1
        tracked.append((message, round(places[message.client] + side * part * lane, 2)))
    return tracked


def _overlap(one: Message, other: Message) -> bool:
    ends = [float("inf") if message.until is None else message.until for message in (one, other)]
    return one.sent <= ends[1] and other.sent <= ends[0]


def _step(
    number: int,
    action: Action,
    texts: Sequence[LaneRow],
    places: dict[str, float],
    messages: Sequence[tuple[Message, float]],
) -> LaneStep:
    arrows: list[Arrow] = []
    tracks: list[Track] = []
    for message, track in messages:
        _draw(number, message, track, places, arrows, tracks)
    faulty = any(row.kind == "fault" for row in texts)
    ends = {place for arrow in arrows for place in (arrow.x1, arrow.x2)}
    touched = bool(ends & {places.get(action.actor), places.get(action.to)})
    dots = () if touched or action.actor not in places else (Dot(places[action.actor], faulty),)
    call, *answers = texts
    return LaneStep(
        number,
        call.source,
        call.target if call.kind == "call" else "",
        call.text,
        answers[0].text if answers else "",
        (action.fault and faulty) or "lost" in action.reply,
        tuple(arrows),
        tuple(tracks),
        dots,
    )


def _draw(
    number: int,
    message: Message,
    track: float,
    places: dict[str, float],
    arrows: list[Arrow],
    tracks: list[Track],
) -> None:
    """Add the pieces of the message that are in the row of this number."""
    client, server = places[message.client], places[message.server]
    start, end = (server, client) if message.reply else (client, server)
    y = _REPLY if message.reply else _CALL
    until = message.until
    if message.sent == number == until:
        stop = track if message.lost is not None else end
        arrows.append(Arrow(start, stop, y, message.reply, message.lost is None, message.lost is not None))
    elif message.sent == number:
        arrows.append(Arrow(start, track, y, message.reply, head=False))
        tracks.append(Track(track, y, 100.0, message.reply))
    elif message.sent < number and (until is None or number < until):
        tracks.append(Track(track, 0.0, 100.0, message.reply))
    elif number == until:
        tracks.append(Track(track, 0.0, y, message.reply))
        stop = track if message.lost is not None else end
        arrows.append(Arrow(track, stop, y, message.reply, message.lost is None, message.lost is not None))
