"""Measure how far targets are from the certified optimum, and rank them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import (
    config_option,
    histories_option,
    json_option,
    order_option,
    out_option,
    seed_option,
)
from kassay.cli.options import FilePath, gravest, present, require_writable, typed_again, write_json
from kassay.cli.targets import asked_again, instances_of, measurable, reporting, suite_option, usual_suite
from kassay.model.errors import InputError
from kassay.model.kinds import every_kind

if TYPE_CHECKING:
    from kassay.engines.optimum.gaps import TargetGaps
    from kassay.engines.targets.resolve import Target
    from kassay.reading.documents import Located

PLACE = 420
INSTALLED = "installed"


@click.command("gap", epilog="Example: kassay gap range sticky uniform --suite bench --rank")
@click.argument("targets", nargs=-1, metavar="[TARGET...]", shell_complete=completing.target)
@suite_option
@order_option
@click.option("--rank", is_flag=True, help="Also check all claims, and rank the targets.")
@histories_option(shown="300")
@config_option
@out_option(None, FilePath())
@seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, targets: tuple[str, ...], **chosen: Any) -> int:
    """Measure the distance of each TARGET to the certified optimum: balance, movement, rack.

    --rank orders TARGETs, all assignors of consumer groups or all of Streams tasks, by gap, moves and rounds;
    without a TARGET all references for consumer groups, with `installed` what consumers on this machine have,
    and what is missing. `kassay hunt --worst gap` searches for the worst case. Exit codes: 0 done, 1 a target
    failed on an instance or a ranked claim is violated, 3 an optimum was not found in time, a claim is
    unknown or there was no instance, 4 a target could not be loaded.
    """
    from kassay.solver.results import parse_order

    order = parse_order(chosen["order_text"])
    if chosen["out"] is not None:
        require_writable(str(chosen["out"]), "--out", folder=True)
    if not chosen["rank"] and (chosen["histories"] is not None or not targets or INSTALLED in targets):
        raise InputError("--histories, `installed` and no TARGET: expected --rank with them")
    posed = instances_of(chosen) if chosen["suite_name"] is not None else None
    again = typed_again(context)
    if chosen["rank"]:
        return _rank(targets, posed, order, chosen, again)
    kinds = tuple(kind for kind in every_kind() if kind.instances)
    loaded, missing = measurable(targets, chosen, kinds)
    if not loaded:
        return 4
    instances, source = posed or instances_of(usual_suite(loaded, chosen))
    outcome = _measure(loaded, reporting(instances, missing), source, order, chosen, again)
    return 4 if missing else outcome


def _rank(
    targets: tuple[str, ...],
    posed: tuple[Iterable[Located], str] | None,
    order: tuple[str, ...],
    chosen: dict[str, Any],
    again: str,
) -> int:
    """Rank the targets; the exit code."""
    from kassay.engines.optimum import rank as ranking
    from kassay.engines.runs.options import Budget
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import rank_view

    if INSTALLED in targets and len(targets) > 1:
        raise InputError(f"{INSTALLED}: ranks everything installed, expected no other TARGET")
    budget = Budget(histories=chosen["histories"] or ranking.HISTORIES)
    is_installed = INSTALLED in targets
    here, missing = ranking.installed() if is_installed else (targets or ranking.default_targets(), {})
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
    if chosen["out"] is not None:
        from kassay.cli.pages import write_page
        from kassay.report.pages.ranks import render

        page = render(ranked, source, order, chosen["seed"], missing=missing, again=again)
        write_page(page, chosen["out"], "rank.html")
    present(
        document,
        lambda: rank_view(ranked, source, chosen["seed"], versions=is_installed, missing=missing),
        chosen["json_path"],
    )
    return gravest([4 if lacking else 0, *(each.exit_code for each in ranked)])


def _measure(
    targets: Sequence[Target],
    instances: Iterable[Located],
    source: str,
    order: tuple[str, ...],
    chosen: dict[str, Any],
    again: str,
) -> int:
    from kassay.engines.optimum.gaps import measure
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import gap_view

    with bar("measuring") as tell:
        gaps = measure(
            targets,
            instances,
            source,
            order=order,
            report=tell,
        )
    if chosen["out"] is not None:
        from kassay.cli.pages import write_page
        from kassay.report.pages.gaps import render

        kept = {each.target.spec: _keep_worst(each, chosen["out"]) for each in gaps.targets if each.worst}
        write_page(render(gaps, kept, asked_again(chosen), again), chosen["out"], "gap.html")
    present(gaps.to_json(), lambda: gap_view(gaps), chosen["json_path"])
    if any(each.failed for each in gaps.targets):
        return 1
    return 0 if gaps.measured and not gaps.unsolved else 3


def _keep_worst(gaps: TargetGaps, out: Path) -> str:
    """Write the instance with the target's largest distance from the optimum; returns its path."""
    from kassay.writing.files import file_name

    assert gaps.worst is not None
    path = out / "instances" / file_name(gaps.target.spec, "worst", suffix=".json")
    write_json(gaps.worst.gap.problem.document(), str(path))
    return str(path)
