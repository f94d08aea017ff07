"""What msgspec reads is what Python's reader reads, or it is left to that.

What stands many times in a document of a group is one value, and the document is what Python reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.optimum.solve import solve
from kassay.model.errors import InputError
from kassay.reading import large
from kassay.reading.documents import DEPTH, Located, documents, parse_json
from kassay.reading.large import decode_document, decode_group, read_large
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.instances.brokers_and_tasks import member_tasks, placement, tasks
from kassay.solver.instances.groups import consumer, share_group
from tests.hostile import TEXTS

NUMBERS = (
    *("0", "-0", "-0.0", "1.0", "1e3", "1E+3", "0.1e1", "1e-400", "9007199254740993.0", "5e-324"),
    *("9223372036854775808", "18446744073709551616", "-9223372036854775809", "9" * 400, "1" * 4300),
    *("123456789012345678901234567890e-20", "2.2250738585072011e-308", "0." + "1" * 400),
)
LEFT = (
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "1" * 400 + ".5",
        '"\\ud800"',
        '"\\udc00"',
        '"\\ud83d\\u0041"',
    ),
    *('{"a": 1, "a": 1}', '[{"a": {"b": 1, "b": 2}, "c": 0}]', '{"a": {"b": 1}, "a": {"b": 1}}'),
    *('{"a:b": 1}', '["a:"]', '{"a": 1, "a": "\\u003a"}', "[" * (DEPTH + 2) + "]" * (DEPTH + 2)),
    *("[" * 20 + "]" * 20, '{"a": [1, {"b": 1, "b": 1}]}', '[[0, {"a": 1}]]'),
    *(
        '{"a": "\\u003a", "a": 1}',
        '{"a": ":", "a": 1}',
        '{"a": "\\u003A", "b": {"c": 1, "c": 2}}',
        '{"a": ["b:"]}',
    ),
)
"""What Python reads and msgspec does not, what is refused, and where a colon in a text leaves it open."""
WRONG = (
    *("01", "-01", "1.", ".5", "+1", "-", "1e", "tru", "[1,]", '{"a":1,}', "[1 2]", '{"a"}', "{1:2}", "'a'"),
    *('"a\tb"', '"\x1f"', '"\x00"', '"\\x"', '"a', "", " ", "\ufeff1", "1\x0b", "\u00a01", "1 1", "1 //c"),
    *("[" * 100_000, "1" * 4301, '{"a": 1}\n{"a": 2}'),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)
SHREDS = st.lists(
    st.sampled_from(
        ["[", "]", "{", "}", ":", ",", '"', "\\", "u", "d800", "0", "1", "-", ".", "e", "null", " "]
    )
    | st.sampled_from(['"a"', '"a":', '"b": 1,', "[1, 2]", "true", "NaN", "\x00", "\u2028", "\n"]),
    max_size=9,
)


def exactly(value: Any) -> str:
    """A value with its types: 1, True, 1.0, 0.0 and -0.0 all differ."""
    return repr(value)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_what_python_reads(number: str) -> None:
    for text in (number, f'{{"a": [{number}]}}'):
        read = read_large(text)
        assert read is not None
        assert exactly(read.document) == exactly(json.loads(text))


@pytest.mark.parametrize("text", [*LEFT, *WRONG])
def test_what_differs_is_left_to_python(text: str) -> None:
    assert read_large(text) is None


def test_documents_as_they_are_written_are_read() -> None:
    member = {"id": "a", "rack": None, "topics": ["t"], "owned": [["t", 0], ["t", 1]]}
    instance = {"members": [dict(member) for _ in range(3)], "topics": [{"name": "t", "racks": [["x"]]}]}
    levels = {f"m{number}": number for number in range(40)}
    assignment = {f"m{number}": {"t": [number], "u": []} for number in range(40)}
    proof = {"instance": instance, "levels": levels, "assignment": assignment, "loads": [1, 2]}
    result = {"assignment": assignment, "certificate": proof, "elapsed_s": 0.5}
    for document in (instance, result, [result, result]):
        read = read_large(json.dumps(document))
        assert read is not None
        assert read.document == document


def solved_lines() -> Iterator[dict[str, Any]]:
    """A result of each family, as `kassay optimum` writes it."""
    for document in (
        consumer("shuffle", 1, members=3, partitions=9, topics=2),
        consumer("weighted", 1, members=3, partitions=9, topics=2),
        placement("add", 1, brokers=40, partitions=60),
        tasks("join", 1, clients=2, tasks=4),
        share_group("join", 1, members=3, topics=2, partitions=4),
        member_tasks("join", 1, processes=3, members=2, tasks=8, standbys=1),
    ):
        yield solve(Located(document, "here"), MOVEMENT_FIRST)


def test_results_are_read_with_everything_that_a_command_adds() -> None:
    for line in solved_lines():
        read = read_large(json.dumps(line))
        assert read is not None, line["family"]
        assert read.document == line


def test_colons_in_words_are_no_fields() -> None:
    for text in ('{"a": "b: c"}', '[{"a": [{"b": ":"}], "c": "::"}]', '":"'):
        read = read_large(text)
        assert read is not None
        assert read.document == json.loads(text)


@pytest.mark.slow
@given(st.data())
def test_whatever_is_read_is_what_python_reads(data: st.DataObject) -> None:
    text = data.draw(JSON.map(json.dumps) | SHREDS.map("".join))
    read = read_large(text)
    if read is not None:
        twice: list[list[str]] = []
        keys = lambda pairs: twice.append([key for key, _ in pairs]) or dict(pairs)  # noqa: E731
        assert exactly(read.document) == exactly(json.loads(text, object_pairs_hook=keys))
        assert all(len(names) == len({*names}) for names in twice)


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(large, "LARGE_TEXT", 0)
    yield


def told(text: str) -> str:
    """What comes of a text: its document, or the complaint."""
    try:
        return exactly(parse_json(text, "f.json"))
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("text", [*NUMBERS, *LEFT, *WRONG])
def test_large_texts_come_out_like_small_ones(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = told(text)
    monkeypatch.setattr(large, "LARGE_TEXT", 0)
    assert told(text) == small


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('{"a":\n 1}\n', [""]),
        ('{"a": 1}\n\n{"a": 2}\n', [":1", ":3"]),
        ('[{"a": 1},\n {"a": 2}]', ["[0]", "[1]"]),
        ('"a\u2028b"', [""]),
    ],
)
def test_a_large_file_is_cut_as_a_small_one(tmp_path: Any, text: str, places: list[str]) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text(text, encoding="utf-8")
    located = documents(str(path))
    assert [each.where for each in located] == [f"{path}{place}" for place in places]
    assert [*chain.from_iterable(each.document for each in located)]


INSTANCE = consumer("racks", 1, members=4, partitions=9, topics=2)
RESULT = solve(Located(INSTANCE, "here"), MOVEMENT_FIRST)
DOCUMENTS = (INSTANCE, RESULT, RESULT["certificate"])
PIECES = (
    *("{", "}", "[", "]", ",", ":", '"', "0", "1.5", "NaN", "null", "\\", "\\u003a", " ", "\n", "[" * 101),
    *(
        '"id": 1,',
        '"topics": [],',
        '"topics": 1, "x": ',
        '"assignment": {},',
        '"certificate": null,',
        '"": 0,',
    ),
)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("document", DOCUMENTS, ids=["instance", "result", "certificate"])
def test_a_document_of_a_group_is_what_was_written(document: Any, separators: tuple[str, str]) -> None:
    text = json.dumps(document, separators=separators)
    assert json.dumps(decode_group(text)) == json.dumps(decode_document(text)) == json.dumps(document)


def test_what_is_equal_is_one_value() -> None:
    result = decode_group(json.dumps(RESULT))
    certificate = result["certificate"]
    assert result["assignment"] is certificate["assignment"]
    first, *others = (member["topics"] for member in certificate["instance"]["members"])
    assert all(topics is first for topics in others)


@pytest.mark.parametrize("text", ["[]", "1", "{", '{"family": "B"}', '{"name": "A"}'])
def test_other_documents_are_left_to_others(text: str) -> None:
    assert decode_group(text) is None


def _pairs(text: str) -> tuple[Any, bool]:
    """What Python reads, and whether a key stands twice."""
    twice: list[bool] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once), any(twice)


@given(st.sampled_from(DOCUMENTS), st.data())
def test_whatever_is_changed_is_read_as_python_does_or_not_at_all(document: Any, data: st.DataObject) -> None:
    text = json.dumps(document)
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at + data.draw(st.integers(0, 3)) :]
    read = read_large(text)
    if read is not None:
        plain, twice = _pairs(text)
        assert repr(read.document) == repr(plain)
        assert not twice
