"""Assumptions that a user may make about the inputs; steps outside the assumptions are not judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kassay.model.connect.kinds import CONNECT
from kassay.model.errors import InputError
from kassay.model.groups.kinds import GROUPS
from kassay.model.groups.step import Step
from kassay.model.kinds import Kind
from kassay.model.placement.kinds import PLACER
from kassay.reading.fields import suggestion

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

ASSUMPTIONS: Final = tuple(_HOLDS)

_OF_KIND: Final = {
    **dict.fromkeys(GROUPS, ASSUMPTIONS),
    PLACER: ("no-racks",),
    CONNECT: ("no-conflicting-claims",),
}
"""The assumptions that the generator and the judge of each kind respect; none for other kinds."""


def assumptions_of(kind: Kind) -> tuple[str, ...]:
    """The assumptions that narrow the inputs of targets of a kind."""
    return _OF_KIND.get(kind, ())


def parse_assumptions(names: list[str], kind: Kind | None = None) -> frozenset[str]:
    """The assumptions by name; raises `InputError` for an unknown one, or one of other kinds only."""
    for name in names:
        if name not in _HOLDS:
            hint = suggestion(name, ASSUMPTIONS)
            raise InputError(f"unknown assumption {name!r}: expected one of: {', '.join(ASSUMPTIONS)}{hint}")
        if kind is not None and name not in assumptions_of(kind):
            some = f"one of {', '.join(assumptions_of(kind))}" if assumptions_of(kind) else "none"
            raise InputError(f"assumption {name!r} narrows nothing of kind {kind}, expected {some}")
    return frozenset(names)


def within(step: Step, assume: frozenset[str]) -> bool:
    """Whether the step's input satisfies all the assumptions."""
    return all(_HOLDS[name](step) for name in assume)
