"""Every field of a record that is read changes the report of `audit`; every other is named in it.

The tables of `kassay.reading.kafka.offsets.fields` are the contract, and `NAMED` repeats what may only be named:
a field goes there by hand.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kassay.engines.audits.run import audit_log
from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import audit_document
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.offsets.fields import (
    CLASSIC,
    COMMITS,
    CONSUMERS,
    NOT_USED,
    READ,
    SHARES,
    STREAMS_GROUPS,
)
from kassay.reading.kafka.offsets.sources import in_order
from tests.cli.runner import here, valid
from tests.engines.audits.logs import member, tps
from tests.offsets_log import Given, Log, Stored, Subscribed, Written, by_topic, dump
from tests.paths import ROOT

GENUINE = ROOT / "tests" / "data" / "audits" / "kinds-4.4.0.txt.gz"
KNOWN = KnownTopics({"orders": 4, "refunds": 2}, {})
ID = "AAAAAAAAAAAAAAAAAAAAAA"
NAMED = {
    COMMITS: {"offset", "leaderEpoch", "metadata", "commitTimestamp", "expireTimestamp"},
    CLASSIC: {"members.assignment.userData"},
    CONSUMERS: {
        *("rebalanceTimeoutMs", "assignmentTimestamp", "previousMemberEpoch", "version", "timestamp"),
        *("classicMemberMetadata.sessionTimeoutMs", "classicMemberMetadata.supportedProtocols"),
        *("assignedPartitions.assignmentEpochs", "partitionsPendingRevocation.assignmentEpochs"),
        "topics.partitionMetadata",
    },
    SHARES: {"assignmentTimestamp", "previousMemberEpoch", "deletingTopics"},
    STREAMS_GROUPS: {
        *("rebalanceTimeoutMs", "userEndpoint", "clientTags", "assignmentTimestamp"),
        *("previousMemberEpoch", "activeTasks.assignmentEpochs", "standbyTasksPendingRevocation"),
        *("activeTasksPendingRevocation.assignmentEpochs", "warmupTasksPendingRevocation"),
        *("subtopologies.copartitionGroups", "subtopologies.repartitionSinkTopics"),
        *("subtopologies.repartitionSourceTopics.partitions", "subtopologies.stateChangelogTopics.name"),
        *("subtopologies.repartitionSourceTopics.replicationFactor",),
        *("subtopologies.repartitionSourceTopics.topicConfigs",),
        *("subtopologies.stateChangelogTopics.partitions", "subtopologies.stateChangelogTopics.topicConfigs"),
        "subtopologies.stateChangelogTopics.replicationFactor",
    },
}
"""By what records are of, the fields that an audit may merely name."""
TYPES = {
    COMMITS: {0, 1},
    CLASSIC: {2},
    CONSUMERS: {*range(3, 9), 16},
    SHARES: {*range(9, 16)},
    STREAMS_GROUPS: {*range(17, 24)},
}


def classic() -> Log:
    """Generations of groups of three rules: leaders change, members die, and one is not cooperative."""
    log = Log()
    a, b = member("a", tps("orders", 0, 1)), member("b", tps("orders", 2, 3), instance="b")
    for generation, leader in enumerate("aab", 1):
        log.classic("range", generation, "range", leader, [a, b])
        log.next(1000)
        for number in range(4):
            log.commit("range", tps("orders", number)[0], 7)
    log.next(400_000)
    log.classic("range", 4, "range", "c", [b, member("c", tps("orders", 0, 1))])
    for generation, given in enumerate(((0, 1, 2), (0, 1)), 1):
        owned = tps("orders", *range(3)) if generation > 1 else ()
        joined = [member("a", tps("orders", *given), owned=owned, generation=generation - 1)]
        joined += [member("b", tps("orders", 2))] if generation > 1 else []
        log.next()
        log.classic("coop", generation, "cooperative-sticky", "a", joined)
    for generation, raw in enumerate((None, b"\0" * 8), 1):
        subscribed = Subscribed(("orders",), user_data=raw, rack="r1" if raw else None)
        log.next()
        stored = Stored("a", subscribed, Given(tps("orders", 0, 1)))
        log.classic("sticky", generation, "sticky", "a", [stored])
    log.next()
    racked = Stored("r", Subscribed(("orders",), rack="r1"), Given(tps("orders", 0, 2)))
    log.classic("racks", 1, "range", "r", [racked, member("s", tps("orders", 1, 3))])
    return log


def consumers() -> Log:
    """A group of two assignors, with an expression, a classic member, and epochs that nothing causes."""
    log = Log()
    log.named("g", {ID: ("orders", 4)})
    log.add(16, {"groupId": "g", "regularExpression": "o.*"}, (0, {"topics": ["orders"]}))
    for name, assignor in (("a", "range"), ("b", None)):
        log.subscription("g", name, ["orders"], instance=name, assignor=assignor, client=name)
    log.subscription("g", "c", [], regex="o.*", client="c")
    classic = {"sessionTimeoutMs": 45000, "supportedProtocols": []}
    for record in log.records[2:3]:
        assert record.value is not None
        record.value[1]["classicMemberMetadata"] = classic
    given = {"a": (0, 1), "b": (2,), "c": (3,)}
    for epoch in range(1, 7):
        log.add(3, {"groupId": "g"}, (0, {"epoch": epoch, "metadataHash": 7}))
        for name, numbers in given.items() if epoch == 1 else ():
            log.target("g", name, tps(ID, *numbers))
        log.target_epoch("g", epoch)
        for name, numbers in given.items():
            log.current("g", name, epoch, tps(ID, *numbers))
        log.next()
    log.current("g", "c", 6, (), tps(ID, 3), state=1)
    log.next()
    log.current("g", "c", 6)
    log.current("g", "a", 6, tps(ID, 0, 1, 3))
    return log


def commits() -> Log:
    """A group whose topic has its name from a commit alone."""
    log = Log()
    log.subscription("g", "a", ["orders"])
    log.subscription("g", "b", ["orders", "refunds"])
    log.add(1, {"group": "g", "topic": "orders", "partition": 0}, (4, {"offset": 1, "topicId": ID}))
    log.epoch("g", 1)
    log.target("g", "a", tps(ID, 0))
    log.target_epoch("g", 1)
    return log


def shares() -> Log:
    """Two members of a share group, one partition whose state is not there yet, and epochs without a cause."""
    log = Log()
    log.shareable("s", {"A": "orders", "B": "refunds"}, tps("A", 0, 1), tps("B", 0))
    for name in ("a", "b"):
        log.share_member("s", name, ["orders"], client=name)
    for epoch in range(1, 7):
        log.share_epoch("s", epoch)
        for name, numbers in (("a", (0,)), ("b", (1,))) if epoch == 1 else ():
            log.share_target("s", name, tps("A", *numbers))
        log.share_target_epoch("s", epoch)
        for name, numbers in (("a", (0,)), ("b", (1,))):
            log.share_current("s", name, epoch, tps("A", *numbers) if epoch != 3 else ())
        log.next()
    log.share_target("s", "a", tps("B", 0))
    log.share_epoch("s", 7)
    log.share_target_epoch("s", 7)
    return log


def streams() -> Log:
    """Three threads of two processes with copies; a topology that gets an epoch, and a thread that dies."""
    log = Log()
    for name, process in (("a", "p"), ("b", "q"), ("c", "q")):
        log.streams_member("app", name, process, client=name, instance=name if name == "c" else None)
    log.topology("app", {"0": (("orders",), True), "1": (("refunds",), False)})
    data = _value(log.records[-1])
    data["subtopologies"][1]["repartitionSourceTopics"] = [{"name": "again"}]
    given = {"a": ((0,), (1,)), "b": ((1,), (0,)), "c": ((2,), ())}
    for epoch in range(1, 7):
        log.streams_epoch("app", epoch, 1)
        for name, (active, copies) in given.items() if epoch == 1 else ():
            log.streams_target("app", name, tps("0", *active), tps("0", *copies))
            data = _value(log.records[-1])
            data["warmupTasks"] = by_topic(tps("0", 2), "subtopologyId") if name == "a" else []
        log.streams_target_epoch("app", epoch)
        for name, (active, copies) in given.items():
            log.streams_current("app", name, epoch, tps("0", *active), tps("0", *copies))
            data = _value(log.records[-1])
            data["warmupTasks"] = by_topic(tps("0", 2), "subtopologyId") if name == "a" else []
        log.next()
    for _ in range(2):
        for topic in ("orders", "again"):
            log.commit("app", TopicPartition(topic, 0), 7)
    log.streams_current("app", "a", 6, (), tps("0", 1), tps("0", 0), state=2)
    log.next()
    log.streams_current("app", "a", 6, (), tps("0", 1))
    log.streams_current("app", "b", 6, tps("0", 0, 1))
    log.next()
    log.streams_target("app", "b", tps("0", 0, 1), ())
    log.streams_target("app", "a", (), tps("0", 0))
    log.streams_epoch("app", 7, 1)
    log.streams_target_epoch("app", 7)
    log.next()
    log.streams_epoch("app", 8, 1)
    log.streams_target_epoch("app", 8)
    return log


def _value(record: Written) -> Any:
    assert record.value is not None
    return record.value[1]


LOGS = {
    COMMITS: commits,
    CLASSIC: classic,
    CONSUMERS: consumers,
    SHARES: shares,
    STREAMS_GROUPS: streams,
}


@cache
def folder() -> Path:
    """One place for all files, since documents have it."""
    return Path(tempfile.mkdtemp())


def report(text: str) -> Any:
    """The document of the audit of this text."""
    path = folder() / "dump.txt"
    path.write_text(text)
    return audit_document(audit_log(in_order([str(path)]), KNOWN), (), None)


def without_names(document: Any) -> Any:
    """The document without the fields that it names."""
    return {name: value for name, value in document.items() if name != "not_used"}


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Each field of a value, with its name as the tables have it, and its place."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        where = (*path, key)
        if isinstance(value, dict):
            yield ".".join(each for each in where if isinstance(each, str)), where
        if isinstance(inner, dict) or (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
            yield from leaves(inner, where)


def others(value: Any, name: str) -> Iterator[Any]:
    """Other values for a field."""
    if value is None or isinstance(value, str):
        yield from ("AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "other", "uniform", "o.*", None)
    elif isinstance(value, int):
        yield from (value + 1, value + 2, 0, value + 1000)
    elif isinstance(value, dict):
        yield None
    else:
        yield from ([], value[1:], value[:-1], [*value, 5], [*value, 3], [*value, "other"])
        if name.endswith("Tasks"):
            yield by_topic(tps("0", 2), "subtopologyId")
        if name.endswith("Configs"):
            yield [{"key": "num.standby.replicas", "value": "0"}]


def varied(record: Written, where: tuple[str | int, ...], other: Any) -> Written:
    """The record with another value in one field."""
    assert record.value is not None
    data = copy.deepcopy(record.of(True))
    inner = data
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = other
    return replace(record, value=(record.value[0], data))


def variants(records: list[Written], kind: str, field: str) -> Iterator[list[Written]]:
    """The records with the field changed in one of them, one way after the other; the last records first."""
    for index in reversed(range(len(records))):
        record = records[index]
        if record.type not in TYPES[kind] or record.value is None:
            continue
        data = record.of(True)
        for name, where in leaves(data):
            if name == field:
                held = data
                for step in where:
                    held = held[step]
                for other in others(held, name):
                    yield [*records[:index], varied(record, where, other), *records[index + 1 :]]


PAIRS = [(kind, field) for kind, fields in READ.items() for field in sorted(fields)]


@cache
def unchanged(kind: str) -> Any:
    return without_names(report(dump(LOGS[kind]().records)))


@pytest.mark.parametrize(("kind", "field"), PAIRS)
def test_a_field_that_is_read_changes_the_report(kind: str, field: str) -> None:
    before, timed = unchanged(kind), field != "currentStateTimestamp"
    if not timed:
        before = without_names(report(dump(LOGS[kind]().records, metadata=False)))
    tried = (dump(each, metadata=timed) for each in variants(LOGS[kind]().records, kind, field))
    assert any(without_names(report(text)) != before for text in tried), "read, and nothing changes"


def genuine() -> list[str]:
    return gzip.decompress(GENUINE.read_bytes()).decode().splitlines(keepends=True)


def changed_lines(lines: list[str], kind: str, fields: set[str]) -> Iterator[str]:
    """The lines with all of these fields changed in every record of the kind."""
    decoder = json.JSONDecoder()
    for line in lines:
        at = re.search(r'key: (?=\{"type":"(\d+)")', line)
        key, end = decoder.raw_decode(line, at.end()) if at else ({"type": "-1"}, 0)
        payload = line[end:].strip().removeprefix("payload: ")
        if int(key["type"]) not in TYPES[kind] or payload == "<DELETE>":
            yield line
            continue
        value = json.loads(payload)
        for name, where in list(leaves(value["data"])):
            if name in fields:
                inner = value["data"]
                for step in where[:-1]:
                    inner = inner[step]
                inner[where[-1]] = next(
                    other for other in others(inner[where[-1]], "") if other != inner[where[-1]]
                )
        yield f"{line[:end]} payload: {json.dumps(value, separators=(',', ':'))}\n"


@pytest.mark.parametrize("kind", NAMED)
def test_a_field_that_changes_nothing_is_named(kind: str) -> None:
    lines = genuine()
    before = report("".join(lines))
    after = report("".join(changed_lines(lines, kind, NAMED[kind])))
    assert without_names(before) == without_names(after)
    assert set(before["not_used"][kind]) <= NAMED[kind]


def test_no_other_field_is_named_and_none_is_unknown() -> None:
    assert {kind: set(fields) for kind, fields in NOT_USED.items()} == NAMED
    assert all(READ[kind].isdisjoint(NAMED[kind]) for kind in NAMED)
    for name in ("kinds-4.4.0.txt.gz", "restless-4.4.txt.gz"):
        document = report(gzip.decompress((GENUINE.parent / name).read_bytes()).decode())
        assert all(set(fields) <= NAMED[kind] for kind, fields in document["not_used"].items())


def test_a_field_of_a_newer_kafka_is_named_in_the_document(tmp_path: Path) -> None:
    log = shares()
    _value(log.records[-1])["assignmentMood"] = "calm"
    (tmp_path / "log.txt").write_text(dump(log.records))
    done = here("audit", "log.txt", "--json", "-", cwd=tmp_path)
    document = valid(json.loads(done.stdout), "audit-1")
    assert document["not_used"]["share groups"]["assignmentMood"] == "not known to kassay"
