"""The search: breadth first over all states, checking each on its first visit."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Final, Generic, TypeAlias, TypeVar

from kassay.model.explore.liveness import judge_liveness
from kassay.model.explore.states import Memo, trim
from kassay.model.explore.values import (
    RENUMBERED,
    Action,
    Exploration,
    Finding,
    Graph,
    Invariant,
    InvariantViolation,
    Model,
    Reduced,
    Severity,
    States,
    WalkLimits,
    WalkProgress,
    WalkStep,
    WholeStates,
    retrace,
)

S = TypeVar("S", bound=Hashable)
_NAMES: Final = re.compile(r"[\w-]*\d[\w:-]*")

WHOLE_MOST: Final = 20_000
"""Up to this many states are stored as objects: they need little memory and no decoding."""


_Said: TypeAlias = tuple[tuple[str, Finding], ...]
_Question: TypeAlias = tuple[str, Callable[..., Iterable[Finding] | None]]
"""An invariant's name and its predicate."""


def _grouped(
    questions: Iterable[tuple[Invariant[S], Callable[..., Iterable[Finding] | None] | None]],
) -> list[tuple[Any, Any, list[_Question], Memo[Any, _Said]]]:
    """Group invariants with equal projections, to evaluate and cache them together; skip None predicates."""
    groups: dict[tuple[Any, Any], list[_Question]] = {}
    for invariant, check in questions:
        if check is not None:
            groups.setdefault((invariant.reads, invariant.relevant), []).append((invariant.name, check))
    return [(reads, relevant, group, Memo()) for (reads, relevant), group in groups.items()]


