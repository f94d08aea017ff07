"""Transition tables as data, and the short interpreter that checks a machine against them.

For every state and every kind of event, a table says that the event is handled (and in which states the
machine may be afterwards), ignored, or impossible. No pair is left out (`total`). Steppers, diagrams and
tests read the same table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from kassay.model.errors import KassayError


class IllegalTransition(KassayError):
    """An event arrived in a state in which it is impossible, or led where the table does not allow.

    The driver of the machine is wrong, or the machine is; never the peer.
    """

    def __init__(self, state: Any, event: Any) -> None:
        super().__init__(state, event)
        self.state = state
        self.event = event

    def __str__(self) -> str:
        return f"{self.event} cannot happen in state {self.state}"


class Rule(NamedTuple):
    """One cell: the possible next states, and a short description of the action."""

    targets: tuple[Any, ...]
    action: str = ""


IGNORE: Final = Rule((), "ignore")
IMPOSSIBLE: Final = Rule((), "impossible")

Table: TypeAlias = Mapping[Any, Mapping[Any, Rule]]
"""State -> kind of event -> rule."""


def look_up(table: Table, state: Any, event: Any) -> Rule:
    """The rule for an event; raises `IllegalTransition` if there is none, or if it says impossible."""
    rule = table[state].get(event, IMPOSSIBLE)
    if rule is IMPOSSIBLE:
        raise IllegalTransition(state, event)
    return rule


def check_move(table: Table, before: Any, event: Any, after: Any) -> None:
    """Raises `IllegalTransition` unless the table allows `event` to lead from `before` to `after`."""
    rule = look_up(table, before, event)
    if after not in rule.targets and (after != before or rule is not IGNORE):
        raise IllegalTransition(before, f"{event} -> {after}")


def total(events: Iterable[Any], rows: Table) -> Table:
    """The table in which every event that a state does not list is impossible."""
    every = dict.fromkeys(events, IMPOSSIBLE)
    return {state: every | dict(rules) for state, rules in rows.items()}


def edges(table: Table) -> Iterator[tuple[Any, Any, Any]]:
    """Every move as (before, event, after), for diagrams; without ignored and impossible events."""
    for state, rules in table.items():
        for event, rule in rules.items():
            for after in rule.targets:
                yield state, event, after
