"""Deliberately wrong rules, most of them former bugs of Kafka, with the bound at which each is found.

`switch_runs` walks them. A switch that is on must cause the findings in `shows`: invariants, a dead end or a
livelock; with all switches off there must be none but those in `known`.
"""

from __future__ import annotations

from typing import Final

from kassay.engines.protocols.settings import COMPACTED, ExploreSettings
from kassay.engines.protocols.switch import DEAD_END as DEAD_END
from kassay.engines.protocols.switch import LIVELOCK as LIVELOCK
from kassay.engines.protocols.switch import OF_STREAMS, OLDER
from kassay.engines.protocols.switch import Switch as Switch
from kassay.model.errors import InputError
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.releases import OLD_RULES
from kassay.model.protocols.world.context import NetworkLevel
from kassay.reading.documents import suggestion

SWITCHES: Final[dict[str, Switch]] = {
    switch.name: switch
    for switch in (
        Switch(
            "zk_no_owner_guard",
            "split brain (c)",
            "two live owners",
            ("single-current-owner",),
            ExploreSettings("zookeeper"),
        ),
        Switch(
            "zk_stale_view",
            "split brain (b)",
            "partitions unowned for ever",
            ("complete-at-rest", DEAD_END),
            ExploreSettings("zookeeper"),
        ),
        Switch(
            "zk_finite_retries",
            "split brain (a)",
            "partitions unowned for ever",
            ("complete-at-rest", DEAD_END),
            ExploreSettings("zookeeper"),
        ),
        Switch(
            "split_persist",
            "phase 4 of the 2015 article",
            "generation and assignment are written separately",
            ("epochs-never-go-back",),
            ExploreSettings("draft", faults=Faults(failover=1)),
        ),
        Switch(
            "no_generation_fence",
            "zombie commits",
            "OffsetCommit checks nothing",
            ("commits-fenced", "offsets-never-go-back"),
            ExploreSettings("classic", partitions=1, faults=Faults(pause=1)),
        ),
        Switch(
            "sticky_no_generation",
            "KAFKA-7026 (KIP-341)",
            "stale owned partitions of a member that missed rounds are accepted",
            ("single-owner-on-record",),
            ExploreSettings("classic", members=3, faults=Faults(pause=1)),
        ),
        Switch(
            "no_lost_on_reset",
            "KAFKA-12983",
            "the callbacks are not run again after a reset",
            ("released-before-adopted", "single-current-owner"),
            ExploreSettings("classic", mode="cooperative", faults=Faults(pause=1)),
        ),
        Switch(
            "dup_claim_unchecked",
            "KAFKA-12984",
            "two members that report one partition at the same generation both keep it",
            ("single-owner-on-record",),
            ExploreSettings("classic", mode="cooperative", faults=Faults(pause=1)),
            ("no_lost_on_reset",),
        ),
        Switch(
            "no_withhold",
            "KIP-429's rule dropped",
            "a partition moves within one round",
            ("released-before-adopted",),
            ExploreSettings("classic", mode="cooperative"),
        ),
        Switch(
            "label_agen",
            "KAFKA-14639",
            "owned partitions carry the generation of their adoption, and only the highest one counts",
            ("released-before-adopted",),
            ExploreSettings("classic", mode="cooperative", members=3, partitions=3),
            ("max_gen_only",),
        ),
        Switch(
            "naive_validation",
            "KAFKA-13406",
            "the leader throws on stale owned partitions",
            (LIVELOCK,),
            ExploreSettings("classic", mode="cooperative", faults=Faults(pause=1)),
            ("no_lost_on_reset",),
        ),
        Switch(
            "no_gen_snapshot",
            "KAFKA-8104",
            "the heartbeat thread resets the generation before the callback",
            ("released-before-adopted",),
            ExploreSettings("classic", faults=Faults(pause=1), threads=True),
        ),
        Switch(
            "no_sync_timer",
            "KAFKA-12890",
            "a leader that heartbeats but never syncs is not removed",
            (DEAD_END,),
            ExploreSettings("classic", faults=Faults(slow=1)),
        ),
        Switch(
            "new_member_timer_once",
            "KAFKA-9752",
            "a dead new member never expires",
            ("members-watched",),
            ExploreSettings("classic", faults=Faults(crash=1)),
        ),
        Switch(
            "pending_blocks_forever",
            "KAFKA-7909",
            "removing a pending id does not complete the join phase",
            (DEAD_END,),
            ExploreSettings("classic", members=3, partitions=1, faults=Faults(crash=1)),
        ),
        Switch(
            "static_no_rebalance_in_completing",
            "KAFKA-9801",
            "the new id of a static member gets nothing",
            ("complete-at-rest",),
            ExploreSettings("classic", static=2, faults=Faults(crash=1)),
        ),
        Switch(
            "static_replace_stable_only",
            "KAFKA-8500",
            "two live ids for one instance",
            ("one-member-per-instance-id",),
            ExploreSettings("classic", static=2, faults=Faults(crash=1)),
        ),
        Switch(
            "static_leader_recompute",
            "KAFKA-13435 (KIP-814)",
            "a returning static leader does not watch the topics",
            ("complete-at-rest",),
            ExploreSettings(
                "classic", static=1, members=1, partitions=1, faults=Faults(crash=1, partitions=1)
            ),
        ),
        Switch(
            "metadata_revert_no_rejoin",
            "KAFKA-9815",
            "metadata changes and reverts around a failed join",
            (DEAD_END,),
            ExploreSettings(
                "classic",
                members=1,
                topics=1,
                partitions=1,
                pattern="t",
                new_topics=("tt",),
                faults=Faults(failover=1, loss=1, topic=1, delete=1),
            ),
        ),
        Switch(
            "reset_mid_on_retriable",
            "KAFKA-13214",
            "a disconnect in a rebalance leaves a ghost id behind",
            ("member-id-kept",),
            # One member: two are given a generation out again after a failover, a finding of its own.
            ExploreSettings("classic", members=1, faults=Faults(failover=1, partitions=1), partitions=1),
        ),
        Switch(
            "commit_forever_in_prepare",
            "KAFKA-14024",
            "the commit before a join is retried for ever",
            (DEAD_END,),
            ExploreSettings("classic", topics=2, partitions=1, faults=Faults(delete=1)),
        ),
        Switch(
            "fetch_while_revoking",
            "KAFKA-14196",
            "records are processed after the last commit",
            ("offsets-never-go-back",),
            ExploreSettings("classic"),
        ),
        Switch(
            "generation_kept",
            "mutation",
            "a join phase ends without a new generation",
            ("one-assignment-per-generation",),
            ExploreSettings("classic"),
        ),
        Switch(
            "empty_forgets_generation",
            "mutation",
            "a group that becomes empty counts its generations from 0 again",
            ("epochs-never-go-back",),
            ExploreSettings("classic", faults=Faults(leave=2)),
        ),
        Switch(
            "ignore_unreleased",
            "mutation",
            "a partition is assigned while another member holds it",
            ("single-current-owner",),
            ExploreSettings("kip848"),
        ),
        Switch(
            "revocation_not_awaited",
            "mutation",
            "partitions that a member must revoke count as free at once",
            ("epochs-in-order", "single-current-owner"),
            ExploreSettings("kip848"),
        ),
        Switch(
            "silence_revokes",
            "mutation",
            "a heartbeat that names no partitions counts as one that owns none",
            ("target-epoch-exclusive",),
            ExploreSettings("kip848"),
        ),
        Switch(
            "subscriptions_pooled",
            "mutation",
            "the target is computed as if every member subscribed to all topics of the group",
            ("subscribed-at-rest",),
            ExploreSettings("kip848", topics=2, partitions=1, reads=(1, 2)),
            ("subscription_ignored",),
        ),
        Switch(
            "pend_reassign_loses_epoch",
            "KAFKA-16147",
            "a pending partition targeted to its holder counts as free",
            ("single-owner-on-record",),
            ExploreSettings("kip848", members=3, faults=Faults(leave=1)),
        ),
        Switch(
            "recompute_on_new_target",
            "KAFKA-16249",
            "an acknowledged revocation is ignored when the target moved on",
            (DEAD_END,),
            ExploreSettings("kip848", members=3),
        ),
        Switch(
            "no_local_epoch",
            "KAFKA-16185, KAFKA-16312",
            "an equal assignment is not acknowledged again",
            (DEAD_END,),
            ExploreSettings("kip848", faults=Faults(loss=1)),
        ),
        Switch(
            "partial_after_loss",
            "cf. KAFKA-16190",
            "after a lost reply only changes are sent",
            ("complete-at-rest",),
            ExploreSettings("kip848", faults=Faults(loss=2)),
        ),
        Switch(
            "strict_epoch0",
            "KAFKA-19233",
            "a fenced client is refused until its session expires",
            (DEAD_END,),
            ExploreSettings("kip848", faults=Faults(loss=2)),
        ),
        Switch(
            "zero_bytes_refused",
            "KAFKA-17733",
            "a failed upgrade answers parked members, and no timer removes a dead one",
            ("members-watched", DEAD_END),
            ExploreSettings("migration", partitions=1, faults=Faults(crash=1)),
            known=("no-exception-in-timer",),
        ),
        Switch(
            "disabled_lets_classic_in",
            "KAFKA-20640",
            "classic members join a group that cannot be downgraded; the partitions stay unowned",
            (DEAD_END,),
            ExploreSettings(
                "migration",
                partitions=1,
                policy="disabled",
                kinds=(("classic",), ("consumer",)),
                faults=Faults(leave=1),
            ),
        ),
        Switch(
            "static_downgrade_never_rebalances",
            "KAFKA-19546, KAFKA-20273",
            "a downgrade without a rebalance assigns a target from before a member left",
            (DEAD_END,),
            ExploreSettings(
                "migration",
                partitions=1,
                static=1,
                kinds=(("consumer", "classic"), ("consumer",)),
                faults=Faults(leave=1),
            ),
            known=("no-epoch-zero",),
        ),
        Switch(
            "commits_at_epoch_only",
            "KIP-1251",
            "a commit under an outdated epoch is refused, though the member still owns its partitions",
            ("owners-may-commit",),
            ExploreSettings("kip848", faults=Faults(loss=1)),
        ),
        Switch(
            "no_assignment_epochs",
            "KIP-1251, KAFKA-20066",
            "partitions have no recorded epochs, and every commit under an earlier epoch is refused",
            ("owners-may-commit",),
            ExploreSettings("kip848", faults=Faults(loss=1)),
        ),
        Switch(
            "no_abort_on_rejoin",
            "KAFKA-16375",
            "a reconciliation from before a fence is completed after it",
            ("released-before-adopted", "single-current-owner"),
            ExploreSettings("kip848", faults=Faults(pause=1)),
        ),
        Switch(
            "unresolved_means_revoked",
            "KAFKA-16198",
            "late topic metadata shrinks what is owned",
            ("complete-at-rest", DEAD_END),
            ExploreSettings("kip848"),
        ),
        Switch(
            "tombstones_need_owners",
            "KAFKA-19862",
            "a tombstone of a missing group or member ends the loading",
            ("every-log-loads",),
            ExploreSettings("kip848", faults=Faults(failover=1, leave=1), log=COMPACTED),
        ),
        Switch(
            "partition_epochs_expected",
            "KAFKA-19862",
            "a partition that is not recorded for its holder at its epoch ends the loading",
            ("every-log-loads",),
            ExploreSettings("kip848", faults=Faults(failover=1, leave=1), log=COMPACTED),
        ),
        Switch(
            "simple_group_kept",
            "cf. KAFKA-20254",
            "a group with offsets only is not replaced by its records",
            ("every-log-loads",),
            ExploreSettings(
                "kip848",
                members=1,
                topics=2,
                partitions=1,
                faults=Faults(failover=1, subscribe=1),
                network=NetworkLevel.STEPS,
                records=1,
                log=COMPACTED,
            ),
        ),
        Switch(
            "failed_write_kept",
            "mutation",
            "a consumer group keeps changes whose write failed",
            ("unwritten-not-in-force",),
            ExploreSettings("kip848", faults=Faults(write=1)),
        ),
        Switch(
            "failed_expiry_dropped",
            "mutation",
            "a timer whose removal could not be written is not armed again",
            ("members-watched", DEAD_END),
            ExploreSettings("kip848", faults=Faults(crash=1, write=1)),
        ),
        Switch(
            "commits_out_of_group",
            "Kafka's client today, no ticket known",
            "a fenced client commits without an epoch, which a group without members accepts",
            ("commits-fenced",),
            ExploreSettings("kip848", partitions=1, faults=Faults(pause=1, leave=1)),
        ),
        Switch(
            "full_names_completed",
            "Kafka's client today, no ticket known",
            "a full heartbeat during a reconciliation seems to give up partitions about to be owned",
            ("single-current-owner",),
            ExploreSettings("kip848", faults=Faults(loss=1)),
        ),
        Switch(
            "subscription_ignored",
            "KAFKA-19431",
            "a member keeps partitions it no longer subscribes to until the next target",
            ("assigned-is-subscribed",),
            ExploreSettings("kip848", topics=2, partitions=1, late_targets=True, faults=Faults(subscribe=1)),
        ),
        Switch(
            "lost_resolutions_forgotten",
            "mutation",
            "a resolution that a failover lost is never restarted",
            (DEAD_END,),
            ExploreSettings("kip848", regex=True, faults=Faults(failover=1)),
        ),
        Switch(
            "created_topics_unseen",
            "mutation",
            "a new topic waits for the refresh of regular expressions, ten minutes by default",
            (DEAD_END,),
            ExploreSettings("kip848", partitions=1, regex=True, new_topics=("tt",), faults=Faults(topic=1)),
        ),
        Switch(
            "matched_topics_unwatched",
            "KAFKA-18916",
            "new partitions of a topic that only an expression matches go unnoticed",
            (DEAD_END,),
            ExploreSettings("kip848", partitions=1, regex=True, faults=Faults(partitions=1)),
        ),
        Switch(
            "resolution_bumps_nothing",
            "mutation",
            "the matches of a regular expression are written, but never assigned",
            (DEAD_END,),
            ExploreSettings("kip848", partitions=1, regex=True),
        ),
        *OLDER,
        *OF_STREAMS,
    )
}
EXTRA: Final = frozenset({"conversion_stops_timers", "max_gen_only"})


def check_switches(model: str, names: frozenset[str]) -> None:
    """Check that these switches break rules of the model; raises InputError for the first that does not."""
    spoken = {"migration": ("classic", "kip848")}.get(model, (model,))
    older = {rule.switch for rule in OLD_RULES} if model in ("classic", "kip848", "migration") else set()
    for name in sorted(names - EXTRA - older):
        if name not in SWITCHES:
            raise InputError(
                f"--switch: unknown switch {name!r} (kassay list switches){suggestion(name, SWITCHES)}"
            )
        if SWITCHES[name].model not in spoken:
            raise InputError(f"--switch: {name} breaks a rule of {SWITCHES[name].model}, not of {model}")
