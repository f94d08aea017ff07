"""The reached states and the steps between them, in flat arrays."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

S = TypeVar("S", bound=Hashable)


class Action(NamedTuple):
    """The name of one step: actor, action and details.

    `fault`: the step uses up fault budget. `fair`: weak fairness applies (if enabled for ever, it is
    eventually taken). `disturbs`: the step ends a quiet stretch (first join of a member id, removal,
    eviction, return with a new id). `rounds`: the number of generations that the step begins. The last two
    serve the convergence bounds.
    """

    actor: str
    name: str
    to: str = ""
    detail: str = ""
    reply: str = ""
    fault: bool = False
    fair: bool = True
    disturbs: bool = False
    rounds: int = 0

    def __str__(self) -> str:
        arrow = f" -> {self.to}" if self.to else ""
        inside = f"({self.detail})" if self.detail else ""
        answer = f" => {self.reply}" if self.reply else ""
        return f"{self.actor}{arrow}: {self.name}{inside}{answer}"


class States(Protocol[S]):
    """The visited states, numbered in the order of their first `put`."""

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""

    def expanded(self, node: int) -> None:
        """Mark all steps of this state as taken: from now on, only `number` needs it."""

    def __getitem__(self, node: int) -> S:
        """The state with this number."""

    def __len__(self) -> int:
        """The number of states."""

    def __iter__(self) -> Iterator[S]:
        """All stored states, by number."""


class WholeStates(list[S], Generic[S]):
    """The states stored as objects, and their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[S, int] = {}

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""
        number = self.numbers.setdefault(state, len(self))
        if number == len(self):
            self.append(state)
        return number

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""
        return self.numbers.get(state, -1)

    def expanded(self, node: int) -> None:
        """Do nothing: all states stay stored."""


@dataclass
class Graph(Generic[S]):
    """The reached states by number and their edges, grouped by source state.

    States are numbered and expanded in the order of discovery, so the edges of state `i` are `first[i] ..
    first[i + 1]`. An edge takes eight bytes and a state seventeen, plus the state itself. `good` marks the
    states in which a run may stay for ever; it is empty if this was not evaluated.
    """

    states: States[S] = field(default_factory=WholeStates)
    good: bytearray = field(default_factory=bytearray)
    parents: array[int] = field(default_factory=lambda: array("i"))
    depths: array[int] = field(default_factory=lambda: array("I"))
    first: array[int] = field(default_factory=lambda: array("Q", [0]))
    targets: array[int] = field(default_factory=lambda: array("I"))
    labels: array[int] = field(default_factory=lambda: array("I"))
    actions: dict[Action, int] = field(default_factory=dict)

    @property
    def expanded(self) -> int:
        """The number of states with all their edges."""
        return len(self.first) - 1

    def edges(self, node: int) -> Iterator[tuple[int, int]]:
        """The (action number, target) pairs of an expanded state."""
        low, high = self.first[node], self.first[node + 1]
        return zip(self.labels[low:high], self.targets[low:high], strict=True)

    def path(self, node: int) -> list[int]:
        """The state numbers from an initial state to this one along the search tree."""
        back = [node]
        while (parent := self.parents[back[-1]]) >= 0:
            back.append(parent)
        return back[::-1]
