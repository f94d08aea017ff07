"""Whether a group is stable, as far as its outputs show; who holds what and who waits if it is not.

Nothing can be computed for a group in the middle of a rebalance: what its members own is half of a step. Its
state says so, the tool's own message, the epochs of its members (KIP-848), or partitions without an owner
while members wait. Source: `ConsumerGroupState`, and `ConsumerGroupCommand.printStates`, branch 4.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import shown
from kassay.reading.kafka.groups import GroupOutputs, MemberRow
from kassay.reading.kafka.lines import Place
from kassay.writing.text import counted

SCHEMA: Final = "kassay/unstable-group/1"
NOT_GIVEN: Final = "state not given: assumes the group is stable; add the output of `--describe --state`"
STABLE: Final = ("Stable", "STABLE")
"""The words for a stable group."""
WITHOUT_MEMBERS: Final = ("Dead", "Empty")
"""The states of a group without members."""
_NAMED_MAX: Final = 4
_COMPARED: Final = {
    "GROUP-INSTANCE-ID": "instance_id",
    "#PARTITIONS": "partitions",
    "assignment": "owned",
    "TARGET-ASSIGNMENT": "target",
    "CURRENT-EPOCH": "epoch",
}
"""The columns in which two rows of one member must agree, and the fields that hold them."""


class MemberHolding(NamedTuple):
    """A member of a group that is not stable.

    `epoch` is None where no output has it; `awaited` are the partitions of its target that it does not own,
    `released` those that it owns and its target lacks.
    """

    member_id: str
    epoch: int | None
    owned: tuple[TopicPartition, ...]
    awaited: tuple[TopicPartition, ...]
    released: tuple[TopicPartition, ...]

    @property
    def waits(self) -> bool:
        """Whether it waits: for partitions of its target, or for any partition at all."""
        return bool(self.awaited) or not self.owned

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this member."""
        return {
            "member": self.member_id,
            "epoch": self.epoch,
            "owned": [list(tp) for tp in self.owned],
            "awaited": [list(tp) for tp in self.awaited],
            "released": [list(tp) for tp in self.released],
        }


@dataclass(frozen=True)
class Stability:
    """What is known of a group's state.

    `state` is the coordinator's word for it, None where no output has it. `reasons` say why the group is not
    stable, each a sentence; without one it is stable, or is assumed to be. `epoch` is the group's.
    `unowned` are the partitions that the offsets view shows without an owner.
    """

    state: str | None
    reasons: tuple[str, ...]
    epoch: int | None
    holdings: tuple[MemberHolding, ...]
    unowned: tuple[TopicPartition, ...]

    @property
    def is_stable(self) -> bool:
        """Whether nothing contradicts that the group is stable."""
        return not self.reasons

    @property
    def is_assumed(self) -> bool:
        """Whether the group is taken as stable though no output says so."""
        return self.is_stable and self.state is None

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the state."""
        return {
            "state": self.state,
            "reasons": list(self.reasons),
            "epoch": self.epoch,
            "members": [each.to_json() for each in self.holdings],
            "unowned": [list(tp) for tp in self.unowned],
        }


def ownership(
    outputs: GroupOutputs, group: str, warnings: list[str]
) -> tuple[dict[str, set[TopicPartition]], dict[str, MemberRow]]:
    """The partitions of each member, and each member's row of the members view; raises `InputError`."""
    by_offsets: dict[str, set[TopicPartition]] = {}
    seen: dict[TopicPartition, tuple[str, Place]] = {}
    for row in outputs.offsets:
        if row.member is None:
            continue
        tps = by_offsets.setdefault(row.member, set())
        if row.topic is not None:
            tp = TopicPartition(row.topic, row.partition)
            owner, place = seen.setdefault(tp, (row.member, row.place))
            if owner != row.member:
                raise InputError(
                    f"{row.place}: CONSUMER-ID: found {shown(row.member)}, expected {shown(owner)}, "
                    f"who owns {tp} at {place}: two outputs of different times?"
                )
            tps.add(tp)
    rows = _member_rows(outputs.members)
    if not rows:
        return by_offsets, rows
    verbose_rows = {
        member: {TopicPartition(*tp) for tp in row.owned}
        for member, row in rows.items()
        if row.owned is not None
    }
    untold = next((row for row in rows.values() if row.owned is None and row.partitions != 0), None)
    if untold is not None and not outputs.offsets:
        what = (
            "ASSIGNMENT: the names of the topics are lost (Kafka 3.8, 3.9)"
            if untold.lost
            else "no ASSIGNMENT"
        )
        verbose = "" if untold.lost else "--members --verbose, or "
        raise InputError(
            f"{untold.place}: {what}, expected {verbose}the offsets view as well: "
            f"kafka-consumer-groups.sh --describe --group {group} > offsets.txt"
        )
    gone = sorted(by_offsets.keys() - rows.keys())
    if gone:
        are = "is" if len(gone) == 1 else "are"
        warnings.append(
            f"{counted(len(gone), 'member')} of the offsets view {are} not in the members view: "
            "taken at other times?"
        )
    owned = {member: verbose_rows.get(member, by_offsets.get(member, set())) for member in rows}
    for member, own in rows.items():
        if own.partitions is None or len(owned[member]) == own.partitions:
            continue
        if own.owned is not None:
            warnings.append(
                f"{own.place}: #PARTITIONS is {own.partitions}, but the assignment next to it has "
                f"{len(own.owned)}: edited by hand?"
            )
        else:
            raise InputError(
                f"{own.place}: #PARTITIONS: found {own.partitions}, expected {len(owned[member])}, which the "
                "offsets view gives the member: take both outputs at one time"
            )
    return owned, rows


