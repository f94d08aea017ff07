"""A Hypothesis machine over the protocol models' own steps, for sizes beyond exhaustive exploration.

One rule, "take an enabled step", and the invariants after each. A step is drawn by its position among the
enabled ones; the machine records the list of actions, which the explorer's `run` replays, as this machine
replays an explorer's trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from kassay.model.explore.values import Action, Finding, Invariant, Model, Severity, pick

S = TypeVar("S")


class BrokenInvariant(AssertionError):
    """A real violation, with the actions that led to it."""

    def __init__(self, name: str, finding: Finding, actions: Sequence[Action]) -> None:
        self.name = name
        self.finding = finding
        self.actions = tuple(actions)
        steps = "\n  ".join(map(str, actions))
        super().__init__(f"{name}: {finding.message}\n  {steps}")


class Walk(Generic[S]):
    """A run: the state reached and the actions so far."""

    def __init__(self, model: Any, invariants: Sequence[Invariant[Any]]) -> None:
        self.model = model
        self.invariants = invariants
        self.state = next(iter(model.initial()))
        self.actions: list[Action] = []
        self._judge(None)

    def enabled(self) -> list[tuple[Action, Any]]:
        """The steps that can be taken now."""
        return list(self.model.steps(self.state))

    def take(self, action: Action, after: Any) -> None:
        """Take a step; raises BrokenInvariant if it, or the state that it reaches, is a real violation."""
        before, self.state = self.state, after
        self.actions.append(action)
        self._judge(before)

    def replay(self, actions: Sequence[Action]) -> None:
        """Take the named steps; raises LookupError where one is not enabled."""
        for wanted in actions:
            self.take(wanted, pick(self.model, self.state, wanted).state)

    def _judge(self, before: Any) -> None:
        for invariant in self.invariants:
            for finding in invariant.judge(before, self.state):
                if finding.severity is Severity.REAL:
                    raise BrokenInvariant(invariant.name, finding, self.actions)


def machine_for(
    make: Callable[[], tuple[Model[Any], Sequence[Invariant[Any]]]],
) -> type[RuleBasedStateMachine]:
    """A state machine class over the model that `make` returns with its invariants."""

    class ProtocolMachine(RuleBasedStateMachine):
        """Takes enabled steps in any order."""

        @initialize()
        def start(self) -> None:
            """Begin at the start."""
            self.walk: Walk[Any] = Walk(*make())

        @precondition(lambda self: bool(self.walk.enabled()))
        @rule(data=st.data())
        def step(self, data: st.DataObject) -> None:
            """Take one enabled step."""
            enabled = self.walk.enabled()
            number = data.draw(st.integers(0, len(enabled) - 1))
            action, after = enabled[number]
            note(str(action))
            self.walk.take(action, after)

        @precondition(lambda self: not self.walk.enabled())
        @rule()
        def rest(self) -> None:
            """Stay when no step is enabled; the explorer checks whether a run may end here."""

    return ProtocolMachine
