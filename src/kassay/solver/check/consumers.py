"""Consumer instances as certificates hold them, and assignments of their partitions.

The document carries the instance, so it can be checked elsewhere and later. Reading it shares no code with
the solver's reader of instances. No list with one owner a partition is allocated before the document is known
to have that many entries: an assignment has an entry for each partition with a reader.

Which members and topics force a balance that is proven the best, and why, as sentences.

In a best assignment, take a heaviest member, all readers of a topic of which it has a partition, all readers
of a topic of which one of those has a partition, and so on. None of them has two units fewer than the
heaviest, or else partitions could be passed along to that one; and no other member reads what they have. So
they cannot all carry a unit less than the heaviest. In the same way take a lightest member, all owners of a
partition of a topic that it reads, and so on: what they read is too little for all to carry a unit more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from kassay.solver.check.balance import ConsumerInstance, Member, Topic
from kassay.solver.check.shapes import (
    COUNT,
    NAME,
    SIZE,
    TEXT,
    Document,
    Posed,
    RefusedError,
    Shape,
    by_name,
    fit,
    nullable,
    one_of,
    pair,
    record,
    require,
    rows,
    within,
)

FAMILY: Final = "A"
Rows = Mapping[str, tuple[int, ...]]

_PLACES_MOST: Final = 64
"""An entry of a list takes at least this many bytes as text and as a value."""
ASSIGNMENT: Final[Shape] = by_name(by_name(rows(COUNT)))
"""The partitions of each member by topic."""
ORDER: Final[Shape] = one_of("balance,movement,rack", "balance,rack,movement")

_MEMBER: Final = record({"id": NAME, "topics": rows(TEXT)}, {"rack": NAME, "owned": rows(pair(TEXT, COUNT))})
_TOPIC: Final = record(
    {"name": NAME, "partitions": SIZE},
    {"racks": rows(nullable(rows(NAME))), "weights": rows(COUNT), "move_costs": rows(COUNT)},
)
_INSTANCE: Final = record(
    {"family": one_of(FAMILY), "members": rows(_MEMBER), "topics": rows(_TOPIC)},
    {"name": TEXT, "copartition": rows(rows(TEXT))},
)


def pose(document: Any) -> Posed:
    """The instance of a document; raises `RefusedError` for one that is none.

    Its canonical form has members and topics by name, and omits everything without effect: owners that do not
    read what they own, and all of a topic without readers except its name and its partitions.
    """
    fit(_INSTANCE, document, "instance")
    counts = {topic["name"]: topic["partitions"] for topic in document["topics"]}
    members = sorted(document["members"], key=lambda member: str(member["id"]))
    require(bool(members), "the instance has no members")
    require(len(counts) == len(document["topics"]), "two topics of the instance have one name")
    within(counts.values(), "topics", "partitions")
    require(len({member["id"] for member in members}) == len(members), "two members have one id")
    subscriptions = [*_subscriptions(members)]
    read = set(chain.from_iterable({id(topics): topics for topics in subscriptions}.values()))
    require(read <= counts.keys(), "a member reads a topic that the instance does not have")
    _owned_once(members, counts)
    groups = sorted(sorted(names) for names in document.get("copartition") or () if len(names) > 1)
    bound = [name for names in document.get("copartition") or () for name in names]
    require(len(set(bound)) == len(bound), "a topic is co-partitioned twice")
    require(counts.keys() >= set(bound), "a co-partitioned topic is not in the instance")
    form = {
        "family": FAMILY,
        "members": [
            _member_form(member, topics, every=len(topics) == len(counts))
            for member, topics in zip(members, subscriptions, strict=True)
        ],
        "topics": [
            _topic_form(topic, topic["name"] in read)
            for topic in sorted(document["topics"], key=lambda topic: str(topic["name"]))
        ],
        "copartition": groups,
    }
    return Posed(form, f"{len(members)} members, {sum(counts.values())} partitions of {len(counts)} topics")


def _subscriptions(members: Iterable[Document]) -> Iterator[list[str]]:
    """Each member's topics in order, once each; members with the same subscription share the list."""
    known: dict[tuple[str, ...], list[str]] = {}
    written: list[str] = []
    topics: list[str] = []
    for member in members:
        if member["topics"] != written:
            written = member["topics"]
            topics = known.setdefault(tuple(written), sorted({*written}))
        yield topics


