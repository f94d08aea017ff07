"""Rank targets by claims, gap, moves, rounds and time."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from kassay.cli import completing
from kassay.cli.options import (
    Duration,
    FilePath,
    gravest,
    json_option,
    present,
    require_writable,
    seed_option,
    typed_again,
)
from kassay.cli.targets import (
    instances_of,
    instances_options,
    measurable,
    reporting,
    target_options,
    usual_suite,
)
from kassay.model.errors import InputError

PLACE = 430


@click.command("rank", epilog="Example: kassay rank path/to/my_assignor.py sticky optimal-sticky")
@click.argument("targets", nargs=-1, metavar="[TARGET...]", shell_complete=completing.target)
@click.option("--installed", is_flag=True, help="Rank every consumer-side assignor on this machine.")
@instances_options
@click.option("--time", "seconds", type=Duration(), help="Limit the time per target for its claims.")
@click.option(
    "--histories", type=click.IntRange(min=1), help="Run this many histories per target.  [default: 300]"
)
@target_options
@click.option("--report", type=click.Choice(["html"]), help="Also write a page with plots and every claim.")
@click.option(
    "--out", type=FilePath(), default=".kassay", show_default=True, help="Write the page to this folder."
)
@seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, targets: tuple[str, ...], installed: bool, **chosen: Any) -> int:
    """Rank TARGETs by claims held, gap to the certified optimum, moves, rounds and time.

    TARGETs are all assignors of consumer groups, or all of Streams tasks. Without a TARGET, all references
    for consumer groups are ranked; `optimal-sticky` and `optimal-cooperative` are the yardstick. --installed
    ranks the references and client libraries that run in consumers, with the libraries' versions, and lists
    what is missing and how to install it. Exit codes: 0 all claims hold, 1 one is violated or a target failed
    on an instance, 3 a claim is unknown or there was no instance, 4 one could not be loaded.
    """
    from kassay.certify.optimum import rank as ranking
    from kassay.certify.runs.options import Budget
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import rank_view
    from kassay.solver.results import parse_order

    for one, other in (("seconds", "histories"), ("suite_name", "path")):
        if chosen[one] is not None and chosen[other] is not None:
            names = {"seconds": "--time and --histories", "suite_name": "--suite and --instances"}
            raise InputError(f"{names[one]}: expected one of the two")
    if installed and targets:
        raise InputError("--installed: ranks everything installed, expected no TARGET")
    order = parse_order(chosen["order_text"])
    if chosen["report"]:
        require_writable(str(chosen["out"]), "--out", folder=True)
    named = chosen["suite_name"] is not None or chosen["path"] is not None
    posed = instances_of(chosen) if named else None
    budget = Budget(chosen["seconds"], chosen["histories"])
    if budget == Budget():
        budget = Budget(histories=ranking.HISTORIES)
    here, missing = ranking.installed() if installed else (targets or ranking.default_targets(), {})
    loaded, lacking = measurable(here, chosen, ranking.ranked_kinds())
    if not loaded:
        return 4
    ranking.require_one_sort(loaded)
    instances, source = posed or instances_of(usual_suite(loaded, chosen))
    with bar("ranking", len(loaded)) as tell:
        ranked = ranking.rank(
            loaded,
            reporting(instances, lacking),
            source,
            order=order,
            seed=chosen["seed"],
            budget=budget,
            report=tell,
        )
    document = {
        "schema": ranking.SCHEMA,
        "instances": source,
        "order": ",".join(order),
        "seed": chosen["seed"],
        "budget": asdict(budget),
        "targets": [each.to_json() for each in ranked],
        "missing": [{"target": spec, "missing": what} for spec, what in missing.items()],
    }

    seed = chosen["seed"]
    if chosen["report"]:
        from kassay.cli.pages import write_page
        from kassay.report.pages.ranks import render

        page = render(ranked, source, order, seed, missing=missing, again=typed_again(context))
        write_page(page, chosen["out"], "rank.html")
    present(
        document,
        lambda: rank_view(ranked, source, seed, versions=installed, missing=missing),
        chosen["json_path"],
    )
    return gravest([4 if lacking else 0, *(each.exit_code for each in ranked)])
