"""The group coordinator as one pure step: state, event and free choices in; state and outputs out.

No clock, no randomness, no I/O: `now` comes with the event, timers and appends are outputs, and what
fires or is acknowledged comes back as an event. A driver (the conformance check, the explorer)
delivers outputs as it likes; `driver.py` holds one with a clock, a log and failing writes.

Switches (`Config.switches`) turn known bugs on; these concern the coordinator:

* no_generation_fence: OffsetCommit checks nothing
* no_sync_timer: KAFKA-12890, nobody waits for SyncGroup with a clock
* new_member_timer_once: KAFKA-9752, a new member's parked JoinGroup never expires
* pending_blocks_forever: KAFKA-7909, a pending id that goes does not let the join phase end
* static_no_rebalance_in_completing: KAFKA-9801, replacing a static member in Completing changes nothing else
* static_replace_stable_only: KAFKA-8500, outside Stable a returning static member is added beside its old id
* static_leader_recompute: KAFKA-13435, a returning static leader is not told to skip the assignment
* ignore_unreleased: a partition is granted while another member still holds it
* pend_reassign_loses_epoch: KAFKA-16147, a pending partition targeted to its holder again counts as free
* recompute_on_new_target: KAFKA-16249, an acknowledged revocation is ignored if the target moved on
* strict_epoch0: KAFKA-19233, the rule at the traces' commit: a known member is refused epoch 0
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.choices import Choices
from kassay.model.protocols.groups import Coordinator, Persist, Persisted
from kassay.model.protocols.records import Log
from kassay.model.protocols.values import (
    CancelTimer,
    Config,
    MetadataChanged,
    Reply,
    Request,
    SetTimer,
    TimerFired,
)

SWITCHES: Final = (
    "ignore_unreleased",
    "new_member_timer_once",
    "no_generation_fence",
    "no_sync_timer",
    "pend_reassign_loses_epoch",
    "pending_blocks_forever",
    "recompute_on_new_target",
    "static_leader_recompute",
    "static_no_rebalance_in_completing",
    "static_replace_stable_only",
    "strict_epoch0",
)


class Unload(NamedTuple):
    """The broker is no longer coordinator: parked requests are answered NOT_COORDINATOR."""

    now: int = 0


class Load(NamedTuple):
    """The broker becomes coordinator, and reads the acknowledged records."""

    log: Log
    now: int = 0


Event: TypeAlias = Request | TimerFired | MetadataChanged | Persisted | Unload | Load
Output: TypeAlias = Reply | SetTimer | CancelTimer | Persist


class Step(NamedTuple):
    """What a step comes to."""

    state: Coordinator
    outputs: tuple[Output, ...]


def step(config: Config, state: Coordinator, event: Event, choices: Choices) -> Step:
    """What the coordinator does about one event.

    Raises `IllegalTransition` for an event that cannot happen in this state.
    """
    raise NotImplementedError
