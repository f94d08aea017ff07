"""State of one process during a walk: the model, its invariants, and the codec of states."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from kassay.certify.protocols.explore import shares_of
from kassay.certify.protocols.settings import ExploreSettings
from kassay.model.explore.graph import Action
from kassay.model.explore.parts_codec import PartsCodec
from kassay.model.explore.search import Search
from kassay.model.explore.values import Finding, WalkLimits

REMEMBERED_MAX: Final = 400_000
"""Limit on remembered fingerprints of states, and on those that a task remembers as sent."""


@dataclass(frozen=True)
class SparkWalk:
    """The definition of a walk, as sent to the workers."""

    settings: ExploreSettings
    symmetric: str


@dataclass(frozen=True)
class Expanded:
    """A state's steps: targets by fingerprint, actions by label; whether the state may be terminal."""

    converged: bool
    targets: list[int]
    labels: list[int]
    sent: list[tuple[int, bytes]]


@dataclass
class Noted:
    """Findings of invariants by name and severity: their count, and the least example.

    An example is (1 for a step and 0 for a state, fingerprint of the violating state or of the step's source,
    fingerprint of the step's target or 0, message).
    """

    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    least: dict[tuple[str, str], tuple[int, int, int, str]] = field(default_factory=dict)

    def note(self, key: tuple[str, str], example: tuple[int, int, int, str], times: int = 1) -> None:
        """Count a finding and keep the lesser example."""
        self.seen[key] = self.seen.get(key, 0) + times
        self.least[key] = min(example, self.least.get(key, example))


class WalkBench(Search[Any]):
    """Expands encoded states of one walk, like the search in a single process."""

    def __init__(self, walk: SparkWalk) -> None:
        shares = shares_of(walk.settings, symmetric=walk.symmetric)
        super().__init__(shares.model, shares.invariants, WalkLimits(None), None)
        self.codec = PartsCodec(shares.parts, shares.codec)
        self.noted = Noted()
        self.actions: dict[int, str] = {}
        self._labels: dict[Action, int] = {}
        self._fingerprints: dict[Hashable, int] = {}
        self._sent: set[int] = set()
        self.sources = self.edges = 0

    def begin(self) -> None:
        """Start a new task: forget what was noted and sent."""
        self.noted, self.actions = Noted(), {}
        self.sources = self.edges = 0
        self._labels.clear()
        self._sent.clear()

    def note(self, name: str, finding: Finding, node: int, via: tuple[Action, Any] | None) -> None:
        """Count a finding about a state or the current step."""
        goal = 0 if via is None else self.fingerprint(self.model.canonical(via[1]))
        self.noted.note((name, finding.severity), (via is not None, node, goal, finding.message))

    def first(self) -> list[tuple[int, bytes]]:
        """The distinct initial states, as fingerprints and bytes."""
        starts = dict.fromkeys(map(self.model.canonical, self.model.initial()))
        return [(self.fingerprint(state), self.codec.encode(state)) for state in starts]

    def fingerprint(self, state: Any) -> int:
        """The fingerprint of a canonical state."""
        number = self._fingerprints.get(state)
        if number is None:
            if len(self._fingerprints) >= REMEMBERED_MAX:
                self._fingerprints.clear()
            number = self._fingerprints[state] = self.codec.fingerprint(state)
        return number

    def expanded(self, number: int, data: bytes) -> Expanded:
        """Check a state and take all its steps. States that this task already `sent` are not sent again."""
        model, canonical = self.model, self.model.canonical
        state = self.codec.decode(data)
        self.judge_state(state, number)
        lefts = [None if reads is None else reads(state) for reads, *_ in self.step_checks]
        targets: list[int] = []
        labels: list[int] = []
        sent: list[tuple[int, bytes]] = []
        if len(self._sent) >= REMEMBERED_MAX:
            self._sent.clear()
        self._sent.add(number)
        for action, after in model.steps(state):
            if lefts and after is not state:
                self.judge_step(state, lefts, number, action, after)
            after = canonical(after)
            target = self.fingerprint(after)
            targets.append(target)
            labels.append(self._label(action))
            if target not in self._sent:
                self._sent.add(target)
                sent.append((target, self.codec.encode(after)))
        self.sources += 1
        self.edges += len(targets)
        return Expanded(model.converged(state), targets, labels, sent)

    def _label(self, action: Action) -> int:
        """The action's number, the same in every process."""
        label = self._labels.get(action)
        if label is None:
            text = json.dumps(action)
            digest = blake2b(text.encode(), digest_size=8).digest()
            label = self._labels[action] = int.from_bytes(digest, "big", signed=True)
            self.actions[label] = text
        return label
