"""Measure how far targets are from the certified optimum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.options import (
    SOLVERS,
    Duration,
    FilePath,
    json_option,
    present,
    require_writable,
    seed_option,
    typed_again,
    write_json,
)
from kassay.cli.targets import (
    asked_again,
    complained,
    instances_of,
    instances_options,
    measurable,
    reporting,
    target_options,
    usual_suite,
)
from kassay.model.errors import InputError
from kassay.model.kinds import Kind, every_kind

if TYPE_CHECKING:
    from kassay.certify.optimum.gaps import Hunt, TargetGaps
    from kassay.certify.targets.resolve import Target
    from kassay.reading.documents import Located

PLACE = 420


@click.command("gap", epilog="Example: kassay gap range sticky uniform --suite bench")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...", shell_complete=completing.target)
@instances_options
@click.option(
    "--solver",
    type=click.Choice(SOLVERS),
    default="flow",
    show_default=True,
    help="Choose the solver of consumer groups.",
)
@click.option("--hunt", "hunting", is_flag=True, help="Search for the worst gap instead.")
@click.option("--time", "seconds", type=Duration(), help="Limit the time of a hunt, or of Z3 per instance.")
@target_options
@click.option(
    "--report", type=click.Choice(["html"]), help="Also write a page with plots and the worst cases."
)
@click.option(
    "--out",
    type=FilePath(),
    default=".kassay",
    show_default=True,
    help="Write instances and the page to this folder.",
)
@seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, targets: tuple[str, ...], **chosen: Any) -> int:
    """Measure the distance of each TARGET to the certified optimum: balance, movement, rack.

    Exit codes: 0 done, 1 a target failed on an instance, 3 an optimum was not found in time, or there was no
    instance, 4 a target could not be loaded.
    """
    from kassay.solver.results import parse_order

    order = parse_order(chosen["order_text"])
    if sum(chosen[name] not in (None, False) for name in ("suite_name", "path", "hunting")) > 1:
        raise InputError("--suite, --instances and --hunt: expected one of the three")
    if chosen["hunting"] or chosen["report"]:
        require_writable(str(chosen["out"]), "--out", folder=True)
    hunting, named = chosen["hunting"], chosen["suite_name"] is not None or chosen["path"] is not None
    posed = instances_of(chosen) if named else None
    again = typed_again(context)
    loaded, missing = measurable(targets, chosen, _kinds(hunting=hunting))
    if not loaded:
        return 4
    if hunting:
        complained(missing)
        outcome = _hunt(loaded, chosen, again)
    else:
        instances, source = posed or instances_of(usual_suite(loaded, chosen))
        outcome = _measure(loaded, reporting(instances, missing), source, order, chosen, again)
    return 4 if missing else outcome


def _kinds(*, hunting: bool) -> tuple[Kind, ...]:
    """The kinds of targets that can be measured; a hunt has instances of one family alone."""
    if not hunting:
        return tuple(kind for kind in every_kind() if kind.instances)
    from kassay.certify.optimum.gaps import FAMILY, kinds_of

    return kinds_of(FAMILY)


def _measure(
    targets: Sequence[Target],
    instances: Iterable[Located],
    source: str,
    order: tuple[str, ...],
    chosen: dict[str, Any],
    again: str,
) -> int:
    from kassay.certify.optimum.gaps import measure
    from kassay.report.screen.console import bar
    from kassay.report.screen.gaps import gap_view

    with bar("measuring") as tell:
        gaps = measure(
            targets,
            instances,
            source,
            order=order,
            solver=chosen["solver"],
            seconds=chosen["seconds"],
            report=tell,
        )
    if chosen["report"]:
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


def _hunt(targets: Sequence[Target], chosen: dict[str, Any], again: str) -> int:
    from kassay.certify.optimum.gaps import hunt
    from kassay.report.screen.console import bar, stack
    from kassay.report.screen.gaps import hunt_view

    hunts = []
    for target in targets:
        with bar(f"hunting {target.spec}") as tell:
            hunts.append(hunt(target, chosen["seed"], chosen["seconds"] or 20.0, tell))
    kept = {each.target.spec: _keep(each, chosen["out"]) for each in hunts}
    documents = [each.to_json() for each in hunts]
    options = asked_again(chosen)
    if chosen["report"]:
        from kassay.cli.pages import write_page
        from kassay.report.pages.gaps import render_hunt

        write_page(render_hunt(hunts, kept, options, again), chosen["out"], "hunt.html")
    views = (hunt_view(each, kept[each.target.spec], options) for each in hunts)
    present(documents[0] if len(documents) == 1 else documents, lambda: stack(*views), chosen["json_path"])
    if any(each.failed for each in hunts):
        return 1
    return 0 if all(each.finished for each in hunts) else 3


def _keep(hunt: Hunt, out: Path) -> dict[str, str]:
    """Write the worst instance of each objective; returns the paths by objective."""
    from kassay.writing.files import file_name

    paths = {}
    for objective, worst in hunt.worst.items():
        path = out / "instances" / file_name(hunt.target.spec, objective, suffix=".json")
        write_json(worst.problem.document(), str(path))
        paths[objective] = str(path)
    return paths
