"""What one process walks alone: whole levels, and every state of them dealt to one process.

The graph of all shares is that of one process, but for the order within a level.

Walks by several processes: counts, verdicts and lengths of one; what is killed or fails is said.

Parts kept as bytes are the parts: the same numbers and states, whether they came as bytes or as they are.
"""

import os
import signal
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.explore.parallel import WrittenParts, explore_by, first_levels, merged_findings, shared_out
from kassay.model.explore.search import Search, explore
from kassay.model.explore.shard import Shard, ShardFinding
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Interner, PackedStates, Parts
from kassay.model.explore.values import Graph, WalkLimits
from tests.model.explore.crews import INVARIANTS, RING, broken, explored_by, ring, shares_of
from tests.model.explore.toys import graphs


def search_of(toy):
    return Search(toy, INVARIANTS, WalkLimits(), None)


@given(graphs(), st.integers(0, 7))
def test_whole_levels_are_walked_until_there_are_enough_states(toy, most):
    search = search_of(toy)
    levels = first_levels(search, most)
    graph, whole = search.graph, explore(toy, INVARIANTS).graph
    assert list(graph.states) == list(whole.states)[: len(graph.states)]
    assert levels[-1] == graph.expanded
    depths = list(graph.depths)
    assert [depths.index(depth) for depth in sorted(set(depths))] == levels[: len(set(depths))]
    assert len(graph.states) == len(whole.states) or len(graph.states) > most


@given(graphs(), st.integers(0, 7), st.integers(1, 4))
def test_every_state_begins_in_one_process_under_its_name(toy, most, count):
    search = search_of(toy)
    levels = first_levels(search, most)
    begun, names = shared_out(search.graph, levels, shares_of(toy), count)
    shards = [Shard(shares_of(toy), number, count, WalkLimits()) for number in range(count)]
    for shard, each in zip(shards, begun, strict=True):
        shard.begin(each)
    for node, name in enumerate(names):
        shard, place = shards[name % count], name // count
        assert shard.graph.states[place] == search.graph.states[node]
        assert shard.graph.depths[place] == search.graph.depths[node]
        assert (place < shard.levels[-1]) == (node < levels[-1])
    assert sum(len(shard.graph.states) for shard in shards) == len(names)


def test_the_start_belongs_to_one_of_them():
    search = search_of(RING)
    begun, _ = shared_out(search.graph, first_levels(search, 0), shares_of(RING), 3)
    assert [len(each.parents) for each in begun] == [1, 0, 0]


def plain(graph, toy):
    """A graph by its states, whatever their numbers."""
    good = graph.good or list(map(toy.converged, graph.states))
    states, actions = list(graph.states), list(graph.actions)
    edges = {
        states[node]: [(actions[label], states[to]) for label, to in graph.edges(node)]
        for node in range(graph.expanded)
    }
    return dict(zip(states, zip(graph.depths, map(bool, good)), strict=True)), edges


@given(graphs(), st.integers(1, 4), st.integers(0, 7))
def test_states_depths_and_edges_are_those_of_one_process(toy, count, alone_most):
    done, _ = explored_by(toy, count, alone_most=alone_most)
    alone = explore(toy, INVARIANTS)
    assert plain(done.graph, toy) == plain(alone.graph, toy)
    assert list(done.graph.depths) == sorted(done.graph.depths)
    for node, parent in enumerate(done.graph.parents):
        assert parent < 0 or done.graph.depths[parent] + 1 == done.graph.depths[node]
        assert parent < 0 or node in [to for _, to in done.graph.edges(parent)]


def test_a_walk_cut_short_has_the_edges_of_whole_levels():
    done, _ = explored_by(RING, 3, WalkLimits(20))
    assert (done.limit, done.liveness) == ("states", None)
    assert 20 < done.states < 60
    assert 0 < done.graph.expanded < done.states
    assert {done.graph.depths[node] for node in range(done.graph.expanded, done.states)} == {done.diameter}


class _Plain:
    """A codec of states that are their own bytes."""

    def decode(self, data):
        return data.decode()


STEP = (("crash", 0), b"after")
"""The step out of a state that shows a finding; a finding in a state has none."""


