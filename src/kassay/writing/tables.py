"""Tables out: rows as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from kassay.writing.files import json_text


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows under the names of their columns, as RFC 4180 has it; empty without rows.

    No value is an empty cell, and lists and objects are JSON.

    >>> csv_text([{"member": "a,b", "load": 2, "owned": [1, 2], "rack": None}])
    'member,load,owned,rack\\r\\n"a,b",2,"[1, 2]",\\r\\n'
    """
    if not rows:
        return ""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(rows[0])
    table.writerows([[_cell(row[name]) for name in rows[0]] for row in rows])
    return text.getvalue()


def _cell(value: Any) -> Any:
    return json_text(value) if isinstance(value, list | tuple | dict) else value
