"""Claims about partitioners: which partition a record goes to."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.calls import Failure, Look, Refusal
from kassay.model.errors import FailureKind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import ProducerRecord, ProducerSendsStep, Sent
from kassay.properties.answers import Difference, Unanswered, answer_claims, changed_input, repeated_claims
from kassay.properties.partitioners.murmur2 import partition_of_key
from kassay.properties.registry import Evidence, always, claim
from kassay.writing.text import counted, series

KEY_SHOWN = 8
"""The most bytes of a key that are printed in full."""


def named(record: ProducerRecord) -> str:
    """The record's name in evidence."""
    key = "without a key" if record.key is None else "with an empty key"
    key = f"with key {_shown_key(record.key)}" if record.key else key
    partition = "" if record.partition is None else f" for partition {record.partition}"
    return f"record to {record.topic}{partition} {key}"


def _shown_key(key: bytes) -> str:
    """The key in hexadecimal digits, the middle of a long one left out."""
    digits = key.hex()
    return digits if len(key) <= KEY_SHOWN else f"{digits[:8]}...{digits[-8:]} ({len(key)} bytes)"


def _sent_to(sent: Sent) -> str:
    return f"The {named(sent.record)} was sent to partition {sent.answer}"


def _has(sent: Sent) -> str:
    return f"{sent.record.topic} has {counted(sent.topic.count, 'partition')}, numbered from 0"


def is_out_of_range(sent: Sent) -> bool:
    """Whether the record names a missing partition."""
    partition = sent.record.partition
    return partition is not None and not 0 <= partition < sent.topic.count


def _keyed(step: ProducerSendsStep) -> Iterator[tuple[Sent, bytes, int]]:
    """The answered records that are sent by their key."""
    for sent in step.given:
        if sent.record.key is not None and sent.record.partition is None and isinstance(sent.answer, int):
            yield sent, sent.record.key, sent.answer


def _has_choice(sent: Sent) -> bool:
    """Whether two proper answers exist for the record: two partitions, or one and a refusal."""
    return sent.topic.count > 1 or is_out_of_range(sent)


def _by_key(step: ProducerSendsStep) -> Iterator[tuple[bytes, int]]:
    """The keys of the records that are sent by them, each with the number of partitions to choose from."""
    for record, topic in step.request.records:
        if record.key is not None and record.partition is None and topic.count > 1:
            yield record.key, topic.count


@claim(
    "in-range",
    kinds=PARTITIONER,
    validity=True,
    breakable=always,
    source="Partitioner",
    fix=(
        "make the hash positive (hash & 0x7fffffff) before taking the remainder by the number of partitions"
    ),
)
def in_range(step: ProducerSendsStep) -> Iterator[Evidence]:
    """0 <= partition < count for every record, count >= 1."""
    for sent in step.given:
        if isinstance(sent.answer, int) and not 0 <= sent.answer < sent.topic.count:
            facts = {"sent to": sent.answer, "of partitions": sent.topic.count}
            yield Evidence(named(sent.record), facts, f"{_sent_to(sent)}, but {_has(sent)}.")


def _sent(answer: tuple[Sent, ...] | Failure) -> tuple[Sent, ...]:
    return () if isinstance(answer, Failure) else answer


def unanswered(step: ProducerSendsStep) -> Iterator[Unanswered]:
    """The unanswered records; one with a missing partition may be declined with any error."""
    for sent in (*step.given, *(sent for probe in step.probes for sent in _sent(probe.answer))):
        answer = sent.answer
        crashed = isinstance(answer, Failure) and answer.kind is not FailureKind.RAISED
        if isinstance(answer, Failure | Refusal) and (crashed or not is_out_of_range(sent)):
            name = named(sent.record)
            yield Unanswered(name, answer, begins=f"For the {name}, ")


answer_claims(PARTITIONER, "Partitioner", unanswered)


def _has_key_again(step: ProducerSendsStep) -> bool:
    """Whether a key repeats for the same number of partitions, two or more."""
    keys = list(_by_key(step))
    return len(set(keys)) < len(keys)


