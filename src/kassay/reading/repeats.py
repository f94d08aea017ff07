"""Large documents by msgspec, with the repeated parts of consumer group documents read once.

The members of a large group mostly read the same topics, and a result has its assignment twice, once in the
certificate. Equal texts at such places become one value, which callers must not change: half of the time of
reading is spent on building values. The places are those of instances of family "A", and of certificates and
results of such; msgspec leaves them as text at first.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from msgspec import Raw
    from msgspec.json import Decoder

_DEPTH: Final = 8
"""The nesting limit of objects and lists: a list of results has no more."""
_HEAD: Final = 300
"""The number of characters within which a document states its family, and whether it is a result."""
_GROUP: Final = '"family":"A"'

# The fields of each kind of object, and the depth of their values: 0 for scalars.
_MEMBER: Final = {"id": 0, "rack": 0, "owned": 2}
_INSTANCE: Final = {"family": 0, "name": 0, "topics": 4, "copartition": 2, "shape": 0, "seed": 0}
_CERTIFICATE: Final = {"schema": 0, "order": 0, "levels": 1, "prices": 1, "loads": 1} | dict.fromkeys(
    ("moved", "rack_mismatch"), 0
)
_RESULT: Final = {"goals": 3, "loads": 1, "why_not_better": 1} | dict.fromkeys(
    (
        *("schema", "name", "family", "status", "sum_squares", "moved", "rack_mismatch", "lower", "upper"),
        *("bound", "order", "elapsed_s", "solver"),
    ),
    0,
)


def decode(text: str) -> Any:
    """The document of a text; raises msgspec's error for a text that it does not read, or too deep."""
    return _anything().decode(text)


def decode_group(text: str) -> Any:
    """The document of a text that begins like one of a group, None for any other.

    Fields that such a document does not have are left out. Raises msgspec's error if the rest is not one.
    """
    head = text[:_HEAD].replace(" ", "")
    if _GROUP not in head:
        return None
    kind = "result" if '"status":' in head else "certificate" if '"schema":' in head else "instance"
    document: dict[str, Any] = _group(kind).decode(text)
    certificate = document.get("certificate", document)
    once = _Once()
    for holder in [document] if certificate is document else [document, certificate]:
        once.read(holder, "assignment")
    for member in certificate.get("instance", certificate).get("members", ()):
        once.read(member, "topics")
    return document


class _Once:
    """Reads texts; one that equals the text before it is not read again."""

    def __init__(self) -> None:
        self.text: Raw | None = None
        self.value: Any = None

    def read(self, fields: dict[str, Any], name: str) -> None:
        """Replace the text of this field by its value, if present."""
        text = fields.get(name)
        if text is None:
            return
        if text != self.text:
            self.text, self.value = text, _anything().decode(text)
        fields[name] = self.value


@cache
def _value(depth: int) -> Any:
    """A type for objects and lists nested to this depth."""
    leaf = None | bool | int | float | str
    return leaf if depth == 0 else leaf | list[_value(depth - 1)] | dict[str, _value(depth - 1)]  # type: ignore[misc]


@cache
def _anything() -> Decoder[Any]:
    from msgspec.json import Decoder

    return Decoder(_value(_DEPTH))


@cache
def _group(kind: str) -> Decoder[Any]:
    """A decoder for documents of a group of this kind, which leaves the parts that may repeat as text."""
    from msgspec import Raw
    from msgspec.json import Decoder

    def shape(name: str, fields: Mapping[str, int], **others: Any) -> Any:
        return TypedDict(
            name, {field: _value(depth) for field, depth in fields.items()} | others, total=False
        )  # type: ignore[operator]

    lists: Any = list
    member = shape("Member", _MEMBER, topics=Raw)
    instance = shape("Instance", _INSTANCE, members=lists[member])
    certificate = shape("Certificate", _CERTIFICATE, instance=instance, assignment=Raw)
    result = shape("Result", _RESULT, certificate=certificate, assignment=Raw)
    return Decoder({"instance": instance, "certificate": certificate, "result": result}[kind])
