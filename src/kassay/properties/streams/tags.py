"""The claim about tags: standby copies are spread over the values of the requested tags.

An answer does not say which copy was placed first. It satisfies the claim if its copies can be put in some
order in which each is placed as KIP-708 says, until no process is left that could be.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, permutations
from typing import Final

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskRequest
from kassay.properties.registry import Evidence, Scope, claim
from kassay.writing.text import series

COPIES_MAX: Final = 3
"""Up to this number of standby copies of a task all their orders are tried."""

_Values = tuple[str, ...]
"""The values of a process, in the order of the tags over which copies are spread."""
_All = tuple[_Values, ...]


def _values(request: TaskRequest) -> dict[str, _Values]:
    """The values of each process by its id."""
    keys = tuple(dict.fromkeys(request.rack_aware_tags))
    return {c.process_id: tuple(c.tag_of[key] for key in keys) for c in request.clients}


def _copies_required(request: TaskRequest) -> int:
    """The required standby copies of each task with state."""
    return max(0, min(request.standby_replicas, len(request.clients) - 1))


def _is_tagged(step: TaskStep) -> bool:
    """Whether copies are to be spread, and each process has a value for each of the tags."""
    request = step.request
    return (
        bool(request.stateful and request.rack_aware_tags)
        and 0 < _copies_required(request) <= COPIES_MAX
        and all(client.tag_of.keys() >= set(request.rack_aware_tags) for client in request.clients)
    )


def _fits(process: _Values, placed: list[_Values], every_process: _All) -> bool:
    """Whether the process differs from those placed in each tag that has more values than they are."""
    return all(
        process[tag] not in {other[tag] for other in placed}
        for tag in range(len(process))
        if len({other[tag] for other in every_process}) > len(placed)
    )


def _is_placed_in_turn(active: _Values, standbys: tuple[_Values, ...], every_process: _All) -> bool:
    """Whether each standby fits those before it, or from the first that does not fit no process does."""
    placed = [active]
    for standby in standbys:
        if not _fits(standby, placed, every_process):
            # Where a tag still counts, a process that has a copy does not fit: it shares its own values.
            return not any(_fits(process, placed, every_process) for process in every_process)
        placed.append(standby)
    return True


def _is_spread(active: _Values, standbys: _All, every_process: _All) -> bool:
    """Whether the copies can have been placed in this way in some order."""
    return any(_is_placed_in_turn(active, order, every_process) for order in permutations(standbys))


@lru_cache(maxsize=1 << 12)
def _may_be_crowded(every_process: _All, copies: int) -> bool:
    """Whether some process and the processes of its tasks' standby copies may fail to be spread."""
    return any(
        not _is_spread(active, standbys, every_process)
        for number, active in enumerate(every_process)
        for standbys in combinations(every_process[:number] + every_process[number + 1 :], copies)
    )


def _can_break(step: TaskStep) -> bool:
    every_process = tuple(sorted(_values(step.request).values()))
    return _may_be_crowded(every_process, _copies_required(step.request))


@claim(
    "standby-tags",
    kinds=STREAMS,
    scope=Scope.OUTCOME,
    applies=_is_tagged,
    breakable=_can_break,
    minimum=20,
    source="KIP-708",
    fix=("prefer for the next copy a process whose tags have values that no copy of the task has yet"),
)
def standby_tags(step: TaskStep) -> Iterator[Evidence]:
    """When stable, the copies of a task differ in each tag to spread over, as far as it has values.

    In some order each standby copy is on a process that differs from those of the active task and of the
    standby copies before it in every tag (`rack.aware.assignment.tags`) that has more values than they are;
    from the first that is not, no process is left that does. Judged where each process has all these tags,
    of tasks that have the requested number of standby copies, up to three.
    """
    request, values = step.request, _values(step.request)
    every_process, required = tuple(values.values()), _copies_required(step.request)
    for task in sorted(request.stateful):
        runs_on, standby_on = step.given.active_on.get(task, []), step.given.standby_on.get(task, [])
        copies = {*runs_on, *standby_on}
        if (
            len(runs_on) != 1
            or len(standby_on) != required
            or len(copies) <= required
            or copies - values.keys()
        ):
            continue
        if not _is_spread(values[runs_on[0]], tuple(values[on] for on in standby_on), every_process):
            tags = {on: " ".join(values[on]) for on in (*runs_on, *standby_on)}
            where = series(f"{on} ({value})" for on, value in tags.items())
            yield Evidence(
                str(task),
                {"active on": runs_on[0], "standby on": tuple(standby_on), "values": tags},
                f"The copies of task {task} could be spread better over the tags: they are on {where}.",
            )
