"""A file of settings in Java's properties format: of a client, a Streams application, or a broker.

`read_settings` is the only function that knows the format: `=`, `:` or a blank ends a key, a backslash at its
end continues a line, `#` and `!` begin comments. Source: `java.util.Properties.load`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from kassay.reading.kafka.lines import Place

_PAIR: Final = re.compile(r"((?:\\.|[^\\=:\s])*)\s*(?:[=:]\s*)?(.*)", re.DOTALL)
_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?:[._][A-Za-z0-9-]+)*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NAMED: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS: Final = " \t\f"


class SettingLine(NamedTuple):
    """A setting and where it is; a key may occur again further down."""

    key: str
    value: str
    place: Place


@dataclass(frozen=True)
class SettingsFile:
    """The settings of a file, in its order."""

    file: str
    lines: tuple[SettingLine, ...]

    @cached_property
    def by_key(self) -> dict[str, SettingLine]:
        """Each key with its last line, which Java takes."""
        return {line.key: line for line in self.lines}

    def get(self, key: str, default: str | None = None) -> str | None:
        """The value of a key."""
        line = self.by_key.get(key)
        return default if line is None else line.value

    def number(self, key: str, default: int | None = None) -> int | None:
        """The value of a key as a whole number; the default if it is missing or no number."""
        value = self.get(key)
        return int(value) if value is not None and re.fullmatch(r"-?[0-9]{1,18}", value) else default


def is_settings(text: str) -> bool:
    """Whether every line is a comment or `key=value` with a key as Kafka's settings have them."""
    if "." not in text:
        return False
    pairs = [*_logical(text)]
    keys = [match[1] for _, line in pairs if (match := _PAIR.match(line)) is not None]
    named = len(keys) == len(pairs) and all(map(_KEY.fullmatch, keys))
    return named and any("." in key for key in keys)


def cut_line(text: str) -> int | None:
    """The number of the last line if it is the beginning of a key, below settings; None if it is not.

    Java takes a key without a value, but no setting of Kafka has none.
    """
    above, _, last = text.rpartition("\n")
    is_key = re.fullmatch(r"\s*[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]*)*", last) is not None
    if not is_key or not (is_settings(above) if any(_logical(above)) else "." in last):
        return None
    return text.count("\n") + 1


def read_settings(text: str, file: str) -> SettingsFile:
    """The settings of a text."""
    lines = []
    for number, logical in _logical(text):
        match = _PAIR.match(logical)
        if match is not None:
            key, value = (_unescaped(part) for part in match.groups())
            lines.append(SettingLine(key, value.strip(), Place(file, number)))
    return SettingsFile(file, tuple(lines))


def _logical(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their continuations, each with the number of its first line; no comments."""
    held, first, goes_on = "", 0, False
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = raw.lstrip(_BLANKS)
        if not goes_on and (not line or line[0] in "#!"):
            continue
        first = first if goes_on else number
        slashes = len(line) - len(line.rstrip("\\"))
        goes_on = bool(slashes % 2)
        if goes_on:
            held += line[:-1]
            continue
        if held + line:
            yield first, held + line
        held = ""
    if goes_on and held:
        yield first, held


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(
        lambda match: chr(int(match[1][1:], 16)) if len(match[1]) == 5 else _NAMED.get(match[1], match[1]),
        text,
    )
