"""Frames: whole or not at all, and only those of the child that was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.processes.wire import HEADER, MESSAGE_MAX, Frames, Garbage, frame


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=4), st.integers(0, 60))
def test_a_reply_is_whole_when_its_last_byte_is_there(payloads: list[bytes], cut: int) -> None:
    frames = Frames()
    for number, payload in enumerate(payloads, start=1):
        request = frames.request(payload)
        assert request == frame(frames.nonce, number, payload)
        seen = bytearray(request[:cut])
        expected = HEADER.size + len(payload) if len(seen) >= HEADER.size else -1
        assert frames.size_of(seen, 0) == expected
        assert frames.size_of(bytearray(request + b"more"), 0) == len(request)
    assert request[HEADER.size :] == payloads[-1]


@given(st.integers(0, HEADER.size - 5), st.integers(1, 255))
def test_a_byte_of_nonce_or_number_changed_is_garbage(place: int, change: int) -> None:
    frames = Frames()
    reply = bytearray(frames.request(b"answer"))
    reply[place] ^= change
    with pytest.raises(Garbage):
        frames.size_of(reply, 0)


def test_a_reply_to_the_call_before_is_garbage() -> None:
    frames = Frames()
    late = bytearray(frames.request(b"first"))
    frames.request(b"second")
    with pytest.raises(Garbage):
        frames.size_of(late, 0)


def test_a_reply_has_a_largest_size() -> None:
    frames = Frames()
    frames.request(b"")
    largest = HEADER.pack(frames.nonce, 1, MESSAGE_MAX)
    assert frames.size_of(bytearray(largest), 0) == HEADER.size + MESSAGE_MAX
    with pytest.raises(Garbage):
        frames.size_of(bytearray(HEADER.pack(frames.nonce, 1, MESSAGE_MAX + 1)), 0)
