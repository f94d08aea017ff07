"""Writer of the records that a coordinator appends to `__consumer_offsets` while kassay plays a history.

Classic groups: one record per round. Consumer groups (KIP-848): changes of members, the epoch, the target,
and then the current assignments, first of members that must revoke.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import AddPartitions, History, Join, Leave, NewLeader, Resubscribe
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import RebalanceProtocol
from tests.offsets_log import Given, Log, Stored, Subscribed


def played(spec: str, history: History) -> list[Rebalanced]:
    """The rebalances of the history against a reference."""
    target = resolve(spec)
    with target.open() as host:
        return list(Player(host.new, target.protocol).play(history))


def client_of(member_id: str) -> str:
    """A client id: the member id without the uuid that a coordinator appends."""
    return (
        member_id[:-37]
        if re.fullmatch(r".+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", member_id)
        else f"app-{member_id}"
    )


def stored(step: Step, answer: Assignment, version: int = 3) -> list[Stored]:
    """The members of a round as their coordinator stores them; eager members have revoked everything."""
    cooperative = step.protocol is RebalanceProtocol.COOPERATIVE
    return [
        Stored(
            member.member_id,
            Subscribed(
                member.topics,
                member.owned if cooperative else (),
                member.generation if cooperative else -1,
                member.rack,
                member.user_data,
                version,
            ),
            Given(answer.get(member.member_id, ()), answer.user_data.get(member.member_id), version),
            member.instance_id,
            client_of(member.member_id),
        )
        for member in step.group.members
    ]


def write_classic(
    log: Log, group: str, protocol: str, rebalanced: Iterable[Rebalanced], *, confirmed: bool = True
) -> None:
    """One record per round; the player's last round, which changes nothing, only if `confirmed`."""
    numbers = {-1: -1}
    for each in rebalanced:
        for before, step in zip((None, *each.steps), each.steps):
            if not confirmed and before is not None and before.given.same_sets(step.given):
                numbers[step.generation] = numbers[before.generation]
                continue
            number = numbers[step.generation] = (
                step.generation if confirmed else max(numbers.values()) + 1 or 1
            )
            members = tuple(
                m._replace(generation=numbers.get(m.generation, m.generation)) for m in step.group.members
            )
            written = replace(step, group=Group(members, step.group.leader))
            log.classic(group, number, protocol, step.group.leader, stored(written, step.given))
            log.next()


Ids = Callable[[str], str]


def topic_id(topic: str) -> str:
    """A topic id derived from the name."""
    return f"id-{topic}"


def by_id(tps: Iterable[TopicPartition], ids: Ids = topic_id) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(ids(tp.topic), tp.partition) for tp in tps)


def write_consumer(
    log: Log,
    group: str,
    assignor: str | None,
    rebalanced: Iterable[Rebalanced],
    *,
    named: bool = True,
    ids: Ids = topic_id,
) -> None:
    """The records of a consumer group whose coordinator answers as in these rebalances."""
    subscribed: dict[str, tuple[tuple[str, ...], str | None]] = {}
    targets: dict[str, tuple[TopicPartition, ...]] = {}
    has: dict[str, tuple[TopicPartition, ...]] = {}
    topics: dict[str, int] = {}
    for epoch, each in enumerate(rebalanced, start=1):
        step = each.steps[-1]
        members = {m.member_id: m for m in step.group.members}
        for gone in [member for member in subscribed if member not in members]:
            log.current(group, gone, None)
            log.target(group, gone, None)
            log.subscription(group, gone, None)
            del subscribed[gone]
            targets.pop(gone, None), has.pop(gone, None)
        for member, m in members.items():
            if subscribed.get(member) != (m.topics, m.rack):
                subscribed[member] = (m.topics, m.rack)
                log.subscription(
                    group,
                    member,
                    m.topics,
                    rack=m.rack,
                    instance=m.instance_id,
                    assignor=assignor,
                    client=client_of(member),
                )
        read = {topic for m in members.values() for topic in m.topics}
        counts = {topic: n for topic, n in step.cluster.counts.items() if topic in read}
        if named and counts != topics:
            topics = counts
            log.named(group, {ids(topic): (topic, n) for topic, n in counts.items()})
        log.epoch(group, epoch)
        log.next(50)
        for member in members:
            target = by_id(step.given.get(member, ()), ids)
            if targets.get(member) != target:
                targets[member] = target
                log.target(group, member, target)
        log.target_epoch(group, epoch)
        log.next(50)
        _reconcile(log, group, epoch, targets, has)
        log.next(60_000)


def _reconcile(
    log: Log,
    group: str,
    epoch: int,
    targets: dict[str, tuple[TopicPartition, ...]],
    has: dict[str, tuple[TopicPartition, ...]],
) -> None:
    """Heartbeats until every member has its target; revocations first."""
    for member, target in targets.items():
        lost = [tp for tp in has.get(member, ()) if tp not in target]
        if lost:
            kept = [tp for tp in has[member] if tp in target]
            log.current(group, member, epoch - 1, kept, lost, state=1, previous=epoch - 1)
            log.next(500)
            log.current(group, member, epoch, kept, state=2, previous=epoch - 1)
            log.next(500)
            has[member] = tuple(kept)
    for member, target in targets.items():
        has[member] = target
        log.current(group, member, epoch, target, previous=epoch - 1)
        log.next(500)


def a_life() -> History:
    """Three members and two topics; one member leaves and returns, and a topic grows."""
    a, b, c = (Member(name, ("orders", "refunds")) for name in "abc")
    return History(
        Cluster.of({"orders": 6, "refunds": 4}),
        (
            (Join(a), Join(b), Join(c)),
            (Leave("b"),),
            (Join(b),),
            (AddPartitions("orders", 9),),
            (NewLeader("c"),),
            (Resubscribe("c", ("orders",)),),
        ),
    )
