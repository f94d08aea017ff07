"""Functions of the claims about answers, for assignors of consumer groups."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from kassay.model.calls import Failure
from kassay.model.groups.kinds import CLIENT, GROUPS, SERVER, SHARE
from kassay.model.groups.step import Step
from kassay.properties.answers import Unanswered, answer_claims, repeated_claims, unanswered_calls
from kassay.properties.groups.validity import differences

REFUSALS: Final = frozenset({"PartitionAssignorException", "PartitionAssignorError"})
"""Kafka's documented refusal of an unknown topic, under Kafka's name and kassay's."""

_KIP_848: Final = "KIP-848: PartitionAssignor"


def refuses_unknown_topic(step: Step, call: Unanswered) -> bool:
    """Whether an unknown topic is refused with PartitionAssignorException."""
    failure = call.answer
    return bool(step.unknown) and isinstance(failure, Failure) and not REFUSALS.isdisjoint(failure.raised)


_calls: Final = unanswered_calls("assign")
answer_claims(CLIENT, "ConsumerPartitionAssignor: a well-formed input has an answer", _calls)
answer_claims((SERVER, SHARE), _KIP_848, _calls, refuses_unknown_topic)
repeated_claims(
    GROUPS,
    differences,
    attrgetter("is_open"),
    pure="ConsumerPartitionAssignor: assign is called on any member's object",
    order="KAFKA-12898: the leader's member map has no order",
)
