"""Strategies that turn what is right into what is nearly right: documents, texts, bytes, values, names."""

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

Path = tuple[str | int, ...]

HOSTILE_NAMES = (
    "",
    " ",
    "[red]",
    "orders[dlq]",
    "[/]",
    "\ud800",
    "\x00",
    "\x1b[31m",
    "\u202e",
    "a\nb",
    "]]>",
    "</script>",
    "|`*_",
    "..",
    "/",
    "%s{}",
    "-1",
    "x" * 300,
    "\U0001f600",
)
HOSTILE_NUMBERS = (
    0,
    -1,
    1,
    2,
    3,
    255,
    2**31 - 1,
    2**31,
    -(2**31) - 1,
    2**63,
    10**9,
    10**30,
    0.5,
    -0.0,
    1e30,
    1e308,
    float("nan"),
    float("inf"),
)

names = st.sampled_from(HOSTILE_NAMES) | st.text(max_size=6)
numbers = st.sampled_from(HOSTILE_NUMBERS) | st.integers(-5, 40) | st.floats()
scalars = st.none() | st.booleans() | numbers | names
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
"""What JSON can say, small."""


def _paths(document: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    inner = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    for key, value in inner:
        yield from _paths(value, (*path, key))


def _at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def _nested(value: Any) -> Any:
    """The value in so many lists; deeper ones, that recursion does not reach, are spliced into the text."""
    for _ in range(50):
        value = [value]
    return value


def _near(value: Any) -> st.SearchStrategy[Any]:
    """Values a step away from this one."""
    if isinstance(value, bool):
        return st.just(not value)
    if isinstance(value, int | float):
        return st.sampled_from([value + 1, value - 1, -value, value * 10, float(value), str(value), [value]])
    if isinstance(value, str):
        return st.sampled_from([value[:-1], value + "x", value.upper(), value * 2, [value], {value: value}])
    if isinstance(value, list):
        orders = [value[::-1], value * 2, value[1:], value[:-1], [*value, *value[:1]], dict(enumerate(value))]
        return st.sampled_from(orders)
    if isinstance(value, dict):
        return st.sampled_from([list(value), list(value.values()), {**value, "surplus": 1}])
    return values


@st.composite
def documents(draw: st.DrawFn, corpus: Sequence[Any]) -> Any:
    """A document of the corpus in which up to four places were changed, dropped, swapped or renamed."""
    document = copy.deepcopy(draw(st.sampled_from(corpus)))
    for _ in range(draw(st.integers(0, 4))):
        path = draw(st.sampled_from(list(_paths(document))))
        if not path:
            continue
        holder, key = _at(document, path[:-1]), path[-1]
        match draw(st.integers(0, 6)):
            case 0:
                del holder[key]
            case 1:
                holder[key] = draw(values)
            case 2 | 3:
                holder[key] = draw(_near(holder[key]))
            case 4:
                holder[key] = copy.deepcopy(_at(document, draw(st.sampled_from(list(_paths(document))))))
            case 5 if isinstance(holder, dict):
                holder[draw(names)] = holder.pop(key)
            case _:
                holder[key] = _nested(holder[key]) if draw(st.booleans()) else draw(scalars)
    return document


@st.composite
def spliced(draw: st.DrawFn, text: bytes) -> bytes:
    """The text with a stretch of it dropped, doubled or replaced, now and then compressed or cut short."""
    start = draw(st.integers(0, len(text)))
    stop = min(len(text), start + draw(st.integers(0, 40)))
    stretch = draw(
        st.sampled_from([b"", text[start:stop] * 2, b"[" * 5_000, b"\x1f\x8b", b"\xff", b"9" * 5_000])
    )
    return text[:start] + (stretch or draw(st.binary(max_size=8))) + text[stop:]


@st.composite
def json_bytes(draw: st.DrawFn, corpus: Sequence[Any]) -> bytes:
    """A file that is, or nearly is, JSON with a changed document of the corpus."""
    text = json.dumps(draw(documents(corpus))).encode()
    return draw(spliced(text)) if draw(st.integers(0, 4)) == 0 else text


@st.composite
def json_lines(draw: st.DrawFn, corpus: Sequence[Any]) -> bytes:
    """A file with up to three such documents, one a line."""
    return b"\n".join(draw(st.lists(json_bytes(corpus), min_size=1, max_size=3)))


@st.composite
def bent(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes as they are, every other time; else with a few of them other ones, or spliced."""
    if draw(st.booleans()):
        return data
    if draw(st.integers(0, 4)) == 0:
        return draw(spliced(data))
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        changed[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(changed)


@st.composite
def text_bytes(draw: st.DrawFn, corpus: Sequence[str]) -> bytes:
    """A text of the corpus with a word, a line or a stretch of it changed."""
    text = draw(st.sampled_from(corpus))
    for _ in range(draw(st.integers(0, 3))):
        lines = text.splitlines()
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        words = lines[at].split(" ") if lines else [""]
        where = draw(st.integers(0, len(words) - 1))
        words[where] = draw(names | numbers.map(str) | st.sampled_from(words))
        lines[at : at + 1] = [" ".join(words)] * draw(st.integers(0, 2))
        text = "\n".join(lines)
    raw = text.encode(errors="surrogatepass")
    return draw(spliced(raw)) if draw(st.integers(0, 4)) == 0 else raw
