"""What the claims about answers need to know of assignors of Streams tasks."""

from __future__ import annotations

from kassay.model.kinds import Kind
from kassay.properties.answers import (
    answer_claims,
    deterministic_claim,
    order_independent_claim,
    pure_claim,
    unanswered_calls,
)
from kassay.properties.streams.tasks import difference

answer_claims(Kind.STREAMS, "TaskAssignor", unanswered_calls("assign"))
pure_claim(Kind.STREAMS, "TaskAssignor", difference)
deterministic_claim(Kind.STREAMS, difference)
order_independent_claim(Kind.STREAMS, "KAFKA-12898: the leader's maps have no order", difference)