def _member_rows(members: Iterable[MemberRow]) -> dict[str, MemberRow]:
    """The row of each member; raises `InputError` if two rows of one member, or of one instance id, differ.

    The views with and without `--verbose` both have a row for a member: the one with partitions counts.
    """
    rows: dict[str, MemberRow] = {}
    instances: dict[str, MemberRow] = {}
    for row in members:
        known = rows.setdefault(row.member, row)
        for column, field in _COMPARED.items():
            here, before = getattr(row, field), getattr(known, field)
            if None not in (here, before) and here != before:
                raise InputError(
                    f"{row.place}: CONSUMER-ID: found {shown(row.member)} with another {column} than at "
                    f"{known.place}, expected one row a member: two outputs of different times?"
                )
        if known.owned is None:
            rows[row.member] = row
        first = row if row.instance_id is None else instances.setdefault(row.instance_id, row)
        if first.member != row.member:
            raise InputError(
                f"{row.place}: GROUP-INSTANCE-ID: found {shown(row.instance_id)}, which "
                f"{shown(first.member)} has at {first.place}, expected one member for it: "
                "two outputs of different times?"
            )
    return rows


def stability_of(
    outputs: GroupOutputs,
    owned: Mapping[str, Iterable[TopicPartition]],
    rows: Mapping[str, MemberRow],
    labels: Mapping[str, str],
) -> Stability:
    """The state of the group of these outputs, in which members own these partitions."""
    states = [row.state for row in outputs.states]
    state = next((each for each in states if each not in STABLE), states[0] if states else None)
    epoch = max(_epochs(outputs, rows), default=None)
    holdings = tuple(
        _member_holding(member_id, owned[member_id], rows.get(member_id)) for member_id in sorted(owned)
    )
    unowned = tuple(_unowned(outputs, owned))
    reasons = list(_reasons(outputs, state))
    if state is None or reasons:
        reasons += _waits(holdings, epoch, labels)
    if state is None and not reasons:
        reasons += _unread(holdings, unowned, labels)
    return Stability(state, tuple(reasons), epoch, holdings, unowned)


def contradictions(stability: Stability, labels: Mapping[str, str]) -> Iterator[str]:
    """Members that are not where a stable group's members are: outputs of different times."""
    if stability.state is None or not stability.is_stable:
        return
    for said in _waits(stability.holdings, stability.epoch, labels):
        yield f"{said}, though the state is {stability.state}: outputs of different times?"


def _epochs(outputs: GroupOutputs, rows: Mapping[str, MemberRow]) -> Iterator[int]:
    yield from (row.epoch for row in outputs.states if row.epoch is not None)
    yield from (row.target_epoch for row in rows.values() if row.target_epoch is not None)


