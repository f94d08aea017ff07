"""Walks on the integer clock, and states in which some clients share the group."""

from __future__ import annotations

from kassay.model.kinds import Verdict
from kassay.model.protocols.values.groups import STABLE
from tests.explored import explore
from tests.model.protocols.world.script import first, play
from tests.model.protocols.world.timed_worlds import group, members, timed, wait


def walk(timing=None, model="classic", **more):
    return explore(model, clock="T1", timing=timing, **more)


def found(result, name):
    return {v.severity: v for v in result.exploration.violations if v.invariant == name}


def clean(result):
    live = result.exploration.liveness
    assert result.verdict is Verdict.HOLDS
    assert (live.dead_ends, live.livelocks, live.hopeless) == ((), (), 0)


def settled(timing, started=2, **more):
    """A model, and a state in which these clients share the group."""
    model = timed(timing, **{"members": started, **more})
    state = first(model)
    for number in range(1, started + 1):
        state = wait(model, play(model, state, f"c{number} start"), 2 * timing.heartbeat)
    assert group(state).state == STABLE
    assert len(members(state)) == started
    return model, state
