"""Measure how far targets are from the certified optimum, and rank them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
from kassay.cli.options import FilePath, gravest, present, require_writable, write_json
from kassay.cli.targets import asked_again, measurable, reporting, suite_option
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.optimum.gaps import TargetGaps
    from kassay.engines.optimum.instances import Sourced
    from kassay.engines.targets.resolve import Target

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
def command(targets: tuple[str, ...], **chosen: Any) -> int:
    """Measure the distance of each TARGET to the certified optimum: balance, movement, rack.

    --rank orders TARGETs, all assignors of consumer groups or all of Streams tasks, by gap, moves and rounds;
    without a TARGET all references for consumer groups, with `installed` what consumers on this machine have,
    and what is missing. `kassay hunt --worst gap` searches for the worst case. Exit codes: 0 done, 1 a target
    failed on an instance or a ranked claim is violated, 3 an optimum was not found in time, a claim is
    unknown or there was no instance, 4 a target could not be loaded.
    """
    from kassay.engines.optimum.instances import instances_from
    from kassay.engines.optimum.targets import measured_kinds, usual_suite
    from kassay.solver.results import parse_order

    order = parse_order(chosen["order_text"])
    if chosen["out"] is not None:
        require_writable(str(chosen["out"]), "--out", folder=True)
    if not chosen["rank"]:
        _require_unranked(targets, chosen["histories"])
    posed = None if chosen["suite_name"] is None else instances_from(chosen["suite_name"])
    if chosen["rank"]:
        return _rank(targets, posed, order, chosen)
    loaded, missing = measurable(targets, chosen, measured_kinds())
    if not loaded:
        return 4
    instances = posed or instances_from(usual_suite(loaded))
    instances = instances._replace(located=reporting(instances.located, missing))
    outcome = _measure(loaded, instances, order, chosen)
    return 4 if missing else outcome


def _require_unranked(targets: tuple[str, ...], histories: int | None) -> None:
    """Raises `InputError` for what only a ranking takes."""
    if histories is not None:
        raise InputError("--histories: only with --rank")
    if INSTALLED in targets:
        raise InputError(f"{INSTALLED}: only with --rank")
    if not targets:
        raise InputError("expected a TARGET, or --rank for all references")


def _rank(
    targets: tuple[str, ...], posed: Sourced | None, order: tuple[str, ...], chosen: dict[str, Any]
) -> int:
    """Rank the targets; the exit code."""
    from kassay.api.gap import ranking
    from kassay.cli.pages import write_result
    from kassay.engines.optimum import rank as ranks
    from kassay.engines.optimum.instances import instances_from
    from kassay.engines.optimum.targets import usual_suite
    from kassay.engines.runs.options import Budget
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import rank_view

    if INSTALLED in targets and len(targets) > 1:
        raise InputError(f"{INSTALLED}: ranks everything installed, expected no other TARGET")
    budget = Budget(histories=chosen["histories"] or ranks.HISTORIES)
    is_installed = INSTALLED in targets
    here, missing = ranks.installed() if is_installed else (targets or ranks.default_targets(), {})
    loaded, lacking = measurable(here, chosen, ranks.ranked_kinds())
    if not loaded:
        return 4
    ranks.require_one_sort(loaded)
    instances = posed or instances_from(usual_suite(loaded))
    instances = instances._replace(located=reporting(instances.located, lacking))
    with bar("ranking", len(loaded)) as tell:
        result = ranking(loaded, instances, order, chosen["seed"], budget, missing=missing, progress=tell)
    write_result(result, chosen["out"], "rank.html")
    present(
        result.to_json(),
        lambda: rank_view(
            result.ranked, instances.source, chosen["seed"], versions=is_installed, missing=missing
        ),
        chosen["json_path"],
    )
    return gravest([4 if lacking else 0, *(each.exit_code for each in result.ranked)])


def _measure(
    targets: Sequence[Target], instances: Sourced, order: tuple[str, ...], chosen: dict[str, Any]
) -> int:
    """Measure the targets; the exit code."""
    from kassay.api.gap import measured
    from kassay.cli.pages import write_result
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import gap_view

    with bar("measuring") as tell:
        result = measured(targets, instances, order, progress=tell)
    out = chosen["out"]
    if out is not None:
        kept = {each.target.spec: _keep_worst(each, out) for each in result.targets if each.worst}
        result = replace(result, kept=kept, options=tuple(asked_again(chosen)))
        write_result(result, out, "gap.html")
    present(result.to_json(), lambda: gap_view(result.report), chosen["json_path"])
    if any(each.failed for each in result.targets):
        return 1
    return 0 if result.report.measured and not result.report.unsolved else 3


def _keep_worst(gaps: TargetGaps, out: Path) -> str:
    """Write the instance with the target's largest distance from the optimum; returns its path."""
    from kassay.writing.files import file_name

    assert gaps.worst is not None
    path = out / "instances" / file_name(gaps.target.spec, "worst", suffix=".json")
    write_json(gaps.worst.gap.problem.document(), str(path))
    return str(path)
