"""Answers of a group's assignor: in words, better alternatives, and assertions on one, as Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from kassay.assignors import registry
from kassay.assignors.plain import EXTRAS, plain_input
from kassay.assignors.plain_answers import FULL, PLAIN
from kassay.kinds.broken import BrokenStep
from kassay.kinds.words import BEFORE, OPTIMUM, Asserts, Offer, OwnWords, PlainCall, few
from kassay.model.calls import Failure, Refusal
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.model.groups.metrics import rack_mismatches
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.properties.groups.balance import ORDER, RACK_FIRST, order_of
from kassay.properties.registry import Claim
from kassay.writing.text import counted, series


def group_words(step: Step) -> str:
    """The assignment or its moves, the loads, and the partitions away from their replicas' racks."""
    answer = step.given
    is_weighted = any(topic.weights is not None for topic in step.cluster.topics)
    held = [answer.get(member_id, ()) for member_id in step.group.by_id]
    loads = [sum(map(step.cluster.weight, tps)) if is_weighted else len(tps) for tps in held]
    text = _changes(step, answer) if step.previous else _shares(answer)
    text += f" ({'weights' if is_weighted else 'loads'} {series(sorted(loads, reverse=True), most=8)})"
    if any(map(any, step.cluster.replica_racks.values())):
        away = len(rack_mismatches(step.cluster, step.group, answer))
        text += f"; {counted(away, 'partition')} in another rack than the replicas"
    return text


def _shares(answer: Assignment) -> str:
    return few([f"{series(tps)} to {member_id}" for member_id, tps in answer.items()])


def _changes(step: Step, answer: Assignment) -> str:
    """The moves between members; a partition without a new owner is revoked."""
    owner = {tp: member_id for member_id, tps in answer.items() for tp in tps}
    gone = [(tp, was) for tp, was in sorted(step.previous.items()) if tp not in answer.get(was, ())]
    moves = [
        f"move {tp} from {was} to {owner[tp]}" if tp in owner else _revocation(step, tp, was)
        for tp, was in gone
    ]
    return few(moves, "; ") or "no move"


def _revocation(step: Step, tp: TopicPartition, was: str) -> str:
    """The partition revoked, and its next owner where there is only one other subscriber."""
    others = [reader for reader in step.group.subscribers.get(tp.topic, ()) if reader != was]
    to = f" to {others[0]}" if len(others) == 1 else ""
    then = f", assign it{to} in the next round" if others else ""
    return f"revoke {tp} from {was}{' now' if then else ''}{then}"


def group_offers(kind: Kind, claim: Claim, broken: BrokenStep, step: Step) -> Iterator[Offer]:
    """The owned partitions, the certified optimum of a consumer group, and the heaviest partitions first."""
    thing = broken.thing
    if isinstance(thing, Rebalanced):
        turn = broken.place[-1]
        before = thing.steps[turn - 1].answer if turn else thing.before
        if isinstance(before, Assignment):
            yield BEFORE, before
    if kind in CONSUMER_GROUPS:
        yield from _of_consumers(claim, step)


def _of_consumers(claim: Claim, step: Step) -> Iterator[Offer]:
    """The certified optimum in the order of goals that the claim names, then in the other orders.

    In a round of a cooperative target a partition that changes hands is withheld, so that rule comes first.
    """
    from kassay.kinds.groups.oracle import best_of_group

    if step.protocol is RebalanceProtocol.COOPERATIVE and step.group.reported_owners:
        in_rounds = registry.find("optimal-cooperative")
        if in_rounds is not None and claim.kind.id in (*in_rounds.claims, "complete", "single-owner"):
            yield OPTIMUM, in_rounds.factory().assign(step.cluster, step.group)
    for order in dict.fromkeys((order_of(claim), ORDER, RACK_FIRST)):
        yield OPTIMUM, in_full(step.group, best_of_group(step, order).assignment)
    yield "the heaviest partition first, to the member that carries least", _heaviest_first(step)


