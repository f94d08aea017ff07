"""Find the best assignment or placement of an instance, with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import json_option, order_option, out_option, time_option
from kassay.cli.options import FilePath, JsonLines, Whole, complain
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.api.optimum import Optima

PLACE = 400


@click.command("optimum", epilog="Example: kassay optimum group.json --json result.json")
@click.argument("instance", metavar="INSTANCE|SUITE", shell_complete=completing.instances)
@order_option
@click.option(
    "--tolerance", metavar="PERCENT", help="Allow this excess of the largest load, for fewer moves."
)
@click.option("--budget", type=Whole(min=0), metavar="COST", help="Limit the total cost of moves.")
@time_option(shown="10s if NP-hard")
@out_option(None, FilePath())
@json_option
def command(
    instance: str,
    order_text: str,
    tolerance: str | None,
    budget: int | None,
    seconds: float | None,
    out: Path | None,
    json_path: str | None,
) -> int:
    """Find the best assignment, placement or task assignment of each INSTANCE, and prove it.

    INSTANCE is a file with one JSON document or JSON lines, `-` for standard input, or a suite (`kassay list
    suites`). --out also writes linear models (MPS), one for each level of the order. Exit codes: 0 all
    optimal, 2 unreadable or infeasible, 3 an interval or unknown within the time.
    """
    from kassay.api.optimum import Optima, solved
    from kassay.cli.pages import write_result
    from kassay.engines.optimum.solve import line_of
    from kassay.report.screen.console import bar, console
    from kassay.report.screen.gaps import assignment_view, optimum_row, optimum_table

    results: list[dict[str, Any]] = []
    rows, outcomes = [], []
    with JsonLines(json_path, plain=True) as lines, bar("solving") as show:
        for where, result in solved(
            instance, order=order_text, tolerance=tolerance, budget=budget, seconds=seconds
        ):
            lines.write(result)
            rows.append(optimum_row(line_of(result)))
            outcomes.append(result["status"])
            if out is not None:
                results.append(result)
            show(len(rows), f"{len(rows):,} solved")
            if result["status"] == "infeasible" or (json_path == "-" and result["status"] == "unknown"):
                complain(f"{where}: {result['status']}: {result['why']}")
    if json_path != "-" and outcomes != ["infeasible"]:
        console().show(optimum_table(rows))
        if len(rows) == 1 and outcomes[0] in ("optimal", "interval"):
            console().show(assignment_view(line_of(result)))
            for sentence in result.get("why_not_better", ()):
                console().say(f"why: {sentence}")
    if out is not None:
        optima = Optima(tuple(results))
        _write_levels(optima, out)
        write_result(optima, out, "optimum.html")
    if "infeasible" in outcomes:
        return 2
    return 0 if set(outcomes) == {"optimal"} else 3


def _write_levels(optima: Optima, out: Path) -> None:
    """Write the linear models of each instance, of several in a folder each, and remove earlier ones."""
    from kassay.writing.files import file_name, write_text

    for number, each in enumerate(optima, 1):
        name = each.results[0]["name"]
        folder = out / file_name(str(number), name, suffix="") if len(optima) > 1 else out
        try:
            levels = each.levels()
        except InputError as error:
            complain(f"{name}: {error}")
            continue
        for path in folder.glob("level-*.mps"):
            path.unlink()
        for name, text in levels.items():
            write_text(text, str(folder / name))
