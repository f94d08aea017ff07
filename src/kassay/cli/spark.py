"""Shared by commands that start Spark: commands below a command, options, the session, walks of models.

`kassay explore` with `spark.master`: an exploration on Spark, started or resumed in its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli.options import pairs, require_writable
from kassay.model.errors import InputError
from kassay.reading.documents import suggestion

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kassay.engines.protocols.explore import ExploreResult
    from kassay.engines.protocols.settings import ExploreSettings
    from kassay.model.explore.values import WalkLimits, WalkProgress
    from kassay.pipeline.walk.records import Journal
    from kassay.pipeline.walk.worker import SparkWalk


_SENTENCE: Final = re.compile(r".+?\.(?=\s|$)", re.DOTALL)


class Subcommands(click.Group):
    """A group; without a subcommand it prints its help and exits with 2."""

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002  # click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the subcommands in order of definition, each with its whole first sentence."""
        rows = [(name, _sentence(command)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The names in order of definition."""
        return [*self.commands]


def _sentence(command: click.Command) -> str:
    """The first sentence of a command's help."""
    text = (command.help or "").partition("\n\n")[0]
    sentence = _SENTENCE.match(text)
    return " ".join((sentence[0] if sentence else text).split())


MASTER: Final = "spark.master"


def uses_spark(chosen: Mapping[str, Any]) -> bool:
    """Whether `--config` names a master of Spark; raises `InputError` for properties of Spark without one."""
    named = [pair.partition("=")[0] for pair in chosen["configs"]]
    if MASTER in named:
        return True
    for name in named:
        if name.startswith("spark."):
            raise InputError(
                f"--config {name}: only with {MASTER}, which says where to explore"
                f"{suggestion(name, [MASTER])}"
            )
    return False


@contextmanager
def started(configs: tuple[str, ...], name: str, heap: str = "1g") -> Iterator[SparkSession]:
    """The session for the `spark.` properties of `--config`; `heap` is Java's default heap on this machine.

    Without `spark.master` every core of this machine works. Raises `InputError`.
    """
    from kassay.pipeline.spark import session_of
    from kassay.report.screen.console import console

    with session_of(pairs(configs, "--config"), name, heap, console(stderr=True).say) as spark:
        yield spark


HEAP: Final = "2g"
"""Java's heap on this machine, for the data being sorted and written."""


def walked(
    settings: ExploreSettings,
    limits: WalkLimits,
    place: str,
    configs: tuple[str, ...],
    symmetry: bool | None = None,
) -> ExploreResult:
    """Continue the exploration in the location, print each level on standard error, and read the result.

    Raises InputError if the location has another exploration or cannot be written, and for settings that need
    a single process.
    """
    from kassay.engines.protocols.explore import renames
    from kassay.pipeline.spark import translated_errors
    from kassay.pipeline.walk.levels import carry_on
    from kassay.pipeline.walk.result import LIVENESS_MEMORY, result_of
    from kassay.pipeline.walk.tables import WalkTables
    from kassay.pipeline.walk.worker import SparkWalk
    from kassay.report.screen.console import console

    walk = SparkWalk(settings, renames(settings, symmetry))
    screen = console(stderr=True)
    opened = _opened(place, walk, configs)
    with resumable(place), opened as (spark, journal), translated_errors(place):
        if journal.receipts:
            screen.say(f"going on in {place}: {walk_progress_line(journal.progress())}")
        tables = WalkTables(spark, journal)
        limit = carry_on(tables, limits, lambda now: screen.say(walk_progress_line(now)))
        try:
            return result_of(tables, limit)
        except MemoryError:
            raise InputError(
                f"{place}: the graph does not fit into this process; every level is kept. Expected "
                f"--config {LIVENESS_MEMORY}=0 in the same command: livelocks are then not checked"
            ) from None


@contextmanager
def resumable(place: str) -> Iterator[None]:
    """Say on Ctrl-C that finished work is kept in this place."""
    from kassay.report.screen.console import console

    try:
        yield
    except KeyboardInterrupt:
        console(stderr=True).say(f"finished work is kept in {place}: run the same command to resume")
        raise


@contextmanager
def _opened(place: str, walk: SparkWalk, configs: tuple[str, ...]) -> Iterator[tuple[SparkSession, Journal]]:
    """A session and the journal in the location, under an exclusive lock.

    A local location is checked before Spark starts, to report its errors without a delay of half a minute.
    """
    from kassay.pipeline.store import LocalTrial, open_store
    from kassay.pipeline.walk.records import open_journal

    if "://" not in place:
        require_writable(place, "--out", folder=True)
        local = LocalTrial(Path(place))
        with local.locked():
            open_journal(local, walk)
    with started(configs, "kassay explore", HEAP) as spark:
        store = open_store(place, spark)
        with store.locked():
            yield spark, open_journal(store, walk)


def walk_progress_line(now: WalkProgress) -> str:
    """The progress after a level, as a line."""
    rate = now.states / now.elapsed_s if now.elapsed_s else 0.0
    return (
        f"{now.depth} levels done: {now.states:,} states, {now.edges:,} edges, {now.waiting:,} states wait, "
        f"{now.elapsed_s:,.0f} s, {rate:,.0f} states/s"
    )
