"""Cases with one thing less, each with what was left out in words: what a counterfactual is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kassay.certify.causes.without_tasks import connect_without, tasks_without
from kassay.kinds.groups.removal import group_without
from kassay.kinds.removal import Without, copied, left_out
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import GROUPS
from kassay.model.kinds import Kind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS


def without(kind: Kind, case: Mapping[str, Any]) -> Iterator[Without]:
    """Each thing of the case's document that can be left out or made less, events and what is rare first."""
    yield from _OF_KIND[kind](case)


def _placement(case: Mapping[str, Any]) -> Iterator[Without]:
    request = case["request"]
    for number, broker in enumerate(request["brokers"]):
        name = f"broker {broker['id']}"
        at = ("request", "brokers", number)
        if broker.get("fenced"):
            yield Without(f"{name} being fenced", copied(case, (*at, "fenced"), False))
        if broker.get("rack") is not None:
            yield Without(f"the rack of {name}", copied(case, (*at, "rack"), None))
    if any(broker.get("rack") is not None for broker in request["brokers"]):
        bare = [broker | {"rack": None} for broker in request["brokers"]]
        yield Without("the racks of the brokers", copied(case, ("request", "brokers"), bare))
    if request.get("existing"):
        yield Without("the partitions that exist already", copied(case, ("request", "existing"), []))
    for field, noun in (("replication_factor", "replica"), ("partitions", "new partition")):
        if request[field] > 1:
            existing = [row[: request[field] - 1] for row in request.get("existing", [])]
            less = copied(case, ("request", field), request[field] - 1)
            if field == "replication_factor" and existing:
                less["request"]["existing"] = existing
            yield Without(f"one {noun}", less, extent=(request[field], noun))
    for number, broker in enumerate(request["brokers"]):
        less = left_out(case, ("request", "brokers"), number)
        yield Without(f"broker {broker['id']}", less, extent=(1, "broker"))


def _plan(case: Mapping[str, Any]) -> Iterator[Without]:
    for number, broker in enumerate(case["brokers"]):
        if broker.get("rack") is not None:
            yield Without(
                f"the rack of broker {broker['id']}", copied(case, ("brokers", number, "rack"), None)
            )
    for number, row in enumerate(case["before"]):
        words = f"{row['topic']}-{row['partition']}"
        yield Without(words, left_out(case, ("before",), number), extent=(1, "partition"))
    for number, broker in enumerate(case["brokers"]):
        less = left_out(case, ("brokers",), number)
        yield Without(f"broker {broker['id']}", less, extent=(1, "broker"))


def _sends(case: Mapping[str, Any]) -> Iterator[Without]:
    for number, record in enumerate(case["records"]):
        name = f"record {number + 1}"
        if record.get("key"):
            yield Without(f"the bytes of the key of {name}", copied(case, ("records", number, "key"), ""))
        if record.get("unavailable"):
            gone = ("records", number, "unavailable")
            yield Without(f"the missing leaders for {name}", copied(case, gone, []))
        if record.get("partition") is not None:
            yield Without(
                f"the partition that {name} names", copied(case, ("records", number, "partition"), None)
            )
        if len(case["records"]) > 1:
            yield Without(name, left_out(case, ("records",), number), extent=(1, "record"))
    if case.get("config"):
        yield Without("the configuration", copied(case, ("config",), {}))


_OF_KIND: Final[Mapping[Kind, Callable[[Mapping[str, Any]], Iterator[Without]]]] = {
    **dict.fromkeys(GROUPS, group_without),
    PLACER: _placement,
    PLANNER: _plan,
    PARTITIONER: _sends,
    STREAMS: tasks_without,
    CONNECT: connect_without,
}
