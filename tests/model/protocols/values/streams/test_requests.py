"""What a heartbeat of a Streams member says of its tasks."""

from __future__ import annotations

from itertools import product

from kassay.model.protocols.values import requests
from kassay.model.protocols.values.streams.requests import StreamsHeartbeat, StreamsHeartbeatReply


def test_tasks_are_named_in_all_roles_or_none_is():
    for roles in product((None, ()), repeat=3):
        owned = StreamsHeartbeat(1, "m", 3, active=roles[0], standby=roles[1], warmup=roles[2]).owned
        assert owned == (None if None in roles else ((), (), ()))


def test_a_heartbeat_that_fails_as_a_whole_is_answered_by_the_error_alone():
    request = StreamsHeartbeat(1, "m", 3)
    assert requests.error_reply(request, "NOT_COORDINATOR") == StreamsHeartbeatReply("NOT_COORDINATOR")
