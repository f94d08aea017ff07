"""Decides whether weak fairness ends a component of a reduced graph, without the full states.

A state of the full model is a renaming of a representative. So a component is traversed by representatives,
each with one renaming under which the full component contains it. If two paths lead to one representative,
their difference renames the full component into itself. These renamings generate the group of all such
renamings, and the full component is the orbit of the representatives under that group. This determines what
is enabled in all its states and what is taken in any of them. (Voltage graphs: Gross and Tucker, Topological
Graph Theory, 1987, chapter 2.)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence, Set
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from kassay.model.explore.graph import Action, Graph
from kassay.model.explore.interned import trim
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.traces import retrace

S = TypeVar("S", bound=Hashable)

Deed: TypeAlias = tuple[str, str]
"""Actor and name of an action; its details do not distinguish it."""
_TRIMS: Final = 1024
"""The number of states between two calls of `trim`."""


class Renaming(Hashable, Protocol):
    """One element of the group of all renamings."""

    def then(self, other: Self) -> Self:
        """This renaming followed by the other."""

    def inverse(self) -> Self:
        """The inverse renaming."""


class GroupSymmetry(ABC, Generic[S]):
    """A symmetry that provides the renamings from a state to its representative."""

    @abstractmethod
    def __call__(self, state: S) -> S:
        """The representative."""

    @abstractmethod
    def ways(self, state: S) -> Sequence[Any]:
        """All renamings from a state to its representative; for a representative, its stabiliser."""

    @abstractmethod
    def deed(self, action: Action, way: Any) -> Deed:
        """Actor and name of an action after a renaming."""


def ends_by_fairness(model: Reduced[S], graph: Graph[S], component: Set[int]) -> bool:
    """Whether some fair action is enabled in all states that a component represents, and taken in none.

    Also False if the symmetry does not provide its renamings.
    """
    symmetry = model.symmetry
    if not isinstance(symmetry, GroupSymmetry):
        return False
    refused: set[Deed] | None = None
    taken: set[Deed] = set()
    folded = _Folded(model, symmetry, graph, component)
    for enabled, inside in folded.representatives():
        taken |= inside
        refused = (enabled if refused is None else refused & enabled) - taken
        if not refused:
            return False
    # Only what the whole group preserves is enabled everywhere and taken nowhere.
    group = folded.group()
    return any(_orbit(symmetry, deed, group) <= (refused or set()) for deed in refused or ())


class _Folded(Generic[S]):
    """A component by its representatives; `placed` holds the renaming of each into the full component."""

    def __init__(
        self, model: Reduced[S], symmetry: GroupSymmetry[S], graph: Graph[S], component: Set[int]
    ) -> None:
        self.full = model.full
        self.symmetry = symmetry
        self.number = graph.states.number
        self.component = component
        self.first = symmetry(self.full.canonical(retrace(model, graph, min(component))[-1].state))
        self.generators: set[Any] = set()
        self.placed: dict[int, Any] = {}

    def representatives(self) -> Iterator[tuple[set[Deed], set[Deed]]]:
        """For each representative, the fair enabled deeds, and those of them that stay in the component."""
        stays = self.symmetry.ways(self.first)[0]
        self.placed[self.number(self.first)] = stays.then(stays.inverse())
        queue = [self.first]
        for count, state in enumerate(queue):
            if count % _TRIMS == 0:
                trim()
            place = self.placed[self.number(state)]
            self.generators |= {place.inverse().then(way).then(place) for way in self.symmetry.ways(state)}
            enabled: set[Deed] = set()
            taken: set[Deed] = set()
            for action, after in self.full.steps(state):
                if action.fault:
                    continue
                inside = self._go(self.full.canonical(after), place, queue)
                if action.fair:
                    deed = self.symmetry.deed(action, place)
                    enabled.add(deed)
                    if inside:
                        taken.add(deed)
            yield enabled, taken

    def _go(self, after: S, place: Any, queue: list[S]) -> bool:
        """Whether a step stays in the component; places its target or records the renaming it yields."""
        representative = self.symmetry(after)
        node = self.number(representative)
        if node not in self.component:
            return False
        there = self.symmetry.ways(after)[0].inverse().then(place)
        if node not in self.placed:
            self.placed[node] = there
            queue.append(representative)
        else:
            self.generators.add(self.placed[node].inverse().then(there))
        return True

    def group(self) -> list[Any]:
        """All renamings of the full component into itself."""
        identity = self.placed[self.number(self.first)]
        known = {identity: None}
        queue = [identity]
        for each in queue:
            for generator in self.generators:
                product = each.then(generator)
                if product not in known:
                    known[product] = None
                    queue.append(product)
        return queue


def _orbit(symmetry: GroupSymmetry[Any], deed: Deed, group: Sequence[Any]) -> Set[Deed]:
    """The orbit of a deed under a group."""
    actor, name = deed
    return {symmetry.deed(Action(actor, name), way) for way in group}
