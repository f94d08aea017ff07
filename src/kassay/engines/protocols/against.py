"""Where two releases of a model first part: the shortest trace that only one of them allows.

Both models take the same steps, side by side. Steps are the same if their words are, but for numbers of
epochs and generations, which releases count differently; 0 and negative ones have a meaning and count. After
each step, clients are compared too: whether they are members, what they own, and which commits are accepted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.settings import BEFORE_0_9, ExploreSettings
from kassay.model.errors import InputError
from kassay.model.explore.values import Action, Model, WalkLimits
from kassay.model.protocols.world.context import NetworkLevel

SCHEMA: Final = "kassay/explore-against/1"
_NUMBER: Final = re.compile(r"\b(epoch|generation) [1-9]\d*")


@dataclass(frozen=True)
class ReleaseComparison:
    """The outcome: `trace` leads to the difference, `left` and `right` say what each release does then.

    Both are () if nothing differs in the `pairs` of states; then `limit` is what ended the walk early, or "".
    """

    settings: ExploreSettings
    against: str
    pairs: int
    seconds: float
    trace: tuple[Action, ...] = ()
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    limit: str = ""

    @property
    def differs(self) -> bool:
        """Whether a trace was found."""
        return self.left != self.right

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "schema": SCHEMA,
            "model": self.settings.model,
            "settings": self.settings.to_json(),
            "against": self.against,
            "verdict": "different" if self.differs else "unknown" if self.limit else "same",
            "pairs": self.pairs,
            "limit": self.limit,
            "trace": [str(action) for action in self.trace],
            self.settings.release: list(self.left),
            self.against: list(self.right),
        }


def compare_releases(
    settings: ExploreSettings, against: str, limits: WalkLimits | None = None
) -> ReleaseComparison:
    """Walk the model of the settings' release and that of `against` side by side, shortest traces first.

    Raises InputError for a release, or settings, that have no such walk.
    """
    if settings.model in BEFORE_0_9 or settings.network is NetworkLevel.ASTRAY:
        raise InputError(f"--against: no walk side by side of {settings.model} on {settings.network}")
    if against == settings.release:
        raise InputError(f"--against: {against} is the same release; expected another one")
    limits = limits or WalkLimits()
    models = build(settings), build(replace(settings, release=against))
    begun = time.monotonic()
    start = tuple(next(iter(model.initial())) for model in models)
    parents: dict[Any, tuple[Any, Action | None]] = {start: (None, None)}
    level = [start]
    while level:
        following: list[Any] = []
        for pair in level:
            if limits.states_max is not None and len(parents) >= limits.states_max:
                return _ended(settings, against, parents, begun, "states")
            if limits.time_s is not None and time.monotonic() - begun > limits.time_s:
                return _ended(settings, against, parents, begun, "time")
            left, right = (_labelled(model, state) for model, state in zip(models, pair))
            if left.keys() != right.keys():
                only = tuple(left.keys() - right.keys()), tuple(right.keys() - left.keys())
                return _parted(settings, against, parents, begun, _trace(parents, pair), *only)
            for label, (action, state) in left.items():
                after = state, right[label][1]
                seen = tuple(_clients(model, each) for model, each in zip(models, after))
                if seen[0] != seen[1]:
                    trace = (*_trace(parents, pair), action)
                    own = seen[0] - seen[1], seen[1] - seen[0]
                    return _parted(settings, against, parents, begun, trace, *map(tuple, own))
                if after not in parents:
                    parents[after] = pair, action
                    following.append(after)
        level = following
    return _ended(settings, against, parents, begun, "")


def _labelled(model: Model[Any], state: Any) -> Mapping[str, tuple[Action, Any]]:
    """The steps out of a state by their words; a step whose words are another's has a number as well."""
    steps: dict[str, tuple[Action, Any]] = {}
    for action, after in model.steps(state):
        label = _NUMBER.sub(r"\1 N", str(action))
        while label in steps:
            label += " (again)"
        steps[label] = action, model.canonical(after)
    return steps


def _clients(model: Model[Any], state: Any) -> frozenset[str]:
    """What a user sees of each client, in words."""
    return frozenset(_words(model.census(state).beliefs))  # type: ignore[attr-defined]


def _words(beliefs: Any) -> Iterator[str]:
    for each in beliefs:
        member = "a member" if each.joined else "no member"
        owned, accepted = (" ".join(map(str, tps)) or "nothing" for tps in (each.owned, each.committable))
        running = "" if each.live else " (stopped)"
        yield f"{each.client}{running}: {member}, owns {owned}, commits accepted for {accepted}"


def _trace(parents: Mapping[Any, tuple[Any, Action | None]], pair: Any) -> tuple[Action, ...]:
    actions: list[Action] = []
    while True:
        before, action = parents[pair]
        if action is None:
            return tuple(reversed(actions))
        actions.append(action)
        pair = before


def _parted(
    settings: ExploreSettings,
    against: str,
    parents: Mapping[Any, Any],
    begun: float,
    trace: tuple[Action, ...],
    left: tuple[str, ...],
    right: tuple[str, ...],
) -> ReleaseComparison:
    seconds = time.monotonic() - begun
    shown = tuple(sorted(left)), tuple(sorted(right))
    return ReleaseComparison(settings, against, len(parents), seconds, trace, *shown)


def _ended(
    settings: ExploreSettings, against: str, parents: Mapping[Any, Any], begun: float, limit: str
) -> ReleaseComparison:
    return ReleaseComparison(settings, against, len(parents), time.monotonic() - begun, limit=limit)
