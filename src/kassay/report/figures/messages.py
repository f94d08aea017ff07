"""The messages of a trace: when each was sent, when it arrived, and which were lost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kassay.model.explore.graph import Action

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
