"""The networks between clients and the coordinator: N0, N1 and N2.

An RPC has three parts (`Talk`): what a client sends comes from the client, what the coordinator makes of it
from the broker (`Brokers`), what the client makes of the reply is said here (`heard`). A level of network
decides what can happen between them.

* N0, atomic: an RPC is one step. Request or reply may get lost, and nothing else can happen.
* N1, in steps: a request is sent, handled and answered in steps of their own. Each client has one request or
  reply under way on each channel. The channels share a connection, so that requests are handled, and replies
  read, in the order in which they set out (a parked request holds no other up). A loss (fault `loss`) breaks
  the connection: what was under way is gone, whether handled or not, and the client knows that much. The
  `ok` to a classic heartbeat or a commit is not kept, since reading it would leave the client as it is, nor
  any answer to a commit with a client of KIP-848, whose heartbeats carry the same. Every other message is
  walked, however late.
* N2, astray: as N1, and messages go astray, each time for a fault of the budget. A process that dies leaves
  its requests under way. There is no end to what can happen late, so these worlds are walked at random only.

  * loss: a connection breaks. What was under way is gone, or only the replies are: then the coordinator may
    still handle the requests, at any later time. Replies to a former connection are discarded.
  * duplicate: a request is handled, and a copy of it stays under way, whose answer no client waits for.
  * reorder: a request is handled, or a reply read, before one that set out earlier on the same connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.explore.states import Interned
from kassay.model.explore.values import Action
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.classic_state import Assign, ClassicClient, Turn
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Mail
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import (
    CONNECTION,
    HEARTBEAT,
    HEARTBEAT_OFFSET,
    MAIN,
    SILENT,
    Wire,
    channel_of,
    connection_of,
    name_of,
    number_of,
)
from kassay.model.protocols.values.requests import ReplyBody, Request
from kassay.model.protocols.world.context import (
    BROKER,
    Client,
    WorldContext,
    WorldMove,
    awaited,
    labelled,
    listing,
    unwritten,
)

LOST: Final = ("loss",)
UNWRITABLE: Final = ("write",)


class Handled(NamedTuple):
    """A handled request: the broker afterwards, its reply (None: parked), and others' replies.

    `costs` are the faults that it uses up.
    """

    broker: Interned
    own: requests.ReplyBody | None
    rest: Mail
    costs: tuple[str, ...] = ()


class Talk:
    """The heartbeats of clients of the classic protocol and of KIP-848, and the handling of replies."""

    def __init__(self, assign: Assign) -> None:
        self.assign = assign

    def heartbeat(
        self, config: ClientConfig, number: int, client: Client
    ) -> tuple[Client, requests.Request] | None:
        """The client's current heartbeat, and the client after sending it; None if it sends none."""
        if isinstance(client, ConsumerClient):
            return cm.heartbeat(config, number, client)
        assert isinstance(client, ClassicClient)
        request = cc.heartbeat(config, number, client)
        return None if request is None else (client, request)

    def unanswered(self, config: ClientConfig, client: Client) -> Client:
        """A client without connections of its own after its heartbeat, or the reply, is lost."""
        assert isinstance(client, ConsumerClient)
        return cm.failed(config, client)

    def heard(
        self, config: ClientConfig, client: Client, request: requests.Request, body: requests.ReplyBody
    ) -> Client:
        """A client after it has read a reply; for a granted JoinGroup see `cc.on_join`."""
        if isinstance(client, ConsumerClient):
            assert isinstance(body, requests.ConsumerHeartbeatReply), "a heartbeat gets a heartbeat's reply"
            return cm.on_reply(config, client, body)
        if isinstance(body, requests.ConsumerHeartbeatReply):
            return client
        assert isinstance(client, ClassicClient)
        if isinstance(body, requests.JoinGroupReply):
            ((refused, _),) = cc.on_join(config, request.correlation_id, client, body, (), self.assign)
            return refused
        if isinstance(body, requests.SyncGroupReply):
            return cc.on_sync(config, client, body)
        if isinstance(request, requests.OffsetCommit):
            return cc.on_commit(config, client, request, body.error)
        assert isinstance(request, requests.Heartbeat)
        return cc.on_heartbeat(config, client, request, body.error)

    def carried(self, request: requests.Request) -> str:
        """A short description of a heartbeat's contents."""
        if not isinstance(request, requests.ConsumerHeartbeat):
            assert isinstance(request, requests.Heartbeat)
            return f"generation {request.generation_id}"
        owned = "" if request.topic_partitions is None else f", owned {listing(request.topic_partitions)}"
        return f"epoch {request.member_epoch}{owned}{', full' if request.full else ''}"

    def answer(self, reply: requests.ReplyBody) -> str:
        """A short description of a reply."""
        if reply.error != errors.NONE:
            return reply.error
        if not isinstance(reply, requests.ConsumerHeartbeatReply):
            return "ok"
        assignment = "" if reply.assignment is None else f", assigned {listing(reply.assignment)}"
        return f"epoch {reply.member_epoch}{assignment}"


