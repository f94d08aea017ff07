"""What must hold of a consumer group at every moment: I1 to I17, as predicates over a census or a step.

A predicate yields findings with their evidence and their gravity: `real` breaks a promise, `zombie` is
what a process that was away for longer than its session does to itself, `by design` is a promise that
the protocol never made (the ZooKeeper consumers have no fence). Source for each is in its docstring;
"effective exclusivity" (I5) is what Kafka promises where belief can lag behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeAlias

from kassay.model.explore import Finding, Severity
from kassay.model.protocols.shared.census import Belief, Census, Owned, complete
from kassay.model.protocols.values.groups import (
    COMPLETING,
    MEMBER_STABLE,
    PREPARING,
    STABLE,
    UNREVOKED,
    ClassicGroup,
    ConsumerGroup,
    CoordinatorState,
)

REAL, ZOMBIE, BY_DESIGN = Severity.REAL, Severity.ZOMBIE, Severity.BY_DESIGN


class ProtocolInvariant(NamedTuple):
    """One invariant's name and sentence, and how grave its breach is under each model."""

    name: str
    claim: str
    source: str


RETRIABLE: Final = frozenset({"NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"})
PROMISES: Final[dict[str, ProtocolInvariant]] = {}
Check: TypeAlias = Callable[[Census], Iterator[Finding]]


