"""The three parts of an RPC, and network N0, which combines them into one step.

The client determines the request, the broker (`Brokers`) its handling, and `heard` the client's handling of
the reply. A network level determines what can happen in between: here, only a loss of request or reply.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.classic_state import Assign, ClassicClient, Turn
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Mail
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import HEARTBEAT_OFFSET
from kassay.model.protocols.world.parts.context import (
    BROKER,
    Client,
    WorldContext,
    WorldMove,
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
