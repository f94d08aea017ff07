"""The faults of Streams groups that can be turned on in the coordinator (`Config.switches`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STREAMS_SWITCHES: Final[Mapping[str, str]] = {
    "streams_acknowledgement_lost": "a member's revocation is ignored once the target moved on",
    "streams_commit_unfenced": "OffsetCommit checks nothing",
    "streams_delay_without_end": "after the initial rebalance delay, no target is computed",
    "streams_demotion_not_awaited": "an active task that becomes a copy counts as free at once",
    "streams_endpoints_kept": "the endpoint epoch does not rise when tasks move",
    "streams_epoch_not_bumped": "a member that leaves does not advance the group epoch",
    "streams_ignore_unreleased": "an active task is assigned while another member still has it",
    "streams_process_ignored": "tasks of other threads of the process are ignored",
    "streams_refined_kept": "members move towards a target cached for an older epoch",
    "streams_refined_not_relabelled": "a static member's intermediate target does not pass to its new id",
    "streams_revocation_not_awaited": "tasks that a member must revoke count as free at once",
    "streams_revoked_at_epoch": "revoking tasks does not add 1 to the member epoch",
    "streams_simple_group_kept": "a group with offsets only is not replaced by its records",
    "streams_sessions_not_restored": "a new coordinator watches no session",
    "streams_silence_revokes": "a heartbeat without tasks counts as one that reports none",
    "streams_static_epochs_kept": "a static member that leaves temporarily keeps the epochs of its tasks",
    "streams_static_target_lost": "the target of a static member does not pass to its new id",
    "streams_topics_unwatched": "a change of the topics is ignored",
    "streams_topology_ignored": "a member may join with a topology other than the group's",
}
"""A short description of each."""
