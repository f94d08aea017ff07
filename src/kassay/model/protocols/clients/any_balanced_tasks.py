"""`any-balanced` for tasks: every balanced target of a Streams group at once, of those that move least.

Active tasks are spread over members as evenly as can be, and as many as can stay with who has them. Standby
tasks go to other processes than the active one, each process once, as many as asked for and as there are
processes; they too lie as evenly as can be, and stay where they can.
Source: KIP-1071, for what an assignor of tasks must keep to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from kassay.model.protocols.values.streams.tasks import TaskIds, TaskRoles, TaskTarget
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember

Places = tuple[int, ...]
"""Of each task, the place of the member that gets it; or of one task, the places of those with a copy."""


@lru_cache(maxsize=4096)
def balanced_tasks(ask: StreamsGroup) -> tuple[TaskTarget, ...]:
    """Every balanced target that moves least, in a fixed order."""
    if not ask.members:
        return ((),)
    targets: dict[TaskTarget, None] = {}
    for owners in _actives(ask):
        for copies in _standbys(ask, owners):
            targets[_target(ask, owners, copies)] = None
    return tuple(targets)


def _actives(ask: StreamsGroup) -> list[Places]:
    """Who runs each task: flattest first, then as many as can be stay."""
    places = range(len(ask.members))
    dealt = list(product(places, repeat=len(ask.tasks)))
    flattest = min(_loads(owners, len(places)) for owners in dealt)
    even = [owners for owners in dealt if _loads(owners, len(places)) == flattest]
    kept = [sum(task in ask.members[o].active for task, o in zip(ask.tasks, owners)) for owners in even]
    return [owners for owners, stays in zip(even, kept) if stays == max(kept)]


def _loads(owners: Iterable[int], members: int) -> list[int]:
    """How many tasks each member has, most first."""
    counts = Counter(owners)
    return sorted((counts[place] for place in range(members)), reverse=True)


def _standbys(ask: StreamsGroup, owners: Places) -> list[tuple[Places, ...]]:
    """Who keeps the copies of each stateful task, in the order of these."""
    owner = dict(zip(ask.tasks, owners))
    options = [list(_copies(ask, owner[task])) for task in ask.stateful]
    dealt = list(product(*options))
    if len(dealt) < 2:
        return dealt
    loads = [_loads((o for places in copies for o in places), len(ask.members)) for copies in dealt]
    even = [copies for copies, load in zip(dealt, loads) if load == min(loads)]
    kept = [_kept(ask.stateful, ask.members, copies) for copies in even]
    return [copies for copies, stays in zip(even, kept) if stays == max(kept)]


def _copies(ask: StreamsGroup, owner: int) -> Iterator[Places]:
    """The ways to place copies of one task: at most one in a process, none beside the active task."""
    home = ask.members[owner].process_id
    away = {member.process_id for member in ask.members} - {home}
    number = min(ask.standby_replicas, len(away))
    for places in combinations(range(len(ask.members)), number):
        processes = {ask.members[place].process_id for place in places}
        if len(processes) == number and home not in processes:
            yield places


def _kept(tasks: Iterable[GroupTask], members: tuple[StreamsMember, ...], copies: Iterable[Places]) -> int:
    """How many copies stay with a member that has the task already, in either role."""
    return sum(
        task in (*members[place].standby, *members[place].active)
        for task, places in zip(tasks, copies)
        for place in places
    )


def _target(ask: StreamsGroup, owners: Places, copies: tuple[Places, ...]) -> TaskTarget:
    def of(place: int) -> TaskRoles:
        active: TaskIds = tuple(task for task, owner in zip(ask.tasks, owners) if owner == place)
        standby: TaskIds = tuple(task for task, places in zip(ask.stateful, copies) if place in places)
        return TaskRoles(tuple(sorted(active)), tuple(sorted(standby)))

    return tuple(sorted((member.member_id, of(place)) for place, member in enumerate(ask.members)))
