"""Records sent through a partitioner, as values, and the only place where a record meets a partitioner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kassay.model.calls import Call, Failure, Look, Refusal, asked, call, failure_of
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    Partitioner,
    ProducerRecord,
    TopicMetadata,
)


class Sent(NamedTuple):
    """One record, the metadata at that time, and the partition it went to."""

    record: ProducerRecord
    topic: TopicMetadata
    answer: int | Refusal | Failure


@dataclass(frozen=True)
class ProducerSends:
    """What a producer sends, in order: records with the metadata of their topics at that time."""

    records: tuple[tuple[ProducerRecord, TopicMetadata], ...]
    config: Mapping[str, str] = field(default_factory=dict)


class ProducerSendsStep(Call[ProducerSends, tuple[Sent, ...]]):
    """One sending through a new partitioner; each record has an answer of its own."""


def send_all(partitioner: Partitioner, sending: ProducerSends) -> tuple[Sent, ...]:
    """What the partitioner makes of the records, in order: it is configured first and closed at the end.

    A refusal is an answer, any other error the failure of that record; an error while it is configured
    fails them all, one while it is closed the last.
    """
    failure = asked(lambda: partitioner.configure(sending.config))
    if failure is not None:
        return tuple(Sent(record, topic, failure) for record, topic in sending.records)
    sent = [Sent(record, topic, _answer(partitioner, record, topic)) for record, topic in sending.records]
    failure = asked(partitioner.close)
    if failure is not None:
        sent[-1:] = [last._replace(answer=failure) for last in sent[-1:]]
    return tuple(sent)


def send(new: Callable[[], Partitioner], sending: ProducerSends, *, again: bool = False) -> ProducerSendsStep:
    """A step with a new partitioner, and with another one if it is to be asked `again`."""
    return call(ProducerSendsStep, send_all, new, sending, (Look.OTHER,) if again else ())


def _answer(
    partitioner: Partitioner, record: ProducerRecord, topic: TopicMetadata
) -> int | Refusal | Failure:
    try:
        return partitioner.partition(record, topic)
    except InvalidPartitionError as refused:
        return Refusal(refused.java_class, str(refused))
    except Exception as error:  # the target's own code
        return failure_of(error)
