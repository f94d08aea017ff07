"""Consumer instances as certificates hold them, and the check of an optimum's certificate.

The document carries the instance, so it can be checked elsewhere and later. Reading it shares no code
with the reader of instances that the solver uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kassay.solver.check.balance import BalanceCertificate, ConsumerInstance, Member, Topic, refusal
from kassay.solver.check.refusal import Proven, RefusedError, require, squares

Rows = Mapping[str, tuple[int, ...]]


def owners_in(instance: ConsumerInstance, assignment: Mapping[str, Mapping[str, Iterable[int]]]) -> Rows:
    """The owner of each partition that the certificate's assignment says, -1 where none has it."""
    position = {member.member_id: m for m, member in enumerate(instance.members)}
    known = assignment.keys() <= position.keys()
    require(known, "the assignment has a member that is not in the instance")
    claims = (
        (position[m], topic, p)
        for m, by_topic in assignment.items()
        for topic, partitions in by_topic.items()
        for p in partitions
    )
    return _rows(instance.topics, claims)


def check(certificate: Any) -> Proven:
    """What the certificate proves; raises `RefusedError` if it does not prove its assignment optimal."""
    instance = read_instance(certificate["instance"])
    proof = _read_proof(certificate, instance)
    reason = refusal(instance, proof)
    if reason is not None:
        raise RefusedError(reason)
    figures = squares(list(proof.loads))
    stated = {key: certificate[key] for key in ("moved", "rack_mismatch", "assignment")}
    least = {"lower": figures["sum_squares"], "upper": figures["sum_squares"], "status": "optimal"}
    return Proven(
        f"optimal in the order {certificate['order']}: {len(instance.members)} members, "
        f"{proof.moved} moved, {proof.rack_mismatch} rack mismatches",
        True,
        figures | stated | least,
    )


def _read_proof(certificate: Any, instance: ConsumerInstance) -> BalanceCertificate:
    ids = [member.member_id for member in instance.members]
    for key in ("assignment", "levels", "prices"):
        require(certificate[key].keys() == set(ids), f"{key} are not given for exactly the members")
    read = frozenset[str]().union(*(member.topics for member in instance.members))
    owners = owners_in(instance, certificate["assignment"])
    return BalanceCertificate(
        order=tuple(certificate["order"].split(",")),
        owners={topic: row for topic, row in owners.items() if topic in read},
        levels=tuple(certificate["levels"][member] for member in ids),
        prices=tuple(certificate["prices"][member] for member in ids),
        loads=tuple(certificate["loads"]),
        moved=certificate["moved"],
        rack_mismatch=certificate["rack_mismatch"],
    )


def read_instance(instance: Any) -> ConsumerInstance:
    """The instance of a certificate; raises `RefusedError` for one that is none."""
    require(instance["family"] == "A", f"an instance of family {instance['family']!r}, expected 'A'")
    topics = tuple(_read_topic(topic) for topic in instance["topics"])
    known = {topic.name for topic in topics}
    require(len(known) == len(topics), "two topics of the instance have one name")
    entries = sorted(instance["members"], key=lambda member: str(member["id"]))
    members = tuple(_read_member(member, known) for member in entries)
    ids = {member.member_id for member in members}
    require(len(ids) == len(members), "two members of the instance have one id")
    copartition = tuple(tuple(names) for names in instance.get("copartition") or () if names)
    bound = [name for names in copartition for name in names]
    alone = len(set(bound)) == len(bound)
    require(alone and known.issuperset(bound), "the co-partitioned topics are unknown or named twice")
    claims = ((m, topic, p) for m, entry in enumerate(entries) for topic, p in entry.get("owned") or ())
    return ConsumerInstance(members, topics, _rows(topics, claims), copartition)


def _read_topic(topic: Mapping[str, Any]) -> Topic:
    name, count, racks, weights = topic["name"], topic["partitions"], topic.get("racks"), topic.get("weights")
    _require_texts([name])
    if type(count) is not int or count < 0:
        raise RefusedError(f"{name} has {count!r} partitions")
    if any(row is not None and len(row) != count for row in (racks, weights)):
        raise RefusedError(f"{name} has racks or weights for other than its partitions")
    _require_texts(rack for row in racks or () for rack in row or ())
    if not all(type(weight) is int and weight >= 0 for weight in weights or ()):
        raise RefusedError(f"{name} has weights that are no whole numbers from 0 on")
    return Topic(
        name,
        count,
        None if racks is None else tuple(frozenset(row or ()) for row in racks),
        None if weights is None else tuple(weights),
    )


def _read_member(member: Mapping[str, Any], known: set[str]) -> Member:
    rack, topics = member.get("rack"), frozenset(member["topics"])
    _require_texts([member["id"]] if rack is None else [member["id"], rack])
    if not topics <= known:
        raise RefusedError(f"{member['id']} reads topics that the instance does not have")
    return Member(member["id"], rack, topics)


def _require_texts(values: Iterable[Any]) -> None:
    if not all(isinstance(value, str) and value for value in values):
        raise RefusedError("a name in the instance is no text")


def _rows(topics: Iterable[Topic], claims: Iterable[tuple[int, str, Any]]) -> Rows:
    """For each topic the position of the member that has each partition, -1 where none has."""
    rows = {topic.name: [-1] * topic.partitions for topic in topics}
    for m, topic, partition in claims:
        row = rows[topic]
        if type(partition) is not int or not 0 <= partition < len(row):
            raise RefusedError(f"{topic} has no partition {partition!r}")
        if row[partition] != -1:
            raise RefusedError(f"{topic}-{partition} has two owners")
        row[partition] = m
    return {topic: tuple(row) for topic, row in rows.items()}