def _member_holding(member_id: str, owned: Iterable[TopicPartition], row: MemberRow | None) -> MemberHolding:
    has = set(owned)
    epoch = None if row is None else row.epoch
    # A classic member has no target, which the tool prints as an empty one.
    if (
        row is None
        or row.target is None
        or not (row.target or row.is_consumer or row.target_epoch is not None)
    ):
        return MemberHolding(member_id, epoch, tuple(sorted(has)), (), ())
    target = {TopicPartition(*tp) for tp in row.target}
    return MemberHolding(
        member_id, epoch, tuple(sorted(has)), tuple(sorted(target - has)), tuple(sorted(has - target))
    )


def _unowned(
    outputs: GroupOutputs, owned: Mapping[str, Iterable[TopicPartition]]
) -> Iterator[TopicPartition]:
    taken = {tp for tps in owned.values() for tp in tps}
    shown = {TopicPartition(row.topic, row.partition) for row in outputs.offsets if row.topic is not None}
    yield from sorted(shown - taken)


def _reasons(outputs: GroupOutputs, state: str | None) -> Iterator[str]:
    """What the coordinator and the tool say themselves."""
    if state is not None and state not in STABLE:
        yield f"its state is {state}"
    for row in outputs.states:
        if row.late_target is not None and row.state not in STABLE:
            yield row.late_target
    for group in sorted(outputs.empty):
        yield f"the tool says that consumer group '{group}' has no active members"
    for group in sorted(outputs.rebalancing):
        yield f"the tool warns that consumer group '{group}' is rebalancing"


def _waits(holdings: Sequence[MemberHolding], epoch: int | None, labels: Mapping[str, str]) -> Iterator[str]:
    """Who holds what others wait for or its target lacks, who is behind the epoch, what several own."""
    waiters: dict[TopicPartition, list[str]] = {}
    for each in holdings:
        for tp in each.awaited:
            waiters.setdefault(tp, []).append(labels[each.member_id])
    held = {tp for each in holdings for tp in each.owned}
    for each in holdings:
        blocking = [tp for tp in each.owned if tp in waiters]
        behind = each.epoch is not None and epoch is not None and each.epoch < epoch
        at = f" at epoch {each.epoch} of {epoch}" if behind else ""
        if blocking:
            names = list(dict.fromkeys(name for tp in blocking for name in waiters[tp]))
            verb = "waits" if len(names) == 1 else "wait"
            yield f"{labels[each.member_id]}{at} holds {several(blocking)}, for which {several(names)} {verb}"
        elif each.released:
            yield f"{labels[each.member_id]}{at} holds {several(each.released)}, which its target lacks"
        elif behind:
            yield f"{labels[each.member_id]} is{at}"
    owners = Counter(tp for each in holdings for tp in each.owned)
    twice = sorted(tp for tp, count in owners.items() if count > 1)
    if twice:
        have = "has" if len(twice) == 1 else "have"
        yield f"{counted(len(twice), 'partition')} {have} several owners ({several(twice)})"
    free = [tp for tp in waiters if tp not in held]
    if free:
        names = list(dict.fromkeys(name for tp in free for name in waiters[tp]))
        verb = "waits" if len(names) == 1 else "wait"
        yield f"{several(names)} {verb} for {several(free)}, which no member owns"


def _unread(
    holdings: Sequence[MemberHolding], unowned: Sequence[TopicPartition], labels: Mapping[str, str]
) -> Iterator[str]:
    """Partitions without an owner while members wait.

    A topic of which no member owns a partition may be lost, or no longer subscribed, in a stable group.
    """
    read = {tp.topic for each in holdings for tp in each.owned}
    missing = [tp for tp in unowned if tp.topic in read or not read]
    idle = [labels[each.member_id] for each in holdings if each.waits]
    if missing and idle:
        verb = "waits" if len(idle) == 1 else "wait"
        have = "has" if len(missing) == 1 else "have"
        yield (
            f"{counted(len(missing), 'partition')} {have} no owner ({several(missing)}) "
            f"while {several(idle)} {verb}"
        )


def several(things: Sequence[object]) -> str:
    """The first of these, and how many more.

    >>> several(["a"]), several(["a", "b"]), several("abcdef")
    ('a', 'a and b', 'a, b, c, d and 2 more')
    """
    names = [str(each) for each in things]
    if len(names) > _NAMED_MAX:
        return f"{', '.join(names[:_NAMED_MAX])} and {len(names) - _NAMED_MAX} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "none"
