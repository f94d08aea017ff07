"""The state that the leader of a Connect cluster keeps between rebalances.

Source: the fields of Kafka's `IncrementalCooperativeAssignor`, branch 4.4.
"""

from __future__ import annotations

from dataclasses import dataclass

from kassay.model.connect.work import Work


@dataclass(frozen=True, slots=True)
class LeaderState:
    """The memory of an incremental leader; the defaults are those of a new leader.

    The previous assignment is what should run according to the last answer, lost work included.
    `candidate_workers` had no work while some work was missing; they get it first.
    """

    previous_assignment: frozenset[Work] = frozenset()
    previous_revocation: frozenset[Work] = frozenset()
    previous_members: frozenset[str] = frozenset()
    previous_generation: int = -1
    revoked_in_previous: bool = False
    candidate_workers: tuple[str, ...] = ()
    scheduled_rebalance_ms: int = 0
    delay_ms: int = 0
    successive_revoking_rebalances: int = 0
