"""Claims about partitioners: which partition a record goes to."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.calls import Failure, Look, Refusal
from kassay.model.failure import FailureKind
from kassay.model.kinds import Kind
from kassay.model.partitioners.partitioner import ProducerRecord
from kassay.model.partitioners.sends import ProducerSendsStep, Sent
from kassay.properties.answers import Difference, Unanswered, answer_claims, repeated_claims
from kassay.properties.partitioners.murmur2 import partition_of_key
from kassay.properties.registry import Evidence, claim


def named(record: ProducerRecord) -> str:
    """The record as evidence names it."""
    key = "no key" if record.key is None else f"key {record.key.hex() or 'empty'}"
    asked = "" if record.partition is None else f", partition {record.partition}"
    return f"record for {record.topic}, {key}{asked}"


def is_out_of_range(sent: Sent) -> bool:
    """Whether the record asks for a partition that is not there."""
    asked = sent.record.partition
    return asked is not None and not 0 <= asked < sent.topic.count


def _keyed(step: ProducerSendsStep) -> Iterator[tuple[Sent, bytes, int]]:
    """The answered records that go by their key."""
    for sent in step.given:
        if sent.record.key is not None and sent.record.partition is None and isinstance(sent.answer, int):
            yield sent, sent.record.key, sent.answer


@claim("in-range", kinds=Kind.PARTITIONER, validity=True, source="Partitioner")
def in_range(step: ProducerSendsStep) -> Iterator[Evidence]:
    """0 <= partition < count for every record, count >= 1."""
    for sent in step.given:
        if isinstance(sent.answer, int) and not 0 <= sent.answer < sent.topic.count:
            yield Evidence(named(sent.record), {"sent to": sent.answer, "of partitions": sent.topic.count})


def _sent(answer: tuple[Sent, ...] | Failure) -> tuple[Sent, ...]:
    return () if isinstance(answer, Failure) else answer


def unanswered(step: ProducerSendsStep) -> Iterator[Unanswered]:
    """The records that went nowhere; one for a partition that is not there may be declined with any error."""
    for sent in (*step.given, *(sent for probe in step.probes for sent in _sent(probe.answer))):
        answer = sent.answer
        crashed = isinstance(answer, Failure) and answer.kind is not FailureKind.RAISED
        if isinstance(answer, Failure | Refusal) and (crashed or not is_out_of_range(sent)):
            yield Unanswered(named(sent.record), answer)


answer_claims(Kind.PARTITIONER, "Partitioner", unanswered)


@claim("same-key-same-partition", kinds=Kind.PARTITIONER, validity=True, source="DefaultPartitioner")
def same_key_same_partition(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Equal key bytes and equal count give equal partitions."""
    seen: dict[tuple[bytes, int], int] = {}
    for sent, key, partition in _keyed(step):
        first = seen.setdefault((key, sent.topic.count), partition)
        if partition != first:
            yield Evidence(
                named(sent.record),
                {"sent to": partition, "and before to": first, "of partitions": sent.topic.count},
            )


@claim("pure", kinds=Kind.PARTITIONER, validity=True, looks=(Look.OTHER,), source="Partitioner")
def pure(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Another object configured alike sends records with a key, or with a partition, to the same places."""
    for probe in step.probes:
        for first, then in zip(step.given, _sent(probe.answer), strict=False):
            by_itself = first.record.key is None and first.record.partition is None
            if not by_itself and isinstance(first.answer, int) and then.answer != first.answer:
                yield Evidence(named(first.record), {"first": first.answer, "then": then.answer})


def differences(step: ProducerSendsStep, then: tuple[Sent, ...]) -> Iterator[Difference]:
    """The records that did not go to the same place."""
    for first, second in zip(step.given, then, strict=True):
        if second.answer != first.answer:
            yield Difference(named(first.record), first.answer, second.answer)


repeated_claims(Kind.PARTITIONER, differences)


@claim("hash-compatible", kinds=Kind.PARTITIONER, source="Utils.murmur2")
def hash_compatible(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Murmur2 of the key bytes equals Kafka's for every length and byte pattern."""
    for sent, key, partition in _keyed(step):
        wanted = partition_of_key(key, sent.topic.count)
        if partition != wanted:
            yield Evidence(
                named(sent.record),
                {"sent to": partition, "by Kafka to": wanted, "of partitions": sent.topic.count},
            )


@claim("available-only", kinds=Kind.PARTITIONER, source="DefaultPartitioner")
def available_only(step: ProducerSendsStep) -> Iterator[Evidence]:
    """A keyless record goes to an available partition whenever there is one."""
    for sent in step.given:
        keyless = sent.record.key is None and sent.record.partition is None
        available = sent.topic.available
        if keyless and available and isinstance(sent.answer, int) and sent.answer not in available:
            yield Evidence(named(sent.record), {"sent to": sent.answer, "available": available})


def asks_out_of_range(step: ProducerSendsStep) -> bool:
    """Whether a record asks for a partition that is not there."""
    return any(is_out_of_range(sent) for sent in step.given)


@claim("refuses-out-of-range", kinds=Kind.PARTITIONER, applies=asks_out_of_range, source="KafkaProducer")
def refuses_out_of_range(step: ProducerSendsStep) -> Iterator[Evidence]:
    """An explicit partition outside [0, count) is an error."""
    for sent in step.given:
        if is_out_of_range(sent) and isinstance(sent.answer, int):
            yield Evidence(named(sent.record), {"sent to": sent.answer, "of partitions": sent.topic.count})
