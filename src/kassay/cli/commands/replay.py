"""Replay a saved trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from kassay.cli import completing
from kassay.cli.options import (
    Duration,
    FilePath,
    as_option,
    config_option,
    gravest,
    json_option,
    pairs,
    paste,
    present,
    quiet_option,
    say,
    write_json,
    written_file,
)
from kassay.model.errors import InputError
from kassay.reading.documents import is_folder, read_text

if TYPE_CHECKING:
    from kassay.certify.runs.replay import Instead, Replayed
    from kassay.report.screen.console import Screen

PLACE = 120

_WORDS: Final = {"violated": "still violates", "holds": "no longer violates", "unknown": "may still violate"}


@click.command("replay", epilog="Example: kassay replay .kassay/traces/ceil-range-topic-even.json")
@click.argument("trace_paths", metavar="TRACE...", nargs=-1, required=True, type=FilePath())
@click.option(
    "--target",
    shell_complete=completing.target,
    help="Replay against this target instead of the recorded one.",
)
@click.option("--protocol", type=click.Choice(["eager", "cooperative"]), help="Use this rebalance protocol.")
@config_option
@click.option("--in-process/--isolated", default=None, help="Load a file into this process, or into a child.")
@click.option("--call-timeout", type=Duration(), help="Limit the time of a call.")
@click.option("--memory", type=click.IntRange(min=32), help="Limit the memory of the target, in MiB.")
@click.option(
    "--itf", type=FilePath(), callback=written_file, help="Also write the rounds in Apalache's ITF format."
)
@as_option
@quiet_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    trace_paths: tuple[Path, ...],
    itf: Path | None,
    language: str | None,
    quiet: bool,
    json_path: str | None,
    **chosen: Any,
) -> int:
    """Replay each TRACE under its recorded conditions, or under those that options set.

    A TRACE is a file, a folder of them, or `-` for standard input. Exit codes: 0 it no longer violates its
    claim, 1 it still does, 3 unknown: something that decided the result cannot be reproduced; of several
    traces, the gravest.
    """
    paths = [*chain.from_iterable(map(_traces, trace_paths))]
    if len(paths) > 1 and (language, itf, json_path) != (None, None, None):
        raise InputError(f"{len(paths)} traces: --as, --itf and --json take one, expected none of them")
    codes = []
    for path in paths:
        if len(paths) > 1 and not quiet:
            say(f"{path}:")
        with _as_file(path) as file:
            codes.append(_replayed(context, file, itf, language, json_path, chosen, quiet=quiet))
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
    itf: Path | None,
    language: str | None,
    json_path: str | None,
    chosen: dict[str, Any],
    *,
    quiet: bool,
) -> int:
    """Replay one trace; returns its exit code."""
    from kassay.certify.diff.document import is_difference
    from kassay.certify.runs.replay import load_trace, replay
    from kassay.model.itf import to_itf
    from kassay.model.kinds import Verdict
    from kassay.reading.documents import read_json
    from kassay.report.screen.console import console

    different = is_difference(read_json(trace_path, "a trace"))
    if language is not None and (json_path is not None or itf is not None):
        raise InputError("--as prints the call alone, expected neither --json nor --itf")
    if different and language is not None:
        from kassay.certify.causes.cause import difference_as_python

        paste(difference_as_python(trace_path))
        return 0
    if different:
        return _difference(trace_path, itf, json_path, _instead(context, chosen), quiet=quiet)
    playback = load_trace(trace_path, _instead(context, chosen))
    if language is not None:
        from kassay.certify.causes.as_python import as_python

        paste(as_python(playback))
        return 0
    screen = console(stderr=json_path == "-")
    if not quiet:
        screen.say(f"replaying {playback.trace.claim} against {playback.target.spec}")
    replayed = replay(playback)
    if not quiet:
        _show(replayed, screen)
    unknown = "unknown, " if replayed.verdict is Verdict.UNKNOWN else ""
    why = f": {unknown}{replayed.why}" if replayed.why else ""
    screen.say(f"{playback.target.spec} {_WORDS[replayed.verdict.value]} {playback.trace.claim}{why}")
    if itf is not None:
        write_json(to_itf(replayed.narration), str(itf))
    if json_path:
        write_json(replayed.to_json(), json_path)
    return replayed.exit_code


def _difference(path: Path, itf: Path | None, json_path: str | None, instead: Instead, *, quiet: bool) -> int:
    """Call the two targets of a difference again: 1 while they still differ."""
    from kassay.certify.diff.replay import replay_difference
    from kassay.certify.runs.replay import Instead
    from kassay.report.screen.differences import replayed_verdict, replayed_view

    if itf is not None or instead != Instead():
        raise InputError(
            f"{path}: a difference is replayed with its own two targets and conditions, expected no options"
        )
    replayed = replay_difference(path)
    view = replayed_verdict if quiet else replayed_view
    present(replayed.to_json(), lambda: view(replayed), json_path)
    return replayed.exit_code


def _instead(context: click.Context, chosen: dict[str, Any]) -> Instead:
    """The options of the command line alone: a project's settings apply to new runs, not to traces."""
    from kassay.certify.runs.replay import Instead
    from kassay.model.kinds import RebalanceProtocol

    settled = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    said = {name: None if context.get_parameter_source(name) in settled else v for name, v in chosen.items()}
    return Instead(
        target=said["target"],
        protocol=RebalanceProtocol(said["protocol"]) if said["protocol"] else None,
        config=pairs(said["configs"] or (), "--config"),
        in_process=said["in_process"],
        call_timeout_s=said["call_timeout"],
        memory_mib=said["memory"],
    )


def _show(replayed: Replayed, screen: Screen) -> None:
    """Print the conditions of the replay, and its result."""
    from kassay.report.screen.terminal import story

    playback = replayed.playback
    for line in playback.restored:
        screen.say(f"  {line}, as recorded")
    for line in playback.overridden:
        screen.say(f"  {line}", style="yellow")
    if "its source" in playback.changes:
        screen.say("the target's source is not the one that the trace was recorded against", style="yellow")
    screen.show(story(replayed.frames))
    for message in replayed.violations:
        screen.say(f"  {message}", style="red")
