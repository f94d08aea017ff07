"""What the options of `kassay explore` set: sizes, properties, variants of the rules; and its help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from kassay.cli.options import pairs
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.streams.kinds import STREAMS

if TYPE_CHECKING:
    from kassay.engines.protocols.settings import ExploreSettings
    from kassay.model.groups.assignor import Assignor
    from kassay.model.protocols.world.clock import Timing
    from kassay.model.protocols.world.streams.threads import StreamsOptions

SPARK: Final = "spark."
FINGERPRINTS_FROM: Final = 10_000_000
"""With more states than this allowed, fingerprints are stored: whole states need some 200 bytes each."""

CONSUMER_GROUPS: Final = ("kip848", "migration")
ALL: Final = ("zookeeper", "draft", "classic", *CONSUMER_GROUPS, "streams")
COORDINATED: Final = ("classic", *CONSUMER_GROUPS, "streams")
CLOCKED: Final = ("classic", "kip848")


class Property(NamedTuple):
    """A property that `--config` sets: the field of the settings, the models that have it, its value."""

    field: str
    models: tuple[str, ...]
    value: str


TIMES: Final = {
    "session.timeout.ms": Property("session", CLOCKED, "6"),
    "heartbeat.interval.ms": Property("heartbeat", CLOCKED, "2"),
    "max.poll.interval.ms": Property("max_poll", CLOCKED, "8"),
    "rebalance.timeout.ms": Property("rebalance", CLOCKED, "as max.poll.interval.ms"),
    "group.initial.rebalance.delay.ms": Property("initial_delay", CLOCKED, "0"),
    "group.consumer.assignment.interval.ms": Property("interval", ("kip848",), "0"),
    "heartbeat.delay.ms": Property("delay", CLOCKED, "0"),
    "coordinator.load.ms": Property("load", CLOCKED, "0"),
}
"""Durations in ticks of the integer clock; the last two are the model's own, not Kafka's."""
STATIC: Final = "group.instance.id"
_STATIC: Final = {STATIC: Property("static", COORDINATED, "0")}
COUNTS: Final = {
    "num.standby.replicas": Property("standby", ("streams",), "0"),
    "num.warmup.replicas": Property("warmup", ("streams",), "0"),
    "application.server": Property("endpoints", ("streams",), "0"),
    "process.id": Property("processes", ("streams",), "as many as members"),
}
FLAGS: Final = {
    "group.streams.initial.rebalance.delay.ms": Property("delayed", ("streams",), "0"),
    "group.streams.task.offset.interval.ms": Property("offsets", ("streams",), "0"),
}
TEXTS: Final = {
    "group.protocol": Property("kinds", ("migration",), "classic,consumer"),
    "group.remote.assignor": Property("remote_assignors", CONSUMER_GROUPS, "unset"),
    "group.consumer.migration.policy": Property("policy", ("migration",), "bidirectional"),
}
PROPERTIES: Final = {**_STATIC, **TIMES, **COUNTS, **FLAGS, **TEXTS}


def properties_of(chosen: Mapping[str, Any]) -> dict[str, str]:
    """The properties of the model in `--config`, without those of Spark. Raises InputError."""
    given = {k: v for k, v in pairs(chosen["configs"], "--config").items() if not k.startswith(SPARK)}
    for name in given:
        if name not in PROPERTIES:
            from kassay.reading.documents import one_of

            raise InputError(f"--config: unknown property {name!r}; expected {one_of(PROPERTIES, name)}")
    return given


def settings_of(model: str, chosen: Mapping[str, Any], assignor: str | Assignor | None) -> ExploreSettings:
    """The settings that the options describe. Raises InputError."""
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
    from kassay.model.protocols.faults import parse_faults
    from kassay.model.protocols.world.context import NetworkLevel

    given, faults = properties_of(chosen), parse_faults(chosen["faults"])
    topics = _topics(chosen["topics"])
    on = {name for name in VARIANTS if name in chosen["switches"]}
    if model in MODELS:
        _require_known(model, given, on)
    # A topic can only be created into a subscription by regular expression.
    creates, regex = faults.topic > 0 and model not in BEFORE_0_9, "regex" in on
    return ExploreSettings(
        model,
        assignor=assignor,
        mode=chosen["protocol"],
        members=chosen["members"],
        partitions=chosen["partitions"],
        topics=max(topics),
        reads=topics if len(topics) > 1 else (),
        remote_assignors=tuple(_parts(given.get("group.remote.assignor"))),
        static=_count(STATIC, given.get(STATIC, "0")),
        faults=faults,
        switches=frozenset(chosen["switches"]) - on,
        release=chosen["release"],
        log=COMPACTED if "compacted_log" in on else WHOLE,
        policy=given.get("group.consumer.migration.policy", "bidirectional"),
        network=NetworkLevel(chosen["network"]),
        records=chosen["records"],
        timing=timing_of(given, chosen["clock"]),
        streams=_streams_of(given, fresh="fresh_topics" in on),
        regex=regex,
        late_targets="late_targets" in on,
        offload="offload" in on,
        pattern="t" if creates and model != "streams" and not regex else "",
        new_topics=("tt",) if creates else (),
        kinds=_kinds(given.get("group.protocol", ""), chosen["members"]),
        client=CORRECTED if "corrected_client" in on else KAFKA,
    )


def _streams_of(given: Mapping[str, str], *, fresh: bool) -> StreamsOptions:
    """What the properties say of a Streams group."""
    from kassay.model.protocols.world.streams.threads import StreamsOptions

    values: dict[str, Any] = {p.field: _count(k, given[k]) for k, p in COUNTS.items() if k in given}
    values |= {p.field: bool(_count(k, given[k])) for k, p in FLAGS.items() if k in given}
    return StreamsOptions(**values, fresh=fresh)


def _require_known(model: str, given: Mapping[str, str], on: set[str]) -> None:
    """Raises InputError for a property or a variant that the model does not have."""
    from kassay.engines.protocols.variants import VARIANTS

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
    from kassay.model.protocols.world.clock import Timing
    from kassay.model.protocols.world.context import ClockLevel

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


def _topics(text: str) -> tuple[int, ...]:
    """The number of topics, or the number that each client subscribes to. Raises InputError."""
    numbers = [part.strip() for part in text.split(",")]
    for number in numbers:
        if not (number.isascii() and number.isdigit() and len(number) < 3):
            raise InputError(f"--topics: {number!r} is not a number of topics; expected e.g. 2, or 1,2")
    return tuple(map(int, numbers))


@contextmanager
def assignor_of(spec: str | None, model: str) -> Iterator[Any]:
    """The assignor to use: a name that the models know, or a user's, open inside the block."""
    from kassay.assignors import registry

    reference = None if spec is None else registry.find(spec)
    if spec is None or reference is not None or not (":" in spec or spec.endswith(".py")):
        yield spec if reference is None else reference.spec
        return
    from kassay.engines.protocols.second_looks import opened
    from kassay.engines.targets.resolve import resolve

    target = resolve(spec)
    if model == "streams":
        if target.kind != STREAMS or target.level != "member":
            raise InputError(f"--assignor: {spec} gives no tasks to members; expected level: member")
    elif target.kind != CLIENT:
        raise InputError(f"--assignor: {spec} is not a client-side assignor")
    with opened(target) as assignor:
        yield assignor


