"""What the leader of a Connect cluster remembers from one rebalance to the next.

Source: the fields of Kafka's `IncrementalCooperativeAssignor`, branch 4.4.
"""

from __future__ import annotations

from dataclasses import dataclass

from kassay.model.connect.work import Work


@dataclass(frozen=True, slots=True)
class LeaderState:
    """The memory of an incremental leader; the defaults are those of a new one.

    The previous assignment is what should run according to the last answer, lost work included.
    `candidate_workers` had nothing to do while work was missing; they are the first to be given it.
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
