"""What one process walks alone: whole levels, and every state of them dealt to one process."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.parallel.dealt import dealt, first_levels
from kassay.model.explore.parallel.shard import Shard
from kassay.model.explore.search import Search, explore
from kassay.model.explore.values import WalkLimits
from tests.model.explore.parallel.crews import INVARIANTS, RING, shares_of
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
    begun, names = dealt(search.graph, levels, shares_of(toy), count)
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
    begun, _ = dealt(search.graph, first_levels(search, 0), shares_of(RING), 3)
    assert [len(each.parents) for each in begun] == [1, 0, 0]
