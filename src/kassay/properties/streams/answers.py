"""Functions of the claims about answers, for assignors of Streams tasks."""

from __future__ import annotations

from kassay.model.streams.kinds import STREAMS
from kassay.properties.answers import answer_claims, repeated_claims, unanswered_calls
from kassay.properties.streams.tasks import difference, is_open

answer_claims(STREAMS, "TaskAssignor", unanswered_calls("assign"))
repeated_claims(
    STREAMS,
    difference,
    is_open,
    pure="TaskAssignor",
    order="KAFKA-12898: the leader's maps have no order",
)
