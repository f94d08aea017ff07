"""Java's 32-bit arithmetic, if an answer of Kafka depends on an overflow or on a sign.

Sources: the Java Language Specification, 15.17.3 and 15.18.2; Kafka `Utils.abs`, `Utils.toPositive`.
"""

from __future__ import annotations

from typing import Final

INT_MIN: Final = -(1 << 31)
_MASK: Final = 0xFFFFFFFF


def wrap(value: int) -> int:
    """The number as a Java int: the low 32 bits, signed.

    >>> wrap(2**31)
    -2147483648
    """
    value &= _MASK
    return value - (1 << 32) if value >> 31 else value


def remainder(value: int, divisor: int) -> int:
    """Java's `%` for a positive divisor: it has the sign of the value.

    >>> remainder(-7, 5), -7 % 5
    (-2, 3)
    """
    return value % divisor if value >= 0 else -(-value % divisor)


def utils_abs(value: int) -> int:
    """Kafka's `Utils.abs`: the absolute value of an int, and 0 for the one int that has none.

    >>> utils_abs(-5), utils_abs(-2147483648)
    (5, 0)
    """
    return 0 if value == INT_MIN else abs(value)


def to_positive(value: int) -> int:
    """Kafka's `Utils.toPositive`: the int without its sign bit, which is not its absolute value.

    >>> to_positive(5), to_positive(-5)
    (5, 2147483643)
    """
    return value & 0x7FFFFFFF
