"""The server-side assignors that members of a consumer group prefer, and when a change takes effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from kassay.model.explore.values import Finding
from kassay.model.protocols.values.groups import ConsumerGroup
from kassay.model.protocols.values.requests import Config
from kassay.properties.protocols.registry import PREFERENCES, each_step, real

DEFAULT: Final = Config().assignors[0]
"""The preference without any vote: the first of group.consumer.assignors."""


def preferred(group: ConsumerGroup) -> str:
    """The assignor with the most votes, the default without votes; "" in a tie."""
    votes = Counter(member.assignor for member in group.members if member.assignor).most_common(2)
    if not votes:
        return DEFAULT
    (name, most), *others = votes
    return "" if others and others[0][1] == most else name


def _changes(old: ConsumerGroup, new: ConsumerGroup) -> bool:
    """Whether the members' preferred assignor changes, and no tie is involved."""
    was, now = preferred(old), preferred(new)
    return bool(old.members and new.members and was and now) and was != now


@each_step("preference-takes-effect", PREFERENCES, source="KAFKA-20434", where=_changes)
def preference_takes_effect(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """If the preferred assignor changes, the group epoch increases, so that the new one computes a target.

    Members without a preference leave the choice to the others; without any vote, the default is preferred.
    """
    if new.epoch <= old.epoch:
        yield real(
            f"the group prefers {preferred(new)} to {preferred(old)}, and its epoch is still {new.epoch}"
        )
