"""Large documents as JSON by msgspec, where nothing is in them that it would write otherwise than Python.

It writes more kinds of values, NaN as null, and the exponents of floats otherwise: who asks promises that a
document is of texts, whole numbers, truth values, nulls, and lists and objects of them, its floats finite.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Final

from kassay.model.siblings import siblings

ENOUGH: Final = 50_000
"""From so many values on it is faster, the time to load it included."""


def large_text(document: Any) -> str | None:
    """The document as compact JSON; None where it is not large, or for Python's writer to write."""
    sizes = accumulate(len(each.values) for each in siblings(document))
    if all(size < ENOUGH for size in sizes):
        return None
    import msgspec

    try:
        return msgspec.json.encode(document).decode()
    except ValueError:  # half a surrogate pair, or a number with too many digits for a text
        return None
