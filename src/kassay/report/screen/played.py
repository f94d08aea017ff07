"""A played script for a terminal: each event, its answers, its records, and the state after it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kassay.engines.conform.plays import MemberIds
from kassay.engines.conform.script import event_line
from kassay.engines.genuine.coordinator import GenuineStep
from kassay.report.screen.console import View, stack, whole_line

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


def step_view(step: GenuineStep, ids: MemberIds, *, whole: bool = True) -> View:
    """The lines of a step; a broker shows nothing of records and state."""
    lines = [event_line(step)]
    if whole:
        lines += [f"     record {_fields(_trimmed(record))}" for record in step.records]
        lines += [f"     {each}" for each in _state(step, ids)]
    return stack(*(whole_line(ids.marked(each)) for each in lines))


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
