"""One-line explorations: settings as keywords; faults, network and clock as users type them."""

from typing import Any
from unittest.mock import patch

from kassay.engines.protocols import explore as exploring
from kassay.engines.protocols.known import read_known, unknown
from kassay.engines.protocols.settings import CORRECTED, ExploreSettings
from kassay.model.explore.values import Severity, WalkLimits
from kassay.model.protocols.faults import parse_faults
from kassay.model.protocols.values.releases import RELEASES
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.context import ClockLevel, NetworkLevel
from kassay.model.protocols.world.streams.threads import StreamsOptions
from tests.paths import DATA

OLD_RULES = RELEASES["2024-10"] - {"strict_epoch0"}
"""The rules before there were releases, except epoch 0, which was already fixed."""

BASELINE = DATA / "explore-baseline.json"
"""The findings about Kafka that walks may have."""

LIMITS = ("states_max", "time_s", "stop_at_first")
STREAMS = ("standby", "processes", "endpoints", "delayed", "fresh", "offsets", "warmup")
WALK = ("seed", "symmetry", "fingerprints", "jobs", "progress")


def settings(model: str, **chosen: Any) -> ExploreSettings:
    """The settings, of a model with these options.

    Clients are the corrected ones unless `client` says otherwise: these walks are about the coordinator, and
    what Kafka's client adds by itself has its own tests (`tests/docs`, `tests/engines/protocols`).
    """
    chosen.setdefault("client", CORRECTED)
    if isinstance(chosen.get("faults"), str):
        chosen["faults"] = parse_faults(chosen["faults"])
    if chosen.get("regex") and getattr(chosen.get("faults"), "topic", 0):
        chosen.setdefault("new_topics", ("tt",))
    if "network" in chosen:
        chosen["network"] = NetworkLevel(chosen["network"])
    of_streams = {name: chosen.pop(name) for name in STREAMS if name in chosen}
    if of_streams:
        chosen["streams"] = StreamsOptions(**of_streams)
    if "tasks" in chosen:
        chosen["partitions"] = chosen.pop("tasks")
    if ClockLevel(chosen.pop("clock", "timeless")) is ClockLevel.TICKS:
        chosen["timing"] = chosen.get("timing") or Timing()
    return ExploreSettings(model, **chosen)


def as_before(model: str, **chosen: Any) -> exploring.ExploreResult:
    """Like `explore`, with the older rules if the model has consumer groups, except the one already fixed.

    They replace those of their release, which promises less than the newest one.
    """
    if model not in ("kip848", "migration"):
        return explore(model, **chosen)
    with patch.dict(RELEASES, {"2024-10": OLD_RULES}):
        return explore(model, **chosen, release="2024-10")


def build(model: str, **chosen: Any) -> Any:
    """The model with these options."""
    return exploring.build(settings(model, **chosen))


def explore(model: str, **chosen: Any) -> exploring.ExploreResult:
    """The model with these options, explored within these limits."""
    limits = WalkLimits(**{name: chosen.pop(name) for name in LIMITS if name in chosen})
    walk = {name: chosen.pop(name) for name in WALK if name in chosen}
    return exploring.explore(settings(model, **chosen), limits, **walk)


def only_known(result: exploring.ExploreResult, *names: str) -> None:
    """Assert that a complete walk breaks exactly these claims, all known findings about Kafka, and ends nowhere.

    They are in `tests/data/explore-baseline.json`, which says of each which finding it is.
    """
    done = result.exploration
    assert done.limit is None
    assert result.verdict == ("violated" if names else "holds")
    broken = {each.invariant for each in done.violations if each.severity is Severity.REAL}
    assert broken == set(names)
    assert unknown(read_known(BASELINE), result.model, names) == []
    assert done.liveness is not None
    assert (done.liveness.dead_ends, done.liveness.livelocks, done.liveness.hopeless) == ((), (), 0)
