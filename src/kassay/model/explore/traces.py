"""Runs of a model: the way to a state that a search found, and actions played by hand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from kassay.model.explore.graph import Action, Graph
from kassay.model.explore.values import Model, WalkStep

S = TypeVar("S", bound=Hashable)


def retrace(model: Model[S], graph: Graph[S], node: int) -> tuple[WalkStep[S], ...]:
    """A run of real steps to a state, or to one that differs only by symmetry.

    The search keeps representatives, whose names may be permuted from one to the next. The trace
    follows the representatives' classes from the true start, so that its actions compose.
    """
    path = graph.path(node)
    number = graph.states.number
    state = next(s for s in model.initial() if number(model.canonical(s)) == path[0])
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for goal in path[1:]:
        action, state = next(
            (act, after) for act, after in model.steps(state) if number(model.canonical(after)) == goal
        )
        trace.append(WalkStep(action, state))
    return tuple(trace)


def run(model: Model[S], actions: Iterable[Callable[[Action], bool] | Action]) -> tuple[WalkStep[S], ...]:
    """Play actions, or the first enabled one that each predicate picks, from the first initial state.

    Raises LookupError with the enabled actions if none fits.
    """
    state = next(iter(model.initial()))
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for wanted in actions:
        trace.append(pick(model, state, wanted))
        state = trace[-1].state
    return tuple(trace)


def pick(model: Model[S], state: S, wanted: Callable[[Action], bool] | Action) -> WalkStep[S]:
    """The first enabled step that is, or satisfies, what is wanted."""
    enabled = list(model.steps(state))
    for action, after in enabled:
        if action == wanted or (callable(wanted) and wanted(action)):
            return WalkStep(action, after)
    listing = "\n  ".join(str(action) for action, _ in enabled)
    raise LookupError(f"no enabled action is {wanted}; enabled are\n  {listing}")
