"""What a classic client knows, what its leader's assignor is asked, and a move held to the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from kassay.model.protocols.clients.classic_table import CLIENT, ClassicEvent, ClassicState
from kassay.model.protocols.clients.config import ClientConfig, Process, matching
from kassay.model.protocols.shared.table import check_move
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.in_flight import SILENT, Wire
from kassay.model.protocols.values.marks import Generation, MemberId


class Ask(NamedTuple):
    """What a leader's assignor is given: its name, the members' metadata, and the leader's image."""

    assignor: str
    members: tuple[tuple[str, str, requests.Metadata], ...]
    image: requests.Image


Given: TypeAlias = tuple[tuple[str, requests.Partitions], ...]
Assign: TypeAlias = Callable[[Ask], tuple[Given, ...]]
"""Every answer that the assignor may give; none at all means that it throws."""


class ClassicClient(NamedTuple):
    """All that one client knows. `waits` names its outstanding main request: "join", "sync" or "".

    `callbacks`: the callbacks before a join are due (`needsJoinPrepare`). `snapshot` is what a leader
    saw when it assigned, `others_read` the topics that only others of its group read. `adopted_in` labels
    what is owned with its generation (only where a rule reads it), `remembered` is what a sticky assignor
    keeps of the last assignment, if there was one. `ahead`: records were processed after the last commit and
    then given up.
    `connection` tells replies of an earlier connection, or process, from those of this one.
    `trusting`: a returning static leader that was told to skip the assignment (KIP-814).
    `overtaken`: it goes on owning what it was given before a round that went by without it, as a static
    member may (KIP-345), until it adopts anew; no rule reads this, only who judges it.
    `resubscribed`: it subscribed to other topics after its last JoinGroup, which did not tell of them.
    `given` holds an assignment whose callback is still to run (two threads only). `wire` is what lies
    between client and coordinator (N1, N2).
    """

    run: Process = Process.NEW
    state: ClassicState = ClassicState.UNJOINED
    member_id: MemberId = ""
    generation: Generation = -1
    protocol: str = ""
    rejoin: bool = True
    callbacks: bool = True
    leads: bool = False
    owned: requests.Partitions = ()
    waits: str = ""
    inbox: tuple[requests.JoinGroupReply | requests.SyncGroupReply, ...] = ()
    topics: tuple[str, ...] = ()
    snapshot: requests.Image = ()
    others_read: tuple[str, ...] = ()
    rollout_step: int = 0
    adopted_in: Generation = -1
    remembered: tuple[requests.UserData, ...] = ()
    given: tuple[requests.Partitions, ...] = ()
    ahead: bool = False
    connection: int = 0
    trusting: bool = False
    overtaken: bool = False
    resubscribed: bool = False
    wire: Wire = SILENT


Turn: TypeAlias = tuple[ClassicClient, requests.Request | None]


def moved(client: ClassicClient, event: ClassicEvent, **changes: object) -> ClassicClient:
    """The client after an event, held to the table."""
    after = client._replace(**changes)  # type: ignore[arg-type]
    check_move(CLIENT, client.state, event, after.state)
    return after


def started(
    config: ClientConfig, image: requests.Image, rollout_step: int = 0, connection: int = 0
) -> ClassicClient:
    """A process that has just subscribed."""
    return ClassicClient(
        Process.UP, topics=matching(config, image), rollout_step=rollout_step, connection=connection
    )
