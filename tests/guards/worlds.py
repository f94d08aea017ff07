"""What a removed guard is put to: the listed worlds, smallest first, and then the genuine traces."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from kassay.engines.protocols.explore import explore
from kassay.engines.protocols.settings import BEFORE_0_9, ExploreSettings
from kassay.engines.protocols.switch_runs import command, sightings
from kassay.engines.protocols.switches import SWITCHES, Switch
from kassay.engines.vectors.check import read_vectors
from kassay.engines.vectors.protocol.check import check_trace
from kassay.model.explore.values import WalkLimits
from tests.docs.test_exhaustive_runs import runs
from tests.explored import LIMITS, WALK, settings
from tests.paths import VECTORS

ROOM, LEAST_ROOM = 3, 5_000
"""A walk with a guard removed is given up where it has so many times the states of the one with it, and more."""


@dataclass(frozen=True)
class World:
    """A listed walk: the command, and its settings."""

    command: str
    settings: ExploreSettings
    states: int = 0

    def walk(self, states_max: int | None = None) -> Any:
        """The walk, ended by the first breach or by the limit."""
        return explore(self.settings, WalkLimits(states_max, stop_at_first=True))


def listed() -> list[World]:
    """The worlds of docs/exhaustive-runs.md, and those at which the switches are found, with none on."""
    newest = [run for run in runs() if not run.release]
    worlds = [World(run.command, settings(**_plain(run.settings)), run.figures.states or 0) for run in newest]
    known = {world.settings for world in worlds}
    for switch in SWITCHES.values():
        bound = replace(switch.bound, switches=frozenset())
        if bound not in known:
            known.add(bound)
            worlds.append(World(_without(switch), bound))
    return [world for world in worlds if world.settings.model not in BEFORE_0_9]


def _without(switch: Switch) -> str:
    """The command of a switch without it."""
    words = command(switch)
    for name in (switch.name, *switch.along):
        words = words.replace(f" --switch {name}", "")
    return words


def _plain(chosen: dict[str, Any]) -> dict[str, Any]:
    """Settings of a walk; the record was made with corrected clients, whose walks hold."""
    return {name: value for name, value in chosen.items() if name not in (*LIMITS, *WALK, "client")}


def breach(world: World, states: int) -> tuple[str, int]:
    """What the walk of a world breaks, nearest first, or "", with the states reached.

    It is given up where it has several times the `states` of the walk with every guard in place.
    """
    result = world.walk(max(ROOM * states, LEAST_ROOM))
    wrong = sightings(result)
    return f"{wrong[0].kind} in {wrong[0].length} steps" if wrong else "", result.exploration.states


@dataclass(frozen=True, eq=False)
class Trace:
    """A genuine trace of the group coordinator."""

    name: str
    vector: Any
    version: str

    def difference(self) -> str:
        """Where the coordinator does something else, or ""."""
        return check_trace(self.vector, lambda: None, version=self.version) or ""


@cache
def traces() -> tuple[Trace, ...]:
    """Those that the tests keep."""
    return tuple(_read())


def _read() -> Iterator[Trace]:
    for path in sorted(VECTORS.rglob("protocol-*.json.gz")):
        file = read_vectors(path)
        folder = "" if path.parent == VECTORS else f"{path.parent.name}/"
        for vector in file.vectors:
            yield Trace(f"{folder}{path.name.removesuffix('.json.gz')} {vector['id']}", vector, file.version)
