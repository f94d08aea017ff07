"""The machine over a protocol model's steps: what it finds the explorer replays, and the other way round."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from kassay.engines.protocols.switch_runs import hunt
from kassay.engines.protocols.views import views_of
from kassay.model.explore.values import Severity, run
from kassay.model.protocols.faults import Faults
from kassay.properties.machines.protocol import BrokenInvariant, Walk, machine_for
from kassay.properties.protocols.registry import invariants
from tests.explored import build


def test_scenario_68_the_explorers_counterexample_replays_in_the_machine():
    found = hunt("no_withhold").result
    violation = next(v for v in found.exploration.violations if v.severity is Severity.REAL)
    actions = [step.action for step in violation.trace[1:]]
    fresh = build("classic", mode="cooperative", switches=frozenset({"no_withhold"}))
    judged = Walk(fresh, invariants(views_of(fresh)))
    with pytest.raises(BrokenInvariant) as broken:
        judged.replay(actions)
    assert broken.value.actions == tuple(actions)


@pytest.mark.slow
def test_scenario_68_the_machines_counterexample_replays_in_the_explorer():
    switches = frozenset({"ignore_unreleased"})

    def make():
        model = build("kip848", members=3, partitions=3, switches=switches)
        return model, invariants(views_of(model))

    machine = machine_for(make)
    with pytest.raises(BrokenInvariant) as broken:
        run_state_machine_as_test(
            machine, settings=settings(max_examples=300, stateful_step_count=25, deadline=None, database=None)
        )
    model, _ = make()
    trace = run(model, broken.value.actions)
    assert len(trace) == len(broken.value.actions) + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("classic", {"mode": "cooperative", "faults": Faults(crash=1, pause=1, failover=1, partitions=1)}),
        ("kip848", {"faults": Faults(crash=1, pause=1, failover=1, loss=2)}),
    ],
)
def test_larger_worlds_at_random(name, more):
    model = build(name, members=3, partitions=3, **more)

    def make():
        return model, invariants(views_of(model))

    quick = settings(
        max_examples=60,
        stateful_step_count=50,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine_for(make), settings=quick)
