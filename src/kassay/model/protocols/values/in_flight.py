"""Messages between one client and the coordinator if a request takes several steps (networks N1 and N2).

A wire has three channels that share a connection: the main thread's (JoinGroup, SyncGroup), the heartbeats'
and the commits'. Replies to the main thread may be parked for long and are matched by the request's number;
they wait in the client's inbox. The others are answered at once, and return with the request that they
answer.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.protocols.values.requests import (
    ConsumerHeartbeat,
    JoinGroup,
    OffsetCommit,
    ReplyBody,
    Request,
    SyncGroup,
)
from kassay.model.protocols.values.streams import StreamsHeartbeat

MAIN: Final = "main"
HEARTBEAT: Final = "heartbeat"
COMMIT: Final = "commit"


class Returned(NamedTuple):
    """A reply in flight, with the request that it answers."""

    request: Request
    body: ReplyBody


class Wire(NamedTuple):
    """Unhandled requests in the order of sending, and unread replies."""

    sent: tuple[Request, ...] = ()
    back: tuple[Returned, ...] = ()

    def sending(self, request: Request) -> Wire:
        """The wire with one more request."""
        return self._replace(sent=(*self.sent, request))

    def without(self, place: int) -> Wire:
        """The wire without the request at this position."""
        return self._replace(sent=self.sent[:place] + self.sent[place + 1 :])

    def returning(self, request: Request, body: ReplyBody) -> Wire:
        """The wire with one more reply."""
        return self._replace(back=(*self.back, Returned(request, body)))

    def read(self, place: int) -> Wire:
        """The wire without the reply at this position."""
        return self._replace(back=self.back[:place] + self.back[place + 1 :])

    def busy(self, channel: str, connection: int) -> bool:
        """Whether a request or reply of this connection is in flight on the channel."""
        requests = (*self.sent, *(returned.request for returned in self.back))
        return any(channel_of(r) == channel and connection_of(r) == connection for r in requests)

    def speaks(self, channel: str) -> bool:
        """Whether a request is in flight on the channel."""
        return any(channel_of(request) == channel for request in self.sent)


SILENT: Final = Wire()
CONNECTION: Final = 100
HEARTBEAT_OFFSET: Final = 1_000_000


def channel_of(request: Request) -> str:
    """The channel of a request."""
    if isinstance(request, JoinGroup | SyncGroup):
        return MAIN
    return COMMIT if isinstance(request, OffsetCommit) else HEARTBEAT


def number_of(c: int, connection: int) -> int:
    """The number of a client's main request on a connection."""
    return c + CONNECTION * connection


def connection_of(request: Request) -> int:
    """The connection that a request was sent over.

    >>> connection_of(Commit(number_of(2, 3), "", 1))
    3
    """
    return request.correlation_id % HEARTBEAT_OFFSET // CONNECTION


def name_of(request: Request) -> str:
    """The usual name of such a request."""
    beat = isinstance(request, ConsumerHeartbeat | StreamsHeartbeat)
    return "heartbeat" if beat else type(request).__name__
