"""An answer in one line, in the words of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any, Final

from kassay.model.calls import Refusal
from kassay.model.connect.history import ConnectStep
from kassay.model.groups.group import Assignment
from kassay.model.groups.metrics import rack_mismatches
from kassay.model.groups.step import Step
from kassay.model.partitioners.sends import Sent
from kassay.model.placement.planning import PlanStep
from kassay.model.placement.step import PlacementStep
from kassay.model.streams.history import TaskStep

_SHOWN: Final = 6
"""Members, moves or partitions that a line names."""


def few(words: Sequence[str], between: str = ", ") -> str:
    """The first of them, and how many more there are."""
    rest = len(words) - _SHOWN
    return between.join(words[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def listed(things: Iterable[object]) -> str:
    """The things with blanks between them; a dash for none."""
    return few([str(thing) for thing in things], " ") or "-"


@singledispatch
def words_of(step: Any) -> str:
    """The step's answer in a line."""
    raise TypeError(f"no words for {type(step).__name__}")


def record_words(sent: Sent) -> str:
    """Where one record goes."""
    return f"partition {sent.answer}" if isinstance(sent.answer, int) else f"refused: {sent.answer.message}"


@words_of.register
def _(step: Step) -> str:
    answer = step.given
    loads = " ".join(map(str, sorted((len(answer.get(m, ())) for m in step.group.by_id), reverse=True)))
    if any(topic.weights is not None for topic in step.cluster.topics):
        carried = [sum(map(step.cluster.weight, answer.get(m, ()))) for m in step.group.by_id]
        loads = f"{' '.join(map(str, sorted(carried, reverse=True)))} by weight"
    text = f"{loads} {_changes(step, answer)}" if step.previous else f"{loads}: {_shares(answer)}"
    if any(map(any, step.cluster.replica_racks.values())):
        away = len(rack_mismatches(step.cluster, step.group, answer))
        text += f"; {away} away from their replicas' racks"
    return text


def _shares(answer: Assignment) -> str:
    return few([f"{member_id} {listed(tps)}" for member_id, tps in answer.items()])


def _changes(step: Step, answer: Assignment) -> str:
    """Who hands what to whom; partitions that nobody gets are given up."""
    owner = {tp: member_id for member_id, tps in answer.items() for tp in tps}
    moves = [
        f"{tp} {was} -> {owner.get(tp, 'nobody yet')}"
        for tp, was in sorted(step.previous.items())
        if tp not in answer.get(was, ())
    ]
    if not moves:
        return "without a move"
    return f"in {len(moves)} move{'s' if len(moves) > 1 else ''}: {few(moves)}"


@words_of.register
def _(step: PlacementStep) -> str:
    if isinstance(step.answer, Refusal):
        return f"refused with {step.answer.java_class.rpartition('.')[2]}: {step.answer.message}"
    return few([f"partition {number} on {listed(row)}" for number, row in step.numbered()])


@words_of.register
def _(step: PlanStep) -> str:
    moves = step.given.moves
    return f"{len(moves)} move{'' if len(moves) == 1 else 's'}: {few(list(map(str, moves))) or 'none'}"


@words_of.register
def _(step: TaskStep) -> str:
    def tasks(process_id: str) -> str:
        active, standby = given[process_id]
        return f"{process_id} {listed(active)}" + (f" | standby {listed(standby)}" if standby else "")

    given = step.given.processes
    return few([tasks(process_id) for process_id in given])


@words_of.register
def _(step: ConnectStep) -> str:
    def change(worker_id: str) -> str:
        starts, stops = workers[worker_id]
        parts = [f"starts {listed(starts)}"] * bool(starts) + [f"stops {listed(stops)}"] * bool(stops)
        return f"{worker_id} {' and '.join(parts) or 'goes on'}"

    workers: Mapping[str, Any] = step.given.workers
    delay = f"; all rejoin in {step.given.delay_ms} ms" if step.given.delay_ms else ""
    return few([change(worker_id) for worker_id in workers]) + delay