def _owned_once(members: Iterable[Document], counts: Mapping[str, int]) -> None:
    """Refuse missing partitions, and partitions that two members owned."""
    if _marked_once(members, counts):
        return
    owned: dict[str, set[int]] = {name: set() for name in counts}
    for member in members:
        for name, partition in member.get("owned") or ():
            if partition >= counts.get(name, 0):
                raise RefusedError(f"{member['id']} owned {name}-{partition}, which is not in the instance")
            if partition in owned[name]:
                raise RefusedError(f"two members owned {name}-{partition}")
            owned[name].add(partition)


def _marked_once(members: Iterable[Document], counts: Mapping[str, int]) -> bool:
    """Whether a mark for each entry leaves as many marks as entries: each exists, and none is repeated.

    False means nothing where few of the partitions of the instance are owned: each partition needs a place to
    mark, and a short document may claim very many.
    """
    rows = [member.get("owned") or () for member in members]
    entries = sum(map(len, rows))
    if sum(counts.values()) > _PLACES_MOST * entries:
        return False
    marks = {name: bytearray(count) for name, count in counts.items()}
    try:
        for owned in rows:
            for name, partition in owned:
                marks[name][partition] = 1
    except LookupError:
        return False
    return sum(map(sum, marks.values())) == entries


def _member_form(member: Document, topics: list[str], *, every: bool) -> Document:
    """The member with its topics and its owned partitions in order; it may read `every` topic."""
    owned = sorted(map(tuple, member.get("owned") or ()))
    if not every:
        read = {*topics}
        owned = [entry for entry in owned if entry[0] in read]
    return {"id": member["id"], "rack": member.get("rack"), "topics": topics, "owned": owned}


def _topic_form(topic: Document, read: bool) -> Document:
    count, racks, weights = topic["partitions"], topic.get("racks"), topic.get("weights")
    costs = topic.get("move_costs")
    for field, row in (("racks", racks), ("weights", weights), ("move_costs", costs)):
        if row is not None and len(row) != count:
            raise RefusedError(f"{topic['name']} has {len(row)} {field} for {count} partitions")
    if not read or not any(racks or ()):
        racks = None
    if not read or set(weights or ()) <= {1}:
        weights = None
    return {
        "name": topic["name"],
        "partitions": count,
        "racks": racks and _rack_forms(racks),
        "weights": weights and list(weights),
        **({"move_costs": list(costs or ())} if read and not set(costs or ()) <= {1} else {}),
    }


def _rack_forms(racks: list[list[str] | None]) -> list[list[str]]:
    """Each partition's racks in order, once each: equal rows are sorted once."""
    rows = [tuple(row or ()) for row in racks]
    forms = {row: sorted(set(row)) for row in set(rows)}
    return [forms[row] for row in rows]


def costed(form: Document) -> bool:
    """Whether moving a partition that has readers may cost other than 1."""
    return any("move_costs" in topic for topic in form["topics"])


def weighted(form: Document) -> bool:
    """Whether partitions with readers have different weights."""
    return any(topic["weights"] is not None for topic in form["topics"])


def bundles(form: Document) -> list[list[Document]]:
    """The topics with readers and partitions, co-partitioned ones together."""
    read = {name for member in form["members"] for name in member["topics"]}
    by_name = {topic["name"]: topic for topic in form["topics"]}
    bound = {name for names in form["copartition"] for name in names}
    groups = [*form["copartition"], *([name] for name in by_name if name not in bound)]
    bundles = ([by_name[name] for name in names] for names in groups if read.intersection(names))
    return [bundle for bundle in bundles if any(topic["partitions"] for topic in bundle)]


def uneven(form: Document) -> bool:
    """Whether bundles have different numbers of topics."""
    return len({len(bundle) for bundle in bundles(form)}) > 1


