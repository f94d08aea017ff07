"""JSON out: text that every reader takes, whatever the names in it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from kassay.writing.bulk import large_text

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

    Half a surrogate pair, which UTF-8 has no bytes for, stands as its escape; a reader gets it back.
    Raises ValueError for NaN and infinities, which JSON does not have.

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


def plain_text(document: Any) -> str:
    """A document of JSON's own types, its floats finite, as compact JSON; the large ones sooner.

    Half a surrogate pair stands as its escape; large documents may have floats without exponents.
    """
    text = large_text(document)
    return json_text(document, compact=True) if text is None else text
