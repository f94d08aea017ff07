"""Ask what another assignor, or what happens next, would do to a consumer group of yours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.clusters import cluster_options, observed_group
from kassay.cli.options import FilePath, json_option, no_seed_option, pairs, present, write_json
from kassay.cli.targets import target_options
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.certify.clusters.observed import ObservedGroup
    from kassay.certify.targets.resolve import Target

PLACE = 300


@click.command("what-if", epilog="Example: kassay what-if groups.txt topics.txt --events leave:2,join:3")
@cluster_options
@click.option(
    "--from",
    "strategy",
    metavar="TARGET",
    shell_complete=completing.target,
    help="The assignor of today [default: as --state says].",
)
@click.option(
    "--to",
    "targets",
    multiple=True,
    metavar="TARGET",
    shell_complete=completing.target,
    help="Candidates [default: all of Kafka's].",
)
@click.option(
    "--events", metavar="EVENTS", help="What happens then: leave:2,join:3,add-partitions:orders+12."
)
@click.option("--out", type=FilePath(), help="Save the optimum with its certificate there, for kassay check.")
@target_options
@no_seed_option
@json_option
def command(**chosen: Any) -> int:
    """Ask what other assignors, and what happens next, would do to the group that the FILEs show.

    A FILE is the output of kafka-consumer-groups --describe, with --members --verbose or --state, of
    kafka-topics --describe, or of kafka-broker-api-versions; which one is told by its content.
    Exit codes: 0 done, 1 a candidate gave no assignment, 2 unreadable input, 4 it could not be loaded.
    """
    from kassay.certify.clusters.events import parse_events
    from kassay.certify.clusters.whatif import KAFKAS, what_if
    from kassay.report.screen.clusters.what_if import what_if_view
    from kassay.report.screen.console import bar

    observed = observed_group(chosen)
    changes = () if chosen["events"] is None else parse_events(chosen["events"], observed)
    targets = _targets(chosen["targets"] or KAFKAS, chosen)
    with bar("asking", len(targets)) as tell:
        answer = what_if(observed, targets, changes, _start(observed, chosen), tell)
    path = _keep(answer.best.certificate, chosen["out"])
    present(
        answer.to_json(),
        lambda: what_if_view(answer, path, in_full=bool(chosen["targets"])),
        chosen["json_path"],
    )
    return 1 if answer.failed else 0


def _targets(specs: tuple[str, ...], chosen: dict[str, Any]) -> list[Target]:
    """The targets of consumer groups that the specs name; raises as `resolve` does."""
    from kassay.certify.optimum.gaps import require_measurable
    from kassay.certify.processes.host import Limits
    from kassay.certify.targets.resolve import resolve

    limits = Limits(call_timeout_s=chosen["call_timeout"])
    config = pairs(chosen["configs"], "--config")
    targets = []
    for spec in dict.fromkeys(specs):
        target = resolve(spec, in_process=chosen["in_process"], limits=limits, config=config)
        require_measurable(target)
        targets.append(target)
    return targets


def _start(observed: ObservedGroup, chosen: dict[str, Any]) -> Target | None:
    """The assignor of today: the one given, else the one that the coordinator names if kassay knows it."""
    from kassay.certify.clusters.rollout import start_of
    from kassay.model.errors import TargetError

    if chosen["strategy"] is not None:
        return _targets((chosen["strategy"],), chosen)[0]
    spec = start_of(observed.strategy, is_consumer_group=observed.is_consumer_group)
    try:
        return None if spec is None else _targets((spec,), {**chosen, "configs": ()})[0]
    except (TargetError, InputError):  # a rule of their own, which only --from can name
        return None


def _keep(certificate: dict[str, Any], out: Path | None) -> str | None:
    """Write the certificate where that is wanted; the path. Raises `InputError` for a place that is none."""
    if out is None:
        return None
    path = out if out.suffix == ".json" else out / "optimum.json"
    try:
        write_json(certificate, str(path))
    except OSError as error:
        raise InputError(f"--out {path}: cannot be written ({error.strerror})") from None
    return str(path)
