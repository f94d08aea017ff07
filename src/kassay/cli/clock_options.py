"""Options for the durations of a timed exploration, and the value that they form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.model.protocols.world.timed.clock import Timing

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: Final = {
    "session": ("--session", "With --clock ticks: session.timeout.ms.  [default: 6]"),
    "heartbeat": ("--heartbeat", "With --clock ticks: heartbeat.interval.ms.  [default: 2]"),
    "max_poll": ("--max-poll", "With --clock ticks: max.poll.interval.ms.  [default: 8]"),
    "rebalance": ("--rebalance-timeout", "With --clock ticks: rebalance timeout.  [default: as --max-poll]"),
    "initial_delay": (
        "--initial-delay",
        "With --clock ticks: group.initial.rebalance.delay.ms.  [default: 0]",
    ),
    "delay": ("--delay", "With --clock ticks: longest delay of a heartbeat.  [default: 0]"),
    "interval": (
        "--assignment-interval",
        "With --clock ticks: group.consumer.assignment.interval.ms (kip848).  [default: 0]",
    ),
    "load": ("--load", "With --clock ticks: time to load the coordinator's log.  [default: 0]"),
}
"""Option names and helps, by the field of `Timing` that they set."""


def clock_options(command: F) -> F:
    """Add `--clock` and its duration options."""
    for field, (option, words) in reversed(OPTIONS.items()):
        command = click.option(option, field, type=int, metavar="TICKS", help=words)(command)
    words = "Fire timers at any time (timeless, T0) or when due (ticks, T1: classic, kip848)."
    return click.option("--clock", default="timeless", show_default=True, help=words)(command)


def timing_of(chosen: dict[str, Any]) -> Timing | None:
    """The durations of the options; None without a clock. Raises InputError for durations without a clock."""
    from kassay.model.protocols.world.parts.levels import ClockLevel
    from kassay.model.protocols.world.timed.clock import Timing

    given = {field: chosen[field] for field in OPTIONS if chosen[field] is not None}
    if ClockLevel(chosen["clock"]) is ClockLevel.TICKS:
        return Timing(**given)
    for field in given:
        raise InputError(f"{OPTIONS[field][0]}: timeless has no clock; expected --clock ticks as well")
    return None
