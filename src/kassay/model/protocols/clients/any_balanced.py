"""`any-balanced`: every balanced answer at once, so that results hold for any balanced rule.

Eager: all assignments whose loads differ as little as subscriptions allow. Cooperative: of those, the
ones that move the fewest owned partitions, without every partition that its owner must first revoke
(KIP-429). Reports of owned partitions: the highest generation wins, equal generations cancel each other
(KIP-341, KIP-792).

`any-balanced` for tasks: every balanced target of a Streams group with the fewest moves. Active tasks
are spread over members as evenly as possible, and as many as possible stay with their owners. Standby
tasks go to other processes than the active one, each process once, as many as configured and as there
are processes; they too lie as evenly as can be, and stay where they can. Source: KIP-1071, for what an
assignor of tasks must keep to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients.classic_state import Ask, Given
from kassay.model.protocols.values.choices import Target, TargetAsk
from kassay.model.protocols.values.requests import Image, Partitions, Subscription
from kassay.model.protocols.values.streams import TaskIds, TaskRoles, TaskTarget
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember

Reader = tuple[str, tuple[str, ...]]


def tps_of(image: Image, topics: Iterable[str]) -> Partitions:
    """The existing partitions of these topics, by topic id."""
    wanted = set(topics)
    return tuple(
        TopicPartition(topic.topic_id, number)
        for topic in image
        if topic.name in wanted
        for number in range(topic.partitions)
    )


@lru_cache(maxsize=4096)
def balanced(readers: tuple[Reader, ...], image: Image) -> tuple[Given, ...]:
    """Every complete assignment with the flattest sorted loads, in a fixed order."""
    topics = {topic for _, reads in readers for topic in reads}
    tps = tps_of(image, topics)
    name_of = {topic.topic_id: topic.name for topic in image}
    options = [[i for i, (_, reads) in enumerate(readers) if name_of[tp.topic] in reads] for tp in tps]
    places = range(len(readers))
    candidates = [(sorted(map(owners.count, places), reverse=True), owners) for owners in product(*options)]
    flattest = min(loads for loads, _ in candidates)
    return tuple(
        tuple(
            (member, tuple(tp for tp, o in zip(tps, owners) if o == i))
            for i, (member, _) in enumerate(readers)
        )
        for loads, owners in candidates
        if loads == flattest
    )


def latest_owners(
    members: Iterable[tuple[str, str, Subscription]], switches: frozenset[str]
) -> dict[TopicPartition, str]:
    """The winning owner of each partition that members report as owned.

    Deliberate faults: dup_claim_unchecked accepts the first of two equal reports, and the later one as well
    (see `doubled`); max_gen_only considers only the group's highest generation; sticky_no_generation reads
    user data without its generation.
    """
    members = tuple(members)
    top = max((owned_of(metadata)[1] for _, _, metadata in members), default=-1)
    lowest = top if "max_gen_only" in switches else 0
    alone = "dup_claim_unchecked" not in switches
    return {
        tp: reporters[0]
        for tp, (label, reporters) in _reporters(members, switches).items()
        if label >= lowest and not (alone and len(reporters) > 1)
    }


def _reporters(
    members: Iterable[tuple[str, str, Subscription]], switches: frozenset[str]
) -> dict[TopicPartition, tuple[int, list[str]]]:
    """The highest generation reported for each partition, and the members that report it."""
    best: dict[TopicPartition, tuple[int, list[str]]] = {}
    for member, _, metadata in members:
        owned, label = owned_of(metadata)
        label = 0 if "sticky_no_generation" in switches else label
        for tp in owned if label >= 0 else ():
            held, reporters = best.get(tp, (-2, []))
            if label >= held:
                best[tp] = (label, [*reporters, member] if label == held else [member])
    return best


def owned_of(metadata: Subscription) -> tuple[Partitions, int]:
    """A member's owned partitions and their generation, from its subscription, else from its user data."""
    if metadata.owned or not metadata.user_data:
        return metadata.owned, metadata.generation
    (memory,) = metadata.user_data
    return memory.owned, memory.generation


