"""How long an incremental leader waits between rounds that revoke.

Source: Kafka `ExponentialBackoff` as `IncrementalCooperativeAssignor` uses it: from 1 ms, forty times longer
each time, without jitter. Its doubles and its truncation matter: with a maximum of 1,000 ms,
the longest delay is 999 ms.
Logarithms and powers are rounded to the nearest double here on every machine. For 17 of 700,000 maxima
compared, the power of a JVM (17, x86-64) is one bit further off, and its longest delay differs from this one
by 1 ms.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache
from typing import Final

MULTIPLIER: Final = 40
_EXACTLY: Final = Context(prec=50)


@lru_cache(maxsize=4096)
def backoff_ms(times: int, max_delay_ms: int) -> int:
    """The delay in ms before the n-th successive revoking round; 0 where the maximum is 0.

    >>> [backoff_ms(times, 300_000) for times in (1, 2, 3, 4, 5)]
    [40, 1600, 64000, 300000, 300000]
    >>> backoff_ms(9, 1000)
    999
    """
    if max_delay_ms <= 1:
        return max_delay_ms
    exponent_max = _log(max_delay_ms) / _log(MULTIPLIER)
    exponent = min(float(times), exponent_max)
    power = float(_EXACTLY.power(Decimal(MULTIPLIER), Decimal(exponent)))
    return min(int(power), max_delay_ms)


def _log(number: int) -> float:
    return float(_EXACTLY.ln(Decimal(number)))
