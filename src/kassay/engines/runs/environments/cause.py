"""The one thing whose change changes an answer: everything that differs between two environments, in turn."""

from __future__ import annotations

import os
import socket
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

from kassay.engines.processes.arrangement import account
from kassay.model.surroundings import CALLED, NEEDED, OURS, REMAINDERS, Surroundings, clock_words

Differs = Callable[[Surroundings, Surroundings], bool]
"""Whether the target answers differently in the two."""
CHANCE_TRIES: Final = 3
"""How often two equal environments are compared before a difference counts as caused by another one."""


BASE_PROCESS: Final = 0
"""The remainder of the ids of the processes that are compared, so that the ids do not decide."""


class EnvironmentCause(NamedTuple):
    """Two environments with different answers, and in words what differs between them.

    `field` is the one in which the two differ, empty if they do not; `variable` is the one that decides, if
    one does, with its value in the second of the two.
    """

    words: str
    first: Surroundings
    then: Surroundings
    field: str = ""
    variable: str = ""
    value: str | None = None


CHANCE: Final = EnvironmentCause("nothing changes: two processes in the same environment", OURS, OURS)
"""The cause of answers that differ between two equal environments."""


@dataclass(frozen=True)
class Ours:
    """What kassay's own process has: the time of the search, and its variables."""

    clock: float
    variables: Mapping[str, str]


def cause_of(
    differs: Differs, then: Surroundings, ours: Ours, apart: Differs | None = None
) -> EnvironmentCause | None:
    """The first single thing that changes the answer from that of kassay's own process; None if none does.

    If no single thing does, the one whose change does after others were changed before. `apart` compares in
    two new processes: a cause has to show there too.
    """
    base = replace(OURS, process=BASE_PROCESS)
    if any(differs(base, base) for _ in range(CHANCE_TRIES)):
        return CHANCE
    cause = _single(differs, base, then, ours) or _combined(differs, base, then, ours)
    if apart is None:
        return cause
    if cause is None:
        cause = _single(apart, base, then, ours)
    if apart(base, base) or (cause is not None and apart(cause.first, cause.first)):
        return CHANCE
    return cause if cause is not None and apart(cause.first, cause.then) else None


def needed_by(
    starts: Callable[[Surroundings], bool], then: Surroundings, ours: Ours
) -> EnvironmentCause | None:
    """The one field that keeps a target from starting in `then`; it starts in kassay's own surroundings."""
    known = {OURS: True}

    def differs(first: Surroundings, second: Surroundings) -> bool:
        """Whether it starts in one of the two only."""
        for each in (first, second):
            if each not in known:
                known[each] = starts(each)
        return known[first] is not known[second]

    return _single(differs, OURS, then, ours)


def _single(differs: Differs, base: Surroundings, then: Surroundings, ours: Ours) -> EnvironmentCause | None:
    """The first field that changes the answer when only it is as in `then`."""
    for name in then.changed:
        cause = _narrowed(differs, name, base, replace(base, **{name: getattr(then, name)}), ours)
        if cause is not None:
            return cause
    return None


def _combined(
    differs: Differs, base: Surroundings, then: Surroundings, ours: Ours
) -> EnvironmentCause | None:
    """The field that changes the answer after others were changed, one after the other."""
    names = then.changed[::-1]
    before = base
    for number, name in enumerate(names):
        after = replace(before, **{name: getattr(then, name)})
        cause = _narrowed(differs, name, before, after, ours)
        if cause is not None:
            others = ", ".join(CALLED[other] for other in names[:number])
            return cause._replace(words=f"{cause.words}, while other things differ too ({others})")
        before = after
    return None


def _narrowed(
    differs: Differs, name: str, first: Surroundings, then: Surroundings, ours: Ours
) -> EnvironmentCause | None:
    """The cause if the two differ in an answer; `name` is the field in which they differ."""
    if name == "process" and first.process is not None:
        return _of_process(differs, first, then)
    if not differs(first, then):
        return None
    if name == "clock":
        return _of_clock(differs, first, then, ours)._replace(field=name)
    if name == "variables":
        return _of_variables(differs, first, then, ours)._replace(field=name)
    values = " and ".join(_value(name, each, ours) for each in (first, then))
    return EnvironmentCause(f"the {CALLED[name]} changes: {values}", first, then, name)


def _value(name: str, surroundings: Surroundings, ours: Ours) -> str:
    """The value of a field in words."""
    value = getattr(surroundings, name)
    if value is not None:
        if name == "tick":
            return f"{value:g} s between two readings of a stopwatch"
        if name == "pause":
            return f"{value:g} s between two calls"
        if name == "uptime":
            return f"{value:.0f} s"
        if name == "memory":
            return f"{value} MiB"
        if name == "user":
            return str(account(value).pw_name)
        if name == "address":
            return bytes.hex(value.to_bytes(6), ":")
        return clock_words(value) if name == "modified" else str(value)
    if name == "host_name":
        return socket.gethostname()
    if name == "folder":
        return os.getcwd()  # noqa: PTH109  # as the target sees it
    if name == "processors":
        return str(os.cpu_count())
    if name == "hash_seed":
        return "0"
    if name == "pause":
        return "no time between two calls"
    inherited = {"time_zone": ("TZ",), "locale": ("LC_ALL", "LANG")}.get(name, ())
    return next((ours.variables[each] for each in inherited if ours.variables.get(each)), "the machine's own")