class Direct:
    """Network N0: the step that sends a request also handles it and reads the reply.

    Only the replies of parked requests and of a granted JoinGroup (for which a leader has choices) wait in
    the client's inbox. Without `beats` no optional heartbeats are sent. `talk` is the clients' protocol.
    """

    def __init__(
        self, context: WorldContext, assign: Assign, *, beats: bool = True, talk: Talk | None = None
    ) -> None:
        self.context = context
        self.assign = assign
        self.beats = beats
        self.talk = talk or Talk(assign)

    def call(
        self, action: Action, before: ClassicClient, turn: Turn, c: int, broker: Interned, faults: Faults
    ) -> Iterator[WorldMove]:
        """Send a turn's request, if any: every outcome, and every possible loss."""
        client, request = turn
        config = self.context.configs[c]
        if request is None:
            yield self.context.move(action, before, client, broker)
            return
        if faults.loss:
            lost = cut_off(config, client)
            label = action._replace(reply="lost before the coordinator")
            yield self.context.move(label, before, lost, broker, costs=LOST)
        for after, own, rest, costs in self.outcomes(broker, request, faults):
            label = labelled(unwritten(action) if costs else action, broker, after)
            if faults.loss:
                lost = cut_off(config, client)
                lost_reply = label._replace(reply="reply lost")
                yield self.context.move(lost_reply, before, lost, after, rest, (*costs, *LOST))
            if own is None:
                label = label._replace(reply="parked")
                yield self.context.move(label, before, client, after, rest, costs)
                continue
            label = label._replace(reply=self.talk.answer(own))
            if isinstance(own, requests.JoinGroupReply) and own.error == errors.NONE:
                heard: Client = client._replace(inbox=(own,))
            else:
                heard = self.talk.heard(config, client, request, own)
            yield self.context.move(label, before, heard, after, rest, costs)

    def heartbeat(self, c: int, client: Client, broker: Interned, faults: Faults) -> Iterator[WorldMove]:
        """A heartbeat, if it or its reply changes anything (otherwise a self-loop, omitted)."""
        config, classic = self.context.configs[c], isinstance(client, ClassicClient)
        turn = self.talk.heartbeat(config, HEARTBEAT_OFFSET + c, client) if self.beats else None
        if turn is None or (classic and broker.value.state.group is None):
            return
        sent, request = turn
        name = "Heartbeat" if classic else "heartbeat"
        action = Action(f"c{c + 1}", name, BROKER, self.talk.carried(request))
        for after, own, rest, costs in self.outcomes(broker, request, faults):
            assert own is not None, "a heartbeat is answered at once"
            heard = self.talk.heard(config, sent, request, own)
            if heard == client and after is broker:
                continue
            label = labelled(unwritten(action) if costs else action, broker, after)
            reply = own.error if classic else self.talk.answer(own)
            yield self.context.move(label._replace(reply=reply), client, heard, after, rest, costs)
            if faults.loss and not classic:
                label = label._replace(reply="reply lost")
                unheard = self.talk.unanswered(config, sent)
                yield self.context.move(label, client, unheard, after, rest, (*costs, *LOST))

    def under_way(
        self,
        c: int,  # noqa: ARG002 - no message is ever in flight here
        client: Client,  # noqa: ARG002
        broker: Interned,  # noqa: ARG002
        faults: Faults,  # noqa: ARG002
    ) -> Iterator[WorldMove]:
        """The steps of messages in flight between this client and the coordinator."""
        return iter(())

    def main_reply_is_next(self, client: ClassicClient) -> bool:  # noqa: ARG002 - no other reply waits here
        """Whether the main thread may read its reply now."""
        return True

    def outcomes(
        self,
        broker: Interned,
        request: requests.Request,
        faults: Faults,
        written: requests.Request | None = None,
    ) -> Iterator[Handled]:
        """Every outcome of a request at the coordinator, including a failed write.

        `written` is handled in its place if the write succeeds.
        """
        logged = faults.failover > 0
        for after, mail in self.context.brokers.handle(broker, written or request, keeps_log=logged):
            yield _handled(after, request, mail)
        if faults.write:
            for after, mail in self.context.brokers.handle(broker, request, keeps_log=logged, fails=True):
                yield _handled(after, request, mail, UNWRITABLE)


def _handled(broker: Interned, request: requests.Request, mail: Mail, costs: tuple[str, ...] = ()) -> Handled:
    own = next((body for number, body in mail if number == request.correlation_id), None)
    return Handled(broker, own, tuple(item for item in mail if item[0] != request.correlation_id), costs)


def cut_off(config: ClientConfig, client: ClassicClient) -> ClassicClient:
    """The client after its connection broke: it opens another, and gets nothing from the old one."""
    disconnected = cc.on_error(config, client, errors.NOT_COORDINATOR)
    return disconnected._replace(waits="", connection=client.connection + 1)


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
