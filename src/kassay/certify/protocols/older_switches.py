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
        "another preferred assignor takes effect when something else bumps the group epoch",
        ("preference-takes-effect",),
        ExploreSettings("kip848", partitions=1, faults=Faults(assignor=1)),
    ),
    Switch(
        "empty_keeps_target_epoch",
        "KAFKA-20442",
        "when the last member goes, the target stays behind the group",
        ("empty-group-at-its-target",),
        ExploreSettings("kip848", members=1, partitions=1, faults=Faults(leave=1)),
    ),
    Switch(
        "targets_undated",
        "KAFKA-20266",
        "when a target was computed is not recorded, and no interval runs since",
        ("targets-keep-the-interval",),
        ExploreSettings("kip848", partitions=1, late_targets=True),
    ),
    Switch(
        "epochs_from_zero",
        "KAFKA-20268",
        "who joins before anything is known to be read is told epoch 0, and joins with every heartbeat",
        ("members-have-epochs",),
        ExploreSettings("kip848", members=1, partitions=1, regex=True),
    ),
    Switch(
        "revocation_counts_up",
        "KAFKA-19974",
        "who has given something up goes up by one epoch, though a newer target takes more",
        ("epochs-of-targets",),
        ExploreSettings("kip848", members=3, faults=Faults(leave=1)),
    ),
    Switch(
        "own_pending_blocks",
        "KAFKA-19449",
        "a partition that a member has still to revoke, and is given back, is waited for",
        ("waits-for-others",),
        ExploreSettings("kip848", faults=Faults(leave=1)),
    ),
    Switch(
        "empty_names_refused",
        "KAFKA-18095",
        "who starts while none of its topics exist is refused for good",
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
        "who subscribes by a regular expression is refused for good",
        ("joins-are-let-in",),
        ExploreSettings("kip848", members=1, partitions=1, regex=True),
    ),
    Switch(
        "targets_at_once",
        "KIP-1263, KAFKA-20291",
        "a target is computed whenever the group epoch is ahead, whatever the interval",
        ("targets-keep-the-interval",),
        ExploreSettings("kip848", partitions=1, late_targets=True),
    ),
)