class ByModel(click.Command):
    """`kassay explore`, whose help behind the name of a model shows what this model takes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; keep the model that they name for the help."""
        ctx.meta["kassay.model"] = next((word for word in args if word in ALL), None)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does; for a named model only what its help adds."""
        if ctx.meta.get("kassay.model") is None:
            super().format_help_text(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, unless a model is named."""
        if ctx.meta.get("kassay.model") is None:
            super().format_epilog(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options; of a named model all that it takes, and no others."""
        model = ctx.meta.get("kassay.model")
        rows = [(p.name, row) for p in self.params if (row := p.get_help_record(ctx)) is not None]
        with formatter.section("Options"):
            shown = COMMON if model is None else {name for name in ONLY if model in ONLY[name]}
            formatter.write_dl([row for name, row in rows if name in shown])
        if model is None:
            return
        from kassay.engines.protocols.variants import VARIANTS
        from kassay.model.protocols.faults import KNOWN, Faults

        properties = [f"{k}={p.value}" for k, p in PROPERTIES.items() if model in p.models]
        faults = [name for name in Faults._fields if name in KNOWN[model]]
        switches = [name for name, models in VARIANTS.items() if model in models]
        values = [("--config", ", ".join(properties)), ("--faults", ", ".join(faults))]
        values += (
            [("--switch", f"{', '.join(switches)}, and those of `kassay list switches`")] if switches else []
        )
        with formatter.section("Values, with the defaults of properties"):
            formatter.write_dl([row for row in values if row[1]])


COMMON: Final = frozenset(
    (
        *("members", "partitions", "topics", "faults", "switches", "release", "assignor", "network"),
        *("clock", "seconds", "max_states", "out", "json_path", "help"),
    )
)
"""The options of the general help, by the names of their values."""
_ALWAYS: Final = (
    *("members", "partitions", "faults", "switches", "assignor", "max_states", "seconds", "states", "jobs"),
    *("seed", "verbose", "baseline", "baseline_update", "out", "configs", "json_path"),
)
ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_ALWAYS, ALL),
    **dict.fromkeys(("release", "network", "records"), COORDINATED),
    **dict.fromkeys(("topics", "against"), ("classic", *CONSUMER_GROUPS)),
    "protocol": ("classic", "migration"),
    "clock": CLOCKED,
}
"""The options of each model's help."""
