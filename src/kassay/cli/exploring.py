"""The options of `kassay explore` that have more than one value, and its help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from kassay.cli.options import pairs
from kassay.engines.protocols.properties import CLOCKED, CONSUMER_GROUPS, COORDINATED, PROPERTIES
from kassay.model.errors import InputError

SPARK: Final = "spark."
ALL: Final = ("zookeeper", "draft", "classic", *CONSUMER_GROUPS, "streams")


def properties_of(chosen: Mapping[str, Any]) -> dict[str, str]:
    """The properties in `--config`, without those of Spark; raises `InputError`."""
    return {k: v for k, v in pairs(chosen["configs"], "--config").items() if not k.startswith(SPARK)}


def topics_of(text: str) -> tuple[int, ...]:
    """The number of topics, or the number that each client subscribes to. Raises InputError."""
    numbers = [part.strip() for part in text.split(",")]
    for number in numbers:
        if not (number.isascii() and number.isdigit() and len(number) < 3):
            raise InputError(f"--topics: {number!r} is not a number of topics; expected e.g. 2, or 1,2")
    return tuple(map(int, numbers))


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
