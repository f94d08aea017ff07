"""What was computed before, within bounds: a long walk must not remember more than it can use."""

from __future__ import annotations

from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST: Final = 100_000
"""Entries of one memo: large walks take no longer than with all of them (docs/explorer-speed.md)."""


class Memo(dict[K, V]):
    """A dict that forgets everything where one entry more would be too many.

    What lies near each other in a walk is asked for again soon, and what is far behind hardly ever: to begin
    anew costs no more than a few thousand answers, and nothing has to be counted when an entry is read.
    """

    def __init__(self, most: int = MOST) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self.most:
            self.clear()
        super().__setitem__(key, value)
