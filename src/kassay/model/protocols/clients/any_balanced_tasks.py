"""`any-balanced` for tasks: every balanced target of a Streams group with the fewest moves.

Active tasks are spread over members as evenly as possible, and as many as possible stay with their owners.
Each standby task goes to a process other than the active one's, at most once per process, with as many copies
as requested and possible. Standby tasks are also spread evenly, and stay where they can. Source: KIP-1071,
for the requirements on a task assignor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from kassay.model.protocols.values.streams.tasks import TaskIds, TaskRoles, TaskTarget
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember

Places = tuple[int, ...]
"""For each task, the index of its member; or for one task, the indexes of members with a copy."""


@lru_cache(maxsize=4096)
def balanced_tasks(ask: StreamsGroup) -> tuple[TaskTarget, ...]:
    """Every balanced target with the fewest moves, in a fixed order."""
    if not ask.members:
        return ((),)
    targets: dict[TaskTarget, None] = {}
    for owners in _actives(ask):
        for copies in _standbys(ask, owners):
            targets[_target(ask, owners, copies)] = None
    return tuple(targets)


def _actives(ask: StreamsGroup) -> list[Places]:
    """The owners of active tasks: flattest loads first, then the most tasks that stay."""
    places = range(len(ask.members))
    dealt = list(product(places, repeat=len(ask.tasks)))
    flattest = min(_loads(owners, len(places)) for owners in dealt)
    even = [owners for owners in dealt if _loads(owners, len(places)) == flattest]
    kept = [sum(task in ask.members[o].active for task, o in zip(ask.tasks, owners)) for owners in even]
    return [owners for owners, stays in zip(even, kept) if stays == max(kept)]


def _loads(owners: Iterable[int], members: int) -> list[int]:
    """The number of tasks of each member, largest first."""
    counts = Counter(owners)
    return sorted((counts[place] for place in range(members)), reverse=True)


def _standbys(ask: StreamsGroup, owners: Places) -> list[tuple[Places, ...]]:
    """The members with copies of each stateful task, in the order of the tasks."""
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
    """The placements of one task's copies: at most one per process, none in the active task's process."""
    home = ask.members[owner].process_id
    away = {member.process_id for member in ask.members} - {home}
    number = min(ask.standby_replicas, len(away))
    for places in combinations(range(len(ask.members)), number):
        processes = {ask.members[place].process_id for place in places}
        if len(processes) == number and home not in processes:
            yield places


def _kept(tasks: Iterable[GroupTask], members: tuple[StreamsMember, ...], copies: Iterable[Places]) -> int:
    """The number of copies that stay with a member that already has the task, in either role."""
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
