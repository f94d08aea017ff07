"""What a field may hold, and how a complaint about one reads.

What is at a path, whatever the path is.

Files of named claims.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST
from kassay.reading.documents import (
    DEPTH,
    Bound,
    Count,
    Name,
    Positive,
    Seconds,
    at,
    at_least,
    difference,
    documents,
    is_file,
    is_folder,
    is_there,
    parse_json,
    read_json,
    read_sentences,
    read_text,
    read_toml,
    shown,
    suggestion,
    within,
    wrong,
)
from tests.hostile import ALL


def test_a_file_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "group.json"
    path.write_bytes(gzip.compress(b'{"a": [1, 2.5, null]}'))
    assert read_json(path) == {"a": [1, 2.5, None]}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": 1, "a": 1}', "f.json: a: found twice, expected once"),
        ('{"a": [0, {"b": 1, "c": 2, "b": 3}]}', "f.json: a[1].b: found twice, expected once"),
        ('{"a": {"b": 1, "b": 1}, "a": 2}', "f.json: a: found twice, expected once"),
        ('{"a": {"b": 1, "b": 1}, "a": {"b": 1}}', "f.json: a: found twice, expected once"),
        ('{"a":\n 1,,}', "f.json:2: not JSON (Expecting property name enclosed in double quotes)"),
        ("", "f.json:1: not JSON (Expecting value); this is an empty file"),
    ],
)
def test_one_line_says_what_is_wrong_and_where(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_json(text, "f.json")
    assert str(refused.value) == complaint


@pytest.mark.parametrize("kind", ["json", "toml"])
def test_what_is_deep_is_refused_before_anybody_walks_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"f.{kind}"
    read = read_json if kind == "json" else read_toml
    for depth in (DEPTH - 1, DEPTH + 1):
        nested = "[" * depth + "]" * depth
        path.write_text(f'{{"a": {nested}}}' if kind == "json" else f"a = {nested}")
        if depth < DEPTH:
            assert read(path)["a"]
        else:
            with pytest.raises(InputError, match=f"more than {DEPTH} deep"):
                read(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "[" * 100_000 + "]" * 100_000,
            f"f.jsonl:3: objects and lists more than {DEPTH} deep, expected fewer",
        ),
        (
            '{"a":\n' + "9" * 5_000 + "}",
            "f.jsonl:4: a whole number of more than 4,300 digits, expected fewer",
        ),
    ],
    ids=["deep", "digits"],
)
def test_what_python_cannot_hold_is_refused_in_words_of_kassay(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_json(text, "f.jsonl", 3)
    assert str(refused.value) == complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "a = " + "[" * 10_000 + "]" * 10_000,
            f":1: objects and lists more than {DEPTH} deep, expected fewer",
        ),
        ("b = 1\na = " + "9" * 5_000, ":2: a whole number of more than 4,300 digits, expected fewer"),
    ],
    ids=["deep", "digits"],
)
def test_nor_in_toml_are_there_words_of_python(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "f.toml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_toml(path)
    assert str(refused.value) == f"{path}{complaint}"


def test_an_error_in_json_says_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    for text in ("a,b\n", '{"a": 1}\n{\n'):
        path.write_text(text)
        for read in (read_json, documents):
            with pytest.raises(InputError, match=r"f.json:\d: not JSON \(.*\), expected a baseline$"):
                read(str(path), "a baseline")


def test_the_line_of_a_document_is_named() -> None:
    with pytest.raises(InputError, match=r"^f.jsonl:7: not JSON"):
        parse_json("{", "f.jsonl", 7)
    with pytest.raises(InputError, match=r"^f.jsonl:7: a: found twice"):
        parse_json('{"a": 1, "a": 2}', "f.jsonl", 7)


def test_toml_is_read_and_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "campaign.toml"
    path.write_text('[campaign]\nname = "a"\n')
    assert read_toml(path) == {"campaign": {"name": "a"}}
    path.write_text("a = 1\na = 2\n")
    with pytest.raises(InputError, match=r"campaign.toml: not TOML \(.*line 2"):
        read_toml(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: no such file, expected a baseline$"):
        read_text(tmp_path / "none", "a baseline")
    with pytest.raises(InputError, match=r": is a folder, expected a file$"):
        read_text(tmp_path)
    path = tmp_path / "latin"
    path.write_bytes(b"ab\xff")
    with pytest.raises(InputError, match=r"latin: not UTF-8 \(byte 2\)$"):
        read_text(path)
    path.write_bytes(gzip.compress(b"abcdef")[:-4])
    with pytest.raises(InputError, match=r"latin: cannot be read \("):
        read_text(path)


def test_a_file_holds_one_document_or_lines_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "instances.json"
    path.write_text('{"a":\n 1}\n')
    assert documents(str(path)) == [({"a": 1}, str(path))]
    path.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert documents(str(path)) == [({"a": 1}, f"{path}:1"), ({"a": 2}, f"{path}:3")]
    path.write_bytes(gzip.compress(b'[{"a": 1},\n {"a": 2}]'))
    assert documents(str(path)) == [({"a": 1}, f"{path}[0]"), ({"a": 2}, f"{path}[1]")]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (" \n", ": empty, expected one JSON document or JSON lines"),
        ('{"a": 1}\n{"a"\n', ":2: not JSON (Expecting ':' delimiter)"),
        ('{"a": 1}\n{"b": [{"a": 1, "a": 2}]}\n', ":2: b[0].a: found twice, expected once"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "instances.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        documents(str(path))
    assert str(refused.value) == f"{path}{complaint}"


def test_an_error_is_told_with_the_place_and_keeps_its_class() -> None:
    class WitnessError(InputError):
        pass

    with pytest.raises(WitnessError, match=r"^groups.jsonl:3: no$"), at("groups.jsonl:3"):
        raise WitnessError("no")


def bound_of(narrowed: Any) -> Bound:
    """The bound in an annotated type."""
    (_, bound) = get_args(narrowed)
    assert isinstance(bound, Bound)
    return bound


@pytest.mark.parametrize(
    ("narrowed", "inside", "outside"),
    [
        (Name, ["a", " "], [""]),
        (Count, [0, 7], [-1]),
        (Positive, [1, 7], [0, -1]),
        (Seconds, [0.001, 3], [0, -0.5]),
    ],
)
def test_a_bound_holds_up_to_its_edge(narrowed: Any, inside: list[Any], outside: list[Any]) -> None:
    holds = bound_of(narrowed).holds
    assert [bool(holds(value)) for value in (*inside, *outside)] == [True] * len(inside) + [False] * len(
        outside
    )


@given(st.integers(), st.integers())
def test_at_least_is_not_below(least: int, value: int) -> None:
    bound = at_least(least)
    assert bound.holds(value) is (value >= least)
    assert bound.expected == f"a whole number from {least} on"


@given(st.one_of(st.text(max_size=80), st.lists(st.integers(), max_size=30), st.none()))
def test_a_quoted_value_is_one_short_line(value: object) -> None:
    text = shown(value)
    assert "\n" not in text
    assert len(text) <= 60
    assert text == repr(value) or (text.endswith("...") and len(text) == 60)
    assert repr(value).startswith(text.removesuffix("..."))


def test_a_value_is_cut_where_it_is_longer_than_a_line_can_hold() -> None:
    assert shown("x" * 58) == repr("x" * 58)
    assert shown("x" * 59) == "'" + "x" * 56 + "..."


def test_a_total_is_told_with_what_it_counts() -> None:
    within([MOST, 0], "topics")
    with pytest.raises(
        InputError, match=f"^topics: found {MOST + 1} partitions in all, expected at most {MOST}$"
    ):
        within([MOST, 1], "topics")
    with pytest.raises(
        InputError, match=f"^clients: found {MOST + 1} threads in all, expected at most {MOST}$"
    ):
        within([1, MOST], "clients", "threads")


def test_a_complaint_says_where_what_and_what_else() -> None:
    assert difference(-1, "a count") == "found -1, expected a count"
    assert str(wrong("topics[0].rf", "x", "a count")) == "topics[0].rf: found 'x', expected a count"


def test_a_file_and_a_folder_are_there(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("")
    assert (is_file(file), is_folder(file), is_there(file)) == (True, False, True)
    assert (is_file(str(tmp_path)), is_folder(str(tmp_path)), is_there(tmp_path)) == (False, True, True)


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\0b", "\ud800", ALL])
def test_nothing_is_where_nothing_can_be(name: str) -> None:
    assert (is_file(name), is_folder(name), is_there(name)) == (False, False, False)


def test_the_sentences_of_a_file_in_its_order(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text('few-moves = "moved <= 2"\neven = "max(load) - min(load) <= 1 where no_racks"\n')
    assert read_sentences(path) == (
        "few-moves = moved <= 2",
        "even = max(load) - min(load) <= 1 where no_racks",
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty, expected a file of named claims"),
        ("even = 3", "even: found 3, expected a sentence in quotes"),
        ("Even = 'moved <= 1'", "found 'Even', expected a name of small letters"),
        ("even = ", "not TOML"),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path, text, complaint):
    path = tmp_path / "claims.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint) as error:
        read_sentences(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("STICKY", "sticky"), (" sticky", "sticky"), ("stiky", "sticky"), ("murmur2", "partitioner:murmur2")],
)
def test_a_name_in_other_letters_or_without_its_prefix_is_suggested(typed, meant):
    assert suggestion(typed, ["sticky", "partitioner:murmur2"]) == f" (did you mean {meant}?)"


def test_nothing_similar_is_no_suggestion():
    assert suggestion("", ["sticky", "a:"]) == suggestion("xyz", ["sticky"]) == ""
