"""Which environments a run's calls were made in, and which it could not make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kassay.model.surroundings import CALLED, FIELDS, OF_PYTHON, Surroundings

GAPS_MAX: Final = 8
OF_THE_START: Final = (*OF_PYTHON, "process", "modified")
"""What a machine could change, but not of every target: a rule of kassay's own has no file, for example."""
_AFTER: Final = datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class EnvironmentCoverage:
    """The classes of environments in which the same calls were made again, by name.

    `gaps` are those that were not, each with the reason. Of these, `lacking` are the ones for which this
    machine has no means, and `missed` what the run was too short for: `clock not shifted`, and `clock`.
    `environments` counts the processes that differ in everything at once, `calls` the calls compared.
    """

    covered: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    environments: int = 0
    calls: int = 0

    def to_json(self) -> dict[str, Any]:
        """The document."""
        return {
            "environments": self.environments,
            "calls": self.calls,
            "covered": list(self.covered),
            "gaps": list(self.gaps),
            "lacking": list(self.lacking),
            "missed": list(self.missed),
        }


@dataclass
class SeenEnvironments:
    """The values that each part of the surroundings took, in calls that were compared.

    `unchanged` are the parts that could not be set, `kept` those that the target needs as they are, with the
    reasons. `stopped`: the time was over before the end; `nothing`: no case had a choice.
    """

    values: dict[str, set[Any]] = field(default_factory=dict)
    unchanged: dict[str, str] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)
    environments: int = 0
    stopped: bool = False
    nothing: bool = False
    kept: dict[str, str] = field(default_factory=dict)

    def add(self, surroundings: Surroundings, unchanged: Mapping[str, str]) -> None:
        """Count the values; those in `unchanged` could not be set, for the given reasons."""
        self.unchanged.update(unchanged)
        for name in surroundings.changed:
            if name not in unchanged:
                self.values.setdefault(name, set()).add(getattr(surroundings, name))

    def add_gap(self, gap: str) -> None:
        """Record what could not be tried, once, as long as there are few."""
        if gap not in self.gaps and len(self.gaps) < GAPS_MAX:
            self.gaps.append(gap)

    def coverage(self, calls: int) -> EnvironmentCoverage:
        """All of it in words."""
        covered = tuple(
            f"{CALLED[name]}: {_words(name, self.values[name])}" for name in FIELDS if self.values.get(name)
        )
        gaps = [f"{CALLED[name]} not changed ({why})" for name, why in self.unchanged.items()]
        gaps += self.gaps
        if self.stopped:
            gaps.append("not every value tried (no time left)")
        return EnvironmentCoverage(
            covered=covered,
            gaps=tuple(gaps),
            lacking=self._lacking(calls),
            missed=self._missed(),
            environments=self.environments,
            calls=calls,
        )

    def _lacking(self, calls: int) -> tuple[str, ...]:
        """What could not be changed, in words; nothing could if the target starts in no other environment."""
        if not calls and not self.stopped and not self.nothing:
            return ("environment not varied",)
        names = [name for name in FIELDS if name in self.unchanged and not self.values.get(name)]
        return tuple(
            f"{CALLED[name]} not {'shifted' if name == 'clock' else 'changed'}"
            for name in names
            if name not in OF_THE_START
        )

    def _missed(self) -> tuple[str, ...]:
        """What could be changed and was not: the run ended before that, or had no case to compare.

        Of the clock, every hour and every week day are needed.
        """
        if self.nothing:
            return ("environment",)
        fixed = {*self.unchanged, *self.kept}
        names = [name for name in FIELDS if name not in fixed and self.stopped]
        shown = {name for name in names if self.values.get(name)}
        if "clock" in shown and not _shows_hours(self.values["clock"]):
            shown.remove("clock")
        return tuple(CALLED[name] for name in names if name not in shown)


def _shows_hours(clocks: Iterable[float]) -> bool:
    """Whether every hour and every week day are among the times, in UTC."""
    times = [datetime.fromtimestamp(clock, UTC) for clock in clocks]
    return len({at.hour for at in times}) == 24 and len({at.weekday() for at in times}) == 7


def _words(name: str, values: set[Any]) -> str:
    """The values of a field, as classes."""
    if name == "clock":
        return clock_classes(values)
    if name == "variables":
        names = {variable for some in values for variable, _ in some}
        return f"{len(names)} names unset, empty or with other values"
    return f"{len(values)} values" if len(values) > 1 else "1 value"


def clock_classes(clocks: Iterable[float]) -> str:
    """The hours, week days, ... that the clocks show, in UTC."""
    times = [datetime.fromtimestamp(clock, UTC) for clock in clocks]
    counts = {
        "hours": {at.hour for at in times},
        "week days": {at.weekday() for at in times},
        "days of the month": {at.day for at in times},
        "months": {at.month for at in times},
        "minutes": {at.minute for at in times},
    }
    parts = [f"{len(values)} {name}" for name, values in counts.items()]
    days = [at.date() for at in times if at.year < 9999]
    if any((day + timedelta(days=1)).day == 1 for day in days):
        parts.append("month's end")
    if any((day.month, day.day) == (2, 29) for day in days):
        parts.append("29 February")
    if any(at.timestamp() >= _AFTER for at in times):
        parts.append("after 2038")
    return ", ".join(parts)