def _of_process(differs: Differs, first: Surroundings, then: Surroundings) -> EnvironmentCause | None:
    """The cause if answers differ between process ids of two remainders."""
    for remainder in range(REMAINDERS):
        if remainder != then.process:
            other = replace(first, process=remainder)
            if differs(other, then):
                words = f"the remainder by {REMAINDERS} is {remainder} and {then.process}"
                return EnvironmentCause(f"the process id changes: {words}", other, then, "process")
    return None


def _of_clock(differs: Differs, first: Surroundings, then: Surroundings, ours: Ours) -> EnvironmentCause:
    """The part of the clock that decides: the hour, the minute, ..., the year, or only all of it together."""
    now = ours.clock if first.clock is None else first.clock
    assert then.clock is not None, "the two differ in their clocks"
    first = replace(first, clock=now)
    for called, form, clock in _clocks(datetime.fromtimestamp(now), datetime.fromtimestamp(then.clock)):
        other = replace(first, clock=clock.timestamp())
        if differs(first, other):
            values = " and ".join(f"{at:{form}}" for at in (datetime.fromtimestamp(now), clock))
            return EnvironmentCause(f"{called} changes: {values}", first, other)
    words = f"{clock_words(now)} and {clock_words(then.clock)}"
    return EnvironmentCause(f"the clock changes: {words}", first, then)


def _clocks(now: datetime, then: datetime) -> Iterator[tuple[str, str, datetime]]:
    """What is changed in the clock, how it is printed, and the time in which only that is the other one's.

    A week day, a day of the month or a month changes alone in another year; the year was tried before.
    """
    if now.hour != then.hour:
        yield "the hour of the clock", "%H:%M", now.replace(hour=then.hour)
    if now.minute != then.minute:
        yield "the minute of the clock", "%H:%M", now.replace(minute=then.minute)
    if now.second != then.second:
        yield "the second of the clock", "%H:%M:%S", now.replace(second=then.second)
    own, other = (now.month, now.day, now.weekday()), (then.month, then.day, then.weekday())
    for part, called, form in (
        (None, "the year", "%Y"),
        (2, "the week day", "%A"),
        (1, "the day of the month", "%d %B"),
        (0, "the month", "%B"),
    ):
        wanted = tuple(other[i] if i == part else own[i] for i in range(3))
        years = sorted(range(1970, 2060), key=lambda year: abs(year - (then if part is None else now).year))
        if part is None or wanted != own:
            date = next((at for year in years if year != now.year and (at := _on(now, year, wanted))), None)
            if date is not None:
                yield called, form, date
    last = _end_of_month(now)
    if _end_of_month(then).day == then.day and last.day != now.day:
        yield "the day of the month", "%d %B", last
    if now.date() != then.date():
        yield "the date", "%Y-%m-%d", datetime.combine(then.date(), now.time())
    yield "the time of day", "%H:%M:%S.%f", datetime.combine(now.date(), then.time())


def _on(now: datetime, year: int, wanted: tuple[int, ...]) -> datetime | None:
    """The time of day on the date of this year; None if it has none with this month, day and week day."""
    month, day, weekday = wanted
    with suppress(ValueError):
        date = now.replace(year=year, month=month, day=day)
        return date if date.weekday() == weekday else None
    return None


def _end_of_month(at: datetime) -> datetime:
    """The same time on the last day of its month."""
    return at.replace(day=monthrange(at.year, at.month)[1])


def _of_variables(differs: Differs, first: Surroundings, then: Surroundings, ours: Ours) -> EnvironmentCause:
    """The variable that decides; several if only they do together.

    The two environments of the cause have no other variable that was inherited: a trace keeps them, and the
    values of a user's variables may be secret.
    """
    inherited = {name: value for name, value in ours.variables.items() if name not in NEEDED}
    before = inherited if first.variables is None else dict(first.variables)
    after = dict(then.variables or ())
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))

    def changed(some: Sequence[str]) -> Surroundings:
        values = {name: value for name, value in before.items() if name not in some}
        values |= {name: after[name] for name in some if name in after}
        return replace(then, variables=tuple(sorted(values.items())))

    start, every = changed(()), names
    while len(names) > 1:
        half = names[: len(names) // 2]
        names = half if differs(start, changed(half)) else names[len(half) :]
    if not differs(start, changed(names)):
        names = every
    if len(names) == 1:
        (name,) = names
        values = " and ".join(repr(side[name]) if name in side else "unset" for side in (before, after))
        alone, other = (
            replace(then, variables=((name, side[name]),) if name in side else ()) for side in (before, after)
        )
        pair = (alone, other) if differs(alone, other) else (first, then)
        return EnvironmentCause(
            f"the variable {name} changes: {values}", *pair, variable=name, value=after.get(name)
        )
    words = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return EnvironmentCause(f"variables change together: {words}", first, then)
