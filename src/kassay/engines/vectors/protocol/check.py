"""Step-by-step traces of the genuine group coordinator: the models must match every step.

After each step the check compares the clock, the replies, the fired timers, the records, the number of
acknowledged records and the whole state with its armed timers. Only the protocol's free choices are read
from the trace (`TraceChoices`): new member ids, the next leader after the leader left, tied votes,
target assignments, and the order of timers due at one instant. Lists whose order is free (members,
replies of one step, records of different keys) are compared as sets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.engines.vectors.protocol.codec import Images, config_of, event_of, partitions_of, release_named
from kassay.engines.vectors.protocol.render import (
    records_beside,
    rendered_beside,
    rendered_more,
    rendered_record,
    rendered_reply,
    rendered_state,
    state_beside,
    tidy,
)
from kassay.engines.vectors.protocol.shapes import BEFORE_THE_FIRST, RecordShape, TracedStep, TraceShape
from kassay.engines.vectors.protocol.streams import (
    STREAMS_EVENTS,
    rendered_streams_more,
    shown_tasks,
    streams_event_of,
)
from kassay.kinds.vectors import vector_format
from kassay.model.errors import InputError
from kassay.model.java import hash_map_order
from kassay.model.protocols.coordinator import step as coordinator
from kassay.model.protocols.coordinator.runtime import ClockedRuntime, CoordinatorTarget, Happened
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.table import IllegalTransition
from kassay.model.protocols.values.choices import LEADER, PROTOCOL, Target, TargetAsk
from kassay.model.protocols.values.groups import PREPARING, STABLE
from kassay.model.protocols.values.releases import TRUNK_2024
from kassay.model.protocols.values.requests import CONSUMER_SESSION, REVOCATION, Armed, Partitions, SetTimer
from kassay.model.protocols.values.streams import STREAMS_SESSION, TaskRoles, TaskTarget
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from kassay.model.streams.group import MemberTasks, StreamsGroup
from kassay.reading.values import read_as


class TraceChoices:
    """Choices as in the trace; `turn_to` moves to the next step. `names` are the trace's for some timers.

    `stays`: a target counts as that of its member, also if it takes the place of another one (the older rule
    `target_stays_with_instance`).
    """

    def __init__(self, names: Mapping[str, str] | None = None, *, stays: bool = False) -> None:
        self._names, self._stays = names or {}, stays
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

        A trace without `lost` does not show a target whose write failed. It only shows whether the member had
        to revoke something: that armed its revocation timer, which a failed write does not undo.
        """
        step = self._step
        target: dict[str, Partitions] = {member.member_id: member.target for member in ask.members}
        for record in step.records:
            if record.type == "target" and record.member is not None and not record.tombstone:
                target[record.member] = partitions_of(record.partitions)
        for member, tps in step.state.target.items():
            target[member] = partitions_of(tps)
        if step.lost:
            for record in step.lost:
                if record.type == "target" and record.member is not None and not record.tombstone:
                    target[record.member] = partitions_of(record.partitions)
        elif step.event.write_fails is not None:
            target |= {member.member_id: self._unwritten(member.member_id) for member in ask.members}
        for member in _handed_on(step.lost or step.records) if self._stays else ():
            if member in self._before.target:
                target[member] = partitions_of(self._before.target[member])
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
        shown = tuple(sorted(shown_tasks(self._step.shape.state, self._step.shape.lost).items()))
        return shown if _same_tasks(shown, target) else tuple(target)

    def first_of(self, due: Armed) -> SetTimer:
        """The timer that fired next, among those due."""
        expected = next(self._fired, None)
        for order in due:
            kind, member_id = order.timer
            if expected is not None and (self._names.get(kind, kind), member_id or None) == expected:
                return order
        return due[0]


def _handed_on(records: Sequence[RecordShape]) -> Iterator[str]:
    """Who is given the target of the member that it replaces, and no new one.

    The record of that target comes right before the member's current assignment.
    """
    given = [
        (record.member, following.type == "current")
        for record, following in pairwise(records)
        if record.type == "target" and record.member is not None and not record.tombstone
    ]
    for member, handed in given:
        if handed and (member, False) not in given:
            yield member


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


ALGORITHMS = ("protocol-classic", "protocol-consumer", "protocol-migration")
REGEX = "protocol-regex"
STREAMS = "protocol-streams"


def check_trace(
    vector: Mapping[str, Any],
    factory: Callable[[], Any],
    *,
    exact: bool = False,  # noqa: ARG001 - every list of a trace has either a fixed or a free order
    version: str = "",
) -> str | None:
    """One line with the step, the expected and the actual value; None if every step agrees.

    The factory's object has a `step` like `coordinator.step`, which is also the default for a factory of
    None. `version` is the release in the header of the trace's file. Raises `InputError` if it has none, for
    a release that is not modelled, or for an invalid trace.
    """
    target = factory() or coordinator
    if not callable(getattr(target, "step", None)):
        raise InputError(f"target {type(target).__name__}: no step(config, state, event, choices)")
    shape = read_as(TraceShape, vector)
    trace = FollowedTrace(shape, target.step, release_named(version))
    for step in map(TracedStep, shape.steps):
        difference = trace.check(step)
        if difference:
            return f"step {step.shape.i} ({step.event.event}): {difference}"
    return None


