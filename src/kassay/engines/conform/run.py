"""The loop: histories from a seed on both sides, until so many steps or seconds; causes, each shrunk once.

There are two results, which are never mixed. A `difference` is between the model and Kafka: kassay is wrong.
What is `broken` is an invariant that Kafka itself does not keep; the model, where it agrees, does not either.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from kassay.engines.conform.findings import KnownFinding, known_finding
from kassay.engines.conform.intentions import KINDS, NOT_DRIVEN, STREAMS_KIND, Intended, draw
from kassay.engines.conform.play import PlayedOnBoth, play
from kassay.engines.conform.plays import played_as_toml
from kassay.engines.conform.script import renamed, script
from kassay.engines.conform.shrink import TRIES, shrink
from kassay.engines.genuine.coordinator import KAFKAS, OWN, RUNTIMES, GenuineProcess
from kassay.model.errors import InputError
from kassay.model.protocols.values.releases import MODELLED, NEWEST

OF_NEWEST: Final = (STREAMS_KIND,)
"""The kinds of histories for which the model has the rules of the newest release alone."""


@dataclass(frozen=True)
class ConformSettings:
    """What to run: until `steps` were compared or `seconds` passed, whichever comes first.

    `runtime` is one of `RUNTIMES`.

    Without `kinds`: those that the model has for the release.
    """

    release: str = NEWEST
    steps: int | None = None
    seconds: float | None = None
    seed: int = 0
    kinds: tuple[str, ...] = ()
    runtime: str = OWN

    def __post_init__(self) -> None:
        if self.release not in MODELLED:
            raise InputError(f"--release {self.release}: not modelled; expected one of {', '.join(MODELLED)}")
        if unknown := [kind for kind in self.kinds if kind not in KINDS]:
            raise InputError(
                f"unknown kind of histories {unknown[0]!r}; expected one or more of {', '.join(KINDS)}"
            )
        if absent := [kind for kind in self.kinds if kind not in self.modelled]:
            raise InputError(f"{absent[0]}: the model has no rules of it for {self.release}")
        if self.runtime not in RUNTIMES:
            raise InputError(f"--runtime {self.runtime}: expected one of {', '.join(RUNTIMES)}")
        if self.runtime == KAFKAS and self.release != NEWEST:
            raise InputError(f"--runtime {KAFKAS}: it is driven only for Kafka {NEWEST}")

    @property
    def modelled(self) -> tuple[str, ...]:
        """The kinds for which the model has the rules of the release."""
        return KINDS if self.release == NEWEST else tuple(kind for kind in KINDS if kind not in OF_NEWEST)

    @property
    def not_driven(self) -> tuple[str, ...]:
        """What no history of these settings plays or compares."""
        left_out = [kind for kind in KINDS if kind not in (self.kinds or self.modelled)]
        return (*NOT_DRIVEN, *(f"histories of kind {kind}" for kind in left_out))


@dataclass(frozen=True)
class ConformCause:
    """Differences, or broken invariants, of one cause.

    `histories` is how many show it, `first` the number of the first one, `steps` the length of the smallest
    found, `script` that one as lines, `toml` the same for `kassay play`, `text` what differs or was seen.
    """

    cause: str
    histories: int
    first: int
    steps: int
    script: tuple[str, ...]
    text: str
    known: KnownFinding | None = None
    toml: str = ""

    def to_json(self) -> dict[str, Any]:
        """The cause as JSON."""
        shown = {name: getattr(self, name) for name in ("cause", "histories", "first", "steps", "text")}
        known = {"known": self.known.letter} if self.known else {}
        return shown | known | {"script": list(self.script), "toml": self.toml}


@dataclass(frozen=True)
class ConformResult:
    """The outcome of a loop; `steps` compared, by kind of history."""

    settings: ConformSettings
    steps: Mapping[str, int]
    histories: int
    seconds: float
    differences: tuple[ConformCause, ...]
    broken: tuple[ConformCause, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing differs, and Kafka breaks nothing but what is known."""
        return not self.differences and all(cause.known for cause in self.broken)

    @property
    def rate(self) -> float:
        """Compared steps a second, without the time for shrinking."""
        return sum(self.steps.values()) / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        """The result as JSON."""
        return {
            "schema": "kassay/conform/1",
            "release": self.settings.release,
            "seed": self.settings.seed,
            "runtime": self.settings.runtime,
            "steps": dict(self.steps),
            "histories": self.histories,
            "seconds": round(self.seconds, 1),
            "differences": [cause.to_json() for cause in self.differences],
            "broken_by_kafka": [cause.to_json() for cause in self.broken],
            "not_driven": list(self.settings.not_driven),
        }


