"""Network N2: N1 with messages that go astray, each at the cost of a fault.

* loss: a connection breaks. All messages in flight are lost, or only the replies: then the coordinator may
  still handle the requests, at any later time. Replies to an earlier connection are discarded.
* duplicate: a request is handled, and a copy of it stays in flight, whose reply is ignored.
* reorder: a request is handled, or a reply read, before one that was sent earlier on the same connection.

A process that dies leaves its requests in flight. The number of late events is unbounded, so these worlds are
only explored by random walks.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.interned import Interned
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.in_flight import CONNECTION, HEARTBEAT_OFFSET, Wire, connection_of
from kassay.model.protocols.values.requests import Request
from kassay.model.protocols.world.networks.n1_steps import ALIVE, Slots
from kassay.model.protocols.world.parts.context import Client, WorldMove

NOBODY_WAITS = HEARTBEAT_OFFSET // CONNECTION - 1
"""The connection of copies whose replies are ignored."""


class Datagrams(Slots):
    """Network N2."""

    def under_way(self, c: int, client: Client, broker: Interned, faults: Faults) -> Iterator[WorldMove]:
        """Requests arrive in any order, twice or late; replies are read; connections break."""
        alive = client.run in ALIVE
        for place, request in enumerate(client.wire.sent):
            late = connection_of(request) != client.connection
            overtakes = not late and (
                bool(client.inbox)
                or any(connection_of(r) == client.connection for r in client.wire.sent[:place])
            )
            if not overtakes or faults.reorder:
                moves = list(self._arrives(c, client, place, broker, faults))
                yield from (_costing(move, "reorder") for move in moves) if overtakes else moves
                if faults.duplicate and not overtakes:
                    yield from (self._doubled(move, request) for move in moves)
        if not alive:
            return
        for place in range(len(client.wire.back)):
            if place == 0 or faults.reorder:
                moves = list(self._reads(c, client, place, broker))
                yield from (_costing(move, "reorder") for move in moves) if place else moves
        if faults.loss:
            yield from self._breaks(c, client, broker)
            yield from self._left_behind(c, client, broker)

    def _doubled(self, move: WorldMove, request: Request) -> WorldMove:
        """The request is handled, and a copy of it stays in flight."""
        client = move.client.value
        number = request.correlation_id + CONNECTION * (NOBODY_WAITS - connection_of(request))
        copy = request._replace(correlation_id=number)
        kept = self.context.cell(client._replace(wire=client.wire.sending(copy)))
        return _costing(move._replace(client=kept), "duplicate")

    def _left_behind(self, c: int, client: Client, broker: Interned) -> Iterator[WorldMove]:
        """The connection breaks, and its requests stay in flight."""
        if not client.wire.sent:
            return
        for move in self._breaks(c, client, broker):
            after = move.client.value
            requests = Wire(sent=client.wire.sent)
            kept = after._replace(wire=requests, connection=client.connection + 1)
            action = move.action._replace(detail="its requests are still under way")
            yield move._replace(action=action, client=self.context.cell(kept))


def _costing(move: WorldMove, fault: str) -> WorldMove:
    words = (move.action.detail, fault) if move.action.detail else (fault,)
    action = move.action._replace(fault=True, detail="; ".join(words))
    return move._replace(action=action, costs=(*move.costs, fault))
