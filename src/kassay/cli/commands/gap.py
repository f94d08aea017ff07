"""Measure how far targets are from the certified optimum."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli.options import Duration, json_option, pairs, seed_option, write_json, write_text
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.certify.optimum.hunt import Hunt
    from kassay.certify.targets.target import Target

PLACE = 100


@click.command("gap", epilog="Example: kassay gap range sticky uniform --suite bench")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option("--suite", "suite_name", help="The instances of a suite [default: bench].")
@click.option("--instances", "path", metavar="FILE", help="Instances of a file, `-` for standard input.")
@click.option("--order", "order_text", default="balance,movement,rack", show_default=True)
@click.option("--solver", type=click.Choice(["flow", "z3"]), default="flow", show_default=True)
@click.option("--hunt", "hunting", is_flag=True, help="Search for the worst gap instead.")
@click.option("--time", "seconds", type=Duration(), help="Limit of a hunt, or of Z3 on an instance.")
@click.option("--config", "configs", multiple=True, metavar="K=V", help="Configuration for every member.")
@click.option("--in-process", is_flag=True, help="Load a user's file into this process: faster, unguarded.")
@click.option("--call-timeout", type=Duration(), default="20s", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=".kassay", show_default=True)
@seed_option
@json_option
def command(targets: tuple[str, ...], **chosen: Any) -> int:
    """Measure the distance of each TARGET to the certified optimum: balance, movement, rack.

    Exit codes: 0 done, 1 a target failed on an instance, 3 an optimum was not found in time,
    4 a target could not be loaded.
    """
    from kassay.certify.optimum.gaps import require_measurable
    from kassay.cli.targets import loaded
    from kassay.solver.consumers.optimum import parse_order

    order = parse_order(chosen["order_text"])
    if sum(chosen[name] not in (None, False) for name in ("suite_name", "path", "hunting")) > 1:
        raise InputError("--suite, --instances and --hunt: expected one of the three")
    found, missing = loaded(
        targets,
        in_process=chosen["in_process"],
        call_timeout_s=chosen["call_timeout"],
        config=pairs(chosen["configs"], "--config"),
    )
    for target in found:
        require_measurable(target)
    outcome = _hunt(found, chosen) if chosen["hunting"] else _measure(found, order, chosen)
    return 4 if missing else outcome


def _measure(targets: Sequence[Target], order: tuple[str, ...], chosen: dict[str, Any]) -> int:
    from kassay.certify.optimum.gaps import measure
    from kassay.certify.optimum.instances import documents, located_in_suite
    from kassay.cli.bars import bar
    from kassay.report.screen.gaps import gap_view
    from kassay.report.screen.terminal import console

    name = chosen["suite_name"] or "bench"
    instances = documents(chosen["path"]) if chosen["path"] else located_in_suite(name)
    with bar("measuring") as tell:
        made = measure(
            targets,
            instances,
            chosen["path"] or f"suite {name}",
            order=order,
            solver=chosen["solver"],
            seconds=chosen["seconds"],
            report=tell,
        )
    if chosen["json_path"]:
        write_json(made.to_json(), chosen["json_path"])
    if chosen["json_path"] != "-":
        console().print(gap_view(made))
    if any(each.failed for each in made.targets):
        return 1
    return 3 if made.unsolved else 0


def _hunt(targets: Sequence[Target], chosen: dict[str, Any]) -> int:
    from kassay.certify.optimum.hunt import hunt
    from kassay.cli.bars import bar
    from kassay.report.screen.gaps import hunt_view
    from kassay.report.screen.terminal import console

    hunts = []
    for target in targets:
        with bar(f"hunting {target.spec}") as tell:
            hunts.append(hunt(target, chosen["seed"], chosen["seconds"] or 20.0, tell))
    kept = {each.target.spec: _keep(each, chosen["out"]) for each in hunts}
    if chosen["json_path"]:
        made = [each.to_json() for each in hunts]
        write_json(made[0] if len(made) == 1 else made, chosen["json_path"])
    if chosen["json_path"] != "-":
        for each in hunts:
            console().print(hunt_view(each, kept[each.target.spec]))
    if any(each.failed for each in hunts):
        return 1
    return 0 if all(each.finished for each in hunts) else 3


def _keep(found: Hunt, out: Path) -> dict[str, str]:
    """Write the worst instance of each objective; the paths by objective."""
    from kassay.cli.certifying import slug

    paths = {}
    for objective, worst in found.worst.items():
        path = out / "instances" / f"{slug(found.target.spec)}-{objective}.json"
        write_text(json.dumps(worst.problem.document(), indent=1) + "\n", str(path))
        paths[objective] = str(path)
    return paths
