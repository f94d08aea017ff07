"""The faults of Streams groups that can be turned on in the coordinator (`Config.switches`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STREAMS_SWITCHES: Final[Mapping[str, str]] = {
    "streams_acknowledgement_lost": "what a member has given up is not noticed once the target moved on",
    "streams_commit_unfenced": "OffsetCommit checks nothing",
    "streams_delay_without_end": "when the initial rebalance delay is over, nobody is assigned to",
    "streams_demotion_not_awaited": "an active task that becomes a copy counts as free at once",
    "streams_endpoints_kept": "the endpoint epoch does not rise when tasks move",
    "streams_epoch_not_bumped": "a member that goes does not bump the group epoch",
    "streams_ignore_unreleased": "an active task is granted while another member still has it",
    "streams_process_ignored": "whether another thread of the process has the task is not looked at",
    "streams_refined_kept": "members are led towards a target that was remembered for an older epoch",
    "streams_refined_not_relabelled": "what a static member was led towards does not pass on to its new id",
    "streams_revocation_not_awaited": "what a member must give up counts as free at once",
    "streams_revoked_at_epoch": "giving tasks up does not add 1 to the member epoch",
    "streams_simple_group_kept": "a group that offsets alone tell of is not replaced by its records",
    "streams_sessions_not_restored": "a new coordinator watches no session",
    "streams_silence_revokes": "a heartbeat that says nothing of tasks counts as one that has none",
    "streams_static_epochs_kept": "a static member that goes for a while keeps the epochs of its tasks",
    "streams_static_target_lost": "the target of a static member does not pass on to its new id",
    "streams_topics_unwatched": "a change of the topics is not looked at",
    "streams_topology_ignored": "a member may join with another topology than the group's",
}
"""A short description of each."""
