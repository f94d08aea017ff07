"""Replay a saved trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kassay.cli.common import (
    instead_option,
    json_option,
)
from kassay.cli.options import FilePath, gravest, paste, present, say, write_json
from kassay.model.errors import InputError
from kassay.reading.documents import is_folder, read_text

if TYPE_CHECKING:
    from kassay.engines.runs.replay import Replayed
    from kassay.report.screen.console import Screen

PLACE = 120


@click.command("replay", epilog="Example: kassay replay .kassay/traces/ceil-range-topic-even.json")
@click.argument("trace_paths", metavar="TRACE...", nargs=-1, required=True, type=FilePath())
@instead_option
@click.option(
    "--as",
    "language",
    type=click.Choice(["python", "itf"]),
    help="Print the failing call as Python, or the rounds.",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    trace_paths: tuple[Path, ...],
    language: str | None,
    json_path: str | None,
    **chosen: Any,
) -> int:
    """Replay each TRACE under its recorded conditions, or under those that options set.

    A TRACE is a file, a folder of them, or `-` for standard input. Exit codes: 0 it no longer violates its
    claim, 1 it still does, 3 unknown: something that decided the result cannot be reproduced; of several
    traces, the gravest.
    """
    paths = [*chain.from_iterable(map(_traces, trace_paths))]
    if len(paths) > 1 and (language, json_path) != (None, None):
        raise InputError(f"{len(paths)} traces: --as and --json take one, expected neither")
    codes = []
    for path in paths:
        if len(paths) > 1:
            say(f"{path}:")
        with _as_file(path) as file:
            codes.append(_replayed(context, file, language, json_path, chosen))
    return gravest(codes)


def _traces(path: Path) -> list[Path]:
    """The file, or the JSON files of a folder by name; raises `InputError` for a folder without any."""
    if not is_folder(path):
        return [path]
    inside = sorted(each for each in path.iterdir() if each.suffix == ".json")
    if not inside:
        raise InputError(f"{path}: a folder without .json files, expected traces")
    return inside


@contextmanager
def _as_file(path: Path) -> Iterator[Path]:
    """The file; standard input as a temporary one."""
    if str(path) != "-":
        yield path
        return
    from kassay.writing.files import write_text

    text = read_text("-", "a trace")
    with TemporaryDirectory(prefix="kassay-") as folder:
        file = Path(folder, "standard input")
        write_text(text, str(file))
        try:
            yield file
        except InputError as error:
            raise InputError(str(error).replace(str(file), file.name)) from None


def _replayed(
    context: click.Context,
    trace_path: Path,
    language: str | None,
    json_path: str | None,
    chosen: dict[str, Any],
) -> int:
    """Replay one trace; returns its exit code."""
    from kassay.api.replay import replay
    from kassay.engines.runs.replay import Replayed
    from kassay.report.screen.console import console
    from kassay.report.screen.differences import replayed_view

    if language is not None and json_path is not None:
        raise InputError("--as prints nothing else, expected no --json")
    target = _target(context, chosen)
    if language is not None:
        return _pasted(trace_path, language, target)
    result = replay(trace_path, target=target)
    replayed = result.replayed
    if isinstance(replayed, Replayed):
        _show(replayed, console(stderr=json_path == "-"), result.summary())
        if json_path:
            write_json(result.to_json(), json_path)
    else:
        present(result.to_json(), lambda: replayed_view(replayed), json_path)
    return replayed.exit_code


def _pasted(path: Path, language: str, target: str | None) -> int:
    """Print the failing call as Python, or the rounds as ITF."""
    from kassay.engines.causes.as_python import as_python
    from kassay.engines.causes.cause import difference_as_python
    from kassay.engines.diff.document import is_difference
    from kassay.engines.runs.replay import Instead, load_trace, replay
    from kassay.model.itf import to_itf
    from kassay.reading.documents import read_json

    if is_difference(read_json(path, "a trace")):
        if language == "itf":
            raise InputError(f"{path}: a difference has no rounds, expected --as python")
        paste(difference_as_python(path))
        return 0
    playback = load_trace(path, Instead(target=target))
    if language == "python":
        paste(as_python(playback))
    else:
        write_json(to_itf(replay(playback).narration), "-")
    return 0


def _target(context: click.Context, chosen: dict[str, Any]) -> str | None:
    """The target of the command line alone: a project's settings apply to new runs, not to traces."""
    settled = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    return None if context.get_parameter_source("target") in settled else chosen["target"]


def _show(replayed: Replayed, screen: Screen, summary: str) -> None:
    """Print the conditions of the replay, and its result."""
    from kassay.model.kinds import Verdict
    from kassay.report.screen.terminal import story

    playback = replayed.playback
    screen.say(f"replaying {playback.trace.claim} against {playback.target.spec}")
    for line in playback.restored:
        screen.say(f"  {line}, as recorded")
    for line in playback.overridden:
        screen.say(f"  {line}", style="yellow")
    if "its source" in playback.changes:
        screen.say("the target's source is not the one that the trace was recorded against", style="yellow")
    screen.show(story(replayed.frames))
    for message in replayed.violations:
        screen.say(f"  {message}", style="red")
    unknown = "unknown, " if replayed.verdict is Verdict.UNKNOWN else ""
    screen.say(summary + (f": {unknown}{replayed.why}" if replayed.why else ""))
