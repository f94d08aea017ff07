"""JSON out: text that every reader accepts, whatever the names in it."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from typing import Any, Final

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_COMPACT: Final = (",", ":")


def json_text(
    document: Any,
    *,
    indent: int | None = None,
    compact: bool = False,
    sort_keys: bool = False,
    ascii_only: bool = False,
) -> str:
    """The document as JSON that UTF-8 can hold, in one line unless it is indented.

    A lone surrogate, which UTF-8 cannot encode, is written as its escape; a reader gets it back. Raises
    ValueError for NaN and infinities, which JSON does not have.

    >>> json_text({"topic": "\\ud800", "ü": 1})
    '{"topic": "\\\\ud800", "ü": 1}'
    """
    text = json.dumps(
        document,
        indent=indent,
        separators=_COMPACT if compact else None,
        sort_keys=sort_keys,
        ensure_ascii=ascii_only,
        allow_nan=False,
    )
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def plain_bytes(document: Any) -> bytes:
    """A document of JSON's own types, its floats finite, as compact JSON in UTF-8.

    If msgspec was loaded to read a large document it also writes: several times as fast, and floats without
    exponents. Lone surrogates and numbers that are too long are then left to Python.
    """
    if "msgspec" in sys.modules:
        import msgspec

        with suppress(ValueError):
            return msgspec.json.encode(document)
    return json_text(document, compact=True).encode()
