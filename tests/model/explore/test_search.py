"""The walk: every state once, shortest traces, three verdicts, limits, and the same again each time."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given

from kassay.model.explore.search import explore
from kassay.model.explore.values import RENUMBERED, Finding, Invariant, Severity, WalkLimits
from kassay.model.kinds import Verdict
from tests.model.explore.toys import Counter, Toy, act, chain, graphs

REAL, ZOMBIE = Severity.REAL, Severity.ZOMBIE


def never(bad, severity=REAL, **more):
    return Invariant(
        "never", "no such state", lambda s: [Finding(severity, f"{s}")] if s in bad else [], **more
    )


def distances(toy):
    """Breadth first by the book: the distance of each reachable state."""
    found = dict.fromkeys(toy.initial(), 0)
    queue = list(found)
    for state in queue:
        for _, after in toy.steps(state):
            if after not in found:
                found[after] = found[state] + 1
                queue.append(after)
    return found


@given(graphs())
def test_every_state_is_met_once_at_its_distance(toy):
    done = explore(toy)
    graph = done.graph
    assert len(set(graph.states)) == done.states
    assert dict(zip(graph.states, graph.depths)) == distances(toy)
    assert done.edges == sum(len(toy.steps(state)) for state in graph.states)
    assert done.diameter == max(graph.depths)


@given(graphs())
def test_the_graph_holds_every_step_under_its_action(toy):
    graph = explore(toy).graph
    names = list(graph.actions)
    for node, state in enumerate(graph.states):
        told = [(names[label], graph.states[target]) for label, target in graph.edges(node)]
        assert told == list(toy.steps(state))


@given(graphs())
def test_a_violation_has_a_shortest_trace_that_is_a_run(toy):
    bad = {state for state in toy.arrows if state % 2}
    done = explore(toy, [never(bad)])
    reached = distances(toy)
    hit = bad & set(reached)
    assert len(done.violations) == bool(hit)
    for found in done.violations:
        assert found.length == min(reached[state] for state in hit)
        assert found.seen == len(hit)
        assert found.trace[0].state in toy.initial()
        assert found.trace[-1].state in hit
        assert found.message == str(found.trace[-1].state)
        for before, step in pairwise(found.trace):
            assert (step.action, step.state) in toy.steps(before.state)


@given(graphs())
def test_a_step_predicate_is_asked_of_exactly_the_changed_projections(toy):
    asked = []
    asks = Invariant(
        "asks", "", check_step=lambda a, b: asked.append((a, b)) or [], reads=lambda s: (s // 2,)
    )
    tells = Invariant("tells", "", check_step=lambda a, b: [Finding(ZOMBIE, "")], reads=lambda s: (s // 2,))
    done = explore(toy, [asks])
    changed = [(s, t) for s in done.graph.states for _, t in toy.steps(s) if s // 2 != t // 2]
    pairs = {(s // 2, t // 2) for s, t in changed}
    assert sorted((a // 2, b // 2) for a, b in asked) == sorted(pairs), "each pair once"
    assert sum(found.seen for found in explore(toy, [tells]).violations) == len(changed), "counted each time"


def test_a_step_predicate_is_asked_only_where_it_is_relevant():
    asked = []
    check = Invariant(
        "late", "", check_step=lambda a, b: asked.append((a, b)) or [], relevant=lambda a, b: b > 1
    )
    explore(chain(0, 1, 2, 3), [check])
    assert asked == [(1, 2), (2, 3)]


def test_a_state_predicate_is_asked_once_a_projection():
    asked = []
    check = Invariant("parity", "", lambda s: asked.append(s) or [Finding(REAL, "")], reads=lambda s: s % 2)
    (found,) = explore(chain(0, 1, 2, 3), [check]).violations
    assert (asked, found.seen) == ([0, 1, 0], 4), "and once more for the words of the trace"


def test_the_violation_of_a_step_ends_with_that_step():
    check = Invariant("up", "", check_step=lambda a, b: [Finding(REAL, f"{a}{b}")] if b < a else [])
    toy = Toy({0: [(act("x"), 1)], 1: [(act("up"), 2), (act("down"), 0)]}, frozenset({2}))
    (found,) = explore(toy, [check]).violations
    assert [str(step.action.name) for step in found.trace[1:]] == ["x", "down"]
    assert found.message == "10"


@pytest.mark.parametrize(
    ("severity", "verdict"),
    [(REAL, Verdict.VIOLATED), (ZOMBIE, Verdict.HOLDS), (Severity.BY_DESIGN, Verdict.HOLDS)],
)
def test_only_what_is_real_counts_as_violated(severity, verdict):
    assert explore(chain(0, 1, 2), [never({1}, severity)]).verdict is verdict


@pytest.mark.parametrize(
    ("budget", "limit"), [(WalkLimits(states_max=10), "states"), (WalkLimits(None, time_s=0.0), "time")]
)
def test_a_spent_budget_is_unknown(budget, limit):
    done = explore(Counter({}), budget=budget)
    assert (done.limit, done.verdict, done.liveness) == (limit, Verdict.UNKNOWN, None)
    if limit == "states":
        assert done.states == 11


def test_a_violation_stays_one_when_the_budget_is_spent():
    assert explore(Counter({}), [never({3})], budget=WalkLimits(10)).verdict is Verdict.VIOLATED


def test_a_limit_that_is_just_enough_is_none():
    assert explore(chain(*range(10)), budget=WalkLimits(10)).verdict is Verdict.HOLDS


def test_an_invariant_that_had_nothing_to_judge_was_not_asked():
    def invariant(name, **more):
        return Invariant(name, "", **more)

    asked = [
        invariant("state", check=lambda s: [] if s == 3 else None),
        invariant("step", check_step=lambda a, b: iter(()) if b == 2 else None),
        invariant("projected", check=lambda s: [] if s == 3 else None, reads=lambda s: s),
        invariant("broken", check=lambda s: [Finding(ZOMBIE, "")] if s == 3 else None),
    ]
    silent = [
        invariant("late", check=lambda s: [] if s == 4 else None),
        invariant("later", check_step=lambda a, b: None),
        invariant("passed over", check_step=lambda a, b: [], relevant=lambda a, b: False),
        invariant("unread", check_step=lambda a, b: [], reads=lambda s: None),
    ]
    done = explore(chain(0, 1, 2, 3), [*asked, *silent])
    assert done.checked == {one.name for one in asked}
    assert explore(chain(0, 1, 2, 3), asked, budget=WalkLimits(2)).checked == {"step"}
    assert done.verdict is Verdict.HOLDS


def test_the_first_violation_can_end_the_walk():
    done = explore(Counter({}), [never({5})], budget=WalkLimits(None, stop_at_first=True))
    assert (done.limit, done.verdict, done.states) == ("first violation", Verdict.VIOLATED, 6)


def test_what_is_not_real_does_not_end_the_walk():
    done = explore(chain(0, 1, 2), [never({1}, ZOMBIE)], budget=WalkLimits(None, stop_at_first=True))
    assert (done.limit, done.states) == (None, 3)


def test_what_a_limit_left_out_cannot_hold():
    done = explore(chain(0, 1))
    assert done.verdict is Verdict.HOLDS
    assert replace(done, limit="time").verdict is Verdict.UNKNOWN


def test_progress_is_told_and_ends_with_the_whole():
    told = []
    done = explore(chain(*range(3000)), progress=told.append)
    assert len(told) == 4
    assert (told[-1].states, told[-1].edges) == (done.states, done.edges)


def test_states_that_differ_in_what_never_matters_are_one():
    class Modulo(Counter):
        def canonical(self, state):
            return state % 5

    done = explore(Modulo({}, frozenset(range(5))))
    assert (done.states, done.edges, done.verdict) == (5, 5, Verdict.HOLDS)


@pytest.mark.slow
def test_the_graph_is_flat_and_holds_long_ways():
    done = explore(chain(*range(70_000)))
    graph = done.graph
    assert done.diameter == 69_999
    flat = (graph.parents, graph.depths, graph.first, graph.targets, graph.labels)
    assert sum(numbers.itemsize * len(numbers) for numbers in flat) <= 24 * done.states


def test_garbage_is_collected_again_after_a_walk():
    import gc

    assert gc.isenabled()
    explore(chain(0, 1))
    assert gc.isenabled()


SCRIPT = """
from tests.explored import explore
import hashlib, json
told = explore("classic", mode="cooperative", members=3, partitions=1, switches=frozenset({"no_withhold"})).to_json()
del told["elapsed_s"]
print(hashlib.sha256(json.dumps(told).encode()).hexdigest())
"""


@pytest.mark.slow
def test_nothing_depends_on_the_order_of_hashes():
    seen = set()
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1


class Restarted(Toy):
    """A toy whose 5 counts as 1, though only 1 leads to 2."""

    def canonical(self, state):
        return 1 if state == 5 else state


@pytest.mark.parametrize("symmetry", [None, lambda state: state])
def test_a_step_that_only_the_canonical_state_has_ends_the_trace_of_what_it_breaks(symmetry):
    toy = Restarted({0: [(act("to 5"), 5)], 1: [(act("to 2"), 2)], 5: [(act("to 7"), 7)]})
    leads = Invariant(
        "leads", "no step to 2", check_step=lambda a, b: [Finding(REAL, f"{a} to {b}")] if b == 2 else []
    )
    (violation,) = explore(toy, [leads], symmetry=symmetry).violations
    assert [step.state for step in violation.trace] == [0, 5, 2]
    assert violation.trace[-1].action.name == "to 2" + RENUMBERED
    assert violation.message == "1 to 2"
