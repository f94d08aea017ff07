"""States as bytes, part by part: each process encodes, decodes and hashes a shared part once.

A large walk has one part per about thirty states, and a state has three to six parts. Looking parts up takes
a fraction of the time of traversing the whole value, which was nearly half of a walk on Spark.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from struct import Struct
from struct import error as StructError  # noqa: N812  # an exception, named like the others
from typing import Any, Generic, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Parts

S = TypeVar("S", bound=Hashable)


class PartsCodec(Generic[S]):
    """The states of one model as bytes and back: the lengths of the parts, four bytes each, then the parts.

    Bytes and fingerprints are the same in every process, but differ from those of `StateCodec`, which encodes
    the parts.
    """

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        self._split, self._join = parts.split, parts.join
        self._codec = codec
        self._layout = Struct(f"<{parts.places}I")
        self._written: dict[Hashable, bytes] = {}
        self._digests: dict[Hashable, bytes] = {}
        self._read: dict[bytes, Any] = {}

    def encode(self, state: S) -> bytes:
        """The state as bytes; raises TypeError for a part of an unsupported type."""
        parts, written = self._split(state), self._written
        try:
            data = [written[part] for part in parts]
        except KeyError:
            data = [written.get(part) or self._write(part) for part in parts]
        return self._layout.pack(*map(len, data)) + b"".join(data)

    def decode(self, data: bytes) -> S:
        """The state that `encode` wrote, with this model's cells; raises InputError for other bytes."""
        read, parts = self._read, []
        start = self._layout.size
        try:
            lengths = self._layout.unpack_from(data)
        except StructError as error:
            raise InputError(f"{len(data)} bytes of a state: {error}") from None
        for length in lengths:
            written = data[start : start + length]
            part = read.get(written)
            if part is None:
                part = read[written] = self._codec.decode(written)
            parts.append(part)
            start += length
        if start != len(data):
            raise InputError(f"{len(data)} bytes of a state: expected {start}")
        return self._join(tuple(parts))

    def fingerprint(self, state: S) -> int:
        """A 64-bit hash of the parts' hashes, as a signed number."""
        parts, digests = self._split(state), self._digests
        try:
            joined = b"".join([digests[part] for part in parts])
        except KeyError:
            joined = b"".join([digests.get(part) or self._digest(part) for part in parts])
        return int.from_bytes(blake2b(joined, digest_size=8).digest(), "big", signed=True)

    def _write(self, part: Hashable) -> bytes:
        data = self._written[part] = self._codec.encode(part)
        return data

    def _digest(self, part: Hashable) -> bytes:
        digest = self._digests[part] = self._codec.digest(part)
        return digest
