"""Rank targets by claims, gap, moves, rounds and time."""

from __future__ import annotations

from typing import Any

import click

from kassay.cli.options import Duration, json_option, pairs, seed_option, write_json
from kassay.model.errors import InputError

PLACE = 140


@click.command("rank", epilog="Example: kassay rank path/to/my_assignor.py sticky optimal-sticky")
@click.argument("targets", nargs=-1, metavar="[TARGET...]")
@click.option("--suite", "suite_name", help="The instances to measure on [default: bench].")
@click.option("--instances", "path", metavar="FILE", help="Instances of a file, `-` for standard input.")
@click.option("--order", "order_text", default="balance,movement,rack", show_default=True)
@click.option("--time", "seconds", type=Duration(), help="Time for the claims of each target.")
@click.option("--histories", type=click.IntRange(min=1), help="Or so many histories [default: 300].")
@click.option("--config", "configs", multiple=True, metavar="K=V", help="Configuration for every member.")
@click.option("--in-process", is_flag=True, help="Load a user's file into this process: faster, unguarded.")
@click.option("--call-timeout", type=Duration(), default="20s", show_default=True)
@seed_option
@json_option
def command(targets: tuple[str, ...], **chosen: Any) -> int:
    """Rank TARGETs by claims held, gap to the certified optimum, moves, rounds and time.

    Without a TARGET all references for consumer groups; `optimal-sticky` and `optimal-cooperative`
    are the yardstick. Exit codes: 0 done, 1 a target failed on an instance, 4 one could not be loaded.
    """
    from kassay.certify.optimum.gaps import require_measurable
    from kassay.certify.optimum.instances import documents, located_in_suite
    from kassay.certify.optimum.rank import HISTORIES, SCHEMA, default_targets, rank
    from kassay.certify.runs.options import Budget
    from kassay.cli.bars import bar
    from kassay.cli.targets import loaded
    from kassay.report.screen.gaps import rank_view
    from kassay.report.screen.terminal import console
    from kassay.solver.consumers.optimum import parse_order

    for one, other in (("seconds", "histories"), ("suite_name", "path")):
        if chosen[one] is not None and chosen[other] is not None:
            names = {"seconds": "--time and --histories", "suite_name": "--suite and --instances"}
            raise InputError(f"{names[one]}: expected one of the two")
    order = parse_order(chosen["order_text"])
    name = chosen["suite_name"] or "bench"
    instances = documents(chosen["path"]) if chosen["path"] else located_in_suite(name)
    budget = Budget(chosen["seconds"], chosen["histories"])
    if budget == Budget():
        budget = Budget(histories=HISTORIES)
    found, missing = loaded(
        targets or default_targets(),
        in_process=chosen["in_process"],
        call_timeout_s=chosen["call_timeout"],
        config=pairs(chosen["configs"], "--config"),
    )
    for target in found:
        require_measurable(target)
    source = chosen["path"] or f"suite {name}"
    with bar("ranking", len(found)) as tell:
        ranked = rank(found, instances, source, order=order, seed=chosen["seed"], budget=budget, report=tell)
    if chosen["json_path"]:
        document = {
            "schema": SCHEMA,
            "instances": source,
            "order": ",".join(order),
            "seed": chosen["seed"],
            "budget": budget.to_json(),
            "targets": [each.to_json() for each in ranked],
        }
        write_json(document, chosen["json_path"])
    if chosen["json_path"] != "-":
        console().print(rank_view(ranked, source))
    if missing:
        return 4
    return 1 if any(each.gaps.failed for each in ranked) else 0
