"""Runs of a model: the path to a state that a search found, and replays of given actions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, TypeVar

from kassay.model.explore.graph import Action, Graph
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.values import Model, WalkStep

S = TypeVar("S", bound=Hashable)

COUNTED_ANEW: Final = ", numbers counted anew before"
"""Appended to a step's name if the run reaches the step only from the canonical form of its state."""


def retrace(model: Model[S], graph: Graph[S], node: int) -> tuple[WalkStep[S], ...]:
    """A run of real steps to a state, or to one identical up to symmetry.

    The search stores representatives, whose names may be permuted from one to the next. The trace follows the
    classes of the representatives from the real start, so its actions compose.

    If the steps do not fully respect a canonical form, it may have steps that no state of the run has
    (docs/explorer-speed.md, "Numbers that are used again"). The run then continues from the canonical state,
    and the name of the step says so.
    """
    path = graph.path(node)
    number = graph.states.number
    state = next(s for s in model.initial() if number(model.canonical(s)) == path[0])
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for goal in path[1:]:
        step = _step_to(model, graph, state, goal)
        if step is None:
            full = model.full if isinstance(model, Reduced) else model
            step = _step_to(model, graph, full.canonical(state), goal)
            if step is None or step.action is None:
                raise LookupError(f"no step leads from state {number(model.canonical(state))} to {goal}")
            step = WalkStep(step.action._replace(name=step.action.name + COUNTED_ANEW), step.state)
        trace.append(step)
        state = step.state
    return tuple(trace)


def _step_to(model: Model[S], graph: Graph[S], state: S, goal: int) -> WalkStep[S] | None:
    """The first step to a state of that class, or None."""
    for action, after in model.steps(state):
        if graph.states.number(model.canonical(after)) == goal:
            return WalkStep(action, after)
    return None


def run(model: Model[S], actions: Iterable[Callable[[Action], bool] | Action]) -> tuple[WalkStep[S], ...]:
    """Play actions, or the first enabled action that each predicate accepts, from the first initial state.

    Raises LookupError with the enabled actions if none fits.
    """
    state = next(iter(model.initial()))
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for wanted in actions:
        trace.append(pick(model, state, wanted))
        state = trace[-1].state
    return tuple(trace)


def pick(model: Model[S], state: S, wanted: Callable[[Action], bool] | Action) -> WalkStep[S]:
    """The first enabled step that equals, or satisfies, `wanted`."""
    enabled = list(model.steps(state))
    for action, after in enabled:
        if action == wanted or (callable(wanted) and wanted(action)):
            return WalkStep(action, after)
    listing = "\n  ".join(str(action) for action, _ in enabled)
    raise LookupError(f"no enabled action is {wanted}; enabled are\n  {listing}")
