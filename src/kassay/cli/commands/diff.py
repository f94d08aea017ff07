"""Find the smallest input on which two targets differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import (
    assume_option,
    config_option,
    exhaustive_option,
    histories_option,
    json_option,
    out_option,
    protocol_option,
    seed_option,
    time_option,
)
from kassay.cli.options import (
    FilePath,
    commas,
    complain,
    narrowing_settings,
    pairs,
    present,
    write_json,
)
from kassay.cli.targets import CALL_TIMEOUT_S
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.diff.run import DiffReport
    from kassay.engines.runs.options import RunOptions

PLACE = 110


@click.command("diff", epilog="Example: kassay diff sticky path/to/my_assignor.py --by quality")
@click.argument("left", shell_complete=completing.target)
@click.argument("right", shell_complete=completing.target)
@click.option(
    "--by",
    type=click.Choice(["answer", "quality"]),
    default="answer",
    show_default=True,
    help="Compare assignments, or balance, movement and rack matches.",
)
@assume_option
@protocol_option
@time_option(shown="30s")
@histories_option()
@exhaustive_option
@config_option
@out_option(".kassay", FilePath())
@seed_option
@json_option
def command(left: str, right: str, **chosen: Any) -> int:
    """Run the same histories against LEFT and RIGHT, and show the smallest input on which they differ.

    Both targets receive each input; histories continue with the answers of one of them, alternating. Exit
    codes: 1 they differ, 0 no difference within the budget, 3 unknown, 4 a target could not be loaded.
    """
    from kassay.cli.pages import write_described
    from kassay.engines.diff.compare import By
    from kassay.engines.diff.run import diff
    from kassay.engines.runs.options import require_heeded
    from kassay.engines.targets.resolve import resolve
    from kassay.model.errors import TargetError
    from kassay.report.described import diff_described
    from kassay.report.screen.blocks import described_view
    from kassay.report.screen.console import bar

    options = _options(chosen)
    targets, unloadable = [], []
    for spec in (left, right):
        try:
            targets.append(
                resolve(
                    spec,
                    limits=options.limits,
                    config=options.config,
                    protocol=options.protocol,
                )
            )
        except TargetError as error:
            unloadable.append(error)
    # Reported only now: a spec that is not a target has an error of its own.
    for problem in unloadable:
        complain(problem)
    if unloadable:
        return 4
    require_heeded(targets, options)
    with bar(f"{left} and {right}") as tell:
        report = diff(
            targets[0],
            targets[1],
            options,
            By(chosen["by"]),
            lambda cases, inputs: tell(cases, f"{cases} histories, {inputs} inputs"),
        )
    report = replace(report, narrowed_by=narrowing_settings("assume", "exhaustive"))
    path = _saved(report, chosen["out"])
    present(report.to_json(path), lambda: described_view(diff_described(report, path)), chosen["json_path"])
    write_described(diff_described(report, path), chosen["out"], "diff.html")
    return report.exit_code


def _options(chosen: dict[str, Any]) -> RunOptions:
    """The options of the run, checked before any work."""
    from kassay.engines.processes.host import Limits
    from kassay.engines.runs.options import DEFAULT_SECONDS, Budget, RunOptions
    from kassay.model.kinds import RebalanceProtocol
    from kassay.properties.assumptions import parse_assumptions

    seconds, histories = chosen["seconds"], chosen["histories"]
    if seconds is not None and histories is not None:
        raise InputError("--time and --histories: expected one of the two")
    if histories is None and chosen["exhaustive"] is None:
        seconds = seconds or DEFAULT_SECONDS
    assumed = commas(chosen["assume"], "--assume")
    return RunOptions(
        assume=parse_assumptions(list(assumed)) if assumed else frozenset(),
        protocol=RebalanceProtocol(chosen["protocol"]) if chosen["protocol"] else None,
        budget=Budget(seconds, histories),
        seed=chosen["seed"],
        exhaustive=chosen["exhaustive"],
        limits=Limits(call_timeout_s=CALL_TIMEOUT_S),
        config=pairs(chosen["configs"], "--config"),
    )


def _saved(report: DiffReport, out: Path) -> str | None:
    """The path of the difference's file, if there is a difference."""
    from kassay.writing.files import file_name

    if report.smallest is None:
        return None
    names = ("diff", report.left, report.right, *(["quality"] if report.by == "quality" else []))
    path = str(out / "traces" / file_name(*names, suffix=".json"))
    write_json(report.smallest.difference.to_json(), path)
    return path
