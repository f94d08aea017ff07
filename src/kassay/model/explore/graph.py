"""The reached states and the steps between them, in flat arrays."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

S = TypeVar("S", bound=Hashable)


class Action(NamedTuple):
    """One step's name: who does what to whom, with which answer.

    `fault` marks what only a spent fault budget allows; `fair` what weak fairness promises (enabled
    for ever means taken at last). `disturbs` marks the end of a quiet stretch (first join of a
    member id, removal, eviction, return with a new id) and `rounds` counts the generations begun:
    both are for the convergence bounds.
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
    """The states met, numbered in the order of their first `put`."""

    def put(self, state: S) -> int:
        """The state's number, the next one if it is new."""

    def number(self, state: S) -> int:
        """The state's number, -1 if it has none."""

    def expanded(self, node: int) -> None:
        """Every step of this state has been taken: from here on only `number` is asked for it."""

    def __getitem__(self, node: int) -> S:
        """The state of this number."""

    def __len__(self) -> int:
        """How many there are."""

    def __iter__(self) -> Iterator[S]:
        """All states that are kept, by their numbers."""


class WholeStates(list[S], Generic[S]):
    """The states themselves, and their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[S, int] = {}

    def put(self, state: S) -> int:
        """The state's number, the next one if it is new."""
        number = self.numbers.setdefault(state, len(self))
        if number == len(self):
            self.append(state)
        return number

    def number(self, state: S) -> int:
        """The state's number, -1 if it has none."""
        return self.numbers.get(state, -1)

    def expanded(self, node: int) -> None:
        """All are kept."""


@dataclass
class Graph(Generic[S]):
    """The reached states by number and their edges, those of one state side by side.

    States are numbered in the order of discovery and expanded in that order, so that the edges of
    state `i` are `first[i] .. first[i + 1]`. Eight bytes an edge and, beside
    the state itself, seventeen a state. `good` says of each whether a run may rest there for ever;
    it is empty where that was not asked.
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
        """How many states have all their edges."""
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
