from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from kassay.model.errors import InputError
from kassay.reading.documents import Count, Name, Positive, Seconds
from kassay.reading.values import read_as, unique


@dataclass(frozen=True)
class _Member:
    id: Name
    topics: tuple[str, ...]
    owned: tuple[tuple[str, int], ...] = ()
    rack: Name | None = None
    threads: Positive = 1


@dataclass(frozen=True)
class _Group:
    kind: Literal["classic", "consumer"]
    members: tuple[_Member, ...]
    limits: Mapping[str, Count]
    racks: frozenset[str] = frozenset()
    rows: tuple[tuple[Name, tuple[Count, ...]], ...] = ()
    timeout: Seconds | None = None
    static: bool = False


MEMBER: dict[str, Any] = {"id": "a", "topics": ["t", "u"]}
GROUP: dict[str, Any] = {"kind": "classic", "members": [MEMBER], "limits": {}}


def test_a_document_becomes_a_value() -> None:
    member = MEMBER | {"owned": [["t", 0], ["u", 3]], "rack": "r0", "threads": 2}
    group = GROUP | {"members": [MEMBER, member], "limits": {"t": 3}, "racks": ["x", "y", "x"], "timeout": 2}
    assert read_as(_Group, group) == _Group(
        "classic",
        (_Member("a", ("t", "u")), _Member("a", ("t", "u"), (("t", 0), ("u", 3)), "r0", 2)),
        {"t": 3},
        frozenset({"x", "y"}),
        timeout=2.0,
    )


def test_a_field_with_a_default_may_be_null() -> None:
    assert read_as(_Member, MEMBER | {"rack": None, "threads": None, "owned": None}) == _Member(
        "a", ("t", "u")
    )


def test_a_field_that_no_shape_has_is_left_alone_or_refused() -> None:
    document = GROUP | {"members": [MEMBER | {"topic": "t"}]}
    assert read_as(_Group, document) == read_as(_Group, GROUP)
    with pytest.raises(InputError) as refused:
        read_as(_Group, document, closed=True)
    expected = "members[0].topic: unknown field, expected one of id, owned, rack, threads, topics (did you mean topics?)"
    assert str(refused.value) == expected


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": None}, "kind: found None, expected 'classic' or 'consumer'"),
        ({"members": "a"}, "members: found 'a', expected a list"),
        (
            {"members": {"a": MEMBER}},
            "members: found {'a': {'id': 'a', 'topics': ['t', 'u']}}, expected a list",
        ),
        ({"members": [MEMBER, 7]}, "members[1]: found 7, expected an object"),
        ({"members": [{"topics": []}]}, "members[0].id: missing"),
        ({"members": [MEMBER | {"id": ""}]}, "members[0].id: found '', expected a name"),
        ({"members": [MEMBER | {"id": 7}]}, "members[0].id: found 7, expected a name"),
        ({"members": [MEMBER | {"topics": None}]}, "members[0].topics: found None, expected a list"),
        ({"members": [MEMBER | {"topics": ["t", 5]}]}, "members[0].topics[1]: found 5, expected a text"),
        (
            {"members": [MEMBER | {"owned": [["t"]]}]},
            "members[0].owned[0]: found ['t'], expected a list of 2 entries",
        ),
        (
            {"members": [MEMBER | {"owned": ["t0"]}]},
            "members[0].owned[0]: found 't0', expected a list of 2 entries",
        ),
        (
            {"members": [MEMBER | {"owned": [["t", 0], ["t", True]]}]},
            "members[0].owned[1][1]: found True, expected a whole number",
        ),
        (
            {"members": [MEMBER | {"threads": 0}]},
            "members[0].threads: found 0, expected a whole number from 1 on",
        ),
        ({"limits": []}, "limits: found [], expected an object"),
        ({"limits": {"t": -1}}, "limits.t: found -1, expected a whole number from 0 on"),
        ({"limits": {"t": 1.0}}, "limits.t: found 1.0, expected a whole number from 0 on"),
        ({"limits": {"t": True}}, "limits.t: found True, expected a whole number from 0 on"),
        ({"racks": [["x"]]}, "racks[0]: found ['x'], expected a text"),
        (
            {"rows": [["a", [1]], ["a", [1, -2]]]},
            "rows[1][1][1]: found -2, expected a whole number from 0 on",
        ),
        ({"timeout": 0}, "timeout: found 0, expected seconds, more than 0 and at most a year"),
        ({"timeout": math.nan}, "timeout: found nan, expected seconds, more than 0 and at most a year"),
        ({"timeout": math.inf}, "timeout: found inf, expected seconds, more than 0 and at most a year"),
        ({"static": 1}, "static: found 1, expected true or false"),
    ],
)
def test_one_line_names_the_field(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        read_as(_Group, GROUP | change, "group.json")
    assert str(refused.value) == f"group.json: {complaint}"


@pytest.mark.parametrize("document", [None, [], 3, "x"])
def test_what_is_no_object_is_refused(document: Any) -> None:
    with pytest.raises(InputError, match=r"expected an object$"):
        read_as(_Group, document)


def test_a_long_value_is_cut() -> None:
    with pytest.raises(InputError) as refused:
        read_as(_Group, GROUP | {"kind": "x" * 1000})
    assert len(str(refused.value)) < 120


def test_what_stands_twice_is_named_with_both_places() -> None:
    unique([("a", 1), ("b", 2)], "id")
    with pytest.raises(InputError, match=r"^c: id 1 is already at a, expected unique$"):
        unique([("a", 1), ("b", 2), ("c", 1)], "id")


@pytest.mark.parametrize("document", [True, 1.0, "1", None])
def test_a_literal_is_of_its_type(document: Any) -> None:
    assert read_as(Literal[1], 1) == 1  # type: ignore[arg-type]  # a special form is a shape too
    with pytest.raises(InputError, match="expected 1"):
        read_as(Literal[1], document)  # type: ignore[arg-type]


@pytest.mark.parametrize("document", [["a"], ["a", 1, 2], [], "a1", {"a": 1}])
def test_a_list_with_places_has_so_many(document: Any) -> None:
    assert read_as(tuple[str, int], ["a", 1]) == ("a", 1)
    with pytest.raises(InputError, match="expected a list of 2 entries"):
        read_as(tuple[str, int], document)


@dataclass(frozen=True)
class _Measured:
    """A document with a number."""

    ratio: float


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_is_finite(value):
    assert read_as(_Measured, {"ratio": 1}) == _Measured(1.0)
    with pytest.raises(InputError, match=r"ratio: found -?(nan|inf), expected a number"):
        read_as(_Measured, {"ratio": value})


@dataclass(frozen=True)
class _Placed:
    rows: tuple[tuple[Count, ...], ...]


def test_lists_of_lists_are_read_at_once_and_told_one_by_one() -> None:
    assert read_as(_Placed, {"rows": [[1, 2], [], [0]]}) == _Placed(((1, 2), (), (0,)))
    for rows, complaint in (
        ([[1], 2], "rows[1]: found 2, expected a list"),
        ([[1], [0, True]], "rows[1][1]: found True, expected a whole number from 0 on"),
        ([[1, 1.0]], "rows[0][1]: found 1.0, expected a whole number from 0 on"),
        ([[], [-1]], "rows[1][0]: found -1, expected a whole number from 0 on"),
        ({}, "rows: found {}, expected a list"),
    ):
        with pytest.raises(InputError) as refused:
            read_as(_Placed, {"rows": rows})
        assert str(refused.value) == complaint