@pytest.mark.parametrize(
    ("places", "nearest"),
    [
        # A step from depth 1 shows its finding at depth 2, behind a state of depth 1 with a larger number.
        ([(1, STEP), (2, None)], 2),
        ([(2, None), (1, STEP)], 2),
        # A step from depth 0 shows it at depth 1, before a state of depth 2.
        ([(3, None), (0, STEP)], 0),
        # At the same depth the smaller number is the nearer.
        ([(2, None), (1, None)], 1),
        ([(3, None), (1, STEP)], 1),
    ],
)
def test_of_the_findings_of_all_processes_the_nearest_to_the_start_is_kept(places, nearest):
    graph = Graph(depths=array("I", [0, 1, 1, 2]))
    shared = [ShardFinding("safe", None, 1, node, via, f"at {node}") for node, via in places]
    ((seen, node, via, message),) = merged_findings(shared, graph, array("I", range(4)), _Plain()).values()
    assert (seen, node, message) == (len(places), nearest, f"at {nearest}")
    assert via == (None if dict(places)[nearest] is None else (STEP[0], "after"))


def shown(done):
    live = done.liveness
    stuck = live and (len(live.dead_ends), sorted(len(s.trace) for s in live.livelocks), live.hopeless)
    violations = [(v.invariant, v.severity, v.length, v.seen) for v in done.violations]
    return done.states, done.edges, done.diameter, done.verdict, sorted(violations), stuck, done.checked


@given(graphs(), st.integers(1, 4), st.integers(0, 7))
def test_a_walk_by_shards_comes_to_what_one_comes_to(toy, count, alone_most):
    done, _ = explored_by(toy, count, alone_most=alone_most)
    assert shown(done) == shown(explore(toy, INVARIANTS))
    for violation in done.violations:
        for before, step in zip(violation.trace, violation.trace[1:]):
            assert (step.action, step.state) in toy.steps(before.state)


@pytest.mark.slow
def test_processes_come_to_the_same_and_say_how_it_goes():
    for alone_most in (0, 20, 100):
        seen = []
        done = explore_by(2, ring(), ring, progress=seen.append, alone_most=alone_most)
        assert shown(done) == shown(explore(RING, INVARIANTS))
        assert seen[-1].states == done.states


def test_the_first_violation_ends_a_walk_where_that_is_asked():
    assert explored_by(RING, 2, WalkLimits(stop_at_first=True))[0].limit == "first violation"
    assert explored_by(RING, 2, WalkLimits(time_s=0.0))[0].limit == "time"


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (WalkLimits(stop_at_first=True), "first violation"),
        (WalkLimits(time_s=0.0), "time"),
        (WalkLimits(20), "states"),
    ],
)
def test_limits_hold_for_what_one_process_walks_alone(limits, limit):
    done = explore_by(2, ring(), ring, budget=limits, alone_most=20)
    assert (done.limit, done.liveness) == (limit, None)
    assert done.states < 60


def test_what_a_process_raises_is_raised_here():
    with pytest.raises(ValueError, match="no such ring"):
        explore_by(2, ring(), broken, alone_most=0)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_is_said_in_one_line():
    with pytest.raises(InputError, match="a process of the walk was killed"):
        explore_by(2, ring(), killed, alone_most=0)


STATES = st.lists(st.tuples(st.text("ab", max_size=2), st.integers(0, 3)), max_size=8, unique=True)


@given(STATES, STATES)
def test_states_are_told_apart_as_by_parts_kept_as_they_are(first, then):
    cell = Interner().cell
    plain = Parts(lambda state: (cell(state[0]), state[1:]), lambda parts: (parts[0].value, *parts[1]), 2)
    codec = StateCodec(cell)
    written = WrittenParts(plain, codec)
    # The parts of some states come as bytes, from another process.
    for state in first:
        for part in plain.split(state):
            assert written.number_of(codec.encode(part)) == plain.part_number(part)
    kept, wanted = PackedStates(written), PackedStates(plain)
    for state in (*then, *first):
        assert kept.put(state) == wanted.put(state)
    assert list(kept) == list(wanted)
    assert kept.keys() == wanted.keys()
    assert list(written.all()) == list(plain.all())
