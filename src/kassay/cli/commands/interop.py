"""Which client libraries can be in a group together, led by whom."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli.options import FilePath, commas, json_option, present, written_file

if TYPE_CHECKING:
    from kassay.certify.live.clients import ClientPrograms
    from kassay.certify.live.interop import InteropResult

PLACE = 341


@click.command(
    "interop", epilog="Example: kassay interop java,librdkafka,sarama --strategy roundrobin --fetch"
)
@click.argument("libraries", metavar="LIBRARY,LIBRARY,...")
@click.option("--strategy", metavar="NAME,...", help="Set the strategy of both; several one after another.")
@click.option(
    "--protocol",
    type=click.Choice(["classic", "consumer"]),
    default="classic",
    show_default=True,
    help="Play groups of this protocol.",
)
@click.option("--release", default="4.4.0", show_default=True, help="Set the release of the broker.")
@click.option("--kafka-home", type=FilePath(), metavar="DIR", help="Use the jars of this distribution.")
@click.option("--fetch", is_flag=True, help="Download what is missing (jars, packages), once.")
@click.option(
    "--plays", type=click.IntRange(1, 100), default=1, show_default=True, help="Play each pair so often."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 16),
    default=1,
    show_default=True,
    help="Play so many groups at a time on the broker.",
)
@click.option(
    "--results", callback=written_file, metavar="FILE", help="Continue this file of results, or begin it."
)
@click.option("--html", "html_path", callback=written_file, metavar="FILE", help="Write the table as a page.")
@json_option
def command(
    libraries: str,
    strategy: str | None,
    protocol: str,
    release: str,
    kafka_home: Path | None,
    fetch: bool,
    plays: int,
    jobs: int,
    results: str | None,
    html_path: str | None,
    json_path: str | None,
) -> int:
    """Play every ordered pair of client libraries in one group, and show whether they agree.

    The first of a pair leads, then the second. Exits with 1 if a pair does not agree.
    """
    from kassay.certify.live.clients import ClientPrograms
    from kassay.certify.live.interop import pairs_of
    from kassay.certify.live.interop_run import InteropOptions, interop, left
    from kassay.certify.live.run import require_programs
    from kassay.report.pages.interop import render
    from kassay.report.screen.console import bar
    from kassay.report.screen.interop import interop_view
    from kassay.writing.files import write_text

    strategies = commas(strategy, "--strategy") or (("uniform",) if protocol == "consumer" else ("range",))
    named = ClientPrograms({}, (), release)
    names = commas(libraries, "LIBRARY,...") or ()
    pairs = pairs_of(names, strategies, "consumer" if protocol == "consumer" else "classic", named)
    before = _before(results, release)
    lacking = [pair for pair in pairs if left(before, pair, plays)]
    result = before
    if lacking:
        ready = _ready(named, release, kafka_home, fetch=fetch)
        seats = [seat for pair in lacking for seat in pair.script().seats]
        if fetch:
            ready.fetch(seats)
        require_programs(ready, seats)
        options = InteropOptions(lacking, plays, jobs)
        with bar("playing", sum(left(before, pair, plays) for pair in lacking)) as progress:
            known = sum(len(each.plays) for each in before.pairs)
            keep = partial(_keep, results, lambda done, words: progress(done - known, words))
            result = interop(options, ready, before, keep)
    result = result.of(pairs)
    if html_path is not None:
        write_text(render(result), html_path)
    present(result.to_json(), lambda: interop_view(result), json_path)
    return result.exit_code


def _before(results: str | None, release: str) -> InteropResult:
    """The results of the file that is continued; none if there is no such file yet."""
    from kassay.certify.live.interop import InteropResult, read_results
    from kassay.reading.documents import is_there

    if results is None or not is_there(results):
        return InteropResult(release)
    return read_results(results, release)


def _ready(named: ClientPrograms, release: str, home: Path | None, *, fetch: bool) -> ClientPrograms:
    """The programs with the jars of the broker."""
    from dataclasses import replace

    from kassay.certify.genuine.jars import broker_jars
    from kassay.certify.jars.java import find_java

    find_java("kassay interop", "java")
    return replace(named, jars=broker_jars(release, home=home, fetch=fetch))


def _keep(
    path: str | None, progress: Callable[[int, str], object], result: InteropResult, words: str
) -> None:
    """Show one more play, and keep the results so far."""
    from kassay.writing.files import json_text, write_text

    progress(sum(len(each.plays) for each in result.pairs), words)
    if path is not None:
        write_text(json_text(result.to_json()), path)
