"""Random walks, for unbounded worlds: a violation they find is real, finding none proves nothing.

Each walk begins at an initial state and takes one enabled step after another. A trace to a violation is then
shortened: steps are left out and the rest is replayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import TypeVar

from kassay.model.explore.search import Search
from kassay.model.explore.states import trim
from kassay.model.explore.values import (
    Action,
    Exploration,
    Invariant,
    InvariantViolation,
    Model,
    Severity,
    WalkLimits,
    WalkProgress,
    WalkStep,
)

S = TypeVar("S", bound=Hashable)

LIMIT = "random walks"
STEPS_MAX = 200
"""The number of steps of one walk."""
FAULTS = 0.1
"""The probability of a fault when another step is enabled."""
IDLE_MAX = 200
"""The run ends after this many consecutive walks without a new state: the world may be small."""
TRIES_MAX = 600
"""The maximum number of shorter runs to try for one violation."""


def random_walk(
    model: Model[S],
    invariants: Sequence[Invariant[S]] = (),
    *,
    seed: int = 0,
    budget: WalkLimits | None = None,
    progress: Callable[[WalkProgress], None] | None = None,
) -> Exploration[S]:
    """Walk at random until the budget is spent, no new states appear, or a real violation is found.

    Never returns `holds`: its `limit` is always set, and liveness is not checked. States are counted as in
    the explorer; `edges` counts the steps taken.
    """
    random = Random(seed)
    search = Search(model, invariants, budget or WalkLimits(), progress)
    ways: dict[tuple[str, Severity], tuple[WalkStep[S], ...]] = {}
    idle = 0
    while not search.stop and not _spent(search) and idle < IDLE_MAX:
        known = len(search.graph.states)
        _walk(search, random, ways)
        trim()
        idle = idle + 1 if len(search.graph.states) == known else 0
        search.tell(0)
        search.stop = any(severity is Severity.REAL for _, severity in search.findings)
    violations = []
    for (name, severity), (seen, _, _, message) in search.findings.items():
        trace, words = shortened(model, invariants, name, severity, ways[name, severity])
        violations.append(
            InvariantViolation(name, search.claims[name], severity, words or message, trace, seen)
        )
    violations.sort(key=lambda violation: (violation.severity is not Severity.REAL, violation.length))
    elapsed_s = time.monotonic() - search.started
    return Exploration(search.graph, tuple(violations), None, LIMIT, elapsed_s, frozenset(search.checked))


def _spent(search: Search[S]) -> bool:
    budget = search.budget
    if budget.states_max is not None and len(search.graph.states) >= budget.states_max:
        return True
    return budget.time_s is not None and time.monotonic() - search.started > budget.time_s


def _walk(
    search: Search[S], random: Random, ways: dict[tuple[str, Severity], tuple[WalkStep[S], ...]]
) -> None:
    """One walk; `ways` receives the run to each finding that this walk is the first to reach."""
    model, graph = search.model, search.graph
    state = next(iter(model.initial()))
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    node = _met(search, state, -1, 0)
    for depth in range(1, STEPS_MAX + 1):
        enabled = list(model.steps(state))
        if not enabled or search.stop or _spent(search):
            return
        action, after = _drawn(random, enabled)
        lefts = [None if reads is None else reads(state) for reads, *_ in search.step_checks]
        search.judge_step(state, lefts, node, action, after)
        node = _met(search, after, node, depth)
        graph.targets.append(node)
        trace.append(WalkStep(action, after))
        state = after
        for kind in search.findings:
            ways.setdefault(kind, tuple(trace))
        if any(severity is Severity.REAL for _, severity in search.findings):
            return


def _met(search: Search[S], state: S, parent: int, depth: int) -> int:
    """The number of a state; a new state is checked."""
    known = search.model.canonical(state)
    number = search.ids.get(known)
    return search.admit(known, parent, depth) if number is None else number


def _drawn(random: Random, enabled: list[tuple[Action, S]]) -> tuple[Action, S]:
    """A random step; mostly not a fault, if another step is enabled."""
    faults = [pair for pair in enabled if pair[0].fault and not pair[0].disturbs]
    others = [pair for pair in enabled if not pair[0].fault or pair[0].disturbs]
    if faults and (not others or random.random() < FAULTS):
        return random.choice(faults)
    return random.choice(others)


def shortened(
    model: Model[S],
    invariants: Sequence[Invariant[S]],
    name: str,
    severity: Severity,
    trace: tuple[WalkStep[S], ...],
) -> tuple[tuple[WalkStep[S], ...], str]:
    """A run to the same violation with steps left out, large pieces first, and the message there."""
    judges = [invariant for invariant in invariants if invariant.name == name]
    best, words = trace, ""
    tries, size = 0, len(trace) // 2
    while size and tries < TRIES_MAX:
        start, shorter = 1, False
        while start < len(best) and tries < TRIES_MAX:
            tries += 1
            wanted = [step.action for step in (*best[1:start], *best[start + size :]) if step.action]
            attempt = _played(model, judges, severity, wanted)
            if attempt is not None and len(attempt[0]) < len(best):
                (best, words), shorter = attempt, True
            else:
                start += size
        size = size if shorter and size == 1 else size // 2
    return best, words


def _played(
    model: Model[S], judges: Sequence[Invariant[S]], severity: Severity, wanted: Sequence[Action]
) -> tuple[tuple[WalkStep[S], ...], str] | None:
    """The run of these steps without those not enabled, up to the violation; None without one."""
    state = next(iter(model.initial()))
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for action in wanted:
        step = _like(model, state, action)
        if step is None:
            continue
        trace.append(step)
        for finding in (said for judge in judges for said in judge.judge(state, step.state)):
            if finding.severity is severity:
                return tuple(trace), finding.message
        state = step.state
    return None


def _like(model: Model[S], state: S, action: Action) -> WalkStep[S] | None:
    """The enabled step with this name, if possible with the same details."""
    same = [
        (taken, after)
        for taken, after in model.steps(state)
        if (taken.actor, taken.name, taken.fault) == (action.actor, action.name, action.fault)
    ]
    same.sort(key=lambda pair: (pair[0] != action, pair[0].detail != action.detail))
    return WalkStep(*same[0]) if same else None