@claim(
    "same-key-same-partition",
    kinds=PARTITIONER,
    validity=True,
    breakable=_has_key_again,
    source="DefaultPartitioner",
    fix="compute the partition from the key bytes and the number of partitions alone",
)
def same_key_same_partition(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Records with the same key and number of partitions go to the same partition."""
    seen: dict[tuple[bytes, int], int] = {}
    for sent, key, partition in _keyed(step):
        first = seen.setdefault((key, sent.topic.count), partition)
        if partition != first:
            yield Evidence(
                named(sent.record),
                {"sent to": partition, "and before to": first, "of partitions": sent.topic.count},
                f"{_sent_to(sent)}, an earlier one with the same key to partition {first}.",
            )


def _goes_by_itself(record: ProducerRecord) -> bool:
    """Whether the record has neither a key nor a partition."""
    return record.key is None and record.partition is None


def _is_called(step: ProducerSendsStep) -> bool:
    """Whether the partitioner is called at all: for each record that names no partition."""
    return any(sent.record.partition is None for sent in step.given)


def _is_bound(step: ProducerSendsStep) -> bool:
    """Whether another object is called here, and could send a record with a key or a partition elsewhere."""
    return any(probe.look is Look.OTHER for probe in step.probes) and any(
        _has_choice(sent) and not _goes_by_itself(sent.record) for sent in step.given
    )


@claim(
    "pure",
    kinds=PARTITIONER,
    validity=True,
    looks=(Look.OTHER,),
    breakable=lambda step: _is_called(step) or _is_bound(step),
    source="Partitioner",
    fix="leave the arguments unchanged, and keep no state that decides where records with a key go",
)
def pure(step: ProducerSendsStep) -> Iterator[Evidence]:
    """The arguments are unchanged, and another object sends keyed or explicit records to the same place.

    The other object has the same configuration. Those in other processes are covered by `deterministic`.
    """
    if step.mutated:
        yield changed_input(PARTITIONER.method, step.mutated)
    for probe in step.probes:
        if probe.look is not Look.OTHER:
            continue
        for first, then in zip(step.given, _sent(probe.answer), strict=False):
            by_itself = _goes_by_itself(first.record)
            if not by_itself and isinstance(first.answer, int) and then.answer != first.answer:
                words = _difference(first, then).between("from one object", "from another")
                yield Evidence(named(first.record), {"first": first.answer, "then": then.answer}, words)


def differences(step: ProducerSendsStep, then: tuple[Sent, ...]) -> Iterator[Difference]:
    """The records that did not go to the same place."""
    for first, second in zip(step.given, then, strict=True):
        if second.answer != first.answer:
            yield _difference(first, second)


def _difference(first: Sent, second: Sent) -> Difference:
    name = named(first.record)
    own, other = (
        f"partition {sent.answer}" if isinstance(sent.answer, int) else "no partition"
        for sent in (first, second)
    )
    return Difference(name, first.answer, second.answer, (f"The {name} gets", own, other))


def _is_open(step: ProducerSendsStep) -> bool:
    """Whether some record could be answered in two ways."""
    return any(_has_choice(sent) for sent in step.given)


repeated_claims(PARTITIONER, differences, _is_open)


def _has_key(step: ProducerSendsStep) -> bool:
    """Whether a record with a key could go to another partition than Kafka's."""
    return next(_by_key(step), None) is not None


@claim(
    "hash-compatible",
    kinds=PARTITIONER,
    breakable=_has_key,
    source="Utils.murmur2",
    fix=("compute murmur2 as Kafka does, in 32 bits with overflow, with the tail bytes taken as unsigned"),
)
def hash_compatible(step: ProducerSendsStep) -> Iterator[Evidence]:
    """A record with a key goes where Kafka's murmur2 sends it, for every length and byte pattern."""
    for sent, key, partition in _keyed(step):
        wanted = partition_of_key(key, sent.topic.count)
        if partition != wanted:
            yield Evidence(
                named(sent.record),
                {"sent to": partition, "by Kafka to": wanted, "of partitions": sent.topic.count},
                f"{_sent_to(sent)}, but Kafka sends it to partition {wanted} of {sent.topic.count}.",
            )


def _may_miss_available(step: ProducerSendsStep) -> bool:
    """Whether there is a record without a key for a topic of which some partitions are available."""
    return any(
        _goes_by_itself(record) and 0 < len(topic.available) < topic.count
        for record, topic in step.request.records
    )


@claim(
    "available-only",
    kinds=PARTITIONER,
    breakable=_may_miss_available,
    source="DefaultPartitioner",
    fix=("choose for records without a key among the available partitions while there are any"),
)
def available_only(step: ProducerSendsStep) -> Iterator[Evidence]:
    """A record without a key goes to an available partition whenever there is one."""
    for sent in step.given:
        available = sent.topic.available
        if (
            _goes_by_itself(sent.record)
            and available
            and isinstance(sent.answer, int)
            and sent.answer not in available
        ):
            are = (
                f"partition {available[0]} is"
                if len(available) == 1
                else f"partitions {series(available)} are"
            )
            facts = {"sent to": sent.answer, "available": available}
            yield Evidence(named(sent.record), facts, f"{_sent_to(sent)}, but only {are} available.")


def names_missing_partition(step: ProducerSendsStep) -> bool:
    """Whether a record names a missing partition."""
    return any(is_out_of_range(sent) for sent in step.given)


@claim(
    "refuses-out-of-range",
    kinds=PARTITIONER,
    applies=names_missing_partition,
    breakable=always,
    source="KafkaProducer",
    fix="raise an error for a named partition that the topic does not have",
)
def refuses_out_of_range(step: ProducerSendsStep) -> Iterator[Evidence]:
    """An explicit partition outside [0, count) is an error."""
    for sent in step.given:
        if is_out_of_range(sent) and isinstance(sent.answer, int):
            facts = {"sent to": sent.answer, "of partitions": sent.topic.count}
            words = f"{_sent_to(sent)}, although {_has(sent)}."
            yield Evidence(named(sent.record), facts, words)
