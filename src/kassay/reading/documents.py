"""Files and texts as JSON and TOML documents, whose values are not checked yet.

A file may be compressed with gzip; `-` is standard input. A repeated key in an object is an error, where
Python's own reader would keep the last.

*Fields*: what a field may hold beyond its Python type, and the errors about fields. `read_sentences` reads
files of named claims: TOML, `NAME = "SENTENCE"`.
"""

from __future__ import annotations

import gc
import gzip
import json
import operator
import os
import re
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, compress
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST
from kassay.reading import large
from kassay.reading.others import also_known, what_is
from kassay.reading.pasted import Pasted, decoded, pasted

_SHOWN: Final = 60
YEAR_S: Final = 366 * 86_400.0
SECONDS: Final = "seconds, more than 0 and at most a year"


class Bound(NamedTuple):
    """A constraint on a type inside `Annotated`: what is expected, and whether a value satisfies it."""

    expected: str
    holds: Callable[[Any], bool]


def at_least(least: int) -> Bound:
    """Whole numbers that are not below `least`."""
    return Bound(f"a whole number from {least} on", partial(operator.le, least))


def at_most(most: int) -> Bound:
    """Whole numbers that are not above `most`."""
    return Bound(f"a whole number up to {most}", partial(operator.ge, most))


def _is_size(value: int) -> bool:
    return 0 <= value <= MOST


def _is_time(seconds: float) -> bool:
    return 0 < seconds <= YEAR_S


def within(sizes: Iterable[int], path: str, things: str = "partitions") -> None:
    """Raise unless the sizes sum to at most MOST things."""
    total = sum(sizes)
    if total > MOST:
        raise InputError(f"{path}: found {total} {things} in all, expected at most {MOST}")


Name = Annotated[str, Bound("a name", bool)]
Count = Annotated[int, at_least(0)]
Size = Annotated[int, Bound(f"a whole number from 0 to {MOST}", _is_size)]
"""A number of things to create."""
Limited = Annotated[int, at_most(MOST)]
"""Such a number where another check reports negative values."""
Int32 = Annotated[int, Bound("a 32-bit number", range(-(2**31), 2**31).__contains__)]
Positive = Annotated[int, at_least(1)]
Seconds = Annotated[float, Bound(SECONDS, _is_time)]


def suggestion(name: str, known: Iterable[str]) -> str:
    """The known name that an unknown one may mean, as the end of an error; empty if none is similar."""
    import difflib  # for error messages only

    typed = name.strip().casefold()
    spelled = {each.casefold(): each for each in sorted(set(known), reverse=True)}
    near = difflib.get_close_matches(typed, spelled, n=1)
    near = near or [each for each in spelled if typed and each.rpartition(":")[2] == typed]
    return f" (did you mean {spelled[near[0]]}?)" if near else ""


def one_of(known: Iterable[str], name: str) -> str:
    """What is expected in place of an unknown name: the known ones, and which it may mean."""
    names = [*known]
    return f"one of {', '.join(names)}{suggestion(name, names)}"


def shown(value: object) -> str:
    """The value as an error quotes it: one line, shortened if long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def difference(value: object, expected: str) -> str:
    """The value and what was expected."""
    return f"found {shown(value)}, expected {expected}"


def wrong(path: str, value: object, expected: str) -> InputError:
    """The error that states the value at a path, and what was expected there."""
    return InputError(f"{path}: {difference(value, expected)}")


# `Path` raises for a name that is too long, and these do not; they accept NUL and lone surrogates too.


def is_file(path: str | Path) -> bool:
    """Whether a file exists there."""
    return os.path.isfile(path)  # noqa: PTH113  # as above


def is_folder(path: str | Path) -> bool:
    """Whether a folder exists there."""
    return os.path.isdir(path)  # noqa: PTH112  # as above


def is_there(path: str | Path) -> bool:
    """Whether anything exists there."""
    return os.path.exists(path)  # noqa: PTH110  # as above


DEPTH: Final = 100
"""The nesting limit for objects and lists: more than any document needs, less than recursion bears."""
_DEEP: Final = f"objects and lists more than {DEPTH} deep, expected fewer"
_INNER: Final = frozenset({list, dict})
_GZIP: Final = b"\x1f\x8b"


class Located(NamedTuple):
    """A document and its place, for instance `groups.jsonl:3`."""

    document: Any
    where: str


class HeldText(str):
    """The name of a text that is at hand: what reads a file of this name gets the text."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, name: str, text: str) -> HeldText:
        """The name, with the text."""
        held = super().__new__(cls, name)
        held.text = text
        return held


