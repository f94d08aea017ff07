"""What matters in a counterexample: leaves out one part at a time and replays the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.certify.findings.could_be import broken_and_could_be
from kassay.certify.runs.blocks import open_bench
from kassay.certify.runs.replay import Playback, job_of, subjects_of
from kassay.certify.runs.shrink import (
    REPEATS_MAX,
    REPEATS_S,
    BrokenPlay,
    broken,
    broken_play,
    frequency,
    repeated,
)
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.shape.removal import Removal
from kassay.model.trace import Repeated
from kassay.properties.promises import promise
from kassay.properties.registry import Promise
from kassay.writing.text import counted

TRIES_MAX: Final = 80
"""The maximum number of cases replayed to find what matters."""
TRIES_MAX_SLOW: Final = 8
"""The same if each replay may take as long as a call."""


@dataclass(frozen=True)
class Cause:
    """Why a trace violates its claim, from replaying it.

    `breaks` says whether it does so now. `events` and `conditions` are those that the violation needs:
    without any one of them the claim is kept, or never checked. `extents` counts what it needs. `needless`
    can be left out. `broken` and `could_be` are those of this replay. `repeated` counts plays of the case if
    the target kept the claim in some; then what the violation needs is not known, and `broken` and `could_be`
    are the recorded ones.
    """

    breaks: bool
    events: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    needless: tuple[str, ...] = ()
    broken: tuple[Mapping[str, Any], ...] = ()
    could_be: Mapping[str, Any] | None = None
    repeated: Repeated | None = None

    def to_json(self) -> dict[str, Any]:
        """The cause as an explanation has it."""
        lists = ("events", "conditions", "extents", "needless", "broken")
        return {
            "breaks": self.breaks,
            **{name: list(getattr(self, name)) for name in lists},
            "could_be": self.could_be,
            "repeated": None if self.repeated is None else self.repeated._asdict(),
        }


def cause_of(playback: Playback) -> Cause:
    """What matters in the trace with today's target. Raises `InputError` for an invalid case."""
    trace = playback.trace
    driver = driver_for(trace.kind)
    case = driver.form.read(trace.case, f"{playback.path}: case")
    promised = promise(trace.claim, trace.kind)
    with open_bench(job_of(playback)) as bench:
        for subject in subjects_of(bench, promised, playback.conditions):
            play = broken_play(driver, case, subject, promised)
            if play is None:
                continue
            count = frequency(driver, case, subject, promised, play.seconds)
            if count.always and trace.repeated is None:
                return _of(driver, case, play, subject, promised)
            return Cause(True, broken=trace.broken, could_be=trace.could_be, repeated=count)
        if trace.repeated is None:
            return Cause(breaks=False)
        (subject, *_) = subjects_of(bench, promised, playback.conditions)
        count = repeated(driver, case, subject, promised, REPEATS_MAX, REPEATS_S)
    return Cause(count.broken > 0, broken=trace.broken, could_be=trace.could_be, repeated=count)


def _of(driver: Driver[Any], case: Any, play: BrokenPlay, subject: Subject, promised: Promise) -> Cause:
    places, possible = broken_and_could_be(driver, case, play.plays, subject, promised)
    tries = TRIES_MAX_SLOW if promised.claim.id == "terminates" else TRIES_MAX
    cause = what_matters(driver, case, lambda less: bool(broken(driver, less, subject, promised)), tries)
    return replace(cause, broken=places, could_be=possible)


def what_matters(driver: Driver[Any], case: Any, still: Callable[[Any], bool], tries: int) -> Cause:
    """The parts without which the case is not `still` so; replays at most `tries` cases."""
    needed: list[Removal] = []
    needless: list[Removal] = []
    for number, less in enumerate(_readable(driver, driver.form.write(case))):
        if number == tries:
            break
        (needless if still(less[1]) else needed).append(less[0])
    return Cause(
        breaks=True,
        events=tuple(each.words for each in needed if each.event),
        conditions=tuple(each.words for each in needed if not each.event and not each.extent),
        extents=_counted(each.extent for each in needed if each.extent),
        needless=tuple(each.words for each in needless),
    )


def _counted(extents: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """How many of each the violation needs: `2 members`."""
    counts = Counter[str]()
    for number, noun in extents:
        counts[noun] += number
    return tuple(counted(number, noun) for noun, number in counts.items())


def _readable(driver: Driver[Any], document: Mapping[str, Any]) -> Iterator[tuple[Removal, Any]]:
    """The parts that can be left out, each with the remaining case; invalid cases are skipped."""
    for less in driver.removals(document):
        try:
            yield less, driver.form.read(less.case, "case")
        except InputError:
            continue
