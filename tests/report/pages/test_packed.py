"""Pieces kept small: what is packed comes out as it was, and no more is packed than there is room for."""

from __future__ import annotations

import base64
import json
import zlib

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.pages.layout import PIECES, packed
from tests.hostile import SOME

TEXTS = st.lists(st.text(max_size=12), max_size=3 * PIECES)


def unpacked(parcels: tuple[str, ...]) -> list[list[str]]:
    return [json.loads(zlib.decompress(base64.b64decode(parcel))) for parcel in parcels]


@SOME
@given(TEXTS)
def test_every_piece_lies_where_its_place_says(pieces: list[str]) -> None:
    parcels = packed(pieces, 10**9)
    assert parcels.pieces == len(pieces)
    plain = unpacked(parcels.parcels)
    for number, piece in enumerate(pieces):
        parcel, place = map(int, parcels.place(number).split("/"))
        assert plain[parcel][place] == piece
    assert parcels.place(len(pieces)) == ""


@SOME
@given(TEXTS, st.integers(0, 600))
def test_no_more_than_there_is_room_for_and_from_the_first_on(pieces: list[str], room: int) -> None:
    parcels = packed(pieces, room)
    assert sum(map(len, parcels.parcels)) <= room
    assert [piece for parcel in unpacked(parcels.parcels) for piece in parcel] == pieces[: parcels.pieces]