@dataclass
class _Tally:
    """Counts, and for each cause the first history that shows it."""

    steps: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    breaking: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, Intended]] = field(default_factory=dict)

    def add(self, number: int, intended: Intended, played: PlayedOnBoth) -> None:
        """Count a history."""
        self.steps[intended.setup.kind] += len(played.steps)
        if played.difference is not None:
            self.differing[played.difference.cause] += 1
        self.breaking.update({each.cause for each in played.broken})
        for cause in played.causes():
            self.first.setdefault(cause, (number, intended))


Progress = Callable[[int], object]


def conform(
    settings: ConformSettings,
    jars: Iterable[Path],
    *,
    target: Any = None,
    progress: Progress = lambda steps: None,  # noqa: ARG005 - by default it is not shown
    tries: int = TRIES,
) -> ConformResult:
    """Play histories on Kafka's coordinator and on the model.

    `target` has a `step` as the model's, which is the default; `tries` bounds the shrinking of each cause.
    Raises `InputError` without a Java, and `GenuineFailed` if Kafka's jars cannot be driven.
    """
    tally, number, played_for = _Tally(), 0, 0.0
    with GenuineProcess(jars, "conform", settings.runtime) as process:
        on_both = partial(play, process=process, release=settings.release, target=target)
        while not _enough(settings, sum(tally.steps.values()), played_for):
            begun = time.monotonic()
            intended = draw(settings.seed, number, settings.kinds or settings.modelled)
            tally.add(number, intended, on_both(intended))
            played_for += time.monotonic() - begun
            number += 1
            progress(sum(tally.steps.values()))
        causes = {
            cause: replace(
                _cause(cause, *first, tally, on_both, tries), known=known_finding(cause, settings.release)
            )
            for cause, first in tally.first.items()
        }
    differences = tuple(causes[cause] for cause, _ in tally.differing.most_common())
    broken = tuple(causes[cause] for cause, _ in tally.breaking.most_common())
    return ConformResult(settings, dict(tally.steps), number, played_for, differences, broken)


def _enough(settings: ConformSettings, steps: int, seconds: float) -> bool:
    if settings.steps is not None and steps >= settings.steps:
        return True
    return settings.seconds is not None and seconds >= settings.seconds


def _cause(
    cause: str,
    number: int,
    intended: Intended,
    tally: _Tally,
    on_both: Callable[..., PlayedOnBoth],
    tries: int,
) -> ConformCause:
    """The cause with its smallest history."""
    watch = cause in tally.breaking
    small = shrink(intended, lambda other: cause in on_both(other, watch=watch).causes(), tries)
    played = on_both(small, watch=watch)
    text = next((each.text for each in played.broken if each.cause == cause), "")
    last = next((each.step for each in played.broken if each.cause == cause), len(played.steps))
    if not watch and played.difference is not None:
        text = played.difference.text
    steps = played.steps[: last + 1]
    histories = tally.differing[cause] + tally.breaking[cause]
    lines = script(small.setup, steps)
    seen = renamed(text, steps)
    toml = f"title = {json.dumps(cause)}\n{played_as_toml(small.setup, steps)}"
    return ConformCause(cause, histories, number, len(steps), lines, seen, toml=toml)
