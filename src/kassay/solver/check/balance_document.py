"""Optimality certificates as JSON, and the check of one that needs nothing but itself.

The document carries the instance, so it can be checked elsewhere and later. Reading it shares no code
with the reader of instances that the solver uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kassay.solver.check.balance import BalanceCertificate, refusal

SCHEMA: Final = "kassay/optimum-certificate/1"


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


class _UnreadableError(Exception):
    """The document is no certificate."""


def certificate_document(instance: Mapping[str, Any], certificate: BalanceCertificate) -> dict[str, Any]:
    """The certificate as JSON; `instance` is the document of its problem, members in the same order."""
    ids = [member["id"] for member in instance["members"]]
    given: dict[str, dict[str, list[int]]] = {member: {} for member in ids}
    for topic, owners in sorted(certificate.owners.items()):
        for partition, owner in enumerate(owners):
            given[ids[owner]].setdefault(topic, []).append(partition)
    return {
        "schema": SCHEMA,
        "instance": dict(instance),
        "order": ",".join(certificate.order),
        "assignment": given,
        "levels": dict(zip(ids, certificate.levels, strict=True)),
        "prices": dict(zip(ids, certificate.prices, strict=True)),
        "loads": list(certificate.loads),
        "moved": certificate.moved,
        "rack_mismatch": certificate.rack_mismatch,
    }


def check_optimum(document: Any) -> tuple[bool, str]:
    """Whether the certificate proves its assignment optimal, and what it proves or why not. Never raises.

    A result of `kassay optimum` is a certificate with figures around it; those must be the proven ones.
    """
    try:
        if isinstance(document, dict) and isinstance(document.get("certificate"), dict):
            _figures_agree(document, document["certificate"])
            document = document["certificate"]
        instance, certificate = _read(document)
        reason = refusal(instance, certificate)
    except _UnreadableError as error:
        return False, str(error)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return False, f"unreadable certificate: {type(error).__name__} at {error}"
    if reason is not None:
        return False, reason
    return True, (
        f"optimal in the order {document['order']}: {len(instance.members)} members, "
        f"{certificate.moved} moved, {certificate.rack_mismatch} rack mismatches"
    )


def _figures_agree(result: Mapping[str, Any], certificate: Mapping[str, Any]) -> None:
    proven = {key: certificate[key] for key in ("loads", "moved", "rack_mismatch", "assignment")}
    proven["sum_squares"] = sum(load * load for load in proven["loads"])
    proven |= {"lower": proven["sum_squares"], "upper": proven["sum_squares"], "status": "optimal"}
    for key, value in proven.items():
        if key in result and result[key] != value:
            raise _UnreadableError(f"{key} of the result is not what the certificate proves")


def _read(document: Any) -> tuple[_Instance, BalanceCertificate]:
    if document["schema"] != SCHEMA:
        raise _UnreadableError(f"schema {document['schema']!r}, expected {SCHEMA!r}")
    instance = document["instance"]
    ids = [member["id"] for member in instance["members"]]
    position = {member: m for m, member in enumerate(ids)}
    if len(position) != len(ids):
        raise _UnreadableError("two members of the instance have one id")
    for key in ("assignment", "levels", "prices"):
        if document[key].keys() != position.keys():
            raise _UnreadableError(f"{key} are not given for exactly the members")
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
        raise _UnreadableError(f"an instance of family {instance['family']!r}, expected 'A'")
    topics = tuple(_read_topic(topic) for topic in instance["topics"])
    known = {topic.name for topic in topics}
    if len(known) != len(topics):
        raise _UnreadableError("two topics of the instance have one name")
    members = tuple(_read_member(member, known) for member in instance["members"])
    copartition = tuple(tuple(names) for names in instance.get("copartition") or ())
    bound = [name for names in copartition for name in names]
    if len(set(bound)) != len(bound) or not known.issuperset(bound):
        raise _UnreadableError("the co-partitioned topics are unknown or named twice")
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
        raise _UnreadableError(f"{name} has {count!r} partitions")
    if any(row is not None and len(row) != count for row in (racks, weights)):
        raise _UnreadableError(f"{name} has racks or weights for other than its partitions")
    if racks is not None:
        _texts(rack for row in racks for rack in row or ())
    if weights is not None and not all(type(weight) is int and weight >= 0 for weight in weights):
        raise _UnreadableError(f"{name} has weights that are no whole numbers from 0 on")
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
        raise _UnreadableError(f"{member['id']} reads topics that the instance does not have")
    return _Member(rack, topics)


def _texts(values: Iterable[Any]) -> None:
    if not all(isinstance(value, str) and value for value in values):
        raise _UnreadableError("a name in the instance is no text")


def _rows(topics: Iterable[_Topic], position: Mapping[str, int], claims: Any) -> dict[str, tuple[int, ...]]:
    """For each topic, the position of the member that has each partition, -1 where none has."""
    rows = {topic.name: [-1] * topic.partitions for topic in topics}
    for member, topic, partition in claims:
        row = rows[topic]
        if type(partition) is not int or not 0 <= partition < len(row):
            raise _UnreadableError(f"{topic} has no partition {partition!r}")
        if row[partition] != -1:
            raise _UnreadableError(f"{topic}-{partition} has two owners")
        row[partition] = position[member]
    return {topic: tuple(row) for topic, row in rows.items()}
