"""The events of a Streams application's history in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.kinds.events import Event, EventForm
from kassay.writing.text import counted


def _place(event: Event) -> list[str]:
    rack = [f"rack {event['rack']}"] if event.get("rack") else []
    return [*rack, *(f"{key}={value}" for key, value in dict(event.get("tags") or {}).items())]


def _joins(event: Event) -> str:
    return f"{event['process']} joins ({', '.join([counted(event['threads'], 'thread'), *_place(event)])})"


def _moves(event: Event) -> str:
    return ", ".join(_place(event)) or "no rack and no tags"


EVENT_FORMS: Final[Mapping[str, EventForm]] = {
    "ProcessJoin": EventForm(lambda e: f"{e['process']} joining", _joins),
    "ProcessLeave": EventForm(lambda e: f"{e['process']} leaving", lambda e: f"{e['process']} leaves"),
    "ThreadsChange": EventForm(
        lambda e: f"{e['process']} changing to {counted(e['threads'], 'thread')}",
        lambda e: f"{e['process']} now runs {counted(e['threads'], 'thread')}",
    ),
    "ProcessRestart": EventForm(lambda e: f"{e['process']} restarting", lambda e: f"{e['process']} restarts"),
    "ProcessRetag": EventForm(
        lambda e: f"{e['process']} moving to {_moves(e)}",
        lambda e: f"{e['process']} now runs with {_moves(e)}",
    ),
    "StateLost": EventForm(
        lambda e: f"{e['process']} losing its state",
        lambda e: f"{e['process']} loses its state",
    ),
    "StandbysChange": EventForm(
        lambda e: f"the change to {counted(e['replicas'], 'standby copy')}",
        lambda e: f"{e['replicas']} standby copies are wanted from now on",
    ),
}
"""Each event of an application by its name."""
