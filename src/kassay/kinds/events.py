"""The events of histories in words: each family has one table, with two forms of each event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from kassay.model.shape.removal import plain_event

Event: TypeAlias = Mapping[str, Any]
"""The document of an event; its field `event` holds the name."""


class EventForm(NamedTuple):
    """The words for an event: as a noun (`m1 leaving`) and as a sentence (`m1 leaves`)."""

    noun: Callable[[Event], str]
    sentence: Callable[[Event], str]


def noun_of(forms: Mapping[str, EventForm], event: Event) -> str:
    """The event as a noun; built from its fields where the table has no entry.

    >>> noun_of({}, {"event": "ProcessLeave", "process": "p1"})
    'the process leave p1'
    """
    form = forms.get(event["event"])
    return plain_event(event) if form is None else form.noun(event)


def sentence_of(forms: Mapping[str, EventForm], event: Event) -> str:
    """The event as a sentence; built from its fields where the table has no entry.

    >>> sentence_of({}, {"event": "ProcessLeave", "process": "p1"})
    'process leave p1'
    """
    form = forms.get(event["event"])
    return plain_event(event).removeprefix("the ") if form is None else form.sentence(event)
