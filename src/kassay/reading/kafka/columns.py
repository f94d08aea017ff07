"""Tables with a line of titles, as Kafka's tools print them: the cells under each title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kassay.reading.kafka.lines import Place

_TITLES: Final = re.compile(r"COORDINATOR \(ID\)|\S+")
_SPACED: Final = frozenset({"ASSIGNMENT", "CLIENT-ID"})
"""Columns whose text may contain blanks if they are the last."""
_BLANK: Final = "GROUP-INSTANCE-ID"
"""The column that is blank for a member without a value, where others have `-`."""
_BLANKS: Final = frozenset({_BLANK, "ASSIGNMENT-STRATEGY", "CLIENT-ID"})
"""All columns that may be blank."""
_COORDINATOR: Final = "COORDINATOR (ID)"


class Columns:
    """The columns of one table, computed once for all its rows."""

    def __init__(self, titles: str) -> None:
        spans = [(match[0], match.start()) for match in _TITLES.finditer(titles)]
        self.names = tuple(name for name, _ in spans)
        self._starts = tuple(start for _, start in spans)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def row(self, text: str, place: Place) -> Mapping[str, str]:
        """The cells of a row by title; raises `InputError` where the row does not fit under the titles.

        Words are counted, since people trim and realign pasted text. The places of the titles decide where a
        cell may be blank, and where the count differs, as it does for a cell with blanks in it.
        """
        words = self._words(text)
        if _BLANK in self.names or len(words) != len(self.names):
            words = self._slices(text) or self._tail_joined(words)
        if len(words) == len(self.names) - 1 and _BLANK in self.names:
            blank = self.names.index(_BLANK)
            words = [*words[:blank], "", *words[blank:]]
        if len(words) != len(self.names):
            expected = f"{len(self.names)} columns: {', '.join(self.names)}"
            raise place.wrong("row", text.strip(), expected)
        return dict(zip(self.names, words))

    def _words(self, text: str) -> list[str]:
        words = text.split()
        if _COORDINATOR in self.names:
            at = self.names.index(_COORDINATOR)
            if len(words) > at + 1 and words[at + 1].startswith("("):
                words[at : at + 2] = [" ".join(words[at : at + 2])]
        return words

    def _tail_joined(self, words: list[str]) -> list[str]:
        """The words, with those under the last title joined into one cell if it may have blanks."""
        last = len(self.names) - 1
        if self.names[-1] not in _SPACED or _BLANK in self.names or len(words) <= last:
            return words
        return [*words[:last], " ".join(words[last:])]

    def _slices(self, text: str) -> list[str]:
        """The text under each title; empty where a cell extends into the next one's place."""
        starts = self._starts
        if any(start and text[start - 1 : start].strip() for start in starts):
            return []
        cells = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)])]
        fits = all(cell or name in _BLANKS for name, cell in zip(self.names, cells))
        return cells if fits else []
