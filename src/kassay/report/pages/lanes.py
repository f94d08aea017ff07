"""Swim lanes of a page: a lane for each actor, a row for each step, and the messages between them.

Each message of a trace has the step that sent it and the step that delivered or lost it. A message that
takes more than one step goes from its sender's lane into an adjacent track, down the track, and on to
its receiver's lane where it arrives. So a row can be as high as its words need.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from kassay.model.explore.values import Action
from kassay.report.screen.swimlanes import LaneRow, lanes, rows

_SENDS: Final = "sends "
_ARRIVES: Final = " arrives"
_TAKES: Final = "takes "
_BREAKS: Final = "loses its connection"
_LEFT_BEHIND: Final = "its requests are still under way"
_PARKED: Final = "parked"
_LOST: Final = "lost"
_REPLY_LOST: Final = "reply lost"


@dataclass(frozen=True)
class Message:
    """One message between a client and its server, by the numbers of steps, from 1.

    `came` is None for a message that was lost, or is in flight when the trace ends; `lost` is the step at
    which it was lost, None for all others.
    """

    client: str
    server: str
    name: str
    sent: int
    came: int | None
    reply: bool = False
    lost: int | None = None

    @property
    def until(self) -> int | None:
        """The last step that involves the message; None if it is in flight when the trace ends."""
        return self.came if self.lost is None else self.lost


def messages_of(actions: Sequence[Action], unread: Sequence[Collection[str]] = ()) -> tuple[Message, ...]:
    """The messages of a trace in the order in which they were sent.

    `unread` has the clients whose inboxes hold an answer before the first action and after each; with it,
    answers to parked requests start at the step that sends them.
    """
    post = _Post()
    for number, action in enumerate(actions, 1):
        if unread:
            _deliver(post, number, action, unread[number - 1], unread[number])
        _take(post, number, action, inboxes=bool(unread))
    return post.all()


class _Post:
    """The messages sent so far, and those still in flight."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self.answers: dict[str, int] = {}
        """Of each client, the place of an answer that lies in its inbox."""

    def send(self, message: Message) -> int:
        self._messages.append(message)
        return len(self._messages) - 1

    def under_way(self, client: str, name: str | None, *, reply: bool) -> int | None:
        """The index of the first message in flight with this client and name."""
        for place, message in enumerate(self._messages):
            if (message.client, message.reply, message.until) == (client, reply, None) and (
                name is None or message.name == name
            ):
                return place
        return None

    def change(self, place: int, *, came: int | None = None, lost: int | None = None) -> Message:
        message = self._messages[place] = replace(self._messages[place], came=came, lost=lost)
        return message

    def lose(self, client: str, number: int, *, requests: bool) -> None:
        for place, message in enumerate(self._messages):
            if message.client == client and message.until is None and (requests or message.reply):
                self.change(place, lost=number)

    def server_of(self, client: str) -> str:
        """The server of the client's last request."""
        return next((each.server for each in reversed(self._messages) if each.client == client), "")

    def all(self) -> tuple[Message, ...]:
        """All messages; an answer that no step receives arrives when it is sent."""
        messages = (
            replace(message, came=message.sent) if message.reply and message.until is None else message
            for message in self._messages
        )
        return tuple(sorted(messages, key=lambda message: (message.sent, message.reply)))


def _take(post: _Post, number: int, action: Action, *, inboxes: bool) -> None:
    name, client = action.name, action.actor
    away = bool(action.to) and action.to != client
    if away and name.startswith(_SENDS):
        post.send(Message(client, action.to, name.removeprefix(_SENDS), number, None))
    elif away and name.endswith(_ARRIVES):
        _arrive(post, number, action)
    elif name == _BREAKS:
        post.lose(client, number, requests=_LEFT_BEHIND not in action.detail)
    elif name.startswith(_TAKES):
        taken = name.removeprefix(_TAKES).removesuffix(" reply")
        place = post.under_way(client, taken, reply=True)
        if place is not None:
            post.change(place, came=number)
        elif not inboxes and (server := post.server_of(client)):
            post.send(Message(client, server, taken, number, number, reply=True))
    elif away:
        astray = action.reply.startswith(_LOST)
        lost = number if astray else None
        post.send(Message(client, action.to, name, number, None if astray else number, lost=lost))
        if action.reply == _REPLY_LOST:
            post.send(Message(client, action.to, name, number, None, reply=True, lost=number))
        elif action.reply not in ("", _PARKED) and not astray:
            _answer(post, number, action, name)


def _arrive(post: _Post, number: int, action: Action) -> None:
    """A request that was sent before is handled; a copy of it may stay in flight."""
    name = action.name.removesuffix(_ARRIVES)
    place = post.under_way(action.actor, name, reply=False)
    if place is None:
        post.send(Message(action.actor, action.to, name, number, number))
    else:
        handled = post.change(place, came=number)
        if action.fault and action.detail == "duplicate":
            post.send(replace(handled, sent=number, came=None))
    if action.reply and action.reply != _PARKED:
        _answer(post, number, action, name)


def _answer(post: _Post, number: int, action: Action, name: str) -> None:
    """An answer is sent, unless the inbox showed it already."""
    place = post.answers.get(action.actor)
    if place is None or post.change(place).sent != number:
        post.send(Message(action.actor, action.to, name, number, None, reply=True))


def _deliver(
    post: _Post, number: int, action: Action, before: Collection[str], after: Collection[str]
) -> None:
    """The effect of a step on the inboxes: answers are received, lost, or added."""
    for client in sorted(set(before) - set(after)):
        place = post.answers.pop(client, None)
        if place is not None:
            read = action.actor == client and not action.fault
            post.change(place, came=number if read else None, lost=None if read else number)
    for client in sorted(set(after) - set(before)):
        name = action.name.removesuffix(_ARRIVES) if client == action.actor else ""
        server = action.to or action.actor
        post.answers[client] = post.send(Message(client, server, name, number, None, reply=True))


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
