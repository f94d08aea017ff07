"""How deep a document is, and how many fields its objects have."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kassay.model.siblings import INNER, siblings

DEPTH: Final = 100
"""How many objects and lists may stand inside each other: more than any document here, less than hurts."""


class Nesting(NamedTuple):
    """Whether no more than DEPTH objects and lists stand around another, and how many fields there are."""

    shallow: bool
    fields: int


def nesting(document: Any) -> Nesting:
    """The nesting of a document of dicts and lists; where it is not shallow fields are missing."""
    fields = 0
    for values in siblings(document):
        if values.depth > DEPTH and not values.kinds.isdisjoint(INNER):
            return Nesting(False, fields)
        fields += sum(map(len, values.objects))
    return Nesting(True, fields)
