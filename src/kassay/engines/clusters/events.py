"""Parser of planned events: `leave:2,join:3,add-partitions:orders+12`.

A comma separates events that are each followed by a rebalance; `&` joins events of one rebalance.

    leave:N             the last N members by id leave
    leave:NAME          the member of this member id, or all of this instance id, client id or host
    join:N              N members join, subscribed to what most members subscribe to
    add-partitions:T+N  topic T gets N more partitions
    add-partitions:T:N  topic T gets more partitions, to N in all, as in `kafka-topics.sh --alter`
    remove-topic:T      topic T is deleted
    add-topic:T:N       topic T is created with N partitions; all members subscribe
    rebalance           the group rebalances though nothing changed
    deploy              all members restart, one after the other; static ones without a rebalance
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, islice
from math import comb
from typing import Final, NamedTuple

from kassay.engines.clusters.observed import ObservedGroup
from kassay.model.cluster import Topic
from kassay.model.errors import InputError
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    AddPartitions,
    Change,
    CreateTopic,
    DeleteTopic,
    Event,
    Join,
    Leave,
    Rebalance,
    Resubscribe,
)
from kassay.model.shape.codec import MOST
from kassay.reading.documents import difference, suggestion

FORMS: Final = (
    "leave:N, leave:NAME, join:N, add-partitions:TOPIC+N (or TOPIC:N in all), remove-topic:TOPIC, "
    "add-topic:TOPIC:N, rebalance, or deploy alone between commas"
)
DEPLOY: Final = "deploy"
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,6}")
_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")
CHANGES_MAX: Final = 100
MEMBERS_MAX: Final = 10_000


class PlannedChange(NamedTuple):
    """A change as the user wrote it, and its events.

    `parts` follow one another even in a classic group: the restarts of a deploy. Usually there is one.
    `away`: static members that restart in a deploy, without a rebalance.
    """

    text: str
    parts: tuple[Change, ...]
    is_deploy: bool = False
    away: tuple[str, ...] = ()
    newcomers: int = 0

    @property
    def change(self) -> Change:
        """All its events."""
        return tuple(event for part in self.parts for event in part)

    def one_by_one(self, *, joins_first: bool = False) -> tuple[Change, ...]:
        """The rebalances of a group of the consumer protocol: each join and each leave is an epoch.

        Which of those of one moment the coordinator handles first is not known.
        """
        alone = [event for event in self.change if isinstance(event, Join | Leave)]
        if joins_first:
            alone.sort(key=lambda event: isinstance(event, Leave))
        others = tuple(event for event in self.change if not isinstance(event, Join | Leave))
        return (*((event,) for event in alone), *((others,) if others else ()))

    @property
    def is_mixed(self) -> bool:
        """Whether members join and leave at the same moment."""
        return len({type(event) for event in self.change if isinstance(event, Join | Leave)}) > 1


@dataclass
class _Group:
    """Members and topics while events are parsed: each event sees the effect of those before it."""

    observed: ObservedGroup
    members: dict[str, Member] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    joined: int = 0
    places: Sequence[int] | None = None

    def __post_init__(self) -> None:
        self.members = dict(self.observed.group.by_id)
        self.topics = dict(self.observed.cluster.counts)

    def leave(self, text: str) -> list[Event]:
        """The last N members by id, or the members of this name."""
        if _NUMBER.fullmatch(text):
            leavers = sorted(self.members)[-int(text) :]
            if int(text) >= len(self.members):
                raise InputError(
                    f"found {text} of {len(self.members)} members, expected at least one to stay"
                )
        else:
            leavers = [member_id for member_id, names in self._names().items() if text in names]
            if not leavers:
                known = {name for names in self._names().values() for name in names}
                raise InputError(
                    difference(text, f"how many leave, or the name of a member{suggestion(text, known)}")
                )
            if len(leavers) >= len(self.members):
                raise InputError(f"all members are called {text!r}, expected at least one to stay")
        for member_id in leavers:
            del self.members[member_id]
        return [Leave(member_id) for member_id in leavers]

    def _names(self) -> dict[str, set[str]]:
        """The names that each member answers to."""
        names: dict[str, set[str]] = {}
        for each in self.observed.consumers:
            if each.member_id in self.members:
                host = each.host or ""
                instance = self.members[each.member_id].instance_id or ""
                called = {each.member_id, instance, each.client_id or "", host, host.removeprefix("/")}
                names[each.member_id] = called - {""}
        return {**{member_id: {member_id} for member_id in self.members}, **names}

    def join(self, text: str) -> list[Event]:
        """N new members."""
        count = _number(text, "how many join", MEMBERS_MAX - len(self.members))
        return [Join(self._newcomer()) for _ in range(count)]

    def _newcomer(self) -> Member:
        """A member that subscribes to what most members do, in the rack with the fewest members."""
        self.joined += 1
        members = self.members.values()
        topics = Counter(member.topics for member in members).most_common(1)[0][0]
        racks = Counter(member.rack for member in members if member.rack is not None)
        rack = min(sorted(racks), key=lambda each: racks[each], default=None)
        name = self._name()
        self.members[name] = Member(name, topics, rack=rack)
        return self.members[name]

    def _name(self) -> str:
        """A name that is free: after the first client id, or at the given place among the members' ids."""
        clients = [each.client_id for each in self.observed.consumers if each.client_id]
        after = f"{clients[0] if clients else 'member'}-"
        if self.places is not None:
            ids = sorted(self.observed.group.by_id)
            place = self.places[self.joined - 1]
            after = f"{ids[place - 1]}-" if place else "!"
        number = self.joined
        while (name := f"{after}new-{number}") in self.members:
            number += 1
        return name

    def add_partitions(self, text: str) -> list[Event]:
        """Add partitions to a topic."""
        topic, colon, total = text.rpartition(":")
        if colon:
            return [AddPartitions(topic, self._grow_to(topic, total))]
        topic, plus, more = text.rpartition("+")
        if not plus:
            raise InputError(difference(text, "TOPIC+N, or TOPIC:N for N in all"))
        self._require_topic(topic)
        self.topics[topic] += _number(more, "how many partitions to add", MOST - sum(self.topics.values()))
        return [AddPartitions(topic, self.topics[topic])]

    def _grow_to(self, topic: str, text: str) -> int:
        """The number of partitions in all, more than now."""
        self._require_topic(topic)
        now = self.topics[topic]
        total = _number(text, "how many partitions it has then", now + MOST - sum(self.topics.values()))
        if total <= now:
            raise InputError(difference(text, f"more than the {now} partitions that {topic} has"))
        self.topics[topic] = total
        return total

    def remove_topic(self, text: str) -> list[Event]:
        """Delete a topic."""
        self._require_topic(text)
        del self.topics[text]
        return [DeleteTopic(text)]

    def add_topic(self, text: str) -> list[Event]:
        """Create a topic; every member subscribes to it."""
        topic, colon, count = text.rpartition(":")
        if not colon or not _TOPIC.fullmatch(topic) or topic in (".", ".."):
            raise InputError(difference(text, "TOPIC:N, with a name that Kafka takes"))
        if topic in self.topics:
            raise InputError(difference(topic, "a topic that the group does not read yet"))
        self.topics[topic] = _number(count, "how many partitions it has", MOST - sum(self.topics.values()))
        for member in self.members.values():
            self.members[member.member_id] = member._replace(topics=tuple(sorted({*member.topics, topic})))
        resubscribed = [Resubscribe(member.member_id, member.topics) for member in self.members.values()]
        return [CreateTopic(Topic(topic, self.topics[topic])), *resubscribed]

    def rebalance(self, text: str) -> list[Event]:
        """Rebalance without a change."""
        if text:
            raise InputError(difference(text, "nothing after rebalance"))
        return [Rebalance()]

    def deploy(self) -> PlannedChange:
        """All members restart, by id: each leaves, and joins with a new id.

        An id of the classic protocol begins with the client's id: a member that is alone with it comes back
        at its place in the order. Any other comes back anywhere.
        """
        labels = self.observed.labels
        joined = self.joined
        parts: list[Change] = []
        away = [member_id for member_id, member in self.members.items() if member.instance_id is not None]
        for member_id, member in sorted(self.members.items()):
            if member.instance_id is not None:
                continue
            del self.members[member_id]
            is_placed = not self.observed.is_consumer_group and labels.get(member_id) != member_id
            if is_placed:
                name = f"{member_id}-again"
            else:
                self.joined += 1
                name = self._name()
            self.members[name] = member._replace(member_id=name, owned=())
            parts += [(Leave(member_id),), (Join(self.members[name]),)]
        return PlannedChange(DEPLOY, tuple(parts), True, tuple(away), self.joined - joined)

    def _require_topic(self, topic: str) -> None:
        if topic not in self.topics:
            raise InputError(
                difference(topic, f"a topic that the group reads{suggestion(topic, self.topics)}")
            )


