"""Records sent through a partitioner, as values; the only place where a record meets a partitioner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kassay.model.calls import Call, Failure, Look, Refusal, asked, call, failure_of
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    Partitioner,
    ProducerRecord,
    TopicMetadata,
)


class Sent(NamedTuple):
    """One record, the metadata at that time, and its partition."""

    record: ProducerRecord
    topic: TopicMetadata
    answer: int | Refusal | Failure


@dataclass(frozen=True)
class ProducerSends:
    """The records that a producer sends, in order, with the metadata of their topics at that time."""

    records: tuple[tuple[ProducerRecord, TopicMetadata], ...]
    config: Mapping[str, str] = field(default_factory=dict)


class ProducerSendsStep(Call[ProducerSends, tuple[Sent, ...]]):
    """One run through a new partitioner, with an answer for each record."""


def send_by_new(new: Callable[[], Partitioner], sending: ProducerSends) -> tuple[Sent, ...]:
    """As `send_all`, with a new partitioner; an error where it is made fails all records."""
    partitioner = asked(new)
    if isinstance(partitioner, Failure):
        return tuple(Sent(record, topic, partitioner) for record, topic in sending.records)
    return send_all(partitioner, sending)


def send_all(partitioner: Partitioner, sending: ProducerSends) -> tuple[Sent, ...]:
    """The partitions of the records, in order; configures the partitioner first and closes it at the end.

    A refusal is an answer; any other error is the failure of that record. An error in `configure` fails all
    records, one in `close` fails the last.
    """
    failure = asked(lambda: partitioner.configure(sending.config))
    if failure is not None:
        return tuple(Sent(record, topic, failure) for record, topic in sending.records)
    sent = [Sent(*each, answer) for each, answer in zip(sending.records, _answers(partitioner, sending))]
    failure = asked(partitioner.close)
    if failure is not None:
        sent[-1:] = [last._replace(answer=failure) for last in sent[-1:]]
    return tuple(sent)


def send(new: Callable[[], Partitioner], sending: ProducerSends, *, again: bool = False) -> ProducerSendsStep:
    """A step with a new partitioner, and a second one if `again`."""
    partitioners: list[Partitioner] = []

    def kept() -> Partitioner:
        partitioners.append(new())
        return partitioners[-1]

    looks = (Look.OTHER,) if again else ()
    step = call(ProducerSendsStep, send_by_new, lambda: kept, sending, looks)
    return replace(step, mutated=getattr(partitioners[0], "mutated", None)) if partitioners else step


def _answers(partitioner: Partitioner, sending: ProducerSends) -> Iterator[int | Refusal | Failure]:
    """The answer to each record; many at a time if the partitioner has `partition_each`, and one by one."""
    each = getattr(partitioner, "partition_each", None)
    if each is None:
        for record, topic in sending.records:
            yield _answer(partitioner, record, topic)
        return
    said = each([sent for sent in sending.records if sent[0].partition is None])
    for record, topic in sending.records:
        if record.partition is not None:
            yield _answer(partitioner, record, topic)
        else:
            answer = next(said)
            yield failure_of(answer) if isinstance(answer, Exception) else answer


def _answer(
    partitioner: Partitioner, record: ProducerRecord, topic: TopicMetadata
) -> int | Refusal | Failure:
    try:
        return partitioner.partition(record, topic)
    except InvalidPartitionError as refused:
        return Refusal(refused.java_class, str(refused))
    except Exception as error:  # the target's own code
        return failure_of(error)
