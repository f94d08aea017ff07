"""Older rules of consumer groups that break a guarantee of the newer rule, each with its bound.

None causes a partition with two owners or without one: the guarantees concern when the coordinator computes
targets, and what it records of them.
"""

from __future__ import annotations

from typing import Final

from kassay.certify.protocols.settings import ExploreSettings
from kassay.certify.protocols.switch import Switch
from kassay.model.protocols.shared.faults import Faults

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
        "epochs_from_zero",
        "KAFKA-20268",
        "a member that joins before its topics are known gets epoch 0, and joins again with every heartbeat",
        ("members-have-epochs",),
        ExploreSettings("kip848", members=1, partitions=1, regex=True),
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
