"""One process' share of a walk: it expands its own states level by level, and posts those that are another's.

The name of a state is `local number * processes + process`. Each step is checked where it is taken and
each state by its owner, so everything is checked once, as with one process. On their way from one
process to another (`Letter`) states are the numbers of their parts, and each part's bytes are sent once.
"""

from __future__ import annotations

import signal
from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from kassay.model.explore.search import Search, uncollected
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Memo, PackedStates, Parts, trim
from kassay.model.explore.values import Action, Invariant, Model, WalkLimits, WalkProgress

S = TypeVar("S", bound=Hashable)


class Letter(NamedTuple):
    """States for one process: new parts by the sender's numbers, packed states, and parents."""

    parts: list[tuple[int, bytes]]
    keys: bytes
    parents: bytes


class Outbox(Generic[S]):
    """The messages from one process to another."""

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        self._parts = parts
        self._codec = codec
        self._sent: set[int] = set()
        self._new: list[tuple[int, bytes]] = []
        self._keys = bytearray()
        self._parents = array("I")

    def post(self, state: S, parent: int) -> int:
        """Add a state to the next message; returns its position there."""
        key = self._parts.pack(state)
        for number in array("I", key):
            if number not in self._sent:
                self._sent.add(number)
                self._new.append((number, self._codec.encode(self._parts.part(number))))
        self._keys += key
        self._parents.append(parent)
        return len(self._parents) - 1

    def letter(self) -> Letter:
        """The message with all states added since the last one."""
        letter = Letter(self._new, bytes(self._keys), self._parents.tobytes())
        self._new, self._keys, self._parents = [], bytearray(), array("I")
        return letter


class Inbox(Generic[S]):
    """The messages that one process receives from another."""

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        self._parts = parts
        self._codec = codec
        self._known: dict[int, Any] = {}

    def read(self, letter: Letter) -> Iterator[tuple[S, int]]:
        """The states of a message with their parents, in the order in which they were added."""
        for number, data in letter.parts:
            self._known[number] = self._codec.decode(data)
        known, numbers = self._known, array("I", letter.keys)
        places = self._parts.places
        for place, parent in enumerate(array("I", letter.parents)):
            wanted = numbers[place * places : (place + 1) * places]
            yield self._parts.join(tuple([known[number] for number in wanted])), parent


_TELLS: Final = 1024
"""The number of expanded states between two progress reports."""


class WalkShare(NamedTuple, Generic[S]):
    """What every process of a walk needs; each creates its own, and only the settings are sent.

    `place` maps a state to a number that determines its owner. States that share computed results should have
    the same number, because each process caches results for itself.
    """

    model: Model[S]
    invariants: Sequence[Invariant[S]]
    parts: Parts[S]
    codec: StateCodec
    place: Callable[[S], int]


MakeShare: TypeAlias = Callable[[], WalkShare[Any]]


class ShardSize(NamedTuple):
    """The number of states and of waiting states of one process, and whether it has seen a reason to stop."""

    states: int
    waiting: int
    stop: bool


class ShardFinding(NamedTuple):
    """A finding of one process: its count and its first occurrence; the state of `via` as bytes."""

    invariant: str
    severity: Any
    seen: int
    node: int
    via: tuple[Action, bytes] | None
    message: str


class ShardGraph(NamedTuple):
    """One process' part of the graph, targets and parents by name; `levels` has the start of each level."""

    levels: list[int]
    parents: array[int]
    first: array[int]
    targets: array[int]
    labels: array[int]
    actions: list[Action]
    good: bytearray
    parts: list[bytes]
    keys: bytes
    findings: list[ShardFinding]
    checked: set[str]


class Beginning(NamedTuple):
    """One process' share of the levels already walked: a message with its states, the rest by name."""

    levels: list[int]
    states: Letter
    parents: array[int]
    first: array[int]
    targets: array[int]
    labels: array[int]
    actions: list[Action]


def named_findings(search: Search[Any], codec: StateCodec, name: Callable[[int], int]) -> list[ShardFinding]:
    """The findings of a search in a form for other processes; `name` names a state of the search."""
    return [
        ShardFinding(
            invariant,
            severity,
            seen,
            name(node),
            None if via is None else (via[0], codec.encode(via[1])),
            message,
        )
        for (invariant, severity), (seen, node, via, message) in search.findings.items()
    ]


class _Kept(PackedStates[S]):
    """The states of one process, which caches recently visited ones in `ids`."""

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""
        return self._table.put(self._parts.pack(state))


