"""All values of a document are seen, each with what stands around it, and what is shared once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.siblings import siblings

LEAVES = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from("abc")
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.dictionaries(st.sampled_from("abc"), inner)
        | st.lists(st.fixed_dictionaries({"id": LEAVES, "owned": inner}), max_size=8)
    ),
    max_leaves=60,
)


def each(value: Any, depth: int = 0) -> list[tuple[int, str, int]]:
    """The depth and the type of every value, and how many fields it has."""
    here = [(depth, type(value).__name__, len(value) if isinstance(value, dict) else 0)]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return here + [found for item in inner for found in each(item, depth + 1)]


def seen(document: Any) -> tuple[Counter[tuple[int, str]], int]:
    """The same of the walk: values by depth and type, and the fields of all objects."""
    groups = [*siblings(document)]
    assert all(group.kinds == {*map(type, group.values)} for group in groups)
    values = Counter((group.depth, type(value).__name__) for group in groups for value in group.values)
    return values, sum(len(fields) for group in groups for fields in group.objects)


@given(DOCUMENTS)
def test_every_value_is_seen_at_its_depth(document: Any) -> None:
    found = each(document)
    assert seen(document) == (Counter((d, kind) for d, kind, _ in found), sum(n for *_, n in found))


def test_what_stands_twice_is_looked_into_once() -> None:
    shared = {"t": [1, 2, 3]}
    values, fields = seen({"assignment": shared, "certificate": {"assignment": shared}})
    assert fields == 4
    assert values[2, "list"] == 1
    assert sum(count for (_, kind), count in values.items() if kind == "int") == 3
