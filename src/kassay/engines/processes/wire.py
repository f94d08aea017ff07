"""Wire format between the parent and the child process: framed messages over two pipes.

A frame is a nonce of the child, a sequence number, a length and the payload. The nonce ensures that output
which a target writes to foreign descriptors is never taken for an answer. Requests are marshalled tuples (the
child trusts its parent); answers are JSON, which no child can abuse.

A request is `(calls, needed, members)`. Each call is `(news, drops, method, object, body)`: objects to create
with their configuration, objects to delete, and the call of one object. Each call is answered as soon as it
is done by its own frame, numbered on from the request's: `[0, answer, mutated]` or `[1, kind, message, where,
raised]`. The first `needed` calls must succeed: if one of them fails, nothing more is done. `members` are the
ids of the members whose user data the first calls return; later assign calls of the request use it.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Final

HEADER: Final = struct.Struct(">8sII")
MESSAGE_MAX: Final = 64 * 1024 * 1024
"""The largest answer of a target, in bytes."""

CHANNEL_LOST: Final = 121
"""Exit status of a child that can no longer write to its parent."""

to_json: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def frame(nonce: bytes, sequence: int, payload: bytes) -> bytes:
    """One encoded message."""
    return HEADER.pack(nonce, sequence & 0xFFFFFFFF, len(payload)) + payload


class Garbage(Exception):
    """Received data that is not a frame of the child's."""


class Frames:
    """The parent's side of a channel: each request, and its replies in frames of the following numbers."""

    def __init__(self) -> None:
        self.nonce = os.urandom(8)
        self.sequence = 0

    def request(self, payload: bytes) -> bytes:
        """The next encoded request; its first reply has its number."""
        self.sequence += 1
        return frame(self.nonce, self.sequence, payload)

    def advance(self) -> None:
        """Expect the next reply to the same request."""
        self.sequence += 1

    def size_of(self, received: bytearray, _seen: int) -> int:
        """The length of the first frame; -1 while too little has arrived. Raises `Garbage`."""
        if len(received) < HEADER.size:
            return -1
        nonce, sequence, length = HEADER.unpack_from(received)
        if nonce != self.nonce or sequence != self.sequence or length > MESSAGE_MAX:
            raise Garbage
        return HEADER.size + int(length)
