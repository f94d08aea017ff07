"""The free choices of a genuine trace, read from the step under check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kassay.assignors.streams.group.sticky import StreamsGroupSticky
from kassay.certify.vectors.protocol.codec import partitions_of
from kassay.certify.vectors.protocol.shapes import BEFORE_THE_FIRST, TracedStep
from kassay.certify.vectors.protocol.streams_codec import shown_tasks
from kassay.model.java.hashes import hash_map_order
from kassay.model.protocols.values.choices import LEADER, PROTOCOL, Target, TargetAsk
from kassay.model.protocols.values.groups import PREPARING, STABLE
from kassay.model.protocols.values.requests import REVOCATION, Armed, Partitions, SetTimer
from kassay.model.protocols.values.streams.tasks import TaskRoles, TaskTarget
from kassay.model.streams.group import MemberTasks, StreamsGroup


class TraceChoices:
    """Choices as in the trace; `turn_to` moves to the next step."""

    def __init__(self) -> None:
        self._known: set[str | None] = set()
        self._before = BEFORE_THE_FIRST.state
        self._step = BEFORE_THE_FIRST
        self._fired: Iterator[tuple[str, str | None]] = iter(())

    def turn_to(self, step: TracedStep) -> None:
        """Move to this step."""
        self._known |= {*_ids(self._step), self._step.event.member}
        self._before = self._step.state
        self._step = step
        self._fired = iter(step.shape.fired)

    def pick(self, kind: str, options: Sequence[str]) -> str:
        """The option that appears in the state after the step."""
        if len(options) == 1:
            return options[0]
        state, before = self._step.state, self._before
        if kind == LEADER:
            return self._leader(options)
        outvoted = (before.state, state.state) == (STABLE, PREPARING)
        if kind == PROTOCOL and outvoted and self._step.event.event == "join":
            # A static member returned and the vote went against the current protocol: hence the rebalance.
            return next(option for option in options if option != before.protocol)
        chosen = state.protocol
        return chosen if chosen is not None and chosen in options else options[0]

    def _leader(self, options: Sequence[str]) -> str:
        """The leader after the step; if another change hides it, the first in map order."""
        chosen = self._step.state.leader
        if chosen is not None and chosen in options:
            return chosen
        ids = (member.id for state in (self._step.state, self._before) for member in state.members)
        return next((member_id for member_id in ids if member_id in options), options[0])

    def member_id(self, prefix: str) -> str:
        """The id that appears in this step for the first time."""
        used = {*self._known, self._step.event.member}
        fresh = [member_id for member_id in _ids(self._step) if member_id not in used]
        return next((each for each in fresh if each.startswith(prefix)), f"{prefix}-never shown")

    def target(self, ask: TargetAsk) -> Target:
        """The target after the step, for these members.

        The trace does not show a target whose write failed. It only shows whether the member had to revoke
        something: that armed its revocation timer, which a failed write does not undo.
        """
        target: dict[str, Partitions] = {member.member_id: member.target for member in ask.members}
        for record in self._step.records:
            if record.type == "target" and record.member is not None and not record.tombstone:
                target[record.member] = partitions_of(record.partitions)
        for member, tps in self._step.state.target.items():
            target[member] = partitions_of(tps)
        if self._step.event.write_fails is not None:
            target |= {member.member_id: self._unwritten(member.member_id) for member in ask.members}
        return tuple((member.member_id, target[member.member_id]) for member in ask.members)

    def _unwritten(self, member_id: str) -> Partitions:
        """Nothing for a member with a running revocation timer, else the member's partitions."""
        if any(timer[:2] == (REVOCATION, member_id) for timer in self._step.state.timers):
            return ()
        return next((partitions_of(m.assigned or {}) for m in self._before.members if m.id == member_id), ())

    def tasks(self, ask: StreamsGroup) -> TaskTarget:
        """The answer of Kafka's own rule, or the trace's answer if it differs for the same tasks.

        The rule gets the members in the order of Java's hash table, as far as it is known.
        """
        listed = {member.member_id: member for member in ask.members}
        reordered = replace(ask, members=tuple(listed[member_id] for member_id in hash_map_order(listed)))
        given = StreamsGroupSticky().assign_group(reordered)
        target = []
        for member_id in sorted(listed):
            tasks = given.get(member_id, MemberTasks())
            target.append((member_id, TaskRoles(tuple(sorted(tasks.active)), tuple(sorted(tasks.standby)))))
        shown = tuple(sorted(shown_tasks(self._step.shape.state).items()))
        return shown if _same_tasks(shown, target) else tuple(target)

    def first_of(self, due: Armed) -> SetTimer:
        """The timer that fired next, among those due."""
        expected = next(self._fired, None)
        for order in due:
            if expected is not None and (order.timer.kind, order.timer.member_id or None) == expected:
                return order
        return due[0]


def _same_tasks(one: TaskTarget, other: Sequence[tuple[str, TaskRoles]]) -> bool:
    """Whether two targets have the same members and tasks."""
    members = [[member for member, _ in target] for target in (one, other)]
    tasks = [sorted(task for _, roles in target for task in roles.active) for target in (one, other)]
    return members[0] == members[1] and tasks[0] == tasks[1]


def _ids(step: TracedStep) -> list[str]:
    """Every distinct member id in a step, except that of its event."""
    state = step.state
    ids = [response.member for response in step.responses]
    ids += [member.id for member in state.members]
    ids += state.pending_join
    ids += [member for _, member, _ in state.timers]
    ids += [member.id for record in step.records for member in record.members]
    return [member for member in dict.fromkeys(ids) if member]
