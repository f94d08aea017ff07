"""Play a model by naming its steps, or let it settle."""

from __future__ import annotations

from typing import Any

from kassay.engines.protocols.views import beliefs
from kassay.model.explore.values import Severity


def play(model: Any, state: Any, *wanted: str) -> Any:
    """The state after the named steps: "c1 JoinGroup" is the first enabled one of c1 whose text has the rest."""
    for want in wanted:
        actor, _, words = want.partition(" ")
        found = [
            after
            for action, after in model.steps(state)
            if action.actor == actor and words in f"{action.name} {action.detail} {action.reply}"
        ]
        if not found:
            listing = "\n  ".join(str(action) for action, _ in model.steps(state))
            raise LookupError(f"{want} is not enabled; enabled are\n  {listing}")
        state = found[0]
    return state


def settle(model: Any, state: Any, *, steps_max: int = 300, without: tuple[str, ...] = ()) -> Any:
    """The state once nothing but faults can happen; `without` names steps that are not taken."""
    for _ in range(steps_max):
        for action, after in model.steps(state):
            if not action.fault and after != state and not any(word in str(action) for word in without):
                state = after
                break
        else:
            return state
    raise AssertionError("the model did not settle")


def first(model: Any) -> Any:
    return next(iter(model.initial()))


def shares(model: Any, state: Any, census: Any) -> list[int]:
    """How many partitions each live client believes to own."""
    return [len(belief.owned) for belief in census(state).beliefs if belief.live]


def owned(model: Any, state: Any) -> list[Any]:
    """What each live client believes to own."""
    return [belief.owned for belief in beliefs(model, state).beliefs if belief.live]


def sizes(model: Any, state: Any) -> list[int]:
    """How much each live client believes to own, the most first."""
    return sorted((len(tps) for tps in owned(model, state)), reverse=True)


def started(model: Any, count: int) -> Any:
    """The state in which so many clients have joined, one after the other."""
    state = first(model)
    for number in range(1, count + 1):
        state = settle(model, play(model, state, f"c{number} start"))
    return state


def group(state: Any) -> Any:
    """The group as the coordinator has it."""
    return state.broker.value.state.group


def client(state: Any, number: int) -> Any:
    """One client, counted from 1."""
    return state.clients[number - 1].value


def real(result: Any) -> list[str]:
    """The invariants that are really violated."""
    return [found.invariant for found in result.exploration.violations if found.severity is Severity.REAL]