class Search(Generic[S]):
    """The working state of a walk; one object per run."""

    def __init__(
        self,
        model: Model[S],
        invariants: Sequence[Invariant[S]],
        budget: WalkLimits,
        progress: Callable[[WalkProgress], None] | None,
        states: Callable[[], States[S]] | None = None,
        whole_most: int = WHOLE_MOST,
    ) -> None:
        self.model = model
        self.budget = budget
        self.progress = progress
        self.graph: Graph[S] = Graph()
        self.packs = states
        self.whole_most = whole_most
        whole: WholeStates[S] = WholeStates()
        self.graph.states = whole
        self.whole: WholeStates[S] | None = whole
        self.ids = whole.numbers
        self.state_checks = _grouped((inv, inv.check) for inv in invariants)
        self.step_checks = _grouped((inv, inv.check_step) for inv in invariants)
        # (invariant, severity) -> [count, node before, action or None, state, message]
        self.findings: dict[tuple[str, Severity], list[Any]] = {}
        # The same by (invariant, severity, cause), if causes are kept apart.
        self.by_cause: dict[tuple[str, Severity, str], list[Any]] = {}
        self.claims = {inv.name: inv.claim for inv in invariants}
        self.checked: set[str] = set()
        self.started = time.monotonic()
        self.stop = False

    def note(self, name: str, finding: Finding, node: int, via: tuple[Action, S] | None) -> None:
        """Count a finding; the first of its kind is reported, because it is nearest to the start."""
        entry = self.findings.get((name, finding.severity))
        if entry is None:
            self.findings[name, finding.severity] = [1, node, via, finding.message]
        else:
            entry[0] += 1
        if self.budget.all_causes:
            key = (name, finding.severity, cause_of(finding.message))
            self.by_cause.setdefault(key, [0, node, via, finding.message])[0] += 1
        if self.budget.stop_at_first and finding.severity is Severity.REAL:
            self.stop = True

    def _said(self, group: Sequence[_Question], *ends: S) -> _Said:
        """The findings of invariants that are evaluated together; records which of them were applicable."""
        said: list[tuple[str, Finding]] = []
        for name, check in group:
            findings = check(*ends)
            if findings is not None:
                self.checked.add(name)
                said += [(name, finding) for finding in findings]
        return tuple(said)

    def judge_state(self, state: S, node: int) -> None:
        """Evaluate every state predicate, cached by projection if one is declared."""
        for reads, _, group, seen in self.state_checks:
            key = state if reads is None else reads(state)
            findings = seen.get(key) if reads is not None else None
            if findings is None:
                findings = self._said(group, state)
                if reads is not None:
                    seen[key] = findings
            for name, finding in findings:
                self.note(name, finding, node, None)

    def judge_step(self, before: S, lefts: list[Any], node: int, action: Action, after: S) -> None:
        """Evaluate every step predicate whose projection changed; `lefts` are the projections before."""
        for number, (reads, relevant, group, seen) in enumerate(self.step_checks):
            key: Hashable = None
            if reads is not None:
                left, right = lefts[number], reads(after)
                if left is right or left == right:
                    continue
                key = (left, right)
            if relevant is not None and not relevant(before, after):
                continue
            findings = seen.get(key) if reads is not None else None
            if findings is None:
                findings = self._said(group, before, after)
                if reads is not None:
                    seen[key] = findings
            for name, finding in findings:
                self.note(name, finding, node, (action, after))

    def admit(self, state: S, parent: int, depth: int) -> int:
        """The number of a state that `ids` does not know; checks a new state."""
        graph = self.graph
        node = len(graph.parents)
        if self.whole is not None:
            self.ids[state] = node
            self.whole.append(state)
        elif (known := graph.states.put(state)) < node:
            return known
        else:
            graph.good.append(self.model.converged(state))
        graph.parents.append(parent)
        graph.depths.append(depth)
        self.judge_state(state, node)
        return node

    def pack(self, node: int) -> None:
        """Switch to compact storage from here on; all states before this one are expanded."""
        if self.packs is None or self.whole is None:
            return
        packed = self.packs()
        for number, state in enumerate(self.whole):
            packed.put(state)
            self.graph.good.append(self.model.converged(state))
            if number < node:
                packed.expanded(number)
        self.graph.states, self.whole, self.ids = packed, None, {}

    def expand(self, node: int) -> None:
        """Take every step of one state."""
        graph, ids, actions = self.graph, self.ids, self.graph.actions
        canonical, targets, labels = self.model.canonical, graph.targets, graph.labels
        state = graph.states[node]
        depth = graph.depths[node] + 1
        lefts = [None if reads is None else reads(state) for reads, *_ in self.step_checks]
        for action, after in self.model.steps(state):
            if lefts and after is not state:
                self.judge_step(state, lefts, node, action, after)
            after = canonical(after)
            target = ids.get(after)
            if target is None:
                target = self.admit(after, node, depth)
            targets.append(target)
            label = actions.get(action)
            if label is None:
                label = actions[action] = len(actions)
            labels.append(label)
        graph.first.append(len(targets))
        if self.whole is None:
            graph.states.expanded(node)

    def tell(self, node: int) -> None:
        """Call the progress callback."""
        if self.progress is not None:
            graph = self.graph
            elapsed = time.monotonic() - self.started
            waiting = len(graph.states) - node
            self.progress(
                WalkProgress(len(graph.states), len(graph.targets), graph.depths[node], waiting, elapsed)
            )

    def start(self) -> None:
        """Admit the initial states."""
        for start in self.model.initial():
            start = self.model.canonical(start)
            if start not in self.ids:
                self.admit(start, -1, 0)

    def walk(self) -> str | None:
        """Expand states in order until none is left; the name of the first limit reached, or None."""
        self.start()
        budget, graph = self.budget, self.graph
        node = 0
        while node < len(graph.states) and not self.stop:
            if budget.states_max is not None and len(graph.states) > budget.states_max:
                return "states"
            if node % 1024 == 0:
                trim()
                if len(graph.states) > self.whole_most:
                    self.pack(node)
                self.tell(node)
                if budget.time_s is not None and time.monotonic() - self.started > budget.time_s:
                    return "time"
            self.expand(node)
            node += 1
        return "first violation" if self.stop else None


def cause_of(message: str) -> str:
    """The message without what differs between two findings of one cause: names and numbers.

    >>> cause_of("c1-2 is a member, and no session timer watches it")
    '# is a member, and no session timer watches it'
    """
    return _NAMES.sub("#", message)


