"""Keeps a page small: pieces are compressed in parcels, which the browser opens on demand."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from kassay.writing.documents import json_text

PIECES: Final = 24
"""Pieces in a parcel: similar pieces compress well together, and opening one does not open all parcels."""


class Parcels(NamedTuple):
    """Parcels, each base64 of a deflated JSON list of HTML, and how many pieces they contain."""

    parcels: tuple[str, ...]
    pieces: int

    def place(self, number: int) -> str:
        """Where the piece of this number, from 0, is: `parcel/place`; empty if it was left out."""
        return f"{number // PIECES}/{number % PIECES}" if number < self.pieces else ""


def packed(pieces: Iterable[str], bytes_max: int) -> Parcels:
    """The pieces in parcels, up to the first parcel that would exceed `bytes_max`."""
    parcels: list[str] = []
    count = weight = 0
    waiting: list[str] = []

    def close() -> bool:
        nonlocal count, weight
        parcel = _parcel(waiting)
        if weight + len(parcel) > bytes_max:
            return False
        parcels.append(parcel)
        count, weight = count + len(waiting), weight + len(parcel)
        waiting.clear()
        return True

    for piece in pieces:
        waiting.append(piece)
        if len(waiting) == PIECES and not close():
            return Parcels(tuple(parcels), count)
    if waiting:
        close()
    return Parcels(tuple(parcels), count)


def _parcel(pieces: Sequence[str]) -> str:
    data = zlib.compress(json_text(list(pieces), compact=True).encode(), 9)
    return base64.b64encode(data).decode()
