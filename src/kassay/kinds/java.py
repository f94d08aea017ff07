"""Kafka's interfaces of what can be put to the test: their kind, and the jar that a user needs for them.

Those of a family are in `kinds/<family>/java.py`; a family without such a file has none.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from kassay.model.kinds import every_kind


class Interface(NamedTuple):
    """One interface of Kafka's.

    `kind` and `level` are what `META` calls them, `jar` is the one that holds it. `general` is the interface
    that this one extends, where that stands here too. `known` are Kafka's own classes that implement it and
    that others extend: a user's jar does not hold them. `constructors` are the arguments, by the short names
    of their types, that a class may be constructed with: none, and what Kafka's own classes need.
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
    """All of them; a class of several is put to the test as the first of its own."""
    places = [f"{__package__}.{family}" for family in dict.fromkeys(kind.family for kind in every_kind())]
    homes = [f"{place}.java" for place in places if find_spec(place) and find_spec(f"{place}.java")]
    return tuple(each for home in homes for each in import_module(home).INTERFACES)
