"""What each assumption says of a round of a group; rounds outside the assumptions are not judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kassay.model.groups.step import Step
from kassay.properties.wide.ranges import WIDTHS

_HOLDS: Final[dict[str, Callable[[Step], bool]]] = {
    "equal-subscriptions": lambda step: step.group.equal_subscriptions,
    "no-conflicting-claims": lambda step: not step.contradictory,
    "no-duplicate-topics": lambda step: all(len(set(m.topics)) == len(m.topics) for m in step.group.members),
    "no-empty-subscriptions": lambda step: all(m.topics for m in step.group.members),
    "no-racks": lambda step: not step.cluster.brokers and all(m.rack is None for m in step.group.members),
    "no-static": lambda step: all(m.instance_id is None for m in step.group.members),
    "no-unknown-topics": lambda step: not step.unknown,
    "no-weights": lambda step: all(topic.weights is None for topic in step.cluster.topics),
}

WIDE: Final = frozenset(WIDTHS)
ASSUMPTIONS: Final = tuple(_HOLDS)


def within(step: Step, assume: frozenset[str]) -> bool:
    """Whether the input satisfies all the assumptions; those about wide input narrow only what is made."""
    return all(_HOLDS[name](step) for name in assume - WIDE)
