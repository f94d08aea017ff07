"""The records of `__consumer_offsets` as bytes, as the JSON in which kafka-dump-log prints them.

`schemas/records.json` has the fields of each type of key and value, as Kafka 4.4's generated classes
(`org.apache.kafka.coordinator.group.generated`) declare them: a name and a type each; a list of fields is a
structure, and tagged fields are skipped where unknown. A key begins with its type, a value with its version.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from kassay.model.errors import InputError

_NUMBERS: Final = {"INT8": ">b", "INT16": ">h", "UINT16": ">H", "INT32": ">i", "INT64": ">q"}
_SHORT, _INT = struct.Struct(">h"), struct.Struct(">i")


@cache
def _schemas() -> dict[int, Any]:
    """The fields of key and value by type."""
    text = files("kassay.reading.live.schemas").joinpath("records.json").read_text("utf-8")
    return {int(number): fields for number, fields in json.loads(text).items()}


def record_json(key: bytes, value: bytes | None) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """Key and value as kafka-dump-log has them; None for a tombstone.

    Raises `InputError` for a type or a version that is not known, and for bytes that end too early.
    """
    try:
        (kind,) = _SHORT.unpack_from(key)
        if kind not in _schemas():
            raise InputError(f"a record of type {kind}, which Kafka 4.4 does not have")
        fields = _schemas()[kind]
        shown = {"type": str(kind), "data": _Bytes(key, 2).structure(fields["key"])}
        if value is None:
            return shown, None
        (version,) = _SHORT.unpack_from(value)
        if str(version) not in fields["value"]:
            raise InputError(f"a value of type {kind} in version {version}, which Kafka 4.4 does not have")
        data = _Bytes(value, 2).structure(fields["value"][str(version)])
        return shown, {"version": str(version), "data": data}
    except (struct.error, UnicodeDecodeError, IndexError):
        raise InputError("a record whose bytes end too early") from None


class _Bytes:
    """A reader of values from a place on."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def structure(self, fields: list[Any]) -> dict[str, Any]:
        """The fields by their names in JSON."""
        held: dict[str, Any] = {}
        for name, kind in fields:
            if isinstance(kind, dict) and "tagged" in kind:
                held.update(self._tagged(kind["tagged"]))
            else:
                held[_camel(name)] = self.value(kind)
        return held

    def value(self, kind: Any) -> Any:
        """A value of the type."""
        if isinstance(kind, list):
            return self.structure(kind)
        if isinstance(kind, dict):
            if "nullable" in kind and "array" not in kind:
                # Below 0 stands for null, and as a tagged field 0.
                return None if self._number(">b") <= 0 else self.structure(kind["nullable"])
            count = self._size(is_compact=kind["compact"], width=_INT)
            return None if count < 0 else [self.value(kind["array"]) for _ in range(count)]
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == "UUID":
            return base64.urlsafe_b64encode(self._take(16)).decode().rstrip("=")
        is_bytes = kind.endswith("BYTES")
        size = self._size(is_compact=kind.startswith("COMPACT"), width=_INT if is_bytes else _SHORT)
        if size < 0:
            return None
        taken = self._take(size)
        return base64.b64encode(taken).decode() if is_bytes else taken.decode()

    def _tagged(self, known: Mapping[str, Any]) -> dict[str, Any]:
        held = {}
        for _ in range(self._varint()):
            tag, size = self._varint(), self._varint()
            end = self._at + size
            if str(tag) in known:
                name, kind = known[str(tag)]
                held[_camel(name)] = self.value(kind)
            self._at = end
        return held

    def _size(self, *, is_compact: bool, width: struct.Struct) -> int:
        if is_compact:
            return self._varint() - 1
        return int(width.unpack(self._take(width.size))[0])

    def _number(self, form: str) -> int:
        return int(struct.unpack(form, self._take(struct.calcsize(form)))[0])

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise IndexError(size)
        self._at += size
        return taken


def _camel(name: str) -> str:
    """`topic_id` as `topicId`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
