"""What the claims about answers need to know of partitioners: each record has an answer of its own."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.calls import Failure, Look, Refusal
from kassay.model.failure import FailureKind
from kassay.model.kinds import Kind
from kassay.model.partitioners.sends import ProducerSendsStep, Sent
from kassay.properties.answers import Difference, Unanswered, answer_claims, deterministic_claim
from kassay.properties.partitioners.sends import is_out_of_range, named
from kassay.properties.registry import Evidence, claim


def unanswered(step: ProducerSendsStep) -> Iterator[Unanswered]:
    """The records that went nowhere; one for a partition that is not there may be declined with any error."""
    for sent in (*step.given, *(sent for probe in step.probes for sent in _sent(probe.answer))):
        answer = sent.answer
        crashed = isinstance(answer, Failure) and answer.kind is not FailureKind.RAISED
        if isinstance(answer, Failure | Refusal) and (crashed or not is_out_of_range(sent)):
            yield Unanswered(named(sent.record), answer)


def differences(step: ProducerSendsStep, then: tuple[Sent, ...]) -> Iterator[Difference]:
    """The records that did not go to the same place."""
    for first, second in zip(step.given, then, strict=True):
        if second.answer != first.answer:
            yield Difference(named(first.record), first.answer, second.answer)


def _sent(answer: tuple[Sent, ...] | Failure) -> tuple[Sent, ...]:
    return () if isinstance(answer, Failure) else answer


answer_claims(Kind.PARTITIONER, "Partitioner", unanswered)
deterministic_claim(Kind.PARTITIONER, differences)


@claim("pure", kinds=Kind.PARTITIONER, validity=True, looks=(Look.OTHER,), source="Partitioner")
def pure(step: ProducerSendsStep) -> Iterator[Evidence]:
    """Another object configured alike sends records with a key, or with a partition, to the same places."""
    for probe in step.probes:
        for first, then in zip(step.given, _sent(probe.answer), strict=False):
            by_itself = first.record.key is None and first.record.partition is None
            if not by_itself and isinstance(first.answer, int) and then.answer != first.answer:
                yield Evidence(named(first.record), {"first": first.answer, "then": then.answer})
