"""The state of a classic client, the input of its leader's assignor, and checked transitions."""

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
    """The input of a leader's assignor: its name, the members' metadata, and the leader's image."""

    assignor: str
    members: tuple[tuple[str, str, requests.Metadata], ...]
    image: requests.Image


Given: TypeAlias = tuple[tuple[str, requests.Partitions], ...]
Assign: TypeAlias = Callable[[Ask], tuple[Given, ...]]
"""Returns every possible answer of the assignor; no answer means that it throws."""


class ClassicClient(NamedTuple):
    """The state of one client. `waits` names its outstanding main request: "join", "sync" or "".

    `callbacks`: the callbacks before a join are due (`needsJoinPrepare`). `snapshot`: what a leader saw when
    it assigned; `others_read`: the topics that only other members subscribe to. `adopted_in`: the generation
    of the owned partitions (only if a rule reads it); `remembered`: the last assignment as a sticky assignor
    stores it, if any. `ahead`: records were processed after the last commit and their partitions then given
    up. `connection` distinguishes replies to an earlier connection or process from current ones. `trusting`:
    a returning static leader that is to skip the assignment (KIP-814). `overtaken`: it still owns partitions
    from before a round that it missed, as a static member may (KIP-345), until its next adoption; only
    invariants read this. `resubscribed`: its subscription changed after its last JoinGroup. `given`: an
    assignment whose callback is still to run (two threads only). `wire`: the messages between client and
    coordinator (N1, N2).
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
    """The client after an event, checked against the table."""
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