def read_text(path: str | Path, expected: str = "", *, also_latin: bool = False) -> str:
    """The text of a file; raises `InputError`, which may say what was `expected` there.

    `also_latin`: a text that is not UTF-8 is Latin-1, as Java reads properties.
    """
    return _decoded(path, expected, also_latin=also_latin)[0]


def head_of(path: str | Path, size: int = 1 << 16) -> str:
    """The first characters of a file, to see what it is; empty if it cannot be read."""
    if isinstance(path, HeldText):
        return path.text[:size]
    try:
        with Path(path).open("rb") as file:
            raw = file.read(size)
        if raw.startswith(_GZIP):
            raw = zlib.decompressobj(wbits=31).decompress(raw, size)
    except (OSError, ValueError, zlib.error):
        return ""
    return raw.decode("utf-8", "replace")


def read_pasted(path: str | Path, expected: str = "") -> Pasted:
    """The output of a tool in a file, without what a shell, a chat or a ticket added; raises `InputError`."""
    return pasted(*_decoded(path, expected))


def _decoded(path: str | Path, expected: str, *, also_latin: bool = False) -> tuple[str, str]:
    """The text of a file, and its encoding if it is an odd one; raises `InputError`."""
    if isinstance(path, HeldText):
        return path.text, ""
    also = f", expected {expected}" if expected else ""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return decoded(gzip.decompress(raw) if raw.startswith(_GZIP) else raw)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{also}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected {expected or 'a file'}") from None
    except UnicodeDecodeError as error:
        is_binary = b"\0" in raw[:4096]
        if also_latin and not is_binary and not raw.startswith(_GZIP):
            return raw.decode("latin-1"), "Latin-1"
        what = "" if raw.startswith(_GZIP) else what_is(raw[:4096].decode("latin-1"))
        binary = "a binary file, " if is_binary else f"{what}, " if what else ""
        raise InputError(f"{path}: {binary}not UTF-8 (byte {error.start}){also}") from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be read ({reason})") from None


def read_json(path: str | Path, expected: str = "") -> Any:
    """The document of a JSON file; raises `InputError`, which may say what was `expected` there."""
    return parse_json(read_text(path, expected), str(path), expected=expected)


def read_toml(path: str | Path, expected: str = "") -> dict[str, Any]:
    """The document of a TOML file; raises `InputError`."""
    text, also = read_text(path, expected), f", expected {expected}" if expected else ""
    if expected and not text.strip():
        raise InputError(f"{path}: empty, expected {expected}")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML ({error}){also}{also_known(text)}") from None
    except (ValueError, RecursionError) as error:
        raise _beyond(error, text, str(path)) from None
    _refuse_deep(document, str(path))
    return document


def parse_json(text: str, name: str, line: int | None = None, *, expected: str = "") -> Any:
    """The document of a text from `name`, or from its `line` if it has several documents.

    Raises `InputError` for invalid JSON, and for a repeated key in an object; it may say what was `expected`.
    """
    read = _large(text)
    return _read_by_python(text, name, line, expected) if read is None else read.document


def _large(text: str) -> large.Read | None:
    """The document of a large text; None where it is not large, or msgspec cannot decide."""
    if len(text) < large.LARGE_TEXT:
        return None
    with no_collection():
        return large.read_large(text)


def why_unread(error: ValueError | RecursionError) -> str:
    """Why a reader of Python refused a text; in kassay's words where the text may be well formed."""
    if isinstance(error, RecursionError):
        return _DEEP
    if isinstance(error, json.JSONDecodeError | InputError):
        return str(error)
    return f"a whole number of more than {sys.get_int_max_str_digits():,} digits, expected fewer"


