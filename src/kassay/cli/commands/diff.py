"""Find the smallest input on which two targets differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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
    narrowing_settings,
    pairs,
    present,
)
from kassay.model.errors import InputError

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
    from kassay.api.diff import diff
    from kassay.cli.pages import write_result
    from kassay.report.screen.blocks import described_view
    from kassay.report.screen.console import bar

    if chosen["seconds"] is not None and chosen["histories"] is not None:
        raise InputError("--time and --histories: expected one of the two")
    names = ("by", "protocol", "histories", "seconds", "exhaustive", "seed", "out")
    with bar(f"{left} and {right}") as tell:
        result = diff(
            left,
            right,
            **{name: chosen[name] for name in names},
            assume=commas(chosen["assume"], "--assume") or (),
            config=pairs(chosen["configs"], "--config"),
            progress=tell,
        )
    report = replace(result.report, narrowed_by=narrowing_settings("assume", "exhaustive"))
    result = replace(result, report=report)
    present(result.to_json(), lambda: described_view(result.described()), chosen["json_path"])
    write_result(result, chosen["out"], "diff.html")
    return report.exit_code
