"""The outcomes of Connect clusters, compared with the best possible answers."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.kinds.measures import Measure, MeasuredRest
from kassay.model.calls import Failure
from kassay.model.connect.history import ConnectRun
from kassay.model.connect.work import connectors_in, tasks_in
from kassay.properties.connect.balance import least_moved
from kassay.properties.connect.work import running_after


def rest_of_cluster(run: ConnectRun) -> MeasuredRest | None:
    """The stable state after a cluster's last change, compared with what workers ran before it."""
    if any(isinstance(step.answer, Failure) for step in run.steps):
        return None
    return MeasuredRest([_cluster(run)], run.settling) if run.steps[-1].at_rest else MeasuredRest([], None)


def _cluster(run: ConnectRun) -> Measure | None:
    configured, running = run.steps[-1].request.configured, running_after(run.steps[-1])
    given = [work for own in running.values() for work in own]
    if len(given) != len(configured) or set(given) != configured:
        return None
    loads = [[len(kind(own)) for own in running.values()] for kind in (connectors_in, tasks_in)]
    balance, spread = sum(map(_above_even, loads)), max(map(_further_apart, loads))
    ran = running_after(run.steps[run.played - 2]) if run.played > 1 else {}
    before = {worker: configured.intersection(ran.get(worker, ())) for worker in running}
    away = sum(len(own.difference(running[worker])) for worker, own in before.items())
    least = least_moved(before.values(), configured)
    movement = away - least if balance == 0 else None
    return Measure(len(running), len(configured), True, balance, spread, away, least, movement)


def _above_even(loads: Sequence[int]) -> int:
    """The excess of the squared loads over those of an even share."""
    least, more = divmod(sum(loads), len(loads))
    even = more * (least + 1) ** 2 + (len(loads) - more) * least**2
    return sum(load * load for load in loads) - even


def _further_apart(loads: Sequence[int]) -> int:
    """The excess of the spread of the loads over that of an even share."""
    return max(loads) - min(loads) - (sum(loads) % len(loads) > 0)
