"""Which client libraries can be in a group together, led by whom."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kassay.cli.common import (
    config_option,
    fetch_option,
    histories_option,
    json_option,
    out_option,
    release_option,
)
from kassay.cli.options import FilePath, commas, pairs, present

if TYPE_CHECKING:
    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.interop import InteropResult

PLACE = 341


@click.command(
    "interop", epilog="Example: kassay interop java,librdkafka,sarama --strategy roundrobin --fetch"
)
@click.argument("libraries", metavar="LIBRARY,LIBRARY,...")
@click.option("--strategy", metavar="NAME,...", help="Set the strategy of both; several one after another.")
@config_option
@release_option()
@fetch_option
@histories_option(default=1)
@out_option(None, FilePath())
@json_option
def command(
    libraries: str,
    strategy: str | None,
    configs: tuple[str, ...],
    release: str,
    fetch: bool,
    histories: int,
    out: Path | None,
    json_path: str | None,
) -> int:
    """Play every ordered pair of client libraries in one group, and show whether they agree.

    The first of a pair leads, then the second, in --histories each. --config group.protocol=consumer plays
    KIP-848. --out keeps every play in interop.json, and continues what is there. Exits with 1 if a pair does
    not agree.
    """
    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.interop import pairs_of
    from kassay.engines.live.interop_run import InteropOptions, interop, left
    from kassay.engines.live.run import require_programs
    from kassay.report.pages.interop import render
    from kassay.report.screen.console import bar
    from kassay.report.screen.interop import interop_view
    from kassay.writing.files import write_text

    protocol, results = _protocol(configs), None if out is None else str(out / "interop.json")
    strategies = commas(strategy, "--strategy") or (("uniform",) if protocol == "consumer" else ("range",))
    named = ClientPrograms({}, (), release)
    names = commas(libraries, "LIBRARY,...") or ()
    every = pairs_of(names, strategies, "consumer" if protocol == "consumer" else "classic", named)
    before = _before(results, release)
    lacking = [pair for pair in every if left(before, pair, histories)]
    result = before
    if lacking:
        ready = _ready(named, release, fetch=fetch)
        seats = [seat for pair in lacking for seat in pair.script().seats]
        if fetch:
            ready.fetch(seats)
        require_programs(ready, seats)
        options = InteropOptions(lacking, histories)
        with bar("playing", sum(left(before, pair, histories) for pair in lacking)) as progress:
            known = sum(len(each.plays) for each in before.pairs)
            keep = partial(_keep, results, lambda done, words: progress(done - known, words))
            result = interop(options, ready, before, keep)
    result = result.of(every)
    if out is not None:
        write_text(render(result), str(out / "interop.html"))
    present(result.to_json(), lambda: interop_view(result), json_path)
    return result.exit_code


def _protocol(configs: tuple[str, ...]) -> str:
    """The group protocol among the properties; raises `InputError` for another property or value."""
    from kassay.model.errors import InputError

    given = pairs(configs, "--config")
    protocol = given.pop("group.protocol", "classic")
    if given or protocol not in ("classic", "consumer"):
        raise InputError(f"--config {' '.join(configs)}: expected group.protocol=classic or =consumer")
    return protocol


def _before(results: str | None, release: str) -> InteropResult:
    """The results of the file that is continued; none if there is no such file yet."""
    from kassay.engines.live.interop import InteropResult, read_results
    from kassay.reading.documents import is_there

    if results is None or not is_there(results):
        return InteropResult(release)
    return read_results(results, release)


def _ready(named: ClientPrograms, release: str, *, fetch: bool) -> ClientPrograms:
    """The programs with the jars of the broker."""
    from dataclasses import replace

    from kassay.engines.genuine.jars import broker_jars, kafka_home
    from kassay.engines.jars.java import find_java

    find_java("kassay interop", "java")
    return replace(named, jars=broker_jars(release, home=kafka_home(), fetch=fetch))


def _keep(
    path: str | None, progress: Callable[[int, str], object], result: InteropResult, words: str
) -> None:
    """Show one more play, and keep the results so far."""
    from kassay.writing.files import json_text, write_text

    progress(sum(len(each.plays) for each in result.pairs), words)
    if path is not None:
        write_text(json_text(result.to_json()), path)
