"""Worlds at N1 and N2, played and settled by hand."""

from __future__ import annotations

from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Severity
from kassay.model.kinds import Verdict
from kassay.model.protocols.values.in_flight import SILENT
from tests.explored import build
from tests.model.protocols.world.script import first, play


def states(name, **settings):
    model = build(name, network="N1", **settings)
    done = walk(model, (), check_liveness=False)
    assert done.limit is None
    return model, done.graph


def clients(state):
    return [cell.value for cell in state.clients]


def group(state):
    return state.broker.value.state.group


def settle(model, state):
    """The nearest state at rest with silent wires: heartbeats never end, so that nothing ever stops."""
    waiting, seen = [state], {state}
    for found in waiting:
        if model.census(found).resting and all(client.wire == SILENT for client in clients(found)):
            return found
        for action, after in model.steps(found):
            if (
                not action.fault
                and action.name not in ("processes", "sends OffsetCommit")
                and after not in seen
            ):
                seen.add(after)
                waiting.append(after)
    raise AssertionError("the model cannot rest")


def joined(model, *members):
    """The clients that start one after the other, each settled before the next."""
    state = first(model)
    for number in members:
        state = settle(model, play(model, state, f"c{number} start"))
    return state


CLASSIC = (("classic", "eager"), ("classic", "cooperative"))


def real(result):
    return [v.invariant for v in result.exploration.violations if v.severity is Severity.REAL]


def clean(result):
    live = result.exploration.liveness
    assert real(result) == []
    assert (live.dead_ends, live.livelocks, live.hopeless) == ((), (), 0)
    assert result.verdict is Verdict.HOLDS
