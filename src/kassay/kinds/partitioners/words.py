"""Partitioners in words: their answers, and what can be removed from the records sent.

Answers of a partitioner: in words, and assertions on one, as Python.

What can be removed from the records sent to a partitioner, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.assignors.plain import plain_record
from kassay.assignors.plain_answers import PARTITIONER
from kassay.kinds.broken import BrokenStep
from kassay.kinds.words import Asserts, PlainCall
from kassay.model.partitioners.partitioner import ProducerSendsStep, Sent
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal


def record_words(sent: Sent) -> str:
    """The partition of one record, in words."""
    return f"partition {sent.answer}" if isinstance(sent.answer, int) else f"refused: {sent.answer.message}"


def partition_asserts(name: str, broken: BrokenStep, step: ProducerSendsStep) -> Asserts | None:
    """What must hold of the partition of the record that breaks the claim."""
    record, topic = step.request.records[broken.place[0]]
    if record.partition is not None:
        return None
    if name == "in-range":
        return Asserts((f"assert 0 <= answer < {topic.count}",))
    if name == "hash-compatible":
        return Asserts((f"assert answer == {broken.evidence.facts['by Kafka to']}",))
    if name == "available-only":
        return Asserts((f"assert answer in {list(topic.available)!r}",))
    return None


def partition_call(form: str, broken: BrokenStep, step: ProducerSendsStep) -> PlainCall | None:
    """How to call a class of that form with the record that breaks the claim."""
    if form != PARTITIONER:
        return None
    record, topic = step.request.records[broken.place[0]]
    return PlainCall("partition", plain_record(record, topic))


def record_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Keys, missing leaders, partitions that records name, the records, and the configuration."""
    for number, record in enumerate(case["records"]):
        name = f"record {number + 1}"
        at = ("records", number)
        if record.get("key"):
            yield Removal(f"the bytes of the key of {name}", put(case, (*at, "key"), ""))
        if record.get("unavailable"):
            yield Removal(f"the missing leaders for {name}", put(case, (*at, "unavailable"), []))
        if record.get("partition") is not None:
            yield Removal(f"the partition that {name} names", put(case, (*at, "partition"), None))
        if len(case["records"]) > 1:
            yield Removal(name, without_item(case, ("records",), number), extent=(1, "record"))
    if case.get("config"):
        yield Removal("the configuration", put(case, ("config",), {}))