def _heaviest_first(step: Step) -> Assignment:
    """The partitions by weight, each to the subscriber with the least load so far."""
    cluster, readers = step.cluster, step.group.subscribers
    carried = dict.fromkeys(step.group.by_id, 0)
    given: dict[str, list[TopicPartition]] = {member_id: [] for member_id in carried}
    read = (tp for topic, tps in cluster.partitions.items() if topic in readers for tp in tps)
    for tp in sorted(read, key=lambda tp: (-cluster.weight(tp), tp)):
        who = min(readers[tp.topic], key=lambda member_id: (carried[member_id], member_id))
        carried[who] += cluster.weight(tp)
        given[who].append(tp)
    return Assignment(given)


def in_full(group: Group, assignment: Assignment) -> Assignment:
    """The assignment with an entry for each member, in their order."""
    return Assignment({member.member_id: assignment.get(member.member_id, ()) for member in group.members})


def group_asserts(name: str, broken: BrokenStep, step: Step) -> Asserts | None:
    """What must hold of the answer to the step; None where this takes more than this one answer."""
    lines = _GROUP.get(name)
    if lines is None or (step.group.assignable is not None and name != "members"):
        return None
    return Asserts(tuple(lines(step, broken)))


GIVEN_TO_EACH: Final = "{member: sorted(map(tuple, tps)) for member, tps in answer.items()}"
"""An answer of a group's assignor in a form that does not depend on listing order."""
_GIVEN: Final = "given = [tuple(tp) for tps in answer.values() for tp in tps]"


def _single(_: Step, __: BrokenStep) -> list[str]:
    return [_GIVEN, "assert sorted(given) == sorted(set(given))"]


def _complete(step: Step, _: BrokenStep) -> list[str]:
    able = (tp for topic in step.group.subscribers for tp in step.assignable_of(topic))
    read = sorted((tp.topic, tp.partition) for tp in able)
    return [_GIVEN, f"assert sorted(set(given)) == {read!r}"]


def _subscribed(step: Step, _: BrokenStep) -> list[str]:
    topics = {member.member_id: list(member.topics) for member in step.group.members}
    return [
        f"topics = {topics!r}",
        "assert all(tp[0] in topics[member] for member, tps in answer.items() for tp in tps)",
    ]


def _exists(step: Step, _: BrokenStep) -> list[str]:
    counts = f"counts = {dict(step.cluster.counts)!r}"
    return [counts, _GIVEN, "assert all(0 <= p < counts.get(t, 0) for t, p in given)"]


def _members(step: Step, _: BrokenStep) -> list[str]:
    return [f"assert sorted(answer) == {sorted(step.group.by_id)!r}"]


def _loads(step: Step) -> str:
    return f"loads = [len(answer.get(member, ())) for member in {list(step.group.by_id)!r}]"


def _within_one(step: Step, _: BrokenStep) -> list[str]:
    return [_loads(step), "assert max(loads) - min(loads) <= 1"]


def _optimal(step: Step, broken: BrokenStep) -> list[str]:
    return [_loads(step), f"assert sorted(loads) == {list(broken.evidence.facts['could be'])!r}"]  # type: ignore[call-overload]


def _sticky(step: Step, broken: BrokenStep) -> list[str]:
    owners = {(topic, p): owner for (topic, p), owner in sorted(step.previous.items())}
    return [
        f"owners = {owners!r}",
        "moved = [tp for tp, owner in owners.items() if tp not in map(tuple, answer.get(owner, ()))]",
        f"assert len(moved) <= {broken.evidence.facts['needed to move']}",
    ]


def _racks(step: Step, broken: BrokenStep) -> list[str]:
    near = {
        (topic, p): sorted(held)
        for topic, rows in step.cluster.replica_racks.items()
        for p, held in enumerate(rows)
        if held
    }
    racks = {member.member_id: member.rack for member in step.group.members}
    return [
        f"replicas = {near!r}",
        f"racks = {racks!r}",
        "held = [(member, tuple(tp)) for member, tps in answer.items() for tp in tps]",
        "away = [tp for member, tp in held if racks[member] not in replicas.get(tp, [racks[member]])]",
        f"assert len(away) <= {broken.evidence.facts['needed']}",
    ]