def _violations(search: Search[S], invariants: Sequence[Invariant[S]]) -> tuple[InvariantViolation[S], ...]:
    violations = []
    kinds = search.by_cause or {(*kind, ""): entry for kind, entry in search.findings.items()}
    for (name, severity, cause), (seen, node, via, message) in kinds.items():
        trace = retrace(search.model, search.graph, node)
        judges = [inv for inv in invariants if inv.name == name]
        if via is None:
            words = _words(judges, severity, cause, None, trace[-1].state)
        else:
            words, step = _broken_step(
                search.model, trace[-1].state, via, partial(_words, judges, severity, cause)
            )
            trace = (*trace, step)
        violations.append(
            InvariantViolation(name, search.claims[name], severity, words or message, trace, seen)
        )
    return tuple(sorted(violations, key=lambda violation: (violation.severity != "real", violation.length)))


def _broken_step(
    model: Model[S], last: S, via: tuple[Action, S], words_of: Callable[[S, S], str]
) -> tuple[str, WalkStep[S]]:
    """The message in the names of the trace, and the step out of its last state that was recorded.

    As in `retrace`, the canonical state continues the trace where the step leads elsewhere from the state.
    """
    goal = model.canonical(via[1])
    full = model.full if isinstance(model, Reduced) else model
    for start, mark in ((last, ""), (full.canonical(last), RENUMBERED)):
        same = [(act, after) for act, after in model.steps(start) if model.canonical(after) == goal]
        if same:
            # Prefer the recorded step itself; under a symmetry, take one with the same finding.
            act, after = min(same, key=lambda pair: (not words_of(start, pair[1]), pair[0] != via[0]))
            return words_of(start, after), WalkStep(act._replace(name=act.name + mark), after)
    raise LookupError(f"no step repeats {via[0].name}")


def _words(judges: list[Invariant[S]], severity: Severity, cause: str, before: S | None, after: S) -> str:
    """The invariants' messages in the names of the trace, about its last state or its last step."""
    for invariant in judges:
        for finding in invariant.judge(before, after):
            if finding.severity is severity and cause in ("", cause_of(finding.message)):
                return finding.message
    return ""


@cache
def _is_frozen() -> bool:
    """Whether this process keeps objects out of collections: counted once, since that takes a while."""
    return gc.get_freeze_count() > 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Suspend the cyclic garbage collector: states are tuples, which have no cycles.

    A walk keeps nearly all objects that it creates, and the collector would scan all of them repeatedly: that
    took a third of the time of a large walk.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            # Move everything to the oldest generation, or the next collection would scan all of it.
            if not _is_frozen():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def explore(
    model: Model[S],
    invariants: Sequence[Invariant[S]] = (),
    *,
    budget: WalkLimits | None = None,
    progress: Callable[[WalkProgress], None] | None = None,
    check_liveness: bool = True,
    symmetry: Callable[[S], S] | None = None,
    states: Callable[[], States[S]] | None = None,
    whole_most: int = WHOLE_MOST,
) -> Exploration[S]:
    """Walk all states of the model within the budget and check them.

    With a `symmetry`, one state of each class is visited (see `Reduced`); traces are still runs of the model.
    Liveness is checked only on complete graphs. Beyond `whole_most` states, storage switches to what `states`
    makes, if given.
    """
    walked = model if symmetry is None else Reduced(model, symmetry)
    search = Search(walked, invariants, budget or WalkLimits(), progress, states, whole_most)
    with uncollected():
        limit = search.walk()
    return concluded(search, invariants, limit, check_liveness=check_liveness)


def concluded(
    search: Search[S], invariants: Sequence[Invariant[S]], limit: str | None, *, check_liveness: bool = True
) -> Exploration[S]:
    """The result of a finished search: traces, and liveness if the graph is complete."""
    search.tell(search.graph.expanded - 1 if search.graph.expanded else 0)
    violations = _violations(search, invariants)
    liveness = None
    if check_liveness and limit is None:
        liveness = judge_liveness(search.model, search.graph)
    elapsed_s = time.monotonic() - search.started
    return Exploration(search.graph, violations, liveness, limit, elapsed_s, frozenset(search.checked))
