"""The check of a consumer optimum's certificate in its JSON form.

The document carries the instance, so it can be checked elsewhere and later. Reading it shares no code
with the reader of instances that the solver uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kassay.solver.check.balance import BalanceCertificate, refusal
from kassay.solver.check.refusal import Proven, RefusedError, require, squares


class _Member(NamedTuple):
    rack: str | None
    topics: frozenset[str]


class _Topic(NamedTuple):
    name: str
    partitions: int
    racks: tuple[frozenset[str], ...] | None
    weights: tuple[int, ...] | None


@dataclass(frozen=True)
class _Instance:
    members: tuple[_Member, ...]
    topics: tuple[_Topic, ...]
    previous: Mapping[str, tuple[int, ...]]
    copartition: tuple[tuple[str, ...], ...]


def check(certificate: Any) -> Proven:
    """What the certificate proves; raises `RefusedError` if it does not prove its assignment optimal."""
    instance, proof = _read(certificate)
    reason = refusal(instance, proof)
    require(reason is None, str(reason))
    figures = squares(list(proof.loads))
    stated = {key: certificate[key] for key in ("moved", "rack_mismatch", "assignment")}
    least = {"lower": figures["sum_squares"], "upper": figures["sum_squares"], "status": "optimal"}
    return Proven(
        f"optimal in the order {certificate['order']}: {len(instance.members)} members, "
        f"{proof.moved} moved, {proof.rack_mismatch} rack mismatches",
        True,
        figures | stated | least,
    )


def _read(document: Any) -> tuple[_Instance, BalanceCertificate]:
    instance = document["instance"]
    ids = [member["id"] for member in instance["members"]]
    position = {member: m for m, member in enumerate(ids)}
    if len(position) != len(ids):
        raise RefusedError("two members of the instance have one id")
    for key in ("assignment", "levels", "prices"):
        if document[key].keys() != position.keys():
            raise RefusedError(f"{key} are not given for exactly the members")
    posed = _read_instance(instance, position)
    claims = (
        (m, topic, p)
        for m, given in document["assignment"].items()
        for topic, ps in given.items()
        for p in ps
    )
    owners = _rows(posed.topics, position, claims)
    read = frozenset[str]().union(*(member.topics for member in posed.members))
    return posed, BalanceCertificate(
        order=tuple(document["order"].split(",")),
        owners={topic: row for topic, row in owners.items() if topic in read},
        levels=tuple(document["levels"][member] for member in ids),
        prices=tuple(document["prices"][member] for member in ids),
        loads=tuple(document["loads"]),
        moved=document["moved"],
        rack_mismatch=document["rack_mismatch"],
    )


def _read_instance(instance: Mapping[str, Any], position: Mapping[str, int]) -> _Instance:
    if instance["family"] != "A":
        raise RefusedError(f"an instance of family {instance['family']!r}, expected 'A'")
    topics = tuple(_read_topic(topic) for topic in instance["topics"])
    known = {topic.name for topic in topics}
    if len(known) != len(topics):
        raise RefusedError("two topics of the instance have one name")
    members = tuple(_read_member(member, known) for member in instance["members"])
    copartition = tuple(tuple(names) for names in instance.get("copartition") or ())
    bound = [name for names in copartition for name in names]
    if len(set(bound)) != len(bound) or not known.issuperset(bound):
        raise RefusedError("the co-partitioned topics are unknown or named twice")
    claims = (
        (member["id"], topic, partition)
        for member in instance["members"]
        for topic, partition in member.get("owned") or ()
    )
    return _Instance(members, topics, _rows(topics, position, claims), copartition)


def _read_topic(topic: Mapping[str, Any]) -> _Topic:
    name, count, racks, weights = topic["name"], topic["partitions"], topic.get("racks"), topic.get("weights")
    _texts([name])
    if type(count) is not int or count < 0:
        raise RefusedError(f"{name} has {count!r} partitions")
    if any(row is not None and len(row) != count for row in (racks, weights)):
        raise RefusedError(f"{name} has racks or weights for other than its partitions")
    if racks is not None:
        _texts(rack for row in racks for rack in row or ())
    if weights is not None and not all(type(weight) is int and weight >= 0 for weight in weights):
        raise RefusedError(f"{name} has weights that are no whole numbers from 0 on")
    return _Topic(
        name,
        count,
        None if racks is None else tuple(frozenset(row or ()) for row in racks),
        None if weights is None else tuple(weights),
    )


def _read_member(member: Mapping[str, Any], known: set[str]) -> _Member:
    rack, topics = member.get("rack"), frozenset(member["topics"])
    _texts([member["id"]] if rack is None else [member["id"], rack])
    if not topics <= known:
        raise RefusedError(f"{member['id']} reads topics that the instance does not have")
    return _Member(rack, topics)


def _texts(values: Iterable[Any]) -> None:
    if not all(isinstance(value, str) and value for value in values):
        raise RefusedError("a name in the instance is no text")


def _rows(topics: Iterable[_Topic], position: Mapping[str, int], claims: Any) -> dict[str, tuple[int, ...]]:
    """For each topic, the position of the member that has each partition, -1 where none has."""
    rows = {topic.name: [-1] * topic.partitions for topic in topics}
    for member, topic, partition in claims:
        row = rows[topic]
        if type(partition) is not int or not 0 <= partition < len(row):
            raise RefusedError(f"{topic} has no partition {partition!r}")
        if row[partition] != -1:
            raise RefusedError(f"{topic}-{partition} has two owners")
        row[partition] = position[member]
    return {topic: tuple(row) for topic, row in rows.items()}
