"""Play a model by naming its steps, or let it settle."""

from __future__ import annotations

from typing import Any


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
