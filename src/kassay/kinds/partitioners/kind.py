"""The driver of partitioners: one sending in a case, through a new object of the target."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from kassay.kinds.broken import BrokenStep
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.judging import Calls, Subject, plain
from kassay.kinds.partitioners.words import partition_asserts, partition_call, record_words
from kassay.kinds.protocol import Driver
from kassay.kinds.recorded import answered
from kassay.kinds.registry import drives
from kassay.kinds.words import Asserts, PlainCall, ShownAnswer
from kassay.model.calls import Failure, Look, Probe
from kassay.model.partitioners.documents import SENDS, SENT, sent_to_json
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    ProducerRecord,
    ProducerSends,
    ProducerSendsStep,
    Sent,
    TopicMetadata,
    send,
    send_all,
    send_by_new,
)
from kassay.model.shape.codec import WHOLE, listed
from kassay.model.shape.cuts import name_rank
from kassay.model.shape.removal import Removal
from kassay.properties.partitioners.scenarios import sending
from kassay.properties.partitioners.wide import COUNTABLE, RANGES, sized_sending
from kassay.properties.profile import Profile
from kassay.properties.registry import Evidence
from kassay.properties.sources import Source

_Entry = tuple[ProducerRecord, TopicMetadata]

_PARTITION: Final = answered(WHOLE)
_PLAIN_TOPIC_MAX: Final = 1
"""The number in the name of a topic, such as `t1`, up to which it counts as plain."""
_KEYED_CHANGES: Final = 1_400
"""The changes that bring keys: 4,200 different ones, so that a cache of 4,096 overflows."""
_SEARCHED_FROM: Final = 2_000
"""From so many records on, the first one that breaks a claim is searched for by halves."""
_SINGLES_MAX = 16
"""The number of partitions without a leader up to which each is removed by itself."""


@drives(PARTITIONER)
class SendsDriver(Driver[ProducerSends]):
    """Sends records through a partitioner."""

    asks = "partition"
    options = frozenset()
    countable = COUNTABLE
    ranges = RANGES
    form = SENDS
    narration = SENT
    answers = replace(listed(_PARTITION), write=lambda sent: [_PARTITION.write(each.answer) for each in sent])

    @property
    def shares_objects(self) -> bool:
        """A partitioner belongs to one producer."""
        return False

    @property
    def long_changes(self) -> int:
        """So many that more than 65,536 records without a key are sent: a 16-bit counter overflows."""
        return 17_900

    def long_case(self, changes: int) -> ProducerSends:
        """Three records for every change, each with a new key, to few topics; an earlier key comes back.

        After 4,200 keys, a change is four records without one, every other for a topic without a leader.
        """
        keyed = min(changes, _KEYED_CHANGES)
        bare = [
            (ProducerRecord(f"t{number % 2}", None, b"v"), TopicMetadata.of(7, range(7 * (number % 2))))
            for number in range(4 * (changes - keyed))
        ]
        records = []
        for number in range(3 * keyed):
            topic = f"t{number % 7}"
            for key in (number, number // 2) if number % 10 == 9 else (number,):
                record = ProducerRecord(topic, f"key-{key}".encode(), b"v")
                records.append((record, TopicMetadata.of(2 + number % 7)))
        return ProducerSends((*records, *bare))

    def generate(self, source: Source, profile: Profile, aim: str = "") -> ProducerSends:
        """A sending built from the source's choices."""
        return sending(source)

    def sized(self, source: Source, profile: Profile, sizes: Mapping[str, int]) -> ProducerSends:
        """A sending with so many topics, partitions or records."""
        return sized_sending(source, sizes)

    def play(self, case: ProducerSends, subject: Subject) -> Iterator[Calls[ProducerSendsStep]]:
        """The sending, and its repetition in another process if there is one."""
        step = send(partial(subject.new, case.config), case, again=Look.OTHER in subject.looks)
        if subject.twin is not None:
            elsewhere = Probe(Look.PROCESS, send_by_new(partial(subject.twin, case.config), case))
            step = ProducerSendsStep(case, step.answer, (*step.probes, elsewhere), step.mutated)
        yield Calls((step,))

    def parts(self, answer: int) -> dict[str, object]:
        """The partition."""
        return {"partition": answer}

    def rebalances(self, case: ProducerSends, played: Calls[ProducerSendsStep]) -> int:
        """The number of records."""
        return len(case.records)

    def size(self, case: ProducerSends) -> tuple[int, ...]:
        """Records, partitions, bytes of keys, unavailable partitions, and the rest; plain names come last."""
        records = [record for record, _ in case.records]
        return (
            len(records),
            sum(topic.count for _, topic in case.records),
            sum(len(record.key or b"") for record in records),
            sum(1 + number for _, topic in case.records for number in topic.unavailable),
            sum(sum(record.key or b"") for record in records),
            sum(len(record.value or b"") for record in records),
            sum(abs(record.partition or 0) for record in records),
            sum(rank for record in records if (rank := name_rank(record.topic)) > _PLAIN_TOPIC_MAX),
        )

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, rare features first."""
        from kassay.kinds.partitioners.words import record_removals

        return record_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """One frame with all records."""
        from kassay.kinds.partitioners.view import record_frames

        return record_frames(reported)

    def counts(self, case: ProducerSends) -> Mapping[str, int]:
        """No members; the records are the events."""
        partitions = {record.topic: topic.count for record, topic in case.records}
        return {"members": 0, "partitions": sum(partitions.values()), "events": len(case.records)}

    def answer_of(self, target: Any, step: ProducerSendsStep) -> tuple[Sent, ...]:
        """The reference's partition for each record."""
        return send_all(target, step.request)

    def shown(self, place: tuple[int, ...], step: ProducerSendsStep, answer: tuple[Sent, ...]) -> ShownAnswer:
        """The partition of the record at the place."""
        sent = answer[place[0]]
        return ShownAnswer(plain(sent.answer), {}, {}, record_words(sent))

    def asserts(self, claim: str, broken: BrokenStep, step: ProducerSendsStep) -> Asserts | None:
        """What must hold of the partition."""
        return partition_asserts(claim, broken, step)

    def plain_call(
        self, form: str, extras: tuple[str, ...], broken: BrokenStep, step: ProducerSendsStep
    ) -> PlainCall | None:
        """How to call a user's partitioner with the record that breaks the claim."""
        return partition_call(form, broken, step)

    def document_of(self, step: Sent) -> dict[str, Any]:
        """One record and its partition."""
        return sent_to_json(step)

    def places(
        self,
        number: int,
        played: Calls[ProducerSendsStep],
        thing: ProducerSendsStep,
        evidence: Sequence[Evidence],
        evidence_of: Callable[[Any], Sequence[Evidence]],
    ) -> list[tuple[int, ...]]:
        """The first record that breaks the claim; of very many, one that does and the one before does not."""
        sent = thing.answer
        if isinstance(sent, Failure):
            return [(0,)] * len(evidence)

        def breaks(last: int) -> bool:
            return bool(evidence_of(_first(thing, last + 1)))

        numbers = range(len(sent) - 1)
        if len(sent) > _SEARCHED_FROM:
            first = bisect_left(numbers, True, key=breaks)
        else:
            first = next(filter(breaks, numbers), len(sent) - 1)
        return [(first,)] * len(evidence)

    def narrated(self, plays: Sequence[Calls[ProducerSendsStep]]) -> list[dict[str, Any]]:
        """The partition of each record."""
        return [sent_to_json(sent) for played in plays for step in played.steps for sent in _sent(step)]

    def calls_of(self, answer: Sequence[Any] | Failure) -> Sequence[Any]:
        """A partition for each record."""
        return (answer,) if isinstance(answer, Failure) else answer

    def answering(self, next_answer: Callable[..., Any]) -> Any:
        """A partitioner that answers with recorded partitions."""
        return _Answering(next_answer)

    def restored(self, step: ProducerSendsStep, answer: Sequence[Any] | Failure) -> Any:
        """The records with their partitions."""
        if isinstance(answer, Failure):
            return answer
        return tuple(Sent(*entry, partition) for entry, partition in zip(step.request.records, answer))


class _Answering:
    """A partitioner that answers with given partitions, one after another."""

    def __init__(self, next_answer: Callable[..., Any]) -> None:
        self.partition = next_answer

    def configure(self, config: Mapping[str, str]) -> None:
        """Ignore the configuration."""

    def close(self) -> None:
        """Nothing to close."""


def _sent(step: ProducerSendsStep) -> tuple[Sent, ...]:
    """The records with their partitions, or with the failure of the whole step."""
    if isinstance(step.answer, Failure):
        return tuple(Sent(*entry, step.answer) for entry in step.request.records)
    return step.answer


def _first(step: ProducerSendsStep, number: int) -> ProducerSendsStep:
    """The step with only its first records."""

    def cut(answer: tuple[Sent, ...] | Failure) -> tuple[Sent, ...] | Failure:
        return answer if isinstance(answer, Failure) else answer[:number]

    probes = tuple(Probe(probe.look, cut(probe.answer)) for probe in step.probes)
    return ProducerSendsStep(step.request, cut(step.answer), probes, step.mutated)
