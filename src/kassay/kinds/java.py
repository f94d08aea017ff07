"""Kafka's interfaces of testable classes: their kind, and the jar that a user needs for them.

A family declares its interfaces in `kinds/<family>/java.py`; a family without that file has none.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from kassay.model.kinds import every_kind


class Interface(NamedTuple):
    """One interface of Kafka's.

    `kind` and `level` are the words of `META`; `jar` is the one that holds the interface. `general` is the
    interface that this one extends, where the list has that too. `known` are Kafka's own classes that
    implement it and that other classes extend: a user's jar does not hold them. `constructors` are the
    arguments, by the short names of their types, that a class may be constructed with: none, and what Kafka's
    own classes need.
    """

    name: str
    kind: str
    jar: str
    level: str = ""
    general: str = ""
    known: tuple[str, ...] = ()
    constructors: tuple[tuple[str, ...], ...] = ((),)


@cache
def interfaces() -> tuple[Interface, ...]:
    """All interfaces; a class that implements several is tested as the first of its own."""
    places = [f"{__package__}.{family}" for family in dict.fromkeys(kind.family for kind in every_kind())]
    homes = [f"{place}.java" for place in places if find_spec(place) and find_spec(f"{place}.java")]
    return tuple(each for home in homes for each in import_module(home).INTERFACES)