def invariant(name: str, source: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a predicate under its number; the first line of its docstring is the promise."""

    def register(check: Callable[..., Any]) -> Callable[..., Any]:
        PROMISES[name] = ProtocolInvariant(name, (check.__doc__ or "").strip().splitlines()[0], source)
        return check

    return register


def _shared(left: Iterable[Any], right: Iterable[Any]) -> str:
    both = sorted(set(left) & set(right))
    return ",".join(map(str, both))


def _live(census: Census) -> list[Belief]:
    return [belief for belief in census.beliefs if belief.live]


@invariant("I1", "KIP-429, KIP-848")
def registry_exclusive(census: Census) -> Iterator[Finding]:
    """No partition is on record for two members."""
    for one, other in combinations(census.registry, 2):
        if both := _shared(one.owned, other.owned):
            yield Finding(REAL, f"{one.member} and {other.member} are both on record for {both}")


@invariant("I2", "KIP-429; the split brain of the 2015 article")
def current_exclusive(census: Census) -> Iterator[Finding]:
    """No two clients whose identity is current believe to own one partition."""
    current = [belief for belief in _live(census) if belief.current]
    for one, other in combinations(current, 2):
        if both := _shared(one.owned, other.owned):
            yield Finding(
                REAL, f"{one.client} and {other.client} both own {both}, and both are current members"
            )


@invariant("I3", "the zombies of KIP-62 and KIP-345")
def belief_exclusive(census: Census) -> Iterator[Finding]:
    """No two live clients believe to own one partition."""
    for one, other in combinations(_live(census), 2):
        if both := _shared(one.owned, other.owned):
            yield Finding(ZOMBIE, f"{one.client} and {other.client} both own {both}; {_zombies(one, other)}")


def _zombies(one: Belief, other: Belief) -> str:
    """Which of the two is no longer what it takes itself for."""
    late = [belief.client for belief in (one, other) if not belief.current]
    if not late:
        return "both are current members, see I2"
    return f"{late[0]} is a zombie" if len(late) == 1 else "both are zombies"


@invariant("I5", "generation fencing of OffsetCommit")
def commit_fenced(census: Census) -> Iterator[Finding]:
    """No commit is accepted from a client whose partition another has adopted since."""
    last = dict(census.adopted)
    for belief in census.beliefs:
        if belief.commits:
            for tp in belief.owned:
                if last.get(tp, belief.client) != belief.client:
                    yield Finding(
                        REAL,
                        f"a commit of {belief.client} for {tp} would count, though {last[tp]} has taken over",
                    )


@invariant("I9", "KAFKA-14196 and the offsets' hand-over")
def offsets_monotone(census: Census) -> Iterator[Finding]:
    """Committed offsets never go back, and what is given up was committed as far as it was processed."""
    for belief in census.beliefs:
        if belief.ahead:
            yield Finding(
                REAL, f"{belief.client} gave partitions up after processing more than it had committed"
            )
    last = dict(census.adopted)
    owners = {belief.client: belief for belief in census.beliefs}
    for belief in census.beliefs:
        if belief.commits:
            for tp in belief.owned:
                heir = owners.get(last.get(tp, belief.client))
                if heir is not None and heir is not belief and heir.commits and tp in heir.owned:
                    yield Finding(
                        REAL,
                        f"{belief.client} can set {tp} back behind what {heir.client}, its owner, commits",
                    )


@invariant("I7", "seed article 001: every partition has exactly one consumer")
def complete_at_rest(census: Census) -> Iterator[Finding]:
    """At rest every subscribed partition has exactly one owner, on record and in belief."""
    if census.resting and not complete(census):
        owned = [tp for entry in census.registry for tp in entry.owned]
        gravity = BY_DESIGN if census.excused else REAL
        orphans = sorted(set(census.wanted) - set(owned))
        if orphans:
            yield Finding(gravity, f"at rest nobody owns {','.join(map(str, orphans))}")
        else:
            record = _listed((entry.member, entry.owned) for entry in census.registry)
            belief = _listed((b.client, b.owned) for b in _live(census))
            yield Finding(gravity, f"at rest the record has {record}, and the belief is {belief}")


def _listed(owned: Iterable[tuple[str, Owned]]) -> str:
    """Who owns what, in a line."""
    parts = (f"{name}: {','.join(map(str, tps)) or 'none'}" for name, tps in owned)
    return "; ".join(parts) or "nobody"


@invariant("I8", "KIP-429")
def subscribed_only(census: Census) -> Iterator[Finding]:
    """No member is given a partition of a topic that it does not read, once the group is at rest."""
    if census.resting:
        for entry in census.registry:
            strange = [tp for tp in entry.owned if hasattr(tp, "topic") and tp.topic not in entry.topics]
            if strange:
                yield Finding(
                    REAL, f"{entry.member} is given {','.join(map(str, strange))}, which it does not read"
                )


@invariant("I13", "KIP-345")
def one_member_per_instance(census: Census) -> Iterator[Finding]:
    """No two members are registered under one instance id."""
    for one, other in combinations(census.registry, 2):
        if one.instance and one.instance == other.instance:
            yield Finding(REAL, f"{one.member} and {other.member} are both registered as {one.instance}")


@invariant("I15", "KAFKA-9752")
def watched_by_timer(group: Any, armed: Iterable[str], excused: Iterable[str]) -> Iterator[Finding]:
    """Nobody can die unnoticed: every member is watched by a session timer.

    Excused are members that wait in a JoinGroup (unless new) or SyncGroup: their expiry is ignored, and
    the timer comes back with the reply.
    """
    for member in group.members if group is not None else ():
        if member.member not in armed and member.member not in excused:
            yield Finding(REAL, f"{member.member} is a member, and no session timer watches it")


@invariant("I16", "KAFKA-13214")
def remembers_its_id(before: Iterable[Any], after: Iterable[Any]) -> Iterator[Finding]:
    """A retriable error never costs a client its member id: the old one would linger as a ghost."""
    for number, (old, new) in enumerate(zip(before, after), 1):
        told = getattr(old.inbox[0], "error", "") if old.inbox else ""
        heard = told in RETRIABLE and not new.inbox and old.run == new.run
        if heard and old.member and not new.member:
            yield Finding(REAL, f"c{number} forgets its member id {old.member} over {told}")


@invariant("I17", "KIP-62; the rule that a session outlasts three heartbeat intervals")
def never_evicted(
    before: Iterable[str], after: Iterable[str], polling: Iterable[tuple[str, str]]
) -> Iterator[Finding]:
    """A member that is alive, sends its heartbeats and polls is never removed.

    `before` and `after` are the member ids that the coordinator knows, `polling` the clients that poll
    before and after the step, with their ids. Promised only where the lost heartbeats leave the session
    enough time; who leaves in order no longer polls.
    """
    gone = set(before) - set(after)
    for client, member in polling:
        if member in gone:
            yield Finding(REAL, f"{member} is removed though {client} is alive and polls")


@invariant("I12", "KIP-848")
def caught_up(census: Census) -> Iterator[Finding]:
    """A member at the target epoch owns nothing that is another's by target."""
    target = dict(census.target)
    ahead = set(census.caught_up)
    for belief in census.beliefs:
        if belief.live and belief.current and belief.settled and belief.member in ahead:
            for member, tps in target.items():
                if member != belief.member and (both := _shared(tps, belief.owned)):
                    yield Finding(
                        REAL,
                        f"{belief.client} at the target epoch still owns {both}, the target of {member}",
                    )


@invariant("I4", "KIP-429")
def handed_over(before: Census, after: Census) -> Iterator[Finding]:
    """A partition is adopted only when no other member of the round still owns it.

    A zombie may adopt a superseded assignment that it slept upon.
    """
    for old, new in zip(before.beliefs, after.beliefs):
        gained = set(new.owned) - set(old.owned)
        if not gained:
            continue
        if not new.joined:
            listed = ",".join(map(str, sorted(gained)))
            yield Finding(REAL, f"{new.client} adopts {listed} though it knows that it is out of the group")
        for other in after.beliefs:
            if (
                other.client != new.client
                and other.live
                and other.rejoined
                and (both := _shared(gained, other.owned))
            ):
                gravity = REAL if new.current or not new.joined else ZOMBIE
                yield Finding(gravity, f"{new.client} adopts {both}, which {other.client} still owns")


STATE_CHECKS: Final[dict[str, Check]] = {
    "I1": registry_exclusive,
    "I2": current_exclusive,
    "I3": belief_exclusive,
    "I5": commit_fenced,
    "I7": complete_at_rest,
    "I8": subscribed_only,
    "I9": offsets_monotone,
    "I12": caught_up,
    "I13": one_member_per_instance,
}


# Steps and states of the coordinator itself.


@invariant("I6", "the classic protocol: one leader a generation")
def one_leader(before: CoordinatorState, after: CoordinatorState) -> Iterator[Finding]:
    """A generation is assigned once, and only a new generation awaits an assignment."""
    old, new = before.group, after.group
    if not isinstance(old, ClassicGroup) or not isinstance(new, ClassicGroup):
        return
    if old.state == PREPARING and new.state == COMPLETING and new.generation != old.generation + 1:
        yield Finding(REAL, f"generation {old.generation} is followed by generation {new.generation}")
    if old.state == STABLE and new.state == COMPLETING and new.generation == old.generation:
        yield Finding(REAL, f"generation {new.generation} is to be assigned twice")
    if old.state == COMPLETING and new.state == STABLE:
        if new.generation != old.generation:
            yield Finding(REAL, f"generation {old.generation} became {new.generation} by an assignment")
        if new.leader not in {member.member for member in new.members}:
            yield Finding(REAL, f"the leader {new.leader!r} of generation {new.generation} is no member")


@invariant("I10", "generations and epochs only grow, except to what was persisted")
def monotone(before: CoordinatorState, after: CoordinatorState) -> Iterator[Finding]:
    """Generations, group, target and member epochs never decrease while a coordinator lives."""
    old, new = before.group, after.group
    if isinstance(old, ClassicGroup) and isinstance(new, ClassicGroup):
        if new.generation < old.generation:
            yield Finding(REAL, f"generation {old.generation} is followed by generation {new.generation}")
    elif isinstance(old, ConsumerGroup) and isinstance(new, ConsumerGroup):
        for name in ("epoch", "target_epoch"):
            was, now = getattr(old, name), getattr(new, name)
            if now < was:
                yield Finding(REAL, f"the group's {name.replace('_', ' ')} {was} is followed by {now}")
        was_by_id = {member.member: member.epoch for member in old.members}
        for member in new.members:
            was = was_by_id.get(member.member, -1)
            if 0 < member.epoch < was:
                yield Finding(REAL, f"epoch {was} of {member.member} is followed by {member.epoch}")


def stored_once(before: Any, after: Any) -> Iterator[Finding]:
    """What is on record of a generation is one thing: another assignment has another number."""
    if after.generation <= before.generation and after.members and before.assignment != after.assignment:
        yield Finding(REAL, f"generation {after.generation} is on record with a second assignment")


@invariant("I11", "KIP-848")
def epoch_shape(coordinator: CoordinatorState) -> Iterator[Finding]:
    """Member epoch <= target epoch <= group epoch, and pending partitions exactly while unrevoked."""
    group = coordinator.group
    if not isinstance(group, ConsumerGroup):
        return
    if group.target_epoch > group.epoch:
        yield Finding(REAL, f"target epoch {group.target_epoch} is above group epoch {group.epoch}")
    for member in group.members:
        if member.epoch in (-2, 0):
            continue
        if member.epoch > group.target_epoch:
            yield Finding(
                REAL, f"{member.member} is at epoch {member.epoch}, above target epoch {group.target_epoch}"
            )
        if member.state == MEMBER_STABLE and member.pending:
            yield Finding(
                REAL, f"{member.member} is stable and has pending {','.join(map(str, member.pending))}"
            )
        if member.state == UNREVOKED and not member.pending:
            yield Finding(REAL, f"{member.member} is unrevoked with nothing pending")
    held: dict[Any, str] = {}
    for member in group.members:
        for tp in (*member.assigned, *member.pending):
            if tp in held:
                yield Finding(REAL, f"{tp} is held by {held[tp]} and {member.member}")
            held[tp] = member.member


@invariant("I14", "OffsetCommit in CompletingRebalance; KIP-195")
def gates(accepted_in: str, image_before: Any, image_after: Any) -> Iterator[Finding]:
    """No commit is accepted while an assignment is awaited, and no topic shrinks."""
    if accepted_in == COMPLETING:
        yield Finding(REAL, "a commit was accepted while the group awaited its assignment")
    counts = {topic.topic_id: topic.partitions for topic in image_after}
    for topic in image_before:
        if counts.get(topic.topic_id, topic.partitions) < topic.partitions:
            yield Finding(REAL, f"topic {topic.name} shrank")
