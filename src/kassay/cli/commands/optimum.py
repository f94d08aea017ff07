"""Find the best assignment or placement of an instance, with a certificate."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import json_option, order_option, time_option, verbose_option
from kassay.cli.options import JsonLines, Whole, complain
from kassay.cli.targets import names_suite

if TYPE_CHECKING:
    from kassay.reading.documents import Located

PLACE = 400


@click.command("optimum", epilog="Example: kassay optimum group.json --json result.json")
@click.argument("instance", metavar="INSTANCE|SUITE", shell_complete=completing.instances)
@order_option
@click.option(
    "--tolerance", metavar="PERCENT", help="Allow this excess of the largest load, for fewer moves."
)
@click.option("--budget", type=Whole(min=0), metavar="COST", help="Limit the total cost of moves.")
@time_option(shown="10s if NP-hard")
@verbose_option
@json_option
def command(
    instance: str,
    order_text: str,
    tolerance: str | None,
    budget: int | None,
    seconds: float | None,
    verbose: bool,
    json_path: str | None,
) -> int:
    """Find the best assignment, placement or task assignment of each INSTANCE, and prove it.

    INSTANCE is a file with one JSON document or JSON lines, `-` for standard input, or a suite (`kassay list
    suites`). -v also says which members and topics limit the balance. Exit codes:
    0 all optimal, 2 unreadable or infeasible, 3 an interval or unknown within the time.
    """
    from kassay.engines.optimum.solve import forced_by, line_of, located_in_suite, read_instance, solve
    from kassay.reading.documents import documents, no_collection
    from kassay.report.screen.console import bar, console
    from kassay.report.screen.gaps import assignment_view, optimum_row, optimum_table
    from kassay.solver.results import parse_order

    order = parse_order(order_text)
    within = None
    if tolerance is not None:
        from kassay.solver.packing.items import parse_tolerance

        within = parse_tolerance(tolerance)
    located: Iterable[Located]
    collection: AbstractContextManager[None] = nullcontext()
    if names_suite(instance):
        located = located_in_suite(instance)
    else:
        located = read = documents(instance)
        for each in read if len(read) > 1 else ():
            read_instance(each)
        if len(read) == 1:
            collection = (
                no_collection()
            )  # until the result is written: collection takes a third of the time for a large one
    rows, outcomes = [], []
    with collection, JsonLines(json_path, plain=True) as lines, bar("solving") as show:
        for each in located:
            result = solve(each, order, "flow", seconds, tolerance=within, budget=budget)
            if verbose and (forced := forced_by(result)) is not None:
                result["why_not_better"] = forced
            lines.write(result)
            rows.append(optimum_row(line_of(result)))
            outcomes.append(result["status"])
            show(len(rows), f"{len(rows):,} solved")
            if result["status"] == "infeasible" or (json_path == "-" and result["status"] == "unknown"):
                _say(each.where, result)
    if json_path != "-" and outcomes != ["infeasible"]:
        console().show(optimum_table(rows))
        if len(rows) == 1 and outcomes[0] in ("optimal", "interval"):
            console().show(assignment_view(line_of(result)))
            for sentence in result.get("why_not_better", ()):
                console().say(f"why: {sentence}")
    if "infeasible" in outcomes:
        return 2
    return 0 if set(outcomes) == {"optimal"} else 3


def _say(where: str, result: dict[str, Any]) -> None:
    complain(f"{where}: {result['status']}: {result['why']}")
