"""The heartbeats of stream threads and the handling of replies, shared by all network levels."""

from __future__ import annotations

from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.streams.requests import StreamsHeartbeat, StreamsHeartbeatReply
from kassay.model.protocols.values.streams.tasks import TaskRoles
from kassay.model.protocols.world.networks.n0_atomic import Talk
from kassay.model.protocols.world.parts.context import Client, listing


class StreamsTalk(Talk):
    """The messages of KIP-1071."""

    def heartbeat(
        self, config: ClientConfig, number: int, client: Client
    ) -> tuple[Client, requests.Request] | None:
        """The client's current heartbeat, and the client after sending it; None if it sends none."""
        return cs.heartbeat(config, number, thread(client))

    def unanswered(self, config: ClientConfig, client: Client) -> Client:
        """A client after its heartbeat, or the reply, is lost."""
        return cs.failed(config, thread(client))

    def heard(
        self,
        config: ClientConfig,
        client: Client,
        request: requests.Request,  # noqa: ARG002 - a reply needs no request to be understood
        body: requests.ReplyBody,
    ) -> Client:
        """A client after it has read a reply."""
        assert isinstance(body, StreamsHeartbeatReply), "a stream thread sends nothing but heartbeats"
        return cs.on_reply(config, thread(client), body)

    def carried(self, request: requests.Request) -> str:
        """A short description of a heartbeat's contents."""
        assert isinstance(request, StreamsHeartbeat)
        joins = "" if request.topology is None else f", topology {request.topology.epoch}"
        runs = "" if request.owned is None or joins else f", runs {roles(request.owned)}"
        return f"epoch {request.member_epoch}{joins}{runs}"

    def answer(self, reply: requests.ReplyBody) -> str:
        """A short description of a reply."""
        if reply.error != errors.NONE:
            return reply.error
        if not isinstance(reply, StreamsHeartbeatReply):
            return "ok"
        assigned = "" if reply.tasks is None else f", assigned {roles(reply.tasks)}"
        return ", ".join((f"epoch {reply.member_epoch}{assigned}", *reply.status))


def thread(client: Client) -> StreamThread:
    """The client, which is known to be a stream thread."""
    assert isinstance(client, StreamThread), "all clients of this world are stream threads"
    return client


def roles(tasks: TaskRoles) -> str:
    """Tasks by role in a short form."""
    copies = (
        f"; {role} {listing(given)}"
        for role, given in (("standby", tasks.standby), ("warm-up", tasks.warmup))
        if given
    )
    return listing(tasks.active) + "".join(copies)
