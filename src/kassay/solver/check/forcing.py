"""Which members and topics force a balance that is proven the best, and why, as sentences.

In a best assignment, take a heaviest member, all readers of a topic of which it has a partition, all readers
of a topic of which one of those has a partition, and so on. None of them has two units fewer than the
heaviest, or else partitions could be passed along to that one; and no other member reads what they have. So
they cannot all carry a unit less than the heaviest. In the same way take a lightest member, all owners of a
partition of a topic that it reads, and so on: what they read is too little for all to carry a unit more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kassay.solver.check.consumers import bundles
from kassay.solver.check.refusal import Document

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
