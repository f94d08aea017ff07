"""Network N1: a request is sent, handled and answered in separate steps.

Each client has one request or reply in flight on each channel. The channels share a connection, so requests
are handled, and replies read, in the order of sending (a parked request blocks no other). A loss (fault
`loss`) breaks the connection: messages in flight are lost, whether handled or not, and the client knows only
that.

The `ok` to a classic heartbeat or a commit is not kept, since reading it would not change the client, nor any
reply to a commit of a KIP-848 client, which gets errors through its heartbeats. Every other message is
explored, however late.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import (
    HEARTBEAT,
    HEARTBEAT_OFFSET,
    MAIN,
    SILENT,
    channel_of,
    connection_of,
    name_of,
    number_of,
)
from kassay.model.protocols.values.requests import ReplyBody, Request
from kassay.model.protocols.world.networks.n0_atomic import LOST, Direct, cut_off
from kassay.model.protocols.world.parts.context import (
    BROKER,
    Client,
    WorldMove,
    awaited,
    labelled,
    unwritten,
)

ALIVE = (Process.UP, Process.PAUSED, Process.STALLED)


class Slots(Direct):
    """Network N1."""

    def call(
        self,
        action: Action,
        before: Client,
        turn: tuple[Client, Request | None],
        c: int,  # noqa: ARG002 - the request knows its client
        broker: Interned,
        faults: Faults,  # noqa: ARG002 - nothing can happen to it yet
    ) -> Iterator[WorldMove]:
        """Put a turn's request on the wire, if there is one."""
        client, request = turn
        if request is None:
            yield self.context.move(action, before, client, broker)
            return
        sent = client._replace(wire=client.wire.sending(request))
        yield self.context.move(action._replace(name=f"sends {action.name}"), before, sent, broker)

    def heartbeat(self, c: int, client: Client, broker: Interned, faults: Faults) -> Iterator[WorldMove]:
        """A heartbeat is sent, one at a time."""
        number = HEARTBEAT_OFFSET + number_of(c, client.connection)
        turn = self.talk.heartbeat(self.context.configs[c], number, client)
        if turn is not None and not client.wire.busy(HEARTBEAT, client.connection):
            action = Action(f"c{c + 1}", name_of(turn[1]), BROKER, self.talk.carried(turn[1]))
            yield from self.call(action, client, turn, c, broker, faults)

    def under_way(self, c: int, client: Client, broker: Interned, faults: Faults) -> Iterator[WorldMove]:
        """Requests arrive, replies are read, connections break."""
        if client.run not in ALIVE:
            return
        if client.wire.sent and not client.inbox:
            yield from self._arrives(c, client, 0, broker, faults)
        if client.wire.back:
            yield from self._reads(c, client, 0, broker)
        if faults.loss:
            yield from self._breaks(c, client, broker)

    def main_reply_is_next(self, client: ClassicClient) -> bool:
        """Whether no reply sent before the main thread's is still unread."""
        return not client.wire.back

    def _reads(self, c: int, client: Client, place: int, broker: Interned) -> Iterator[WorldMove]:
        """The client reads a reply."""
        request, body = client.wire.back[place]
        if client.run is Process.UP or (client.run is Process.STALLED and channel_of(request) == HEARTBEAT):
            read = client._replace(wire=client.wire.read(place))
            action = Action(f"c{c + 1}", f"takes {name_of(request)} reply", detail=self.talk.answer(body))
            heard = self.talk.heard(self.context.configs[c], read, request, body)
            yield self.context.move(action, client, heard, broker)

    def _arrives(
        self, c: int, client: Client, place: int, broker: Interned, faults: Faults
    ) -> Iterator[WorldMove]:
        """The coordinator handles a request and sends the reply, if there is one."""
        request = client.wire.sent[place]
        left = client._replace(wire=client.wire.without(place))
        action = Action(f"c{c + 1}", f"{name_of(request)} arrives", BROKER)
        # If records are counted, the ledger stores the offsets; a log of them would only distinguish states.
        # Commits are recorded if a compacted log may hold them before the group.
        plain = request
        if isinstance(request, requests.OffsetCommit):
            committed = request.offsets[:1] if self.context.options.compacted else ()
            plain = request._replace(offsets=tuple((tp, 0) for tp, _ in committed))
        for after, own, rest, costs in self.outcomes(broker, request, faults, plain):
            label = labelled(unwritten(action) if costs else action, broker, after)
            if own is None:
                label = label._replace(reply="parked")
                yield self.context.move(label, client, left, after, rest, costs)
                continue
            label = label._replace(reply=self.talk.answer(own))
            client_after = self._returned(left, request, own)
            move = self.context.move(label, client, client_after, after, rest, costs)
            if isinstance(request, requests.OffsetCommit) and own.error == errors.NONE:
                move = move._replace(accepts=(request,))
            yield move

    def _returned(self, client: Client, request: Request, body: ReplyBody) -> Client:
        """The client with a reply in flight to it, unless it no longer waits for it."""
        if connection_of(request) != client.connection or client.run not in ALIVE:
            return client
        if channel_of(request) == MAIN:
            return client._replace(inbox=(body,)) if awaited(body, client) else client
        silent = isinstance(request, requests.Heartbeat | requests.OffsetCommit) and body.error == errors.NONE
        if silent or (isinstance(request, requests.OffsetCommit) and not isinstance(client, ClassicClient)):
            return client
        return client._replace(wire=client.wire.returning(request, body))

    def _breaks(self, c: int, client: Client, broker: Interned) -> Iterator[WorldMove]:
        """The client's connection breaks while a message is in flight on it."""
        waits = isinstance(client, ClassicClient) and bool(client.waits)
        if client.wire == SILENT and not waits:
            return
        config = self.context.configs[c]
        action = Action(f"c{c + 1}", "loses its connection")
        if not isinstance(client, ClassicClient):
            beats = client.wire.busy(HEARTBEAT, client.connection)
            silent = client._replace(wire=SILENT)
            after: Client = self.talk.unanswered(config, silent) if beats else silent
        else:
            alone = client._replace(wire=SILENT)
            after = cut_off(config, alone._replace(inbox=())) if waits else alone
        yield self.context.move(action, client, after, broker, costs=LOST)