class Shard(Search[S]):
    """The search of one process out of `count`; it has no state before `begin`."""

    def __init__(
        self,
        shares: WalkShare[S],
        number: int,
        count: int,
        budget: WalkLimits,
        tell: Callable[[WalkProgress], None] | None = None,
    ) -> None:
        self.kept = _Kept(shares.parts)
        super().__init__(shares.model, shares.invariants, budget, tell, lambda: self.kept)
        self.pack(0)
        # Names of recently visited states of all owners: most steps lead to one of them.
        self.ids = Memo()
        self.shares = shares
        self.number = number
        self.count = count
        self.levels = [0]
        self._posted: dict[S, tuple[int, int]] = {}
        self._waiting: list[tuple[int, int, int]] = []
        self._outboxes = [Outbox(shares.parts, shares.codec) for _ in range(count)]
        self._inboxes = [Inbox(shares.parts, shares.codec) for _ in range(count)]

    def begin(self, before: Beginning) -> None:
        """Take over a share of the levels walked and checked by the first process."""
        graph, shares = self.graph, self.shares
        for state, _ in Inbox(shares.parts, shares.codec).read(before.states):
            self.kept.put(state)
            graph.good.append(self.model.converged(state))
        self.levels, _, graph.parents, graph.first, graph.targets, graph.labels, actions = before
        graph.actions = {action: label for label, action in enumerate(actions)}
        ends = (*self.levels[1:], len(graph.parents))
        for depth, (low, high) in enumerate(zip(self.levels, ends, strict=True)):
            graph.depths.extend([depth] * (high - low))

    def admit(self, state: S, parent: int, depth: int) -> int:
        """The state's name; 0 for a state of another process whose name is not known yet."""
        owner = self.shares.place(state) % self.count
        name = parent * self.count + self.number
        if owner == self.number:
            own = self.ids[state] = super().admit(state, name, depth) * self.count + owner
            return own
        posted = self._posted.get(state)
        if posted is None:
            posted = self._posted[state] = (owner, self._outboxes[owner].post(state, name))
        self._waiting.append((len(self.graph.targets), *posted))
        return 0

    def expand_level(self) -> list[Letter]:
        """Take every step of the states of the last level; returns the messages to all processes."""
        low, high = self.levels[-1], len(self.graph.states)
        self.levels.append(high)
        for node in range(low, high):
            self.expand(node)
            if node % _TELLS == 0:
                trim()
                self.tell(node)
        return [outbox.letter() for outbox in self._outboxes]

    def take(self, letters: Sequence[Letter]) -> list[array[int]]:
        """Admit the states that other processes sent; returns their names, for each sender."""
        return [
            array("I", [self._named(state, parent) for state, parent in inbox.read(letter)])
            for inbox, letter in zip(self._inboxes, letters, strict=True)
        ]

    def _named(self, state: S, parent: int) -> int:
        """The name of an own state that was reached from the last level."""
        name = self.ids.get(state)
        if name is None:
            depth = len(self.levels) - 1
            name = self.ids[state] = super().admit(state, parent, depth) * self.count + self.number
        return name

    def name(self, names: Sequence[array[int]]) -> ShardSize:
        """Fill in the names of other processes' states; returns the size of this share."""
        for edge, owner, place in self._waiting:
            self.graph.targets[edge] = names[owner][place]
        for state, (owner, place) in self._posted.items():
            self.ids[state] = names[owner][place]
        self._waiting.clear()
        self._posted.clear()
        states = len(self.graph.states)
        return ShardSize(states, states - self.levels[-1], self.stop)

    def obey(self, order: str, *values: Any) -> Any:
        """Carry out an order of the leading process."""
        orders: dict[str, Callable[..., Any]] = {
            "begin": self.begin,
            "expand": self.expand_level,
            "take": self.take,
            "name": self.name,
            "end": self.result,
        }
        return orders[order](*values)

    def result(self) -> ShardGraph:
        """The part of the graph that this process holds."""
        graph, codec = self.graph, self.shares.codec
        findings = named_findings(self, codec, lambda node: node * self.count + self.number)
        return ShardGraph(
            self.levels,
            graph.parents,
            graph.first,
            graph.targets,
            graph.labels,
            list(graph.actions),
            graph.good,
            [codec.encode(part) for part in self.shares.parts.all()],
            self.kept.keys(),
            findings,
            self.checked,
        )


def serve(connection: Connection, make: MakeShare, number: int, count: int, budget: WalkLimits) -> None:
    """Carry out the orders of the leading process until it closes; only that process handles interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        shard = Shard(make(), number, count, budget, lambda walked: connection.send(("so far", walked)))
        with uncollected():
            while True:
                order, *values = connection.recv()
                connection.send(("done", shard.obey(order, *values)))
    except (EOFError, OSError):  # the leading process is gone
        return
    except Exception as error:
        connection.send(("failed", error))
