"""Play a saved trace again."""

from __future__ import annotations

from pathlib import Path

import click

from kassay.cli.options import Duration, FilePath, in_process_option, json_option, write_json

PLACE = 20


@click.command("replay", epilog="Example: kassay replay .kassay/traces/ceil-range-topic-even.json")
@click.argument("trace_path", metavar="TRACE", type=FilePath())
@click.option("--target", "spec", help="Play it against this target instead of the recorded one.")
@in_process_option
@click.option("--call-timeout", type=Duration(), default="2s", show_default=True)
@click.option("--memory", type=click.IntRange(min=32), default=512, show_default=True, help="MiB.")
@click.option("--itf", type=FilePath(), help="Also write the rounds in Apalache's ITF form.")
@json_option
def command(
    trace_path: Path,
    spec: str | None,
    in_process: bool,
    call_timeout: float,
    memory: int,
    itf: Path | None,
    json_path: str | None,
) -> int:
    """Play TRACE again: exit code 1 while it still violates its claim, 0 when it no longer does."""
    from kassay.certify.processes.host import Limits
    from kassay.certify.runs.replay import load_trace, replay
    from kassay.model.itf import to_itf
    from kassay.report.screen.console import console
    from kassay.report.screen.terminal import story

    trace, target = load_trace(trace_path, spec, in_process, Limits(call_timeout, memory))
    screen = console(stderr=json_path == "-")
    screen.say(f"replaying {trace.claim} against {target.spec}")
    replayed = replay(trace_path, trace, target)
    if replayed.changed:
        screen.say("the target's source is not the one that the trace was recorded against", style="yellow")
    screen.show(story(replayed.narration))
    for message in replayed.violations:
        screen.say(f"  {message}", style="red")
    outcome = "still violates" if replayed.violations else "no longer violates"
    screen.say(f"{target.spec} {outcome} {trace.claim}")
    if itf is not None:
        write_json(to_itf(replayed.narration), str(itf))
    if json_path:
        write_json(replayed.to_json(), json_path)
    return replayed.exit_code
