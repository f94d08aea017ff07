"""The rows of the tables of coordinator and clients: what may happen in a state, one event a row.

A row is removed by making its event impossible in its state. Where no row is, nothing guards.
"""

import ast
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kassay.model.protocols.table import IMPOSSIBLE, Rule
from tests.guards.catalogue import Guard, modules, name_of

REMOVED = "impossible"


class Place(NamedTuple):
    """Where a row stands: in the table, under the state, for the event."""

    guard: Guard
    table: dict[Any, Any]
    state: Any
    event: Any


def _assigned(path: Path) -> Iterator[str]:
    """The names that a module itself gives to values."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _is_table(value: object) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(
            isinstance(rules, dict) and all(isinstance(rule, Rule) for rule in rules.values())
            for rules in value.values()
        )
    )


def tables() -> Iterator[tuple[str, str, dict[Any, Any]]]:
    """The tables of the two rooms, each with its module and its name there."""
    for path in modules():
        module = importlib.import_module(f"kassay.model.protocols.{name_of(path).removesuffix('.__init__')}")
        for name in _assigned(path):
            if _is_table(value := getattr(module, name)):
                yield name_of(path), name, value


def rows() -> Iterator[Place]:
    """Every row of the tables, also those that say to ignore an event."""
    for module, name, table in tables():
        for state, rules in table.items():
            for event, rule in rules.items():
                if rule is not IMPOSSIBLE:
                    yield Place(Guard(module, name, f"{state}: {event}", REMOVED), table, state, event)


def remove_row(guard: Guard) -> None:
    """In a fork: let the event of this row be impossible."""
    (place,) = [place for place in rows() if place.guard == guard]
    place.table[place.state] = place.table[place.state] | {place.event: IMPOSSIBLE}


class _Watched(dict[Any, Any]):
    """The rules of a state that tell which of them are asked for."""

    def __init__(self, rules: dict[Any, Any], tell: Callable[[Any], None]) -> None:
        super().__init__(rules)
        self._tell = tell

    def get(self, event: Any, default: Any = None) -> Any:
        self._tell(event)
        return super().get(event, default)


def watch_rows(tell: Callable[[Guard], None]) -> None:
    """In a fork: have each row told whenever it is asked for."""
    guards = {(id(place.table), place.state, place.event): place.guard for place in rows()}

    def telling(table: dict[Any, Any], state: Any) -> Callable[[Any], None]:
        def told(event: Any) -> None:
            if (guard := guards.get((id(table), state, event))) is not None:
                tell(guard)

        return told

    for _, _, table in tables():
        for state, rules in list(table.items()):
            table[state] = _Watched(rules, telling(table, state))