def _topic_even(step: Step, _: BrokenStep) -> list[str]:
    known = step.cluster.counts
    readers = {topic: list(ids) for topic, ids in step.group.subscribers.items() if topic in known}
    return [
        f"for topic, readers in {readers!r}.items():",
        "    counts = [sum(tp[0] == topic for tp in answer.get(member, ())) for member in readers]",
        "    assert max(counts) - min(counts) <= 1",
    ]


def _cooperative(step: Step, _: BrokenStep) -> list[str]:
    newest = {tp: generation for tp, (generation, _) in step.group.reported_owners.items()}
    latest = {
        (tp.topic, tp.partition): sorted(
            m.member_id for m in step.group.members if m.generation == generation and tp in m.owned
        )
        for tp, generation in sorted(newest.items())
    }
    return [
        f"latest = {latest!r}",
        "for member, tps in answer.items():",
        "    assert all(latest.get(tuple(tp), [member]) == [member] for tp in tps)",
    ]


def _as_before(_: Step, broken: BrokenStep) -> list[str]:
    rebalanced: Rebalanced = broken.thing
    number = broken.place[-1]
    before = rebalanced.steps[number - 1].given if number else rebalanced.before
    given = {member: sorted(map(tuple, tps)) for member, tps in (before or {}).items()}
    return [f"before = {given!r}", f"assert {GIVEN_TO_EACH} == before"]


def _static(_: Step, broken: BrokenStep) -> list[str]:
    member, owned = broken.evidence.subject, broken.evidence.facts["owned"]
    had = sorted(map(tuple, owned))  # type: ignore[call-overload]
    return [f"assert sorted(map(tuple, answer[{member!r}])) == {had!r}"]


def _weights(step: Step, broken: BrokenStep) -> list[str]:
    weights = {(tp.topic, tp.partition): step.cluster.weight(tp) for tp in sorted(step.cluster.everything)}
    facts = broken.evidence.facts
    return [
        f"weights = {weights!r}",
        "carried = [sum(weights[tuple(tp)] for tp in tps) for tps in answer.values()]",
        f"assert max(carried) <= {facts['allowed ratio']} * {facts['lower bound']}",
    ]


_GROUP: Final[Mapping[str, Callable[[Step, BrokenStep], list[str]]]] = {
    "single-owner": _single,
    "complete": _complete,
    "subscribed": _subscribed,
    "exists": _exists,
    "members": _members,
    "balanced-within-one": _within_one,
    "balanced-optimal": _optimal,
    "sticky-minimal": _sticky,
    "rack-local": _racks,
    "topic-even": _topic_even,
    "cooperative": _cooperative,
    "weighted-spread": _weights,
    "stable": _as_before,
    "leader-neutral": _as_before,
    "static-stable": _static,
}


def group_call(form: str, extras: tuple[str, ...], step: Step) -> PlainCall | None:
    """How to call a class of that form with the step's input."""
    if form == PLAIN:
        counts, members, *more = plain_input(step.cluster, step.group, extras)
        named = tuple((key, value) for key, value in zip(EXTRAS, more) if key in extras)
        return PlainCall("assign", (counts, members), named)
    return PlainCall("assign", (step.cluster, step.group), full=True) if form == FULL else None


class UserDataOfEach(OwnWords):
    """Gives each of two objects its own user data in the subscriptions of the members."""

    def __init__(self) -> None:
        self._added: list[bytes | None] = []

    def note(self, method: str, outcome: Any) -> None:
        """Record the user data that the other object adds to a subscription, in the order of the members."""
        if method == "subscription_user_data":
            self._added.append(None if isinstance(outcome, Failure | Refusal) else outcome)

    def for_other(self, argument: Any) -> Any:
        """A group with the user data of the other object."""
        if isinstance(argument, Group) and (added := self._added[-len(argument.members) :]):
            members = zip(argument.members, added, strict=True)
            return replace(argument, members=tuple(m._replace(user_data=data) for m, data in members))
        return super().for_other(argument)
