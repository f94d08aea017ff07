"""What must hold of an answer, as lines of Python over it: for claims that a single answer can break."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kassay.kinds.broken import BrokenStep
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.partitioners.sends import ProducerSendsStep
from kassay.model.placement.step import PlacementStep


class Asserts(NamedTuple):
    """Lines behind the call; `raises` in place of an answer, where an error is what must come."""

    lines: tuple[str, ...] = ()
    raises: str = ""

    @property
    def imports(self) -> tuple[str, ...]:
        """What the lines need."""
        return ("import pytest", "") if self.raises else ()

    @property
    def assigns(self) -> str:
        """What stands before the call."""
        return "answer = " if self.lines else ""

    def around(self, call: Sequence[str]) -> list[str]:
        """The call, in the block that expects the error if one must come."""
        if not self.raises:
            return list(call)
        return [f"with pytest.raises({self.raises}):", *(f"    {line}" for line in call)]


def asserts(claim: str, broken: BrokenStep, step: Any) -> Asserts | None:
    """What must hold of the answer to the step; None where it takes more than this one answer to say."""
    name = claim.partition(":")[0]
    if name == "total":
        return Asserts()
    if isinstance(step, Step):
        return _of_group(name, broken, step)
    if isinstance(step, PlacementStep):
        return _of_placer(name, broken, step)
    if isinstance(step, ProducerSendsStep):
        return _of_partitioner(name, broken, step)
    return None


def _of_group(name: str, broken: BrokenStep, step: Step) -> Asserts | None:
    lines = _GROUP.get(name)
    if lines is None or (step.group.assignable is not None and name != "members"):
        return None
    return Asserts(tuple(lines(step, broken)))


GIVEN_TO_EACH: Final = "{member: sorted(map(tuple, tps)) for member, tps in answer.items()}"
"""An answer of a group's assignor, as what is the same in whatever order it is listed."""
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
    latest = {tp: generation for tp, (generation, _) in step.group.claimants.items()}
    claimed = {
        (tp.topic, tp.partition): sorted(
            m.member_id for m in step.group.members if m.generation == generation and tp in m.owned
        )
        for tp, generation in sorted(latest.items())
    }
    return [
        f"claimed = {claimed!r}",
        "for member, tps in answer.items():",
        "    assert all(claimed.get(tuple(tp), [member]) == [member] for tp in tps)",
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


def _of_placer(name: str, broken: BrokenStep, step: PlacementStep) -> Asserts | None:
    request = step.request
    if name in ("too-few-brokers", "partial-racks-refused"):
        return Asserts(raises="ValueError")
    if name == "replicas-distinct" and 1 <= request.replication_factor <= len(request.brokers):
        known = sorted(request.by_id)
        return Asserts(
            (
                f"assert len(answer) == {request.partitions}",
                f"assert all(len(set(row)) == len(row) == {request.replication_factor} for row in answer)",
                f"assert all(broker in {known!r} for row in answer for broker in row)",
            )
        )
    if name == "leaders-even" and broken.evidence.facts.get("could be"):
        led = [row[0] for row in request.existing if row]
        best = sorted(broken.evidence.facts["could be"])  # type: ignore[call-overload]
        return Asserts(
            (
                f"leaders = {led!r} + [row[0] for row in answer]",
                f"assert sorted(map(leaders.count, {sorted(request.unfenced)!r})) == {best!r}",
            )
        )
    return None


def _of_partitioner(name: str, broken: BrokenStep, step: ProducerSendsStep) -> Asserts | None:
    record, topic = step.request.records[broken.place[0]]
    if record.partition is not None:
        return None
    if name == "in-range":
        return Asserts((f"assert 0 <= answer < {topic.count}",))
    if name == "hash-compatible":
        return Asserts((f"assert answer == {broken.evidence.facts['by Kafka to']}",))
    if name == "available-only":
        return Asserts((f"assert answer in {list(topic.available)!r}",))
    return None
