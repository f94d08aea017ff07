"""Invariants of ownership and commits, over the census of a state or around a step.

"Effective exclusivity" (commits-fenced) is Kafka's guarantee while belief can lag behind the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, Final

from kassay.model.explore.values import Finding, Severity
from kassay.model.protocols.census import Belief, Breach, Census, Owned, Registered, complete
from kassay.properties.protocols.registry import (
    ACCEPTED,
    ADOPTION,
    CENSUS,
    COMMITTERS,
    always,
    each_step,
    real,
)

FENCED: Final = "commits-fenced"
NEVER_BACK: Final = "offsets-never-go-back"


def _shared(left: Iterable[Any], right: Iterable[Any]) -> str:
    return ",".join(map(str, sorted(set(left) & set(right))))


def _live(census: Census) -> list[Belief]:
    return [belief for belief in census.beliefs if belief.live]


@always(
    "single-owner-on-record",
    CENSUS,
    short="I1",
    source="KIP-429, KIP-848",
    where=lambda census: len(census.registry) > 1,
)
def single_owner_on_record(census: Census) -> Iterator[Finding]:
    """No partition has two members recorded as owners."""
    for one, other in combinations(census.registry, 2):
        if both := _shared(one.owned, other.owned):
            yield real(f"{one.member_id} and {other.member_id} are both recorded as owners of {both}")


@always(
    "single-current-owner",
    CENSUS,
    short="I2",
    source="KIP-429; the split brain of the 2015 article",
    where=lambda census: len(_live(census)) > 1,
)
def single_current_owner(census: Census) -> Iterator[Finding]:
    """No two clients with a current identity believe they own the same partition."""
    current = [belief for belief in _live(census) if belief.current]
    for one, other in combinations(current, 2):
        if both := _shared(one.owned, other.owned):
            yield real(f"{one.client} and {other.client} both own {both}, and both are current members")


@always(
    "single-live-owner",
    CENSUS,
    short="I3",
    source="the zombies of KIP-62 and KIP-345",
    where=lambda census: len(_live(census)) > 1,
)
def single_live_owner(census: Census) -> Iterator[Finding]:
    """No two live clients believe they own the same partition."""
    for one, other in combinations(_live(census), 2):
        if both := _shared(one.owned, other.owned):
            yield Finding(
                Severity.ZOMBIE, f"{one.client} and {other.client} both own {both}; {_zombies(one, other)}"
            )


def _zombies(one: Belief, other: Belief) -> str:
    """Names the clients of the two that are zombies."""
    late = [belief.client for belief in (one, other) if not belief.current]
    if not late:
        return "both are current members, see single-current-owner"
    return f"{late[0]} is a zombie" if len(late) == 1 else "both are zombies"


@always(
    "complete-at-rest",
    CENSUS,
    short="I7",
    source="seed article 001: every partition has exactly one consumer",
    where=lambda census: census.resting and bool(census.wanted or _held(census)),
)
def complete_at_rest(census: Census) -> Iterator[Finding]:
    """In a stable group every subscribed partition has exactly one owner, by record and by belief."""
    if complete(census):
        return
    owned = [tp for entry in census.registry for tp in entry.owned]
    severity = Severity.BY_DESIGN if census.excused else Severity.REAL
    orphans = sorted(set(census.wanted) - set(owned))
    if orphans:
        yield Finding(severity, f"no member of the stable group owns {','.join(map(str, orphans))}")
    else:
        record = _listed((entry.member_id, entry.owned) for entry in census.registry)
        belief = _listed((b.client, b.owned) for b in _live(census))
        yield Finding(severity, f"in the stable group the record is {record}, and the belief is {belief}")


def _held(census: Census) -> list[Any]:
    """All owned partitions, by record or by belief."""
    owned = (*(entry.owned for entry in census.registry), *(belief.owned for belief in census.beliefs))
    return [tp for tps in owned for tp in tps]


def _listed(owned: Iterable[tuple[str, Owned]]) -> str:
    """Owners with their partitions, in one line."""
    parts = (f"{name}: {','.join(map(str, tps)) or 'none'}" for name, tps in owned)
    return "; ".join(parts) or "none"


def _strange(tps: Iterable[Any], entry: Registered) -> list[Any]:
    """The partitions of unsubscribed topics; bare numbers belong to the only topic."""
    return [tp for tp in tps if hasattr(tp, "topic") and tp.topic not in entry.topics]


@always(
    "subscribed-at-rest",
    CENSUS,
    short="I8",
    source="KIP-429",
    where=lambda census: (
        census.resting and any(_strange((*census.wanted, *one.owned), one) for one in census.registry)
    ),
)
def subscribed_at_rest(census: Census) -> Iterator[Finding]:
    """In a stable group no member is assigned a partition of a topic to which it does not subscribe."""
    for entry in census.registry:
        strange = _strange(entry.owned, entry)
        if strange:
            yield real(
                f"{entry.member_id} is assigned {','.join(map(str, strange))}, to which it does not subscribe"
            )


def _at_target(census: Census) -> list[Belief]:
    """The clients whose member is at the target epoch, and that know it."""
    ahead = set(census.caught_up)
    return [belief for belief in _live(census) if belief.current and belief.member_id in ahead]


def _of_others(census: Census, belief: Belief) -> list[tuple[str, Owned]]:
    """The targets of other members that have one."""
    return [(member, tps) for member, tps in census.target if tps and member != belief.member_id]


@always(
    "target-epoch-exclusive",
    CENSUS,
    short="I12",
    source="KIP-848",
    where=lambda census: any(_of_others(census, belief) for belief in _at_target(census)),
)
def target_epoch_exclusive(census: Census) -> Iterator[Finding]:
    """A member at the target epoch owns no partition in another member's target.

    This holds even while it has an assignment to reconcile: it reached the epoch only by acknowledging its
    revocations.
    """
    for belief in _at_target(census):
        for member, tps in _of_others(census, belief):
            if both := _shared(tps, belief.owned):
                yield real(f"{belief.client} at the target epoch still owns {both}, the target of {member}")


@always(
    "one-member-per-instance-id",
    CENSUS,
    short="I13",
    source="KIP-345",
    where=lambda census: any(entry.group_instance_id for entry in census.registry),
)
def one_member_per_instance_id(census: Census) -> Iterator[Finding]:
    """No two members are registered under one instance id."""
    for one, other in combinations(census.registry, 2):
        if one.group_instance_id and one.group_instance_id == other.group_instance_id:
            yield real(
                f"{one.member_id} and {other.member_id} are both registered as {one.group_instance_id}"
            )


@each_step(
    "released-before-adopted",
    ADOPTION,
    short="I4",
    source="KIP-429",
    where=lambda before, after: any(_gained(old, new) for old, new in zip(before.beliefs, after.beliefs)),
)
def released_before_adopted(before: Census, after: Census) -> Iterator[Finding]:
    """A partition is adopted only when no other member of the round still owns it.

    A zombie may adopt an outdated assignment that it received before it paused.
    """
    for old, new in zip(before.beliefs, after.beliefs):
        gained = _gained(old, new)
        if not gained:
            continue
        if not new.joined:
            listed = ",".join(map(str, sorted(gained)))
            yield real(f"{new.client} adopts {listed} though it knows that it is not in the group")
        for other in after.beliefs:
            if (
                other.client != new.client
                and other.live
                and other.rejoined
                and (both := _shared(gained, other.owned))
            ):
                severity = Severity.REAL if new.current or not new.joined else Severity.ZOMBIE
                yield Finding(severity, f"{new.client} adopts {both}, which {other.client} still owns")


def _gained(old: Belief, new: Belief) -> set[Any]:
    return set(new.owned) - set(old.owned)


# Commits.


def _clients(census: Census) -> set[str]:
    """All clients that own, or have adopted, anything."""
    return {belief.client for belief in census.beliefs} | {client for _, client in census.adopted}


def _commits(census: Census) -> bool:
    """Whether any commit of owned partitions would be accepted."""
    return any(belief.committable for belief in census.beliefs if belief.commits)


@always(
    FENCED,
    CENSUS,
    short="I5",
    source="generation fencing of OffsetCommit",
    where=lambda census: _commits(census) and len(_clients(census)) > 1,
)
def commits_fenced(census: Census) -> Iterator[Finding]:
    """No commit is accepted from a client whose partition another client has since adopted."""
    last = dict(census.adopted)
    for belief in census.beliefs:
        for tp in belief.committable:
            if last.get(tp, belief.client) != belief.client:
                yield real(
                    f"a commit of {belief.client} for {tp} would be accepted though {last[tp]} took over"
                )


@always(
    NEVER_BACK,
    CENSUS,
    short="I9",
    source="KAFKA-14196 and the offsets' hand-over",
    where=lambda census: _commits(census) or any(belief.ahead for belief in census.beliefs),
)
def offsets_never_go_back(census: Census) -> Iterator[Finding]:
    """Committed offsets never decrease, and progress in a partition is committed before giving it up."""
    for belief in census.beliefs:
        if belief.ahead:
            yield real(f"{belief.client} gave partitions up after processing more than it had committed")
    last = dict(census.adopted)
    owners = {belief.client: belief for belief in census.beliefs}
    for belief in census.beliefs:
        for tp in belief.committable:
            heir = owners.get(last.get(tp, belief.client))
            if heir is not None and heir is not belief and tp in heir.committable:
                yield real(f"{belief.client} can set {tp} back behind what {heir.client}, its owner, commits")


@always(
    "owners-may-commit",
    COMMITTERS,
    source="KIP-1251",
    where=lambda census: (
        bool(census.registry) and any(belief.owned and not belief.current for belief in census.beliefs)
    ),
)
def owners_may_commit(census: Census) -> Iterator[Finding]:
    """A commit is accepted from a partition's owner, even if the epoch has advanced meanwhile.

    This concerns a member of a consumer group that does not know its current epoch yet.
    """
    on_record = {entry.member_id: entry.owned for entry in census.registry}
    for belief in census.beliefs:
        if not belief.live or not belief.rejoined:
            continue
        for tp in belief.owned:
            if tp in on_record.get(belief.member_id, ()) and tp not in belief.committable:
                yield real(f"a commit of {belief.client} for {tp}, its recorded partition, would be refused")


@always(FENCED, ACCEPTED, short="I5", source="generation fencing of OffsetCommit")
def accepted_commits_fenced(accepted: Breach) -> Iterator[Finding]:
    """No commit was accepted from a client whose partition another client has taken over."""
    return _broken(FENCED, accepted)


@always(NEVER_BACK, ACCEPTED, short="I9", source="KAFKA-14196 and the offsets' hand-over")
def accepted_offsets_never_go_back(accepted: Breach) -> Iterator[Finding]:
    """No offset was accepted that is lower than the previous one."""
    return _broken(NEVER_BACK, accepted)


def _broken(name: str, breach: Breach) -> Iterator[Finding]:
    """The violation of one invariant by an accepted commit."""
    if breach.invariant == name:
        yield Finding(breach.severity, breach.message)


@always(
    "no-commit-while-assigning",
    CENSUS,
    short="I14",
    source="OffsetCommit in CompletingRebalance; KIP-195",
    where=lambda census: census.awaiting and any(one.owned or one.commits for one in census.beliefs),
)
def no_commit_while_assigning(census: Census) -> Iterator[Finding]:
    """No commit is accepted while the group awaits an assignment."""
    if any(belief.commits for belief in census.beliefs):
        yield real("a commit was accepted while the group awaited its assignment")
