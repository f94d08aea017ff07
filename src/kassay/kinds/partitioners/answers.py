"""Answers of a partitioner: in words, and assertions on one, as Python."""

from __future__ import annotations

from kassay.assignors.plain import plain_record
from kassay.assignors.plain_answers import PARTITIONER
from kassay.kinds.answers import Asserts, PlainCall
from kassay.kinds.broken import BrokenStep
from kassay.model.partitioners.partitioner import ProducerSendsStep, Sent


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
