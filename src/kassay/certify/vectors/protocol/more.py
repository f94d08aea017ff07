"""Additional data in the traces of later releases, which the older format has no place for."""

from __future__ import annotations

from typing import Any

from kassay.certify.vectors.protocol.shapes import Document, StepShape
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.consumer.heartbeat import looks_again
from kassay.model.protocols.values import errors
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.background import RegexMatches
from kassay.model.protocols.values.groups import ConsumerGroup, CoordinatorState
from kassay.model.protocols.values.records import UNKNOWN_TIME
from kassay.model.protocols.values.requests import Image, Partitions


def records_beside(step: StepShape) -> list[Document]:
    """The records of a step, each with its additional data as `more`.

    Raises `InputError` unless there is additional data for each.
    """
    additions = (step.more or {}).get("records")
    if additions is None:
        return list(step.records)
    if not isinstance(additions, list) or len(additions) != len(step.records):
        raise InputError(f"step {step.i}: more.records: expected one for each of {len(step.records)} records")
    return [
        {**record, "more": more} if more is not None else record
        for record, more in zip(step.records, additions)
    ]


def state_beside(step: StepShape) -> dict[str, Any]:
    """The additional data of the state.

    An uncaught `exception` belongs to the reply. Raises `InputError` for an exception without a reply.
    """
    more = dict(step.more or {})
    more.pop("records", None)
    if more.pop("exception", None) and not any(
        response.get("error") == errors.UNKNOWN_SERVER_ERROR for response in step.responses
    ):
        raise InputError(f"step {step.i}: more.exception: expected the answer {errors.UNKNOWN_SERVER_ERROR}")
    return more


def rendered_beside(record: r.LogRecord) -> dict[str, Any]:
    """The additional data of a record, as `more` if there is any."""
    value = record.value
    more: dict[str, Any] = {}
    if isinstance(value, r.EpochValue):
        more["topics"] = rendered_topics(value.topics)
    elif isinstance(value, r.TargetEpochValue) and value.time != UNKNOWN_TIME:
        more["time"] = value.time
    elif isinstance(value, r.MemberValue) and value.regex:
        more["regex"] = value.regex
    elif isinstance(value, r.CurrentValue):
        more = _epochs("assigned_epochs", value.assigned, value.assigned_epochs)
        more |= _epochs("pending_epochs", value.pending, value.pending_epochs)
    return {"more": more} if more else {}


def _epochs(name: str, tps: Partitions, epochs: tuple[int, ...]) -> dict[str, Any]:
    """`{"topic": [epoch, ...]}` under a name, if there are any."""
    shown: dict[str, list[int]] = {}
    for tp, epoch in zip(tps, epochs):
        shown.setdefault(tp.topic, []).append(epoch)
    return {name: shown} if tps else {}


def rendered_topics(topics: Image) -> dict[str, int]:
    """The partition counts of topics, by id."""
    return {image.topic_id: image.partitions for image in topics}


def rendered_resolution(result: RegexMatches) -> dict[str, Any]:
    """The result of a regular expression."""
    return {"topics": list(result.topics), "time": result.time, "image": result.image}


def rendered_more(state: CoordinatorState) -> dict[str, Any]:
    """The additional data of a state, if there is any."""
    group = state.group
    refreshing = {"refreshing": True} if state.background.tasks else {}
    if not isinstance(group, ConsumerGroup):
        return refreshing
    more: dict[str, Any] = refreshing | {
        "partition_epochs": {
            member.member_id: {"assigned": {}}
            | _epochs("assigned", member.assigned, member.assigned_epochs)
            | _epochs("pending", member.pending, member.pending_epochs)
            for member in group.members
        }
    }
    if group.target_time != UNKNOWN_TIME:
        more["assignment_time"] = group.target_time
    if regex_of := {member.member_id: member.regex for member in group.members if member.regex}:
        more["regex_of"] = regex_of
    if group.resolved:
        more["resolved"] = {regex: rendered_resolution(result) for regex, result in group.resolved}
    if looks_again(group):
        more["metadata_expired"] = True
    return more
