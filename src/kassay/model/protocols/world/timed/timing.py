"""The rule between heartbeats and sessions: how many lost heartbeats a member survives.

Source: `ConsumerConfig` and the Heartbeat class of the Java client; the rule of three is advice.
"""

from __future__ import annotations

from kassay.model.errors import InputError


def check_intervals(session_timeout: int, heartbeat_interval: int, unit: str = "ms") -> None:
    """Raises `InputError` unless the heartbeat interval is shorter than the session, as Kafka demands."""
    if not 0 < heartbeat_interval < session_timeout:
        raise InputError(
            f"heartbeat interval {heartbeat_interval} {unit}: expected more than 0 and less than the session "
            f"timeout, {session_timeout} {unit}"
        )


def losses_survived(session_timeout: int, heartbeat_interval: int, delay: int = 0) -> int:
    """How many heartbeats in a row may be lost before the session expires.

    `delay` is how much later than the last one that arrived the next one may come. A heartbeat that
    arrives at the very instant of the expiry is in time.

    >>> losses_survived(6, 2), losses_survived(5, 2), losses_survived(6, 2, delay=1)
    (2, 1, 1)
    """
    return max((session_timeout - delay) // heartbeat_interval - 1, 0)
