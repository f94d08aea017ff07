"""Wrong rules of Streams groups, of clients and coordinators, with the bound at which each is found."""

from __future__ import annotations

from typing import Any, Final

from kassay.certify.protocols.settings import COMPACTED, ExploreSettings
from kassay.certify.protocols.switch import DEAD_END, Switch
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.world.streams.options import StreamsOptions

MUTATION: Final = "mutation"
_DEFAULT: Final = ExploreSettings("streams")


def _one_task(**more: Any) -> ExploreSettings:
    return ExploreSettings("streams", partitions=1, **more)


_LEAVES: Final = Faults(leave=1)
_STANDBY: Final = StreamsOptions(standby=1)

OF_STREAMS: Final[tuple[Switch, ...]] = (
    Switch(
        "streams_names_reconciled",
        "Kafka's client today, no ticket known",
        "a heartbeat reports the tasks of the last callback, initially none, not those about to run",
        ("commits-fenced", "single-current-owner"),
        _DEFAULT,
    ),
    Switch(
        "streams_commits_out_of_group",
        "Kafka's client today, no ticket known",
        "a fenced client commits without an epoch, which a group without members accepts",
        ("commits-fenced",),
        _one_task(faults=Faults(pause=1, leave=1)),
    ),
    Switch(
        "streams_acknowledged_once",
        "cf. KAFKA-16190",
        "after a lost acknowledgement the tasks are not reported again",
        (DEAD_END,),
        ExploreSettings("streams", faults=Faults(write=1)),
    ),
    Switch(
        "streams_no_abort",
        "cf. KAFKA-16375",
        "a reconciliation from before a fence is completed after it",
        ("released-before-adopted", "single-current-owner"),
        _one_task(faults=Faults(pause=1)),
    ),
    Switch(
        "streams_standbys_kept",
        MUTATION,
        "a standby task that the new assignment lacks is not closed",
        ("one-copy-per-process", "standbys-at-rest"),
        ExploreSettings("streams", faults=_LEAVES, streams=_STANDBY),
    ),
    Switch(
        "streams_target_named",
        MUTATION,
        "a heartbeat reports the tasks of the target before the revocation is done",
        ("single-current-owner",),
        _DEFAULT,
    ),
    Switch(
        "streams_acknowledgement_lost",
        "cf. KAFKA-16249",
        "a member's revocation is ignored once the target moved on",
        (DEAD_END,),
        ExploreSettings("streams", faults=_LEAVES),
    ),
    Switch(
        "streams_commit_unfenced",
        "zombie commits",
        "OffsetCommit checks nothing",
        ("commits-fenced",),
        _one_task(faults=Faults(pause=1)),
    ),
    Switch(
        "streams_delay_without_end",
        MUTATION,
        "after the initial rebalance delay, no target is computed",
        (DEAD_END,),
        _one_task(streams=StreamsOptions(delayed=True)),
    ),
    Switch(
        "streams_demotion_not_awaited",
        MUTATION,
        "an active task that becomes a copy counts as free at once",
        ("single-current-owner",),
        ExploreSettings("streams", streams=_STANDBY),
    ),
    Switch(
        "streams_ignore_unreleased",
        MUTATION,
        "an active task is assigned while another member still has it",
        ("single-current-owner", "single-owner-on-record"),
        _DEFAULT,
    ),
    Switch(
        "streams_revocation_not_awaited",
        MUTATION,
        "tasks that a member must revoke count as free at once",
        ("epochs-in-order", "single-current-owner"),
        _DEFAULT,
    ),
    Switch(
        "streams_silence_revokes",
        MUTATION,
        "a heartbeat without tasks counts as one that reports none",
        ("single-current-owner", "target-epoch-exclusive"),
        _DEFAULT,
    ),
    Switch(
        "streams_epoch_not_bumped",
        MUTATION,
        "a member that leaves does not advance the group epoch",
        ("complete-at-rest", "members-change-the-epoch"),
        _one_task(faults=_LEAVES),
    ),
    Switch(
        "streams_topics_unwatched",
        MUTATION,
        "a change of the topics is ignored",
        (DEAD_END,),
        _one_task(faults=Faults(partitions=1)),
    ),
    Switch(
        "streams_process_ignored",
        MUTATION,
        "tasks of other threads of the process are ignored",
        ("one-copy-per-process",),
        _one_task(members=3, faults=_LEAVES, streams=StreamsOptions(standby=1, processes=2)),
    ),
    Switch(
        "streams_refined_kept",
        MUTATION,
        "members move towards a target cached for an older epoch",
        ("complete-at-rest",),
        _one_task(faults=_LEAVES),
    ),
    Switch(
        "streams_sessions_not_restored",
        MUTATION,
        "a new coordinator watches no session",
        ("members-watched", DEAD_END),
        _one_task(faults=Faults(crash=1, failover=1)),
    ),
    Switch(
        "streams_simple_group_kept",
        "KAFKA-20254",
        "a group with offsets only is not replaced by its records",
        ("every-log-loads",),
        _one_task(members=1, faults=Faults(failover=1), log=COMPACTED),
    ),
    Switch(
        "streams_static_target_lost",
        MUTATION,
        "the target of a static member does not pass to its new id",
        ("static-return-keeps-tasks",),
        _one_task(static=1, faults=_LEAVES),
    ),
    Switch(
        "streams_refined_not_relabelled",
        MUTATION,
        "a static member's intermediate target does not pass to its new id",
        ("static-return-keeps-tasks",),
        ExploreSettings("streams", static=1, faults=_LEAVES),
    ),
    Switch(
        "streams_topology_ignored",
        MUTATION,
        "a member may join with a topology other than the group's",
        ("topologies-agree",),
        _one_task(faults=Faults(rollout=1)),
    ),
    Switch(
        "streams_endpoints_kept",
        MUTATION,
        "the endpoint epoch does not rise when tasks move",
        ("endpoints-at-rest",),
        ExploreSettings("streams", streams=StreamsOptions(endpoints=2)),
    ),
)

UNSEEN: Final[dict[str, str]] = {
    "streams_revoked_at_epoch": (
        "One more epoch makes a commit late that was sent before the acknowledgement and is handled after "
        "it. On one connection requests keep their order, and consumer groups have no such epoch since "
        "KAFKA-19974."
    ),
    "streams_static_epochs_kept": (
        "A member that returns under the instance id gets the target epoch, which is no lower than any epoch "
        "kept, so none of its commits is decided differently; and no client commits under the old member id."
    ),
}
"""Rules whose violation no walk shows, and why; genuine traces do show it."""