_FORMS: Final[Mapping[str, Callable[[_Group, str], list[Event]]]] = {
    "leave": _Group.leave,
    "join": _Group.join,
    "add-partitions": _Group.add_partitions,
    "remove-topic": _Group.remove_topic,
    "add-topic": _Group.add_topic,
    "rebalance": _Group.rebalance,
}


def other_places(
    changes: Sequence[PlannedChange], observed: ObservedGroup, most: int
) -> tuple[tuple[PlannedChange, ...], ...]:
    """The same changes for newcomers at each other place among the members' ids, at most `most` of them."""
    newcomers = sum(each.newcomers for each in changes)
    if not newcomers:
        return ()
    text = ",".join(each.text for each in changes)
    gaps = len(observed.group.members) + 1
    try:
        return tuple(
            parse_events(text, observed, places) for places in islice(_places(newcomers, gaps, most), most)
        )
    except InputError:  # an event names a newcomer, whose id is then the one named
        return ()


def _places(newcomers: int, gaps: int, most: int) -> Iterator[tuple[int, ...]]:
    """Places of the newcomers: all of them if they are few, else all at one place, and spread."""
    if comb(gaps + newcomers - 1, newcomers) <= most:
        yield from combinations_with_replacement(range(gaps), newcomers)
        return
    step = max(1, 2 * gaps // most)
    ends = sorted({*range(0, gaps, step), gaps - 1})
    yield from ((place,) * newcomers for place in ends)
    for first in ends:
        yield tuple(sorted((first + number * gaps // newcomers) % gaps for number in range(newcomers)))


def parse_events(
    text: str, observed: ObservedGroup, places: Sequence[int] | None = None
) -> tuple[PlannedChange, ...]:
    """The changes in order; raises `InputError` with the column (from 1) of an invalid event.

    `places`: for each newcomer how many of today's members sort before it by id.
    """
    group = _Group(observed, places=places)
    changes: list[PlannedChange] = []
    column = 1
    for part in text.split(","):
        events: list[Event] = []
        start, joined = column, group.joined
        if part.strip() == DEPLOY:
            changes.append(group.deploy())
            column += len(part) + 1
            continue
        for simple in part.split("&"):
            events += _events(group, simple, column + len(simple) - len(simple.lstrip()))
            column += len(simple) + 1
        changes.append(PlannedChange(part.strip(), (tuple(events),), newcomers=group.joined - joined))
        if len(changes) > CHANGES_MAX:
            raise InputError(
                f"--events: column {start}: found more than {CHANGES_MAX} changes, expected fewer"
            )
    return tuple(changes)


def _events(group: _Group, text: str, column: int) -> list[Event]:
    """The events of one form."""
    name, _, argument = text.strip().partition(":")
    if name not in _FORMS:
        raise InputError(
            f"--events: column {column}: {difference(text.strip(), FORMS)}{suggestion(name, _FORMS)}"
        )
    try:
        return _FORMS[name](group, argument)
    except InputError as error:
        raise InputError(f"--events: column {column + len(name) + 1}: {error}") from None


def _number(text: str, what: str, most: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) > most:
        raise InputError(difference(text, f"{what}: a whole number from 1 to {max(most, 0)}"))
    return int(text)
