"""Walks for each switch, at its bound: with it on, with only its companion switches on, and with all off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import NamedTuple

from kassay.engines.protocols.explore import ExploreResult, explore
from kassay.engines.protocols.settings import COMPACTED, STREAMS_NAMES, WITH_CLIENTS, ExploreSettings
from kassay.engines.protocols.switches import DEAD_END, LIVELOCK, SWITCHES, Switch
from kassay.model.errors import InputError
from kassay.model.explore.values import Severity, WalkLimits
from kassay.model.lazy import lazy
from kassay.model.protocols.values.releases import NEWEST, RELEASES


class Sighting(NamedTuple):
    """A finding with its distance: the steps of the shortest trace, and an invariant or kind of stop."""

    length: int
    kind: str


@dataclass(frozen=True)
class SwitchHunt:
    """One walk at a switch's bound."""

    switch: Switch
    result: ExploreResult

    @property
    def states(self) -> int:
        """The number of reached states: all within the bound, or those until the first violation."""
        return self.result.exploration.states

    @lazy
    def sightings(self) -> tuple[Sighting, ...]:
        """The findings, nearest first, with the shortest trace of each kind."""
        return sightings(self.result)

    @property
    def shown(self) -> tuple[Sighting, ...]:
        """The findings by which the switch is to be found."""
        return tuple(sighting for sighting in self.sightings if sighting.kind in self.switch.shows)

    @property
    def caught(self) -> bool:
        """Whether all findings of the switch were found."""
        return {sighting.kind for sighting in self.shown} == set(self.switch.shows)


@dataclass(frozen=True)
class SwitchRow:
    """A switch's walks: `on`, `off`, and `alone` with its companion switches but not the switch itself."""

    switch: Switch
    on: SwitchHunt
    off: SwitchHunt
    alone: SwitchHunt | None

    @property
    def holds(self) -> bool:
        """Whether the switch, and only the switch, causes its findings, and the model is clean without it.

        Findings of the release's older rules, and known ones about Kafka, do not count against it, but the
        switch must then cause other or earlier findings.
        """
        nearest = {sighting.kind: sighting.length for sighting in self.off.sightings}
        expected = _shown_by(self.off.result.settings.release) | {*self.switch.known}
        clean = self.off.result.exploration.limit is None and set(nearest) <= expected
        own = all(sighting.length < nearest.get(sighting.kind, inf) for sighting in self.on.shown)
        return self.on.caught and own and clean and not (self.alone and self.alone.shown)


def _shown_by(release: str) -> set[str]:
    """The findings of the older rules of a release."""
    return {kind for name in RELEASES[release] if name in SWITCHES for kind in SWITCHES[name].shows}


def hunt(
    name: str,
    *,
    on: bool = True,
    along: bool | None = None,
    states_max: int = 600_000,
    release: str = NEWEST,
) -> SwitchHunt:
    """Walk at the switch's bound; `along`: whether its companion switches are on (by default, as `on`).

    With the switch on, the walk ends at the first violation, unless that is not one of the switch's findings:
    then it continues to the end.
    """
    switch = SWITCHES[name]
    names = {name} if on else set()
    if on if along is None else along:
        names |= set(switch.along)
    settings = replace(switch.bound, switches=frozenset(names), release=release)
    for stop in (True, False) if on else (False,):
        walked = SwitchHunt(switch, explore(settings, WalkLimits(states_max, stop_at_first=stop)))
        if walked.caught:
            break
    return walked


def row(name: str, release: str = NEWEST) -> SwitchRow:
    """All the walks of one switch."""
    alone = hunt(name, on=False, along=True, release=release) if SWITCHES[name].along else None
    return SwitchRow(
        SWITCHES[name], hunt(name, release=release), hunt(name, on=False, release=release), alone
    )


def rows(
    model: str | None = None, progress: Callable[[int], object] = lambda _: None, release: str = NEWEST
) -> tuple[SwitchRow, ...]:
    """The rows of all switches, or of one model's; `progress` receives the number of finished ones."""
    walked: list[SwitchRow] = []
    for name in names_of(model, release):
        walked.append(row(name, release))
        progress(len(walked))
    return tuple(walked)


def names_of(model: str | None, release: str = NEWEST) -> tuple[str, ...]:
    """The switches of a model, or all of them.

    Excludes rules of the release, and switches whose bound does not exist there: the model predates releases,
    or the release lacks a required feature.
    """
    return tuple(
        name
        for name, switch in SWITCHES.items()
        if model in (None, switch.model) and name not in RELEASES[release] and _is_had(switch, release)
    )


def _is_had(switch: Switch, release: str) -> bool:
    """Whether that release has a world at the switch's bound."""
    try:
        replace(switch.bound, release=release)
    except InputError:
        return False
    return True


def sightings(result: ExploreResult) -> tuple[Sighting, ...]:
    """The violations that a walk found, nearest first.

    Zombies are no violations; of by-design findings only `complete-at-rest` of the ZooKeeper consumers
    counts, since with fresh views and unlimited retries they satisfy it.
    """
    done = result.exploration
    nearest: dict[str, int] = {}
    for violation in done.violations:
        name = violation.invariant
        kept = result.model == "zookeeper" and name == "complete-at-rest"
        if violation.severity is Severity.REAL or kept:
            nearest[name] = min(violation.length, nearest.get(name, violation.length))
    if done.liveness is not None:
        for kind, stuck in ((DEAD_END, done.liveness.dead_ends), (LIVELOCK, done.liveness.livelocks)):
            lengths = [len(each.trace) - 1 for each in stuck if each.trace]
            if lengths:
                nearest[kind] = min(lengths)
    return tuple(sorted(Sighting(length, kind) for kind, length in nearest.items()))


def command(switch: Switch) -> str:
    """The command for a walk with the switch on."""
    bound, plain = switch.bound, ExploreSettings(switch.model)
    words = ["kassay", "explore", switch.model]
    if bound.mode != plain.mode:
        words += ["--protocol", str(bound.mode)]
    for name in ("members", "partitions"):
        if (value := getattr(bound, name)) != getattr(plain, name):
            words += [f"--{name}", str(value)]
    if bound.topics != plain.topics:
        words += ["--topics", ",".join(map(str, bound.reads or (bound.topics,)))]
    if bound.static:
        words += ["--config", f"group.instance.id={bound.static}"]
    if bound.policy != plain.policy:
        words += ["--config", f"group.consumer.migration.policy={bound.policy}"]
    if bound.kinds:
        words += ["--config", "group.protocol=" + "/".join(",".join(spoken) for spoken in bound.kinds)]
    if bound.faults != plain.faults:
        counts = (f"{name}={count}" for name, count in bound.faults._asdict().items() if count)
        words += ["--faults", ",".join(counts)]
    for name in ("network", "records"):
        if (value := getattr(bound, name)) != getattr(plain, name):
            words += [f"--{name}", str(value)]
    fresh = bound.streams.fresh
    for name, value in asdict(replace(bound.streams, fresh=False)).items():
        words += ["--config", f"{STREAMS_NAMES[name]}={int(value)}"] if value else []
    variants = {
        "regex": bound.regex,
        "late_targets": bound.late_targets,
        "fresh_topics": fresh,
        "compacted_log": bound.log == COMPACTED,
        "corrected_client": switch.model in WITH_CLIENTS,
    }
    for name in (*(each for each, chosen in variants.items() if chosen), switch.name, *switch.along):
        words += ["--switch", name]
    return " ".join(words)
