"""One wrong rule of a model as a value, and the lists of Streams groups and of older releases.

A `Switch` says by what the wrong rule is found, and at which bound. Wrong rules of Streams groups, of
clients and coordinators, with the bound at which each is found. Older rules of consumer groups that
break a guarantee of the newer rule, each with its bound. None causes a partition with two owners or
without one: the guarantees concern when the coordinator computes targets, and what it records of them.
`switches` has all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.engines.protocols.settings import COMPACTED, CORRECTED, WITH_CLIENTS, ExploreSettings
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.world.streams.threads import StreamsOptions

DEAD_END: Final = "dead end"
LIVELOCK: Final = "livelock"


@dataclass(frozen=True)
class Switch:
    """One wrong rule, the findings that show it, and the bound at which they appear.

    `along` are further switches without which it cannot show. `known` are the findings about Kafka that the
    walk has without the switch (`docs/coordinator-findings.md`). Clients that differ from Kafka's are the
    corrected ones: what a walk finds is then the switch's alone.
    """

    name: str
    bug: str
    effect: str
    shows: tuple[str, ...]
    bound: ExploreSettings
    along: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.model in WITH_CLIENTS:
            object.__setattr__(self, "bound", replace(self.bound, client=CORRECTED))

    @property
    def model(self) -> str:
        """The model whose rule it breaks."""
        return self.bound.model


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


OLDER: Final[tuple[Switch, ...]] = (
    Switch(
        "assignor_change_waits",
        "KAFKA-20434",
        "a new preferred assignor takes effect only when something else advances the group epoch",
        ("preference-takes-effect",),
        ExploreSettings("kip848", partitions=1, faults=Faults(assignor=1)),
    ),
    Switch(
        "empty_keeps_target_epoch",
        "KAFKA-20442",
        "when the last member leaves, the target epoch stays below the group epoch",
        ("empty-group-at-its-target",),
        ExploreSettings("kip848", members=1, partitions=1, faults=Faults(leave=1)),
    ),
    Switch(
        "targets_undated",
        "KAFKA-20266",
        "the time of a target is not recorded, so no interval applies",
        ("targets-keep-the-interval",),
        ExploreSettings("kip848", partitions=1, late_targets=True),
    ),
    Switch(
        "revocation_counts_up",
        "KAFKA-19974",
        "a member that revoked something advances by one epoch, though a newer target revokes more",
        ("epochs-of-targets",),
        ExploreSettings("kip848", members=3, faults=Faults(leave=1)),
    ),
    Switch(
        "own_pending_blocks",
        "KAFKA-19449",
        "a member waits for a partition that it still has to revoke and is assigned again",
        ("waits-for-others",),
        ExploreSettings("kip848", faults=Faults(leave=1)),
    ),
    Switch(
        "empty_names_refused",
        "KAFKA-18095",
        "a client that starts while none of its topics exist is refused for good",
        ("joins-are-let-in",),
        ExploreSettings(
            "kip848",
            members=1,
            partitions=1,
            pattern="t",
            new_topics=("tt",),
            faults=Faults(topic=1, delete=1),
        ),
    ),
    Switch(
        "regexes_refused",
        "KAFKA-17593",
        "a client that subscribes by a regular expression is refused for good",
        ("joins-are-let-in",),
        ExploreSettings("kip848", members=1, partitions=1, regex=True),
    ),
    Switch(
        "targets_at_once",
        "KIP-1263, KAFKA-20291",
        "a target is computed whenever the group epoch is ahead, regardless of the interval",
        ("targets-keep-the-interval",),
        ExploreSettings("kip848", partitions=1, late_targets=True),
    ),
)