def doubled(
    given: Given, members: Iterable[tuple[str, str, Subscription]], switches: frozenset[str]
) -> Given:
    """The answer of a rule that never compares equal reports: all with the best one keep the partition."""
    best = _reporters(members, switches)
    twice = {tp: reporters for tp, (_, reporters) in best.items() if len(reporters) > 1}
    return tuple(
        (member, tuple(sorted({*tps, *(tp for tp, reporters in twice.items() if member in reporters)})))
        for member, tps in given
    )


def stickiest(answers: Iterable[Given], owner: dict[TopicPartition, str]) -> tuple[Given, ...]:
    """The answers that leave the most partitions with their owners."""
    scored = [
        (sum(owner.get(tp) == member for member, tps in given for tp in tps), given) for given in answers
    ]
    top = max((score for score, _ in scored), default=0)
    return tuple(given for score, given in scored if score == top)


def withheld(given: Given, owner: dict[TopicPartition, str]) -> Given:
    """The answer without partitions that another member still owns."""
    return tuple(
        (member, tuple(tp for tp in tps if owner.get(tp, member) == member)) for member, tps in given
    )


class AnyBalanced:
    """The leader's choices; `mode` cooperative withholds, `sticky` also minimises moves in eager mode.

    Switches: no_withhold does not withhold; naive_validation throws if reports of owned partitions conflict;
    dup_claim_unchecked and sticky_no_generation accept such reports; max_gen_only see `latest_owners`.
    """

    def __init__(self, mode: str, *, sticky: bool = False, switches: frozenset[str] = frozenset()) -> None:
        self.mode = mode
        self.sticky = sticky or mode == "cooperative"
        self.switches = switches

    def __call__(self, ask: Ask) -> tuple[Given, ...]:
        """Every answer for this round; none if the rule throws."""
        members = tuple(m for m in ask.members if isinstance(m[2], Subscription))
        readers = tuple((member, metadata.topics) for member, _, metadata in members)  # type: ignore[union-attr]
        answers = balanced(readers, ask.image)
        if not self.sticky:
            return answers
        if "naive_validation" in self.switches and _contradictory(members):  # type: ignore[arg-type]
            return ()
        owner = latest_owners(members, self.switches)  # type: ignore[arg-type]
        answers = stickiest(answers, owner)
        if self.mode == "cooperative" and "no_withhold" not in self.switches:
            answers = tuple(dict.fromkeys(withheld(given, owner) for given in answers))
        if self.switches & {"dup_claim_unchecked", "sticky_no_generation"}:
            # Withholding concerns partitions that move between members; what both keep does not move.
            answers = tuple(doubled(given, members, self.switches) for given in answers)  # type: ignore[arg-type]
        return answers


def _contradictory(members: Iterable[tuple[str, str, Subscription]]) -> bool:
    owned = [tp for _, _, metadata in members for tp in owned_of(metadata)[0]]
    return len(owned) > len(set(owned))


@lru_cache(maxsize=4096)
def balanced_targets(ask: TargetAsk) -> tuple[Target, ...]:
    """Every balanced target of a consumer group that moves least from the previous one."""
    owner = {tp: member.member_id for member in ask.members for tp in member.target}
    readers = tuple((member.member_id, member.subscribed) for member in ask.members)
    return stickiest(balanced(readers, ask.topics), owner)


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
    candidates = list(product(places, repeat=len(ask.tasks)))
    flattest = min(_loads(owners, len(places)) for owners in candidates)
    even = [owners for owners in candidates if _loads(owners, len(places)) == flattest]
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
    candidates = list(product(*options))
    if len(candidates) < 2:
        return candidates
    loads = [_loads((o for places in copies for o in places), len(ask.members)) for copies in candidates]
    even = [copies for copies, load in zip(candidates, loads) if load == min(loads)]
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
