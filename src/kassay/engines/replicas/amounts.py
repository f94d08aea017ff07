"""Numbers of replicas, and sizes in bytes, as people write them."""

from __future__ import annotations

import re
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.reading.documents import shown

_SIZES: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_DECIMAL: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def byte_size(value: Any) -> int:
    """The bytes of a size such as `500GiB`, `50MB` or `1048576`; raises `InputError`.

    >>> byte_size("2KiB"), byte_size("2KB"), byte_size(5)
    (2048, 2000, 5)
    """
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,3})?)\s*([KMGT]?)(i?)(B?)", str(value), re.ASCII)
    if match is None or (match[3] and not match[2]):
        raise InputError(f"{shown(value)} is not a size; expected e.g. 500GiB, 50MB or 1048576")
    units = _SIZES if match[3] or not match[4] else _DECIMAL
    return int(float(match[1]) * units[match[2]])


def amount_of(value: Any) -> tuple[int, bool]:
    """A number of copies such as `20`, or bytes with a unit, and whether it is in bytes; raises `InputError`.

    >>> amount_of(20), amount_of("20"), amount_of("1KiB")
    ((20, False), (20, False), (1024, True))
    """
    if isinstance(value, int) or re.fullmatch(r"\d{1,15}", str(value), re.ASCII):
        return int(value), False
    return byte_size(value), True
