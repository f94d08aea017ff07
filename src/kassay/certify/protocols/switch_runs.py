"""What finds each switch: walks at its bound with it on, with what goes along alone, and with all off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import NamedTuple

from kassay.certify.protocols.explore import ExploreResult, explore
from kassay.certify.protocols.settings import ExploreSettings
from kassay.certify.protocols.switches import DEAD_END, LIVELOCK, SWITCHES, Switch
from kassay.model.errors import InputError
from kassay.model.explore.values import Severity, WalkLimits
from kassay.model.lazy import lazy
from kassay.model.protocols.values.releases import NEWEST, RELEASES


class Sighting(NamedTuple):
    """How near a wrong thing is: the steps of the shortest trace to it, and an invariant or kind of stop."""

    length: int
    kind: str


@dataclass(frozen=True)
class SwitchHunt:
    """One walk at a switch's bound."""

    switch: Switch
    result: ExploreResult

    @property
    def states(self) -> int:
        """How many states were reached: all within the bound, or those until the first breach."""
        return self.result.exploration.states

    @lazy
    def sightings(self) -> tuple[Sighting, ...]:
        """What is wrong, nearest first; of each kind the shortest trace."""
        return sightings(self.result)

    @property
    def shown(self) -> tuple[Sighting, ...]:
        """Of what is wrong, what the switch is to be found by."""
        return tuple(sighting for sighting in self.sightings if sighting.kind in self.switch.shows)

    @property
    def caught(self) -> bool:
        """Whether everything was found that the switch is to be found by."""
        return {sighting.kind for sighting in self.shown} == set(self.switch.shows)


@dataclass(frozen=True)
class SwitchRow:
    """A switch's walks: `on`, `off`, and `alone` with what goes along but not the switch itself."""

    switch: Switch
    on: SwitchHunt
    off: SwitchHunt
    alone: SwitchHunt | None

    @property
    def holds(self) -> bool:
        """Whether the switch is found, by nothing but itself, and the model is clean without it.

        What the older rules of the release show by themselves is no stain, but the switch has to be found
        by something else, or sooner.
        """
        nearest = {sighting.kind: sighting.length for sighting in self.off.sightings}
        clean = self.off.result.exploration.limit is None and set(nearest) <= _shown_by(
            self.off.result.settings.release
        )
        own = all(sighting.length < nearest.get(sighting.kind, inf) for sighting in self.on.shown)
        return self.on.caught and own and clean and not (self.alone and self.alone.shown)


def _shown_by(release: str) -> set[str]:
    """By what the older rules of a release are found."""
    return {kind for name in RELEASES[release] if name in SWITCHES for kind in SWITCHES[name].shows}


def hunt(
    name: str,
    *,
    on: bool = True,
    along: bool | None = None,
    states_max: int = 600_000,
    release: str = NEWEST,
) -> SwitchHunt:
    """Walk at the switch's bound; `along`: are the switches that go with it on? (Unless told, as it is.)

    With the switch on the walk ends at the first breach, unless that is not what the switch is to be found
    by: then it goes on to the end.
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
    model: str | None = None, progress: Callable[[int], None] = lambda _: None, release: str = NEWEST
) -> tuple[SwitchRow, ...]:
    """The rows of all switches, or of one model's; `progress` hears how many are done."""
    walked: list[SwitchRow] = []
    for name in names_of(model, release):
        walked.append(row(name, release))
        progress(len(walked))
    return tuple(walked)


def names_of(model: str | None, release: str = NEWEST) -> tuple[str, ...]:
    """The switches of a model, or all of them; not those that are rules of the release, nor those whose bound
    cannot be had there: its model is older than releases, or the release knows nothing of what it takes.
    """
    return tuple(
        name
        for name, switch in SWITCHES.items()
        if model in (None, switch.model) and name not in RELEASES[release] and _is_had(switch, release)
    )


def _is_had(switch: Switch, release: str) -> bool:
    """Whether there is a world of that release at the switch's bound."""
    try:
        replace(switch.bound, release=release)
    except InputError:
        return False
    return True


def sightings(result: ExploreResult) -> tuple[Sighting, ...]:
    """What a walk found against the promises, nearest first.

    Zombies are no breach; of what is by design only `complete-at-rest` of the ZooKeeper consumers counts,
    since with fresh views and retries without end they do keep it.
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
    """The command that walks with the switch on."""
    bound, plain = switch.bound, ExploreSettings(switch.model)
    words = ["kassay", "explore", switch.model]
    for name in ("policy", "mode", "members", "partitions", "topics", "static"):
        if (value := getattr(bound, name)) != getattr(plain, name):
            words += [f"--{name}", str(value)]
    if bound.kinds:
        words += ["--protocols", "/".join(",".join(spoken) for spoken in bound.kinds)]
    if bound.reads:
        words += ["--reads", ",".join(map(str, bound.reads))]
    words += [f"--{name.replace('_', '-')}" for name in ("regex", "late_targets") if getattr(bound, name)]
    if bound.faults != plain.faults:
        counts = (f"{name}={count}" for name, count in bound.faults._asdict().items() if count)
        words += ["--faults", ",".join(counts)]
    for name in ("network", "records", "log"):
        if (value := getattr(bound, name)) != getattr(plain, name):
            words += [f"--{name}", str(value)]
    for name, value in asdict(bound.streams).items():
        words += [f"--{name}"] if value is True else [f"--{name}", str(value)] if value else []
    for name in (switch.name, *switch.along):
        words += ["--switch", name]
    return " ".join(words)