def dense(form: Document, assignment: Mapping[str, Mapping[str, list[int]]]) -> tuple[ConsumerInstance, Rows]:
    """The instance of a form, and the owner of each partition of the topics with readers.

    Raises `RefusedError` unless the assignment is one of exactly those partitions to exactly the members.
    """
    ids = [member["id"] for member in form["members"]]
    require(assignment.keys() == set(ids), "the assignment is not one to exactly the members")
    subscriptions = {id(member["topics"]): member["topics"] for member in form["members"]}
    topics_of = {key: frozenset(topics) for key, topics in subscriptions.items()}
    read = frozenset[str]().union(*topics_of.values())
    counts = {topic["name"]: topic["partitions"] for topic in form["topics"]}
    position = {member_id: m for m, member_id in enumerate(ids)}
    placed = {name: counts[name] for name in read}
    owners = _filled(placed, position, assignment)
    if owners is None:
        placed = dict.fromkeys(read, 0)
        for topics in assignment.values():
            for name, partitions in topics.items():
                if name not in placed:
                    raise RefusedError(f"{name} is assigned, and no member reads it")
                placed[name] += len(partitions)
        for name, count in placed.items():
            if count != counts[name]:
                raise RefusedError(f"{name} has {counts[name]} partitions, {count} are assigned")
        owners = _rows(placed, position, assignment)
    previous = _previous(placed, form["members"])
    members = tuple(Member(m["id"], m["rack"], topics_of[id(m["topics"])]) for m in form["members"])
    known = tuple(_topic(topic) for topic in form["topics"] if topic["name"] in read)
    groups = tuple(tuple(names) for names in form["copartition"] if read.intersection(names))
    return ConsumerInstance(members, known, previous, groups), owners


def _topic(topic: Document) -> Topic:
    racks, weights, costs = topic["racks"], topic["weights"], topic.get("move_costs")
    return Topic(
        topic["name"],
        topic["partitions"],
        racks and tuple(map(frozenset, racks)),
        weights and tuple(weights),
        costs and tuple(costs),
    )


def _previous(counts: Mapping[str, int], members: Iterable[Document]) -> Rows:
    """For each topic the position of each partition's previous owner, -1 without one.

    The form guarantees that every partition exists and is owned at most once.
    """
    owners = {name: [-1] * count for name, count in counts.items()}
    for m, member in enumerate(members):
        for name, partition in member["owned"]:
            owners[name][partition] = m
    return {name: tuple(row) for name, row in owners.items()}


_Given = Mapping[str, Mapping[str, list[int]]]
"""The partitions of each member by topic."""


def _filled(counts: Mapping[str, int], position: Mapping[str, int], assignment: _Given) -> Rows | None:
    """For each topic the position of each partition's member; None unless each has one, and no more."""
    given = chain.from_iterable([topics.values() for topics in assignment.values()])
    if sum(map(len, given)) != sum(counts.values()):
        return None
    owners = {name: [-1] * count for name, count in counts.items()}
    try:
        for member, m in position.items():
            for name, partitions in assignment[member].items():
                row = owners[name]
                for partition in partitions:
                    row[partition] = m
    except LookupError:
        return None
    return None if any(-1 in row for row in owners.values()) else {n: tuple(row) for n, row in owners.items()}


def _rows(counts: Mapping[str, int], position: Mapping[str, int], assignment: _Given) -> Rows:
    """For each topic the position of each partition's member, -1 without one."""
    owners = {name: [-1] * count for name, count in counts.items()}
    for member, m in position.items():
        for name, partitions in assignment[member].items():
            row = owners[name]
            for partition in partitions:
                if partition >= len(row):
                    raise RefusedError(f"{name} has no partition {partition}")
                if row[partition] != -1:
                    raise RefusedError(f"{name}-{partition} has two owners")
                row[partition] = m
    return {name: tuple(row) for name, row in owners.items()}


_NAMED: Final = 8
_Names = Mapping[str, Iterable[str]]


