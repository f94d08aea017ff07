"""How the parent and the child process talk: framed messages over two pipes.

A frame is a nonce of the child, a sequence number, a length and the payload. The nonce makes sure that
what a target scribbles into descriptors that are not its own is never taken for an answer. Requests are
marshalled tuples (the child trusts its parent); answers are JSON, which no child can abuse.

A request is `(calls, needed, members)`. Each call is `(news, drops, method, object, body)`: objects to make
with their configuration, objects to forget, and what is asked of one. It is answered by a frame of its own,
numbered on from the request's, as soon as it is done: `[0, answer, mutated]` or `[1, kind, message, where,
raised]`. `needed` of the calls have to succeed: after one of them that fails nothing more is done. `members`
are the ids of those whose user data the first calls ask for: whoever assigns later in the request has it.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Final

HEADER: Final = struct.Struct(">8sII")
MESSAGE_MAX: Final = 64 * 1024 * 1024
"""The largest answer that a target may give, in bytes."""

CHANNEL_LOST: Final = 121
"""Exit status of a child that can no longer write to its parent."""

to_json: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def frame(nonce: bytes, sequence: int, payload: bytes) -> bytes:
    """One message, ready to be written."""
    return HEADER.pack(nonce, sequence & 0xFFFFFFFF, len(payload)) + payload


class Garbage(Exception):
    """What came is no frame of the child's."""


class Frames:
    """The parent's side of a channel: each request, and each reply to it in a frame of the next number."""

    def __init__(self) -> None:
        self.nonce = os.urandom(8)
        self.sequence = 0

    def request(self, payload: bytes) -> bytes:
        """The next request, ready to be written; its first reply has its number."""
        self.sequence += 1
        return frame(self.nonce, self.sequence, payload)

    def advance(self) -> None:
        """What comes now is the next reply to the same request."""
        self.sequence += 1

    def size_of(self, received: bytearray, _seen: int) -> int:
        """How long the frame is that begins so; -1 where too little of it has come. Raises `Garbage`."""
        if len(received) < HEADER.size:
            return -1
        nonce, sequence, length = HEADER.unpack_from(received)
        if nonce != self.nonce or sequence != self.sequence or length > MESSAGE_MAX:
            raise Garbage
        return HEADER.size + int(length)
