"""The settings of an exploration from sizes, faults, properties, and variants of the rules by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.protocols.properties import COUNTS, FLAGS, PROPERTIES, STATIC, TIMES
from kassay.engines.protocols.settings import (
    BEFORE_0_9,
    COMPACTED,
    CORRECTED,
    KAFKA,
    MODELS,
    WHOLE,
    ExploreSettings,
)
from kassay.engines.protocols.variants import VARIANTS
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.protocols.faults import NO_FAULTS, Faults
from kassay.model.protocols.values.releases import NEWEST
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.context import ClockLevel, NetworkLevel
from kassay.model.protocols.world.streams.threads import StreamsOptions
from kassay.model.streams.kinds import STREAMS
from kassay.reading.documents import one_of

if TYPE_CHECKING:
    from kassay.engines.targets.given import TargetLike
    from kassay.model.groups.assignor import Assignor

NO_PROPERTIES: Final[Mapping[str, str]] = {}


def settings_of(
    model: str,
    *,
    members: int = 2,
    partitions: int = 2,
    topics: Sequence[int] = (1,),
    faults: Faults = NO_FAULTS,
    switches: Iterable[str] = (),
    release: str = NEWEST,
    assignor: str | Assignor | None = None,
    protocol: str | None = None,
    network: str = NetworkLevel.ATOMIC,
    records: int = 0,
    clock: str = ClockLevel.TIMELESS,
    properties: Mapping[str, str] = NO_PROPERTIES,
) -> ExploreSettings:
    """The settings for these sizes, faults, switches and variants, and properties; raises `InputError`."""
    for name in properties:
        if name not in PROPERTIES:
            raise InputError(f"--config: unknown property {name!r}; expected {one_of(PROPERTIES, name)}")
    chosen = {*switches}
    on = {name for name in VARIANTS if name in chosen}
    if model in MODELS:
        _require_known(model, properties, on)
    # A topic can only be created into a subscription by regular expression.
    creates, regex = faults.topic > 0 and model not in BEFORE_0_9, "regex" in on
    return ExploreSettings(
        model,
        assignor=assignor,
        mode=protocol,
        members=members,
        partitions=partitions,
        topics=max(topics),
        reads=tuple(topics) if len(topics) > 1 else (),
        remote_assignors=tuple(_parts(properties.get("group.remote.assignor"))),
        static=_count(STATIC, properties.get(STATIC, "0")),
        faults=faults,
        switches=frozenset(chosen - on),
        release=release,
        log=COMPACTED if "compacted_log" in on else WHOLE,
        policy=properties.get("group.consumer.migration.policy", "bidirectional"),
        network=NetworkLevel(network),
        records=records,
        timing=timing_of(properties, clock),
        streams=_streams_of(properties, fresh="fresh_topics" in on),
        regex=regex,
        late_targets="late_targets" in on,
        offload="offload" in on,
        pattern="t" if creates and model != "streams" and not regex else "",
        new_topics=("tt",) if creates else (),
        kinds=_kinds(properties.get("group.protocol", ""), members),
        client=CORRECTED if "corrected_client" in on else KAFKA,
    )


def _streams_of(given: Mapping[str, str], *, fresh: bool) -> StreamsOptions:
    """What the properties say of a Streams group."""
    values: dict[str, Any] = {p.field: _count(k, given[k]) for k, p in COUNTS.items() if k in given}
    values |= {p.field: bool(_count(k, given[k])) for k, p in FLAGS.items() if k in given}
    return StreamsOptions(**values, fresh=fresh)


def _require_known(model: str, given: Mapping[str, str], on: set[str]) -> None:
    """Raises InputError for a property or a variant that the model does not have."""
    for name in given:
        if model not in (known := PROPERTIES[name].models):
            raise InputError(f"--config: {model} has no {name}; expected {' or '.join(known)}")
    for name in sorted(on):
        if model not in (known := VARIANTS[name]):
            raise InputError(f"--switch: {model} has no {name}; expected {' or '.join(known)}")


def _parts(text: str | None) -> list[str]:
    """The parts between commas, empty ones included; none of an empty text."""
    return text.split(",") if text else []


def timing_of(given: Mapping[str, str], clock: str) -> Timing | None:
    """The durations among the properties; None without a clock. Raises InputError for those without one."""
    times = {name: _count(name, given[name]) for name in TIMES if name in given}
    if ClockLevel(clock) is ClockLevel.TICKS:
        return Timing(**{TIMES[name].field: ticks for name, ticks in times.items()})
    for name in times:
        raise InputError(f"--config {name}: timeless has no clock; expected --clock ticks as well")
    return None


def _count(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise InputError(f"--config {name}={text}: expected a whole number")
    return int(text)


def _kinds(text: str, members: int) -> tuple[tuple[str, ...], ...]:
    """The protocols of each client, in the order of its restarts; () by default."""
    if not text.strip():
        return ()
    clients = [tuple(name.strip() for name in client.split(",")) for client in text.split("/")]
    return tuple(clients * members if len(clients) == 1 else clients)


@contextmanager
def assignor_of(target: TargetLike | None, model: str) -> Iterator[Any]:
    """The assignor to use: a name that the models know, or a user's, open inside the block."""
    from kassay.assignors import registry
    from kassay.engines.targets.given import loaded

    reference = registry.find(target) if isinstance(target, str) else None
    known = isinstance(target, str) and not (":" in target or target.endswith(".py"))
    if target is None or reference is not None or known:
        yield target if reference is None else reference.spec
        return
    from kassay.engines.protocols.second_looks import opened

    with loaded([target]) as (ready,):
        if model == "streams":
            if ready.kind != STREAMS or ready.level != "member":
                raise InputError(
                    f"--assignor: {ready.spec} gives no tasks to members; expected level: member"
                )
        elif ready.kind != CLIENT:
            raise InputError(f"--assignor: {ready.spec} is not a client-side assignor")
        with opened(ready) as assignor:
            yield assignor
