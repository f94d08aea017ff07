"""A played script: each event with its answers, its records, and the state after it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from kassay.engines.conform.plays import MemberIds
from kassay.engines.conform.script import event_line
from kassay.engines.genuine.coordinator import GenuineStep
from kassay.report.blocks import Described, TextBlock

_OF_STATE: Final = (
    "state",
    "generation",
    "group_epoch",
    "target_epoch",
    "protocol",
    "leader",
    "pending_join",
)
_OF_MEMBER: Final = ("instance", "epoch", "state", "assigned", "pending", "assignment")


def played_described(title: str, steps: Iterable[GenuineStep], ids: MemberIds, *, whole: bool) -> Described:
    """The steps, after the title; a broker shows nothing of records and state, so they are not `whole`."""
    lines = [TextBlock(title)] if title else []
    blocks = (each for step in steps for each in _step(step, ids, whole))
    return Described("a played script", ((*lines, *blocks),))


def _step(step: GenuineStep, ids: MemberIds, whole: bool) -> Iterator[TextBlock]:
    """The lines of a step."""
    yield TextBlock(ids.marked(event_line(step)), whole=True)
    if whole:
        for record in step.records:
            yield TextBlock(ids.marked(f"record {_fields(_trimmed(record))}"), depth=5, whole=True)
        for each in _state(step, ids):
            yield TextBlock(ids.marked(each), depth=5, whole=True)


def _trimmed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what is empty and what goes along with its fields."""
    shown = {name: value for name, value in record.items() if name != "more" and value not in (None, "")}
    if "members" in shown:
        shown["members"] = sorted(member["id"] for member in shown["members"])
    return shown


def _state(step: GenuineStep, ids: MemberIds) -> Iterator[str]:
    state = step.state
    if state.get("type") is None:
        yield "no group"
    else:
        values = {name: state[name] for name in _OF_STATE if state.get(name) not in (None, [], "")}
        yield f"{state['type']} group: {_fields(values)}"
        for member in sorted(state["members"], key=lambda each: str(ids.marked(each["id"]))):
            values = {name: member[name] for name in _OF_MEMBER if member.get(name) not in (None, {}, "")}
            yield f"  member {member['id']}: {_fields(values)}"
    if step.timers:
        timers = sorted(step.timers, key=lambda timer: (timer[2], timer[0], ids.marked(timer[1] or "")))
        shown = (" ".join(filter(None, (kind, member))) + f" at {due}" for kind, member, due in timers)
        yield f"timers: {', '.join(shown)}"


def _fields(values: Mapping[str, Any]) -> str:
    shown = ((name, value) for name, value in values.items() if value is not None)
    return " ".join(f"{name}={_plain(value)}" for name, value in shown)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value).replace('"', "") or '""'
