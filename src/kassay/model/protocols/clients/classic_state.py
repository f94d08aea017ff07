"""The state of a classic client, the input of its leader's assignor, and its state machine as data.

`CLIENT`, total over states and events. `moved` holds a move to it. An assignment whose callback runs
only after the generation was reset is dropped: The fields of `ClassicClient` hold what the state machine
leaves out: whether a rejoin is due, whether the callbacks before it are, and what the application
believes to own. Source: `AbstractCoordinator.MemberState` and the response handlers of the Java client.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.clients.config import ClientConfig, Process, matching
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Rule, Table, check_move
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.in_flight import SILENT, Wire
from kassay.model.protocols.values.marks import Generation, MemberId


class ClassicState(StrEnum):
    """The client's own state machine (`MemberState`)."""

    UNJOINED = "Unjoined"
    PREPARING = "Preparing"
    COMPLETING = "Completing"
    STABLE = "Stable"


class ClassicEvent(StrEnum):
    """The client's own actions, and the replies that it can get."""

    POLL = "polled, rejoin needed"
    JOIN_OK = "JoinGroup ok"
    SYNC_OK = "SyncGroup ok"
    ADOPT = "callback of an assignment"
    REBALANCE_HEARTBEAT = "Heartbeat REBALANCE_IN_PROGRESS"
    REBALANCE = "Join/SyncGroup REBALANCE_IN_PROGRESS"
    ILLEGAL_GENERATION = "ILLEGAL_GENERATION"
    UNKNOWN_MEMBER_ID = "UNKNOWN_MEMBER_ID"
    MEMBER_ID_REQUIRED = "MEMBER_ID_REQUIRED"
    DISCONNECT = "NOT_COORDINATOR, disconnect"
    LOADING = "COORDINATOR_LOAD_IN_PROGRESS"
    FATAL = "fatal error"
    POLL_EXPIRED = "max.poll.interval.ms expired"
    METADATA = "metadata or subscription changed"


_S = ClassicState
_RESET: Final = Rule((_S.UNJOINED,), "generation := -1, rejoin, callbacks due")
_FORGET: Final = Rule((_S.UNJOINED,), "generation := -1, member id := '', rejoin, callbacks due")
_JOIN: Final = Rule((_S.PREPARING,), "callbacks once: commit, then lost or revoked; send JoinGroup")


def _any_state(state: ClassicState) -> dict[ClassicEvent, Rule]:
    """The rules that apply in every state."""
    return {
        ClassicEvent.POLL: _JOIN,
        ClassicEvent.JOIN_OK: IGNORE,
        ClassicEvent.SYNC_OK: IGNORE,
        ClassicEvent.ADOPT: IMPOSSIBLE,
        ClassicEvent.REBALANCE_HEARTBEAT: IGNORE,
        ClassicEvent.REBALANCE: Rule((state,), "rejoin; keep member id, generation and what is owned"),
        ClassicEvent.ILLEGAL_GENERATION: _RESET,
        ClassicEvent.UNKNOWN_MEMBER_ID: _FORGET,
        ClassicEvent.MEMBER_ID_REQUIRED: IGNORE,
        ClassicEvent.DISCONNECT: Rule((state,), "find the coordinator, keep consuming, try again"),
        ClassicEvent.LOADING: Rule((state,), "back off, try again"),
        ClassicEvent.FATAL: Rule((_S.UNJOINED,), "give up; what is owned is lost"),
        ClassicEvent.POLL_EXPIRED: _FORGET,
        ClassicEvent.METADATA: Rule((state,), "rejoin"),
    }


CLIENT: Final[Table] = {
    _S.UNJOINED: _any_state(_S.UNJOINED) | {ClassicEvent.ADOPT: IGNORE},
    _S.PREPARING: _any_state(_S.PREPARING)
    | {
        ClassicEvent.JOIN_OK: Rule(
            (_S.COMPLETING,), "adopt generation, id, protocol; a leader assigns; SyncGroup"
        ),
        ClassicEvent.MEMBER_ID_REQUIRED: Rule((_S.PREPARING,), "take the id, join again"),
    },
    _S.COMPLETING: _any_state(_S.COMPLETING)
    | {
        ClassicEvent.SYNC_OK: Rule((_S.STABLE,), "revoke what is gone (then rejoin), add what is new"),
    },
    _S.STABLE: _any_state(_S.STABLE)
    | {
        ClassicEvent.ADOPT: Rule((_S.STABLE,), "revoke what is gone (then rejoin), add what is new"),
        ClassicEvent.REBALANCE_HEARTBEAT: Rule((_S.STABLE,), "rejoin"),
    },
}


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
