"""Canonical forms: generations and ids from 1, facts found by parts as by looking at everything, no name left."""

from itertools import pairwise, permutations

import pytest

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.explore.search import explore
from kassay.model.protocols.faults import parse_faults
from kassay.model.protocols.world import canonical
from kassay.model.protocols.world.canonical import GAP_MAX
from kassay.model.protocols.world.context import options
from kassay.model.protocols.world.groups import ClassicModel
from kassay.model.protocols.world.symmetry import ClientSymmetry
from tests.model.protocols.world.bisimilar import compared
from tests.model.protocols.world.walked import WORLDS, everything, ids, some


@pytest.mark.parametrize(("make", "chosen"), WORLDS)
def test_a_canonical_state_counts_from_one(make, chosen):
    model, states = some(make, chosen)
    for state in states[:200]:
        for _, raw in model.steps(state):
            after = model.canonical(raw)
            assert model.canonical(after) is after
            found = [item for cell in (*after.clients, after.broker) for item in everything(cell)]
            for name in ids(found):
                prefix, _, number = name.rpartition("-")
                assert {f"{prefix}-{n}" for n in range(1, int(number))} <= ids(found)


@pytest.mark.parametrize(("make", "chosen"), WORLDS)
def test_a_representative_is_the_same_under_any_names(make, chosen):
    model, states = some(make, chosen)
    symmetry = ClientSymmetry(model.context.interner)
    for state in states:
        others = [symmetry.renamed(state, places) for places in permutations(range(chosen.members))]
        assert len({symmetry(other) for other in others}) == 1
        assert symmetry(state) in others


@pytest.mark.parametrize(("make", "chosen"), WORLDS)
def test_renaming_back_gives_the_same_world(make, chosen):
    model, states = some(make, chosen)
    symmetry = ClientSymmetry(model.context.interner)
    for state in states:
        for places in permutations(range(chosen.members)):
            back = tuple(places.index(c) for c in range(chosen.members))
            assert symmetry.renamed(symmetry.renamed(state, places), back) == state


@pytest.mark.parametrize(("make", "chosen"), WORLDS)
def test_renamed_worlds_take_the_same_steps(make, chosen):
    """What the walk of one of each class rests on: renaming and stepping can change places."""
    model, states = some(make, chosen)
    symmetry = ClientSymmetry(model.context.interner)
    places = (*range(1, chosen.members), 0)
    for state in states[:150]:
        first = {symmetry.renamed(model.canonical(after), places) for _, after in model.steps(state)}
        then = {model.canonical(after) for _, after in model.steps(symmetry.renamed(state, places))}
        assert first == then


@pytest.mark.slow
def test_large_gaps_between_generations_close_and_small_ones_stay():
    # A coordinator whose log is behind: without this the walk would have no end (2 x 1, loss and failover).
    model = ClassicModel(options("eager", partitions=1, faults=parse_faults("loss=1,failover=1")))
    states = explore(model, check_liveness=False).graph.states
    canonical = model.canonical
    gaps = set()
    for state in states:
        assert canonical(state) == state
        numbers = sorted(
            {n for cell in (*state.clients, state.broker) for n in everything(cell) if n_from_1(n)}
        )
        gaps |= {b - a for a, b in pairwise(numbers)}
    assert max(gaps) == GAP_MAX

    def counted(number, cell):
        return model.context.cell(cell.value._replace(generation=number))

    one = next(s for s in states if s.clients[0].value.generation == 1 and s.clients[1].value.generation == 1)
    near, at, far, further = (
        canonical(one._replace(clients=(one.clients[0], counted(1 + gap, one.clients[1]))))
        for gap in (GAP_MAX - 1, GAP_MAX, GAP_MAX + 1, 50)
    )
    assert near != at == far == further


def n_from_1(number):
    return isinstance(number, int) and number >= 1


def world(protocol, faults, **changes):
    return build(ExploreSettings(protocol, members=2, partitions=1, faults=parse_faults(faults), **changes))


@pytest.mark.slow_cases("classic-changes1-crash=1,failover=1")
@pytest.mark.parametrize(
    ("protocol", "changes", "faults"),
    [
        ("classic", {"mode": "cooperative"}, "crash=1"),
        ("classic", {"mode": "eager"}, "crash=1,failover=1"),
        ("kip848", {}, "pause=1"),
        ("kip848", {}, "crash=1,failover=1"),
        pytest.param("classic", {"mode": "eager"}, "pause=1,failover=1", marks=pytest.mark.exhaustive),
        pytest.param("classic", {"mode": "cooperative"}, "pause=1,failover=1", marks=pytest.mark.exhaustive),
        pytest.param("migration", {}, "crash=1,failover=1", marks=pytest.mark.exhaustive),
    ],
)
def test_whoever_judges_cannot_tell_a_run_from_what_is_walked(protocol, changes, faults):
    """All worlds of all runs, none of them numbered anew, beside the walk."""
    seen = compared(world(protocol, faults, **changes), runs_max=500_000)
    assert seen.whole
    assert seen.runs >= seen.states
    assert seen.pairs
    assert not seen.unlike
    assert seen.twice_run == seen.twice_walked
    # A coordinator that loses generations gives them out again: then runs and walk take other steps.
    loses = protocol != "kip848" and "failover" in faults
    assert bool(seen.differ) == bool(seen.left_out) == loses


@pytest.mark.exhaustive
def test_nor_can_he_where_the_generations_of_a_run_have_no_end():
    seen = compared(world("classic", "loss=1,failover=1", mode="eager"), runs_max=60_000)
    assert not seen.whole
    assert seen.differ
    assert not seen.unlike


@pytest.mark.slow
def test_he_can_where_all_generations_count_as_one(monkeypatch):
    monkeypatch.setattr(canonical, "GAP_MAX", 0)
    assert compared(world("classic", "crash=1,failover=1", mode="eager"), runs_max=5_000).unlike
