"""A rehearsal: the plan played, what was seen next to what was planned, and why they differ if known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.engines.clusters.played import Extent
from kassay.engines.clusters.rolled import STICKY, StepRoll
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.recording import Recording
from kassay.engines.live.result import LiveResult
from kassay.engines.live.run import LiveOptions, Progress, live
from kassay.engines.rehearse.plan import RehearsalPlan, RehearsedRoll, planned_from
from kassay.engines.rehearse.seen import RollSeen, owned_after, roll_seen

SCHEMA: Final = "kassay/rehearsal/1"
UNEXPLAINED: Final = "not explained"


@dataclass(frozen=True)
class ComparedRoll:
    """A roll: what was planned for the group as it is, what for the group as it was rehearsed, what was seen.

    `differences`: figures that were not as planned, each with the reason if it is known.
    """

    roll: RehearsedRoll
    again: StepRoll | None
    seen: RollSeen
    differences: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the roll."""
        planned = self.roll.planned
        return {
            "setting": str(self.roll.setting),
            "client": self.roll.client,
            "stops_all": self.roll.stops,
            "planned": None if planned is None else planned.to_json(),
            "planned_from_this_start": None if self.again is None else self.again.to_json(),
            "seen": self.seen.to_json(),
            "differences": list(self.differences),
        }


@dataclass(frozen=True)
class Rehearsal:
    """A rehearsal and its result on the live claims."""

    plan: RehearsalPlan
    rolls: tuple[ComparedRoll, ...]
    result: LiveResult

    def to_json(self) -> dict[str, Any]:
        """The rehearsal as JSON."""
        return {
            "schema": SCHEMA,
            "group": self.plan.observed.name,
            "from": str(self.plan.first),
            "client": self.plan.wanted.client.name,
            "policy": self.plan.policy or None,
            "refused": self.plan.refused or None,
            "rolls": [each.to_json() for each in self.rolls],
            "live": self.result.to_json(),
        }


def rehearse(
    plan: RehearsalPlan,
    options: LiveOptions,
    programs: ClientPrograms,
    progress: Progress = lambda _, __: None,
) -> Rehearsal:
    """Play the plan on brokers of kassay's own; raises `InputError` and `LiveFailed`."""
    recordings: list[Recording] = []
    script = plan.script()
    shape = replace(script.cluster, count=options.cluster.count)
    chosen = replace(options, script=replace(script, cluster=shape), again=0, shrink=False)
    result = live(chosen, programs, progress, recordings.append)
    recording = recordings[0]
    start = owned_after(recording.steps[len(recording.script.seats) - 1])
    again = planned_from(plan, start)
    rolls = tuple(
        compared(plan, roll, once_more, roll_seen(recording, plan.steps_of(number)))
        for number, (roll, once_more) in enumerate(zip(plan.rolls, again))
    )
    return Rehearsal(plan, rolls, result)


def compared(
    plan: RehearsalPlan, roll: RehearsedRoll, again: StepRoll | None, seen: RollSeen
) -> ComparedRoll:
    """The roll with the reasons of its differences."""
    return ComparedRoll(roll, again, seen, tuple(_differences(plan, roll, again, seen)))


def _differences(
    plan: RehearsalPlan, roll: RehearsedRoll, again: StepRoll | None, seen: RollSeen
) -> Iterator[str]:
    planned = roll.planned
    if planned is None:
        return
    figures = (
        ("rebalances", planned.rebalances, again and again.rebalances, seen.rebalances),
        ("moves", planned.moved, again and again.moved, seen.moved),
        ("pauses", _about(planned), again and _about(again), seen.paused),
    )
    for name, first, second, value in figures:
        if value is None or first.least <= value <= first.most:
            continue
        if second and second.least <= value <= second.most:
            yield f"{name}: as planned for a group that starts as its rule assigns it, which yours does not"
        else:
            yield f"{name}: {_reason(plan, roll, name, planned, value)}"
    if seen.double_owners:
        yield f"double owners: {UNEXPLAINED}; the findings name the members"


def _about(roll: StepRoll) -> Extent:
    return Extent(roll.restarted + roll.revoked, roll.restarted + roll.revoked)


def _reason(plan: RehearsalPlan, roll: RehearsedRoll, name: str, planned: StepRoll, value: int) -> str:
    """Why a figure is not as planned."""
    if name != "rebalances" and roll.client != "java" and not plan.first.is_consumer:
        return f"{roll.client} assigns by rules of its own, and what-if plays Kafka's"
    rules = {*roll.setting.strategies, *plan.first.strategies, roll.setting.remote, plan.first.remote}
    if name == "rebalances" and planned.quick <= value < planned.rebalances.least:
        return "members were back before the others had joined again"
    if roll.setting.is_consumer or plan.first.is_consumer:
        return "the ids of consumer groups are random, and what-if plays three orders of them"
    if name != "rebalances" and rules & STICKY:
        return "a sticky rule decides ties by the order of Kafka's hash maps, which what-if does not know"
    return UNEXPLAINED
