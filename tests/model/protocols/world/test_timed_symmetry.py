"""Clients renamed on the clock: one state of each class, classes of the right size, the same verdicts."""

from itertools import permutations

import pytest

from kassay.engines.protocols.explore import shares_of
from kassay.model.errors import InputError
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import WalkLimits, run
from kassay.model.kinds import Verdict
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.symmetry import distinguished
from kassay.model.protocols.world.timed import TimedClientSymmetry
from tests.explored import build, explore, settings
from tests.model.protocols.world.orbits import both

WORLDS = [
    ("classic", {"mode": "eager", "partitions": 1, "faults": "crash=1"}),
    ("classic", {"mode": "cooperative", "partitions": 1, "faults": "slow=1"}),
    ("kip848", {"partitions": 1}),
]
LARGE = [
    ("classic", {"mode": "eager", "faults": "loss=1"}),
    ("classic", {"mode": "eager", "faults": "pause=1"}),
    ("classic", {"mode": "cooperative", "faults": "failover=1"}),
    ("classic", {"mode": "eager", "partitions": 1, "faults": "failover=1", "timing": Timing(load=2)}),
    ("classic", {"mode": "eager", "partitions": 1, "faults": "loss=1", "timing": Timing(delay=1)}),
    ("classic", {"mode": "eager", "members": 3, "partitions": 1, "timing": Timing(initial_delay=1)}),
    ("kip848", {"partitions": 1, "faults": "loss=1"}),
    ("kip848", {"partitions": 1, "faults": "crash=1"}),
    ("kip848", {"partitions": 2, "timing": Timing(session=4)}),
]


def timed(name, chosen):
    return build(name, **{**chosen, "clock": "ticks"})


def agree(name, chosen):
    """Both walks of a world, once it is sure that they agree; raises AssertionError if they do not."""
    model = timed(name, chosen)
    assert distinguished(model.inner) == ""
    symmetry = TimedClientSymmetry(model.context.interner)
    ways = list(permutations(range(model.options.members)))
    return both(model, symmetry, lambda state: [symmetry.renamed(state, places) for places in ways])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "chosen"), WORLDS, ids=str)
def test_full_and_renamed_walks_agree_and_classes_add_up(name, chosen):
    full, reduced = agree(name, chosen)
    assert reduced.verdict is Verdict.HOLDS
    assert reduced.states < 0.6 * full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "chosen"), LARGE, ids=str)
def test_full_and_renamed_walks_agree_and_classes_add_up_in_larger_worlds(name, chosen):
    full, reduced = agree(name, chosen)
    assert reduced.states < 0.6 * full.states


@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_a_renamed_state_can_do_what_the_state_can_do_and_has_the_same_representative(name):
    model = timed(name, {"partitions": 1, "faults": "pause=1,failover=1"})
    symmetry = TimedClientSymmetry(model.context.interner)
    states = walk(model, budget=WalkLimits(1500), check_liveness=False).graph.states
    apart = [state for state in states if len(set(state.clocks)) == 2]
    assert apart, "two clocks show different times"
    swapped = (1, 0)
    for state in (*states[::41], *apart[::41]):
        renamed = symmetry.renamed(state, swapped)
        assert renamed.clocks == state.clocks[::-1]
        assert symmetry(model.canonical(renamed)) == symmetry(state)
        assert {model.canonical(symmetry.renamed(after, swapped)) for _, after in model.steps(state)} == {
            model.canonical(after) for _, after in model.steps(renamed)
        }


def test_timers_that_are_renamed_stand_by_due_time_still():
    model = timed("classic", {"members": 3, "partitions": 1})
    symmetry = TimedClientSymmetry(model.context.interner)
    states = walk(model, budget=WalkLimits(3000), check_liveness=False).graph.states
    mixed = [
        state
        for state in states
        if len({order.due for order in state.world.broker.value.armed}) > 1
        and len(state.world.broker.value.armed) > 2
    ]
    assert mixed, "three timers, of two due times"
    for state in mixed[::9]:
        for places in permutations(range(3)):
            armed = symmetry.renamed(state, places).world.broker.value.armed
            assert list(armed) == sorted(armed, key=lambda order: (order.due, order.timer))


@pytest.mark.slow
def test_a_broken_rule_is_found_in_both_and_its_trace_is_a_run():
    chosen = {
        "mode": "cooperative",
        "partitions": 1,
        "faults": "pause=1",
        "switches": frozenset({"no_lost_on_reset"}),
    }
    _, reduced = agree("classic", chosen)
    assert reduced.violations
    for violation in reduced.violations:
        run(timed("classic", chosen), [step.action for step in violation.trace[1:]])


def test_every_process_takes_the_same_representative():
    chosen = settings("classic", partitions=1, clock="ticks")
    first, second = (shares_of(chosen, symmetric="clients") for _ in range(2))
    states = walk(first.model, budget=WalkLimits(100), check_liveness=False).graph.states
    for state in reversed(states):
        there = second.codec.decode(first.codec.encode(state))
        assert second.codec.encode(second.model.canonical(there)) == first.codec.encode(state)


def test_who_is_renamed_on_the_clock():
    def renamed(**more):
        return explore("kip848", clock="ticks", partitions=2, states_max=5, **more).symmetric

    told = (None, True, False)
    assert [renamed(members=2, symmetry=one) for one in told] == ["", "clients", ""]
    assert [renamed(members=3, symmetry=one) for one in told] == ["clients", "clients", ""]
    with pytest.raises(InputError, match="--states symmetric: not applicable: instance ids"):
        renamed(static=1, symmetry=True)
