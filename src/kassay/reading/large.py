"""Large JSON texts by msgspec, wherever it reads the same as Python's own reader.

Large documents by msgspec, with the repeated parts of consumer group documents read once.

The members of a large group mostly read the same topics, and a result has its assignment twice, once in the
certificate. Equal texts at such places become one value, which callers must not change: half of the time of
reading is spent on building values. The places are those of instances of family "A", and of certificates and
results of such; msgspec leaves them as text at first.

It refuses some texts that Python takes (NaN, lone surrogates, a number beyond any float) and gives the same
values for all others, including whole numbers of any size; its errors are not shown. The depth limit is set
in its types, which costs nothing. Of a repeated key both readers keep the last. Repeats are detected by
counting: a text has one colon for each field, and more in names and strings. The document has as many fields
unless one was dropped. Colons in strings are counted only where documents usually have them; any that are
missed make the document seem to have fewer, never more.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

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


def decode_document(text: str) -> Any:
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


LARGE_TEXT: Final = 1 << 20
"""From this number of characters on it is faster, including the time to load it."""
_RECORD: Final = 32
"""Objects with more fields are maps with values of one kind; a result has some twenty fields."""
_ESCAPED: Final = "\\u003"
"""The start of an escaped colon."""


class Read(NamedTuple):
    """A document without repeated keys, and of limited depth."""

    document: Any


def read_large(text: str) -> Read | None:
    """The document of a text; None where Python's reader must decide.

    Equal parts of it may be one value: do not change it.
    """
    import msgspec

    for decode in (decode_group, decode_document):
        try:
            document = decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            continue
        # An escaped colon would count as a colon that the text does not have.
        if document is not None and _colons(document) == text.count(":") and _ESCAPED not in text:
            return Read(document)
    return None


def _colons(value: Any) -> int:
    """A lower bound on the colons that a text has for fields and in strings."""
    if type(value) is dict:
        inner = value.values()
        if len(inner) <= _RECORD or _holds_objects(next(iter(inner))):
            return len(value) + sum(map(_colons, inner))
        return len(value)
    if type(value) is str:
        return value.count(":")
    return sum(map(_colons, value)) if type(value) is list and _holds_objects(value) else 0


def _holds_objects(value: Any) -> bool:
    """Whether it is an object, or a list whose first entry is one or contains one."""
    while type(value) is list and value:
        value = value[0]
    return type(value) is dict
