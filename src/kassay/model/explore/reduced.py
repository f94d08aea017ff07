"""A symmetry-reduced model: only one state of each symmetry class is visited."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from kassay.model.explore.graph import Action
from kassay.model.explore.values import Model

S = TypeVar("S", bound=Hashable)


class Reduced(Generic[S]):
    """The model with its canonical form taken up to a symmetry; `full` is the model itself.

    `symmetry` maps a canonical state to the representative of its class. The steps must respect it: what one
    state of a class can do, every other can do under the same renaming. Actions name actors in the
    representative, so only `full` has runs.
    """

    def __init__(self, full: Model[S], symmetry: Callable[[S], S]) -> None:
        self.full = full
        self.symmetry = symmetry

    def initial(self) -> Iterable[S]:
        """The initial states."""
        return self.full.initial()

    def steps(self, state: S) -> Iterable[tuple[Action, S]]:
        """The steps of the representative."""
        return self.full.steps(state)

    def canonical(self, state: S) -> S:
        """The representative of the state's class."""
        return self.symmetry(self.full.canonical(state))

    def converged(self, state: S) -> bool:
        """Whether a run may stay here for ever."""
        return self.full.converged(state)
