"""A wire between client and coordinator: order kept, connections and channels told apart by the numbers."""

from itertools import product

import pytest

from kassay.model.protocols.values import requests
from kassay.model.protocols.values.in_flight import (
    COMMIT,
    CONNECTION,
    HEARTBEAT,
    HEARTBEAT_OFFSET,
    MAIN,
    SILENT,
    Returned,
    channel_of,
    connection_of,
    name_of,
    number_of,
)

REQUESTS = {
    requests.JoinGroup(0, "m", ()): MAIN,
    requests.SyncGroup(0, "m", 1): MAIN,
    requests.Heartbeat(0, "m", 1): HEARTBEAT,
    requests.LeaveGroup(0, ()): HEARTBEAT,
    requests.ConsumerHeartbeat(0, "m", 1): HEARTBEAT,
    requests.OffsetCommit(0, "m", 1): COMMIT,
}
OK = requests.HeartbeatReply("NONE")


def numbered(number):
    return requests.Heartbeat(number, "m", 1)


@pytest.mark.parametrize(
    ("request_", "channel"), list(REQUESTS.items()), ids=lambda value: type(value).__name__
)
def test_every_request_goes_by_one_channel(request_, channel):
    assert channel_of(request_) == channel
    wire = SILENT.sending(request_)
    assert [name for name in (MAIN, HEARTBEAT, COMMIT) if wire.speaks(name)] == [channel]
    expected = "heartbeat" if isinstance(request_, requests.ConsumerHeartbeat) else type(request_).__name__
    assert name_of(request_) == expected


def test_numbers_tell_clients_and_connections_apart():
    places = list(product(range(4), range(5)))
    assert len({number_of(c, connection) for c, connection in places}) == len(places)
    for (c, connection), offset in product(places, range(3)):
        request = numbered(offset * HEARTBEAT_OFFSET + number_of(c, connection))
        assert connection_of(request) == connection
        assert request.correlation_id % CONNECTION == c


def test_what_is_sent_and_returned_keeps_its_order_and_is_taken_from_its_place():
    one, two, three = map(numbered, (1, 2, 3))
    wire = SILENT.sending(one).sending(two).sending(three)
    assert wire.sent == (one, two, three)
    assert wire.without(1).sent == (one, three)
    back = SILENT.returning(one, OK).returning(two, OK)
    assert back.back == (Returned(one, OK), Returned(two, OK))
    assert back.read(0).back == (Returned(two, OK),)
    assert (wire.without(0).back, back.read(0).sent) == ((), ())


def test_a_channel_is_busy_until_the_reply_is_read_but_speaks_only_while_it_is_on_its_way_there():
    request = numbered(HEARTBEAT_OFFSET + number_of(2, 3))
    sent, back = SILENT.sending(request), SILENT.returning(request, OK)
    for wire in (sent, back):
        assert wire.busy(HEARTBEAT, 3)
        assert not wire.busy(HEARTBEAT, 2)
        assert not wire.busy(MAIN, 3)
    assert (sent.speaks(HEARTBEAT), back.speaks(HEARTBEAT)) == (True, False)
    assert not back.read(0).busy(HEARTBEAT, 3)