def _beyond(error: ValueError | RecursionError, text: str, name: str, first: int = 1) -> InputError:
    """The error for a text with a number or a depth that Python's readers do not take."""
    long = re.search(rf"\d{{{sys.get_int_max_str_digits() + 1}}}", text)
    line = first + (text.count("\n", 0, long.start()) if long and isinstance(error, ValueError) else 0)
    return InputError(f"{name}:{line}: {why_unread(error)}")


def _read_by_python(text: str, name: str, line: int | None = None, expected: str = "") -> Any:
    """The document of a text; raises the error in it."""
    twice: list[tuple[dict[str, Any], str]] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            keys = [key for key, _ in pairs]
            twice.append((fields, next(key for key in keys if keys.count(key) > 1)))
        return fields

    first = line or 1
    try:
        with no_collection():
            document = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        place = f"{name}:{first + error.lineno - 1}"
        also = f", expected {expected}" if expected else ""
        raise InputError(f"{place}: not JSON ({error.msg}){also}{also_known(text)}") from None
    except (ValueError, RecursionError) as error:
        raise _beyond(error, text, name, first) from None
    where = name if line is None else f"{name}:{line}"
    _refuse_deep(document, where)
    if twice:
        # An object is complete after those inside it, so no key around it dropped the last one.
        fields, key = twice[-1]
        place = next(path for path, value in _objects(document, "") if value is fields)
        raise InputError(f"{where}: {joined(place, key)}: found twice, expected once")
    return document


def documents(path: str, expected: str = "") -> list[Located]:
    """The documents of a file; all of them are read before the first is used.

    Raises `InputError` for a file that is unreadable, invalid JSON, or empty; it may say what was `expected`.
    """
    text = read_text(path, expected)
    name = "standard input" if path == "-" else path
    # No document has another document as its first line, so a large text is not split into lines.
    large = _large(text)
    if large is None:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        if not lines:
            raise InputError(f"{name}: empty, expected {expected or 'one JSON document or JSON lines'}")
        if len(lines) > 1 and _is_json(lines[0][1]):
            return [
                Located(parse_json(line, name, number, expected=expected), f"{name}:{number}")
                for number, line in lines
            ]
    # One line, or one document formatted over several.
    document = _read_by_python(text, name, None, expected) if large is None else large.document
    if isinstance(document, list) and document:
        return [Located(each, f"{name}[{index}]") for index, each in enumerate(document)]
    return [Located(document, name)]


@contextmanager
def no_collection() -> Iterator[None]:
    """A context without Python's search for garbage cycles.

    Documents, problems and proofs have up to millions of values without any cycle, and each search goes
    through all of them again: a third of the time at 100,000 partitions.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def at(where: str) -> Iterator[None]:
    """Adds the place to `InputError`s raised in the block; their other attributes stay."""
    try:
        yield
    except InputError as error:
        error.args = (f"{where}: {error}",)
        raise


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_deep(document: Any, where: str) -> None:
    """Raise for a document that is deeper than Python's recursion might bear."""
    level: list[Any] = [[document]]
    for _ in range(DEPTH + 2):
        parts = [value.values() if type(value) is dict else value for value in level]
        inner = [*chain.from_iterable(parts)]
        level = [*compress(inner, map(_INNER.__contains__, map(type, inner)))]
        if not level:
            return
    raise InputError(f"{where}: {_DEEP}")


def joined(path: str, key: str | int) -> str:
    """The path of the value at `key` in the object or list at `path`: `members[3].topics`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _objects(value: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a document with its path."""
    if isinstance(value, dict):
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from _objects(item, joined(path, key))


_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_EXPECTED: Final = 'a file of named claims, NAME = "SENTENCE"'


def read_sentences(path: Path) -> tuple[str, ...]:
    """The file's sentences as `NAME = SENTENCE`, in its order; raises `InputError`, which names the place."""
    table = read_toml(path, _EXPECTED)
    if not table:
        raise InputError(f"{path}: empty, expected {_EXPECTED}")
    for name, text in table.items():
        if not _NAME.fullmatch(name):
            raise wrong(str(path), name, "a name of small letters, digits and dashes")
        if not isinstance(text, str) or not text.strip():
            raise wrong(f"{path}: {name}", text, "a sentence in quotes, as moved <= 2")
    return tuple(f"{name} = {text.strip()}" for name, text in table.items())