def why_not_better(form: Document, assignment: Mapping[str, Mapping[str, list[int]]]) -> list[str]:
    """Why the heaviest cannot have less, and why the lightest cannot have more: one sentence each.

    The assignment is one of the best balance. The smallest of the members' sets is chosen, of equal ones the
    first member's, and members that the sentence does not need are left out. Empty where loads differ by no
    more than one unit.
    """
    counts = {topic["name"]: topic["partitions"] for topic in form["topics"]}
    reads = {member["id"]: member["topics"] for member in form["members"]}
    has = {member: [topic for topic, row in assignment[member].items() if row] for member in reads}
    loads = {member: sum(map(len, assignment[member].values())) for member in reads}
    unit = max(map(len, bundles(form)), default=1)
    most, least = max(loads.values()), min(loads.values())
    if most - least <= unit:
        return []
    heavy = _smallest((m for m in reads if loads[m] == most), has, _by_topic(reads))
    light = _smallest((m for m in reads if loads[m] == least), reads, _by_topic(has))
    held = {name: counts[name] for name in sorted({topic for member in heavy for topic in has[member]})}
    heavy, held = _needed(heavy, held, reads, most - unit)
    light, read = _needed_few(light, counts, reads, least + unit)
    return [_too_much(heavy, held, most, unit, len(reads)), _too_little(light, read, least, unit)]


def _needed(
    members: list[str], counts: Mapping[str, int], reads: _Names, limit: int
) -> tuple[list[str], dict[str, int]]:
    """Members and the topics only they read: still too many partitions after as many removals as possible."""
    counts = dict(counts)
    for member in list(members):
        fewer = {name: count for name, count in counts.items() if name not in reads[member]}
        rest = [other for other in members if not fewer.keys().isdisjoint(reads[other])]
        if member in members and sum(fewer.values()) > len(rest) * limit:
            members, counts = rest, fewer
    return members, counts


def _needed_few(
    members: list[str], counts: Mapping[str, int], reads: _Names, limit: int
) -> tuple[list[str], dict[str, int]]:
    """Members and all that they read: still too few partitions after as many removals as possible."""

    def read(some: Iterable[str]) -> dict[str, int]:
        return {name: counts[name] for name in sorted({topic for member in some for topic in reads[member]})}

    for member in list(members):
        rest = [other for other in members if other != member]
        if sum(read(rest).values()) < len(rest) * limit:
            members = rest
    return members, read(members)


def _by_topic(topics_of: _Names) -> Mapping[str, list[str]]:
    """The members by topic."""
    members: dict[str, list[str]] = {}
    for member, topics in topics_of.items():
        for topic in topics:
            members.setdefault(topic, []).append(member)
    return members


def _smallest(starts: Iterable[str], topics_of: _Names, members_of: _Names) -> list[str]:
    """The smallest set with one of these members that has, with each member, those of all its topics."""
    smallest: set[str] = set()
    tried: set[str] = set()
    for start in starts:
        members, topics, waiting = {start}, set[str](), [start]
        # A member that leads to one already tried has all of that one's set in its own.
        while waiting and tried.isdisjoint(waiting):
            for topic in set(topics_of[waiting.pop()]) - topics:
                topics.add(topic)
                fresh = set(members_of.get(topic, ())) - members
                members |= fresh
                waiting += fresh
        if not waiting and (not smallest or len(members) < len(smallest)):
            smallest = members
        tried.add(start)
    return sorted(smallest)


def _too_much(members: list[str], counts: Mapping[str, int], most: int, unit: int, every: int) -> str:
    """States that these partitions are too many for all these members to have a unit less than `most`."""
    alone = " alone" if len(members) < every else ""
    has = "has" if len(counts) == 1 else "have"
    partitions, less = sum(counts.values()), most - unit
    return (
        f"{_listed(counts)} {has} {_partitions(partitions)}, read by {_listed(members)}{alone}; "
        f"{len(members)} x {less} = {len(members) * less} is too little, so one of them has at least {most}."
    )


def _too_little(members: list[str], counts: Mapping[str, int], least: int, unit: int) -> str:
    """States that these partitions are too few for all these members to have a unit more than `least`."""
    what = f"{_listed(counts)} ({_partitions(sum(counts.values()))})" if counts else "no topic"
    reads, more = "reads" if len(members) == 1 else "read", least + unit
    return (
        f"{_listed(members)} {reads} {what} and nothing else; "
        f"{len(members)} x {more} = {len(members) * more} is more, so one of them has at most {least}."
    )


def _listed(names: Iterable[str]) -> str:
    """The names, the first few of many."""
    row = list(names)
    if len(row) > _NAMED:
        return f"{', '.join(row[:_NAMED])} and {len(row) - _NAMED} more"
    return ", ".join(row)


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count} partitions"