class FollowedTrace:
    """A trace in progress: the model takes each genuine step, and is compared after it."""

    def __init__(self, trace: TraceShape, target: CoordinatorTarget, release: str) -> None:
        # Kafka's timers of consumers and of Streams threads share a key; if both occur, they share a name.
        self._names = {CONSUMER_SESSION: STREAMS_SESSION} if trace.config.streams else {}
        config = config_of(trace.config, release)
        self._choices = TraceChoices(self._names, stays="target_stays_with_instance" in config.switches)
        self._runtime = ClockedRuntime(config, self._choices, target)
        self._images = Images()
        self._host = self._runtime.first(self._images.publish(trace.topics))
        self._clock = 0
        self._durable = 0
        self._ends_writes = trace.config.unload_ends_writes
        self._release, self._tells_more = release, release != TRUNK_2024

    def check(self, step: TracedStep) -> str | None:
        """Take one step; returns the difference, or None."""
        self._choices.turn_to(step)
        try:
            happened = self._perform(step)
        except IllegalTransition as problem:
            return f"expected a possible event, got: {problem}"
        self._host = happened.host
        self._clock += happened.elapsed
        self._durable += happened.acknowledged
        return self._difference(step, happened)

    def _perform(self, step: TracedStep) -> Happened:
        event, host, kind = step.event, self._host, step.event.event
        if kind == "advance":
            return self._runtime.advance(host, event.ms, self._choices.first_of, event.write_fails or "")
        if kind == "flush":
            return self._runtime.flush(host)
        if kind == "reload":
            return self._runtime.reload(host, ends_writes=self._ends_writes)
        if kind == "defer":
            return Happened(host._replace(deferring=True))
        return self._runtime.deliver(host, self._event(step), event.write_fails or "")

    def _event(self, step: TracedStep) -> Event:
        """The event that the step delivers to the coordinator."""
        if step.event.event in STREAMS_EVENTS:
            return streams_event_of(step.shape.i, step.shape.event, self._runtime.config.streams)
        return event_of(step, self._images, regexes=self._tells_more)

    def _difference(self, step: TracedStep, happened: Happened) -> str | None:
        kafka = step.shape
        if kafka.more is not None and not self._tells_more:
            raise InputError(f"step {kafka.i}: more: traces of {self._release} have no such field")
        fired = [[self._names.get(kind, kind), member or None] for kind, member in happened.fired]
        state = rendered_state(self._host, self._clock)
        state["timers"] = [[self._names.get(kind, kind), *timer] for kind, *timer in state["timers"]]
        replies = [rendered_reply(reply) for reply in happened.replies]
        records = [rendered_record(record) for record in happened.records]
        if self._tells_more:
            records = [shown | rendered_beside(record) for shown, record in zip(records, happened.records)]
        of_record = ("type", "member", "topic", "partition", "regex")
        pairs = (
            ("clock", kafka.t, self._clock),
            ("fired", [list(timer) for timer in kafka.fired], fired),
            ("responses", _grouped(kafka.responses, "to"), _grouped(replies, "to")),
            ("records", _grouped(records_beside(kafka), *of_record), _grouped(records, *of_record)),
            ("durable", kafka.durable, self._durable),
            ("state", tidy(kafka.state), tidy(state)),
        )
        present = self._host.state
        group = present.group
        kept = rendered_streams_more(group) if isinstance(group, StreamsTaskGroup) else rendered_more(present)
        more = ("more", state_beside(kafka), kept if self._tells_more else {})
        for name, expected, actual in (*pairs, more):
            if expected != actual:
                return _smallest(name, expected, actual)
        return None


def _smallest(name: str, expected: Any, actual: Any) -> str:
    """The first part that differs, as one line."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            if expected.get(key) != actual.get(key):
                return _smallest(f"{name}.{key}", expected.get(key), actual.get(key))
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual) == 1:
        return _smallest(name, expected[0], actual[0])
    return f"{name}: expected {_text(expected)}, got {_text(actual)}"


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _grouped(documents: Iterable[Mapping[str, Any]], *key: str) -> dict[str, Any]:
    """The documents by their values of the key, in order within each."""
    groups: dict[str, Any] = {}
    for document in documents:
        parts = [str(document[name]) for name in key if document.get(name) is not None]
        groups.setdefault(" ".join(parts), []).append(tidy(document))
    return groups


for _algorithm in (*ALGORITHMS, REGEX, STREAMS):
    vector_format(_algorithm, None, reference=_algorithm, versioned=True)(check_trace)
