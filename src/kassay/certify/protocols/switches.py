"""Wrong rules on purpose, most of them bugs that Kafka once had, and the bound at which each is found.

`switch_runs` walks them. A switch that is on must be found by what it `shows`: invariants, a dead end or a
livelock; with all of them off nothing is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.model.protocols.shared.faults import Faults

DEAD_END: Final = "dead end"
LIVELOCK: Final = "livelock"


@dataclass(frozen=True)
class Switch:
    """One wrong rule, and what it is found by. `along` are further switches without which it cannot show."""

    name: str
    bug: str
    effect: str
    model: str
    shows: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    along: tuple[str, ...] = ()


def _s(
    name: str,
    bug: str,
    effect: str,
    model: str,
    shows: str,
    *along: str,
    **settings: Any,
) -> Switch:
    return Switch(name, bug, effect, model, tuple(shows.split(", ")), settings, along)


SWITCHES: Final[dict[str, Switch]] = {
    switch.name: switch
    for switch in (
        _s("zk_no_owner_guard", "split brain (c)", "two live owners", "zookeeper", "I2"),
        _s("zk_stale_view", "split brain (b)", "partitions unowned for ever", "zookeeper", "I7, dead end"),
        _s(
            "zk_finite_retries", "split brain (a)", "partitions unowned for ever", "zookeeper", "I7, dead end"
        ),
        _s(
            "split_persist",
            "phase 4 of the 2015 article",
            "generation and assignment are written separately",
            "draft",
            "I10",
            faults=Faults(failover=1),
        ),
        _s(
            "no_generation_fence",
            "zombie commits",
            "OffsetCommit checks nothing",
            "classic",
            "I5, I9",
            partitions=1,
            faults=Faults(pause=1),
        ),
        _s(
            "sticky_no_generation",
            "KAFKA-7026 (KIP-341)",
            "stale claims of a member that missed rounds are honoured",
            "classic",
            "I1",
            members=3,
            faults=Faults(pause=1),
        ),
        _s(
            "no_lost_on_reset",
            "KAFKA-12983",
            "the callbacks are not run again after a reset",
            "classic",
            "I4, I2",
            mode="cooperative",
            faults=Faults(pause=1),
        ),
        _s(
            "dup_claim_unchecked",
            "KAFKA-12984",
            "two equal claims are both honoured",
            "classic",
            "I1",
            "no_lost_on_reset",
            mode="cooperative",
            faults=Faults(pause=1),
        ),
        _s(
            "no_withhold",
            "KIP-429's rule dropped",
            "a partition moves within one round",
            "classic",
            "I4",
            mode="cooperative",
        ),
        _s(
            "label_agen",
            "KAFKA-14639",
            "claims are labelled by the generation of adoption, and only the highest label counts",
            "classic",
            "I4",
            "max_gen_only",
            mode="cooperative",
            members=3,
            partitions=3,
        ),
        _s(
            "naive_validation",
            "KAFKA-13406",
            "the leader throws on stale claims",
            "classic",
            "livelock",
            "no_lost_on_reset",
            mode="cooperative",
            faults=Faults(pause=1),
        ),
        _s(
            "no_gen_snapshot",
            "KAFKA-8104",
            "the heartbeat thread resets the generation before the callback",
            "classic",
            "I4",
            faults=Faults(pause=1),
        ),
        _s(
            "no_sync_timer",
            "KAFKA-12890",
            "a leader heartbeats and never syncs",
            "classic",
            "dead end",
            faults=Faults(slow=1),
        ),
        _s(
            "new_member_timer_once",
            "KAFKA-9752",
            "a dead new member never expires",
            "classic",
            "I15",
            faults=Faults(crash=1),
        ),
        _s(
            "pending_blocks_forever",
            "KAFKA-7909",
            "a pending id that is gone holds the join phase up",
            "classic",
            "dead end",
            members=3,
            partitions=1,
            faults=Faults(crash=1),
        ),
        _s(
            "static_no_rebalance_in_completing",
            "KAFKA-9801",
            "the new id of a static member gets nothing",
            "classic",
            "I7",
            static=2,
            faults=Faults(crash=1),
        ),
        _s(
            "static_replace_stable_only",
            "KAFKA-8500",
            "two live ids for one instance",
            "classic",
            "I13",
            static=2,
            faults=Faults(crash=1),
        ),
        _s(
            "static_leader_recompute",
            "KAFKA-13435 (KIP-814)",
            "a returning static leader does not watch the topics",
            "classic",
            "I7",
            static=1,
            members=1,
            partitions=1,
            faults=Faults(crash=1, partitions=1),
        ),
        _s(
            "metadata_revert_no_rejoin",
            "KAFKA-9815",
            "metadata changes and reverts around a failed join",
            "classic",
            "dead end",
            members=1,
            topics=1,
            partitions=1,
            pattern="t",
            new_topics=("tt",),
            faults=Faults(topic=1, delete=1, failover=1, loss=1),
        ),
        _s(
            "reset_mid_on_retriable",
            "KAFKA-13214",
            "a disconnect in a rebalance leaves a ghost id behind",
            "classic",
            "I16",
            faults=Faults(failover=1, partitions=1),
            partitions=1,
        ),
        _s(
            "commit_forever_in_prepare",
            "KAFKA-14024",
            "the commit before a join is retried for ever",
            "classic",
            "dead end",
            topics=2,
            partitions=1,
            faults=Faults(delete=1),
        ),
        _s(
            "fetch_while_revoking",
            "KAFKA-14196",
            "records are processed after the last commit",
            "classic",
            "I9",
        ),
        _s(
            "ignore_unreleased",
            "mutation",
            "a held partition is granted",
            "kip848",
            "I2",
        ),
        _s(
            "pend_reassign_loses_epoch",
            "KAFKA-16147",
            "a pending partition targeted to its holder counts as free",
            "kip848",
            "I1",
            members=3,
            faults=Faults(leave=1),
        ),
        _s(
            "recompute_on_new_target",
            "KAFKA-16249",
            "an acknowledged revocation is ignored when the target moved on",
            "kip848",
            "dead end",
            members=3,
        ),
        _s(
            "no_local_epoch",
            "KAFKA-16185, KAFKA-16312",
            "an equal assignment is not acknowledged again",
            "kip848",
            "dead end",
            faults=Faults(loss=1),
        ),
        _s(
            "partial_after_loss",
            "cf. KAFKA-16190",
            "after a lost reply only changes are sent",
            "kip848",
            "I7",
            faults=Faults(loss=2),
        ),
        _s(
            "strict_epoch0",
            "KAFKA-19233",
            "a fenced client is refused until its session expires",
            "kip848",
            "dead end",
            faults=Faults(loss=2),
        ),
        _s(
            "no_abort_on_rejoin",
            "KAFKA-16375",
            "a reconciliation from before a fence is carried out after it",
            "kip848",
            "I4, I2",
            faults=Faults(pause=1),
        ),
        _s(
            "unresolved_means_revoked",
            "KAFKA-16198",
            "late topic metadata shrinks what is owned",
            "kip848",
            "I7, dead end",
        ),
        _s(
            "full_names_completed",
            "Kafka's client today, no ticket known",
            "a full heartbeat in a reconciliation seems to give up what is about to be owned",
            "kip848",
            "I2",
            faults=Faults(loss=1),
        ),
    )
}
EXTRA: Final = frozenset({"max_gen_only", "timers_survive_migration"})


def check_switches(names: frozenset[str]) -> None:
    """Nothing if all switches are known; raises InputError for the first that is not."""
    for name in sorted(names):
        if name not in SWITCHES and name not in EXTRA:
            raise InputError(f"--switch: unknown switch {name!r} (see kassay list switches)")
