"""Functions of the claims about answers, for assignors of Kafka Connect."""

from __future__ import annotations

from kassay.model.connect.kinds import CONNECT
from kassay.properties.answers import answer_claims, repeated_claims, unanswered_calls
from kassay.properties.connect.work import difference, is_open

answer_claims(CONNECT, "ConnectAssignor", unanswered_calls("assign"))
repeated_claims(
    CONNECT,
    difference,
    is_open,
    pure="KIP-415: one leader decides from the workers' reports and its memory",
    order="KAFKA-12898: the leader's maps have no order",
)
