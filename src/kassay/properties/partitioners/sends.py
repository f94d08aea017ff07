"""Claims about partitioners (kind K): which partition a record goes to."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.failure import FailureKind
from kassay.model.groups.step import Failure, Look
from kassay.model.kinds import Kind
from kassay.model.partitioners.partitioner import ProducerRecord
from kassay.model.partitioners.sends import ProducerSendsStep, RecordRefused, Sent
from kassay.properties.partitioners.murmur2 import partition_of_key
from kassay.properties.registry import Evidence, Scope, claim


def _told(record: ProducerRecord) -> str:
    """The record as evidence names it."""
    key = "no key" if record.key is None else f"key {record.key.hex() or 'empty'}"
    asked = "" if record.partition is None else f", partition {record.partition}"
    return f"record for {record.topic}, {key}{asked}"


def _is_out_of_range(sent: Sent) -> bool:
    """Whether the record asks for a partition that is not there."""
    asked = sent.record.partition
    return asked is not None and not 0 <= asked < sent.topic.count


def _keyed(step: ProducerSendsStep) -> Iterator[tuple[Sent, bytes, int]]:
    """The answered records that go by their key."""
    for sent in step.sent:
        if sent.record.key is not None and sent.record.partition is None and isinstance(sent.answer, int):
            yield sent, sent.record.key, sent.answer


@claim("in-range", kinds=Kind.PARTITIONER, scope=Scope.CASE, validity=True, source="Partitioner")
def in_range(step: ProducerSendsStep) -> Iterator[Evidence]:
    """0 <= partition < count for every record, count >= 1."""
    for sent in step.sent:
        if isinstance(sent.answer, int) and not 0 <= sent.answer < sent.topic.count:
            yield Evidence(_told(sent.record), {"sent to": sent.answer, "of partitions": sent.topic.count})


@claim("total", kinds=Kind.PARTITIONER, scope=Scope.CASE, validity=True, source="Partitioner")
def total(step: ProducerSendsStep) -> Iterator[Evidence]:
    """A record for a partition that is there, or for none in particular, never raises."""
    for sent in (*step.sent, *(step.other or ())):
        answer = sent.answer
        # A partition that is not there may be refused with any error.
        tolerated = FailureKind.RAISED if _is_out_of_range(sent) else None
        if isinstance(answer, RecordRefused) and not _is_out_of_range(sent):
            yield Evidence(_told(sent.record), {"refused": answer.message})
        if isinstance(answer, Failure) and answer.kind not in (FailureKind.TIMEOUT, tolerated):
            yield Evidence(_told(sent.record), {answer.kind.value: answer.message})


@claim("terminates", kinds=Kind.PARTITIONER, scope=Scope.CASE, validity=True, source="Partitioner")
def terminates(step: ProducerSendsStep) -> Iterator[Evidence]:
    """It answers within the call limit."""
    for sent in (*step.sent, *(step.other or ())):
        if isinstance(sent.answer, Failure) and sent.answer.kind is FailureKind.TIMEOUT:
            yield Evidence(_told(sent.record), {sent.answer.kind.value: sent.answer.message})


@claim(
    "same-key-same-partition",
    kinds=Kind.PARTITIONER,
    scope=Scope.CASE,
    validity=True,
    source="DefaultPartitioner",
)
def same_key_same_partition(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Equal key bytes and equal count give equal partitions."""
    seen: dict[tuple[bytes, int], int] = {}
    for sent, key, partition in _keyed(step):
        first = seen.setdefault((key, sent.topic.count), partition)
        if partition != first:
            yield Evidence(
                _told(sent.record),
                {"sent to": partition, "and before to": first, "of partitions": sent.topic.count},
            )


@claim(
    "pure",
    kinds=Kind.PARTITIONER,
    scope=Scope.CASE,
    validity=True,
    looks=(Look.OTHER,),
    source="Partitioner",
)
def pure(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Another object configured alike sends records with a key, or with a partition, to the same places."""
    for first, then in zip(step.sent, step.other or (), strict=False):
        by_itself = first.record.key is None and first.record.partition is None
        if not by_itself and isinstance(first.answer, int) and then.answer != first.answer:
            yield Evidence(
                _told(first.record), {"sent to": first.answer, "by another object to": then.answer}
            )


@claim(
    "deterministic",
    kinds=Kind.PARTITIONER,
    scope=Scope.CASE,
    looks=(Look.OTHER, Look.PROCESS),
    source="KAFKA-12898: answers that follow a hash order",
)
def deterministic(step: ProducerSendsStep) -> Iterator[Evidence]:
    """The same records in the same order go to the same partitions, whatever the object, process or time."""
    for first, then in zip(step.sent, step.other or (), strict=False):
        if then.answer != first.answer:
            yield Evidence(_told(first.record), {"sent to": first.answer, "asked again to": then.answer})


@claim("hash-compatible", kinds=Kind.PARTITIONER, scope=Scope.CASE, source="Utils.murmur2")
def hash_compatible(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Murmur2 of the key bytes equals Kafka's for every length and byte pattern."""
    for sent, key, partition in _keyed(step):
        wanted = partition_of_key(key, sent.topic.count)
        if partition != wanted:
            yield Evidence(
                _told(sent.record),
                {"sent to": partition, "by Kafka to": wanted, "of partitions": sent.topic.count},
            )


@claim("available-only", kinds=Kind.PARTITIONER, scope=Scope.CASE, source="DefaultPartitioner")
def available_only(step: ProducerSendsStep) -> Iterator[Evidence]:
    """A keyless record goes to an available partition whenever there is one."""
    for sent in step.sent:
        keyless = sent.record.key is None and sent.record.partition is None
        available = sent.topic.available
        if keyless and available and isinstance(sent.answer, int) and sent.answer not in available:
            yield Evidence(_told(sent.record), {"sent to": sent.answer, "available": available})


def asks_out_of_range(step: ProducerSendsStep) -> bool:
    """Whether a record asks for a partition that is not there."""
    return any(_is_out_of_range(sent) for sent in step.sent)


@claim(
    "refuses-out-of-range",
    kinds=Kind.PARTITIONER,
    scope=Scope.CASE,
    applies=asks_out_of_range,
    source="KafkaProducer",
)
def refuses_out_of_range(step: ProducerSendsStep) -> Iterator[Evidence]:
    """An explicit partition outside [0, count) is an error."""
    for sent in step.sent:
        if _is_out_of_range(sent) and isinstance(sent.answer, int):
            yield Evidence(_told(sent.record), {"sent to": sent.answer, "of partitions": sent.topic.count})
