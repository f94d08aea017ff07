"""Which server-side assignor the members of a consumer group ask for, and when that takes effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from kassay.model.explore.values import Finding
from kassay.model.protocols.values.groups import ConsumerGroup
from kassay.model.protocols.values.requests import Config
from kassay.properties.protocols.registry import PREFERENCES, each_step, real

DEFAULT: Final = Config().assignors[0]
"""What is preferred if nobody asks for any: the first of group.consumer.assignors."""


def preferred(group: ConsumerGroup) -> str:
    """The assignor that more members ask for than for any other, the default if nobody asks; "" in a tie."""
    votes = Counter(member.assignor for member in group.members if member.assignor).most_common(2)
    if not votes:
        return DEFAULT
    (name, most), *others = votes
    return "" if others and others[0][1] == most else name


def _changes(old: ConsumerGroup, new: ConsumerGroup) -> bool:
    """Whether members come to prefer another assignor, and nobody need look how a tie is decided."""
    was, now = preferred(old), preferred(new)
    return bool(old.members and new.members and was and now) and was != now


@each_step("preference-takes-effect", PREFERENCES, source="KAFKA-20434", where=_changes)
def preference_takes_effect(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """When most members come to prefer another assignor, the group epoch goes up, for a target by that one.

    Who asks for none leaves it to the others; if nobody asks, the default is preferred.
    """
    if new.epoch <= old.epoch:
        yield real(
            f"the group prefers {preferred(new)} to {preferred(old)}, and its epoch is still {new.epoch}"
        )
