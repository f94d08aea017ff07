"""Check a cluster's replicas, find the certified best placement, plan the steps to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from kassay.cli import completing
from kassay.cli.clusters import live_cluster, require_no_outputs
from kassay.cli.common import bootstrap_option, json_option, out_option, verbose_option
from kassay.cli.options import FilePath, Whole, present, require_writable, write_json
from kassay.model.errors import InputError
from kassay.reading.documents import shown, suggestion

if TYPE_CHECKING:
    from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
    from kassay.engines.replicas.planned import ClusterPlan
    from kassay.engines.replicas.sources import ClusterSources
    from kassay.model.cluster import TopicPartition

PLACE = 320

_SIZES: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_DECIMAL: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class ByteSize(click.ParamType[int]):
    """A size in bytes such as `500GiB`, `50MB` or `1048576`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The bytes."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,3})?)\s*([KMGT]?)(i?)(B?)", str(value), re.ASCII)
        if match is None or (match[3] and not match[2]):
            self.fail(f"{shown(value)} is not a size; expected e.g. 500GiB, 50MB or 1048576", param, ctx)
        units = _SIZES if match[3] or not match[4] else _DECIMAL
        return int(float(match[1]) * units[match[2]])


class Amount(click.ParamType[tuple[int, bool]]):
    """A number of copies such as `20`, or bytes with a unit such as `500GiB`; and whether it is in bytes."""

    name = "amount"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, bool]:
        """The number, and whether it is one of bytes."""
        if isinstance(value, tuple):
            return value
        if re.fullmatch(r"\d{1,15}", str(value), re.ASCII):
            return int(value), False
        return ByteSize().convert(value, param, ctx), True


class NewBroker(click.ParamType[tuple[int, str | None]]):
    """An added broker, `N` or `N:rack`."""

    name = "N:rack"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, str | None]:
        """Its id and its rack."""
        if isinstance(value, tuple):
            return value
        number, colon, rack = str(value).partition(":")
        if re.fullmatch("[0-9]{1,9}", number) is None or (colon and not rack):
            self.fail(f"{shown(value)} is not a broker; expected an id and a rack, e.g. 7:az-c", param, ctx)
        return int(number), rack or None


class WantedFactor(click.ParamType[tuple[str, int]]):
    """A replication factor, `N` for all topics or `TOPIC=N` for one."""

    name = "N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """The topic, empty for all, and the factor."""
        if isinstance(value, tuple):
            return value
        topic, equals, number = str(value).rpartition("=")
        if re.fullmatch("[1-9][0-9]{0,3}", number) is None or (equals and not topic):
            self.fail(f"{shown(value)} is not a replication factor; expected 3 or orders=3", param, ctx)
        return topic, int(number)


_ID = Whole(0, 2**31 - 1)


@click.command(
    "place", epilog="Example: kassay place topics.txt brokers.txt --remove-broker 3 --add-broker 9:az-c -v"
)
@click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file)
@bootstrap_option
@click.option(
    "--remove-broker", type=_ID, multiple=True, metavar="N", help="Decommission this broker; repeatable."
)
@click.option(
    "--drain", type=_ID, multiple=True, metavar="N", help="Drain this broker but keep it; repeatable."
)
@click.option(
    "--add-broker", type=NewBroker(), multiple=True, metavar="N:RACK", help="Add this broker; repeatable."
)
@click.option(
    "--cordon", type=_ID, multiple=True, metavar="N", help="Add no replicas to this broker; repeatable."
)
@click.option(
    "--replication-factor",
    type=WantedFactor(),
    multiple=True,
    metavar="N",
    help="Change the replication factor, or TOPIC=N; repeatable.",
)
@click.option(
    "--accept-data-loss",
    multiple=True,
    metavar="TOPIC-PARTITION,...",
    help="Plan these although data may be lost.",
)
@click.option(
    "--budget",
    type=Amount(),
    metavar="N|SIZE",
    help="Limit the total cost of moves.  [default: none]",
)
@click.option(
    "--per-step",
    "steps",
    type=Amount(),
    multiple=True,
    metavar="N|SIZE",
    help="Limit a step's copies or bytes; repeatable.  [default: 50]",
)
@click.option(
    "--throttle", type=ByteSize(), default="50MB", show_default=True, help="Limit the bytes per second."
)
@click.option("--judge", is_flag=True, help="Check today's placement only.")
@verbose_option
@out_option(".kassay/place", FilePath())
@json_option
@click.pass_context
def command(context: click.Context, /, **chosen: Any) -> int:
    """Check a cluster's replica placement, find the best one with a proof, and plan the steps to it.

    A FILE is the output of kafka-topics --describe, kafka-broker-api-versions, kafka-log-dirs or
    kafka-reassign-partitions, or lines id,rack; its content identifies the format. The plan is JSON for
    kafka-reassign-partitions in bounded steps, each with a rollback file. --budget and --per-step take copies
    (20) or bytes (500GiB). -v says why no better placement exists. Exit codes: 0 done, 1 a claim is broken
    (--judge) or a partition cannot be moved, 2 unreadable or impossible, 3 not proven.
    """
    from kassay.engines.replicas.sources import ClusterSources, take_file

    if not chosen["judge"]:
        require_writable(str(chosen["out"]), "--out", folder=True)
    sources = ClusterSources()
    if chosen["bootstrap"] is not None:
        sources = _sources(chosen)
    else:
        for path in chosen["files"]:
            take_file(sources, path)
    plan = _plan(chosen, sources)
    files = {} if chosen["judge"] else _write(plan, chosen["out"])
    if _gives_out(context):
        from kassay.cli.pages import write_page
        from kassay.report.pages.place import render
        from kassay.writing.text import shell_command

        again = shell_command(["kassay", *context.find_root().obj])
        write_page(
            render(plan, files, chosen["throttle"], again, judged=chosen["judge"]),
            chosen["out"],
            "place.html",
        )
    present(plan.to_json(files), lambda: _view(plan, files, chosen), chosen["json_path"])
    if chosen["judge"]:
        return 1 if plan.is_broken else 0
    return 1 if plan.blocked else 0 if plan.proposal.is_proven else 3


def _gives_out(context: click.Context) -> bool:
    """Whether --out is given: only then a page is written next to the plan."""
    return context.get_parameter_source("out") is not ParameterSource.DEFAULT


def _sources(chosen: dict[str, Any]) -> ClusterSources:
    """The cluster as its brokers describe it; raises `InputError`."""
    from kassay.engines.replicas.live import read_live_replicas
    from kassay.report.screen.console import bar

    require_no_outputs(chosen, "topics and brokers")
    with live_cluster(chosen) as cluster, bar("reading"):
        return read_live_replicas(cluster)


def _view(plan: ClusterPlan, files: dict[str, str], chosen: dict[str, Any]) -> Any:
    from kassay.report.screen.place import judged_view, place_view

    if chosen["judge"]:
        return judged_view(plan, why=chosen["verbose"], verbose=chosen["verbose"])
    return place_view(plan, files, chosen["throttle"], why=chosen["verbose"], verbose=chosen["verbose"])


def _plan(chosen: dict[str, Any], sources: ClusterSources) -> ClusterPlan:
    """The plan for the options; raises `InputError`."""
    from kassay.engines.replicas.planned import plan_cluster
    from kassay.engines.replicas.proposal import MoveLimit
    from kassay.engines.replicas.steps import DEFAULT_MOVES, StepBound

    if not chosen["throttle"]:
        raise InputError("--throttle 0: expected at least a byte a second")
    change = _change(chosen)
    if chosen["judge"] and not change.is_none:
        raise InputError("--judge: checks today's placement, expected no change of brokers")
    added = frozenset(broker.broker_id for broker in change.added)
    cluster = sources.cluster(added, change.leaving, judged=chosen["judge"])
    limit = None if chosen["budget"] is None else MoveLimit(*chosen["budget"])
    moves, size = (
        min((n for n, b in chosen["steps"] if b is is_size), default=None) for is_size in (False, True)
    )
    if size is not None and cluster.sizes is None:
        raise InputError("--per-step: no sizes, expected the output of kafka-log-dirs.sh as well")
    if moves is None and size is None:
        moves = DEFAULT_MOVES
    accepted = _accepted(chosen["accept_data_loss"], cluster)
    return plan_cluster(cluster, change, limit, StepBound(moves, size), accepted)


def _least(amounts: Iterable[tuple[int, bool]], *, in_bytes: bool) -> int | None:
    """The smallest of the amounts in bytes, or of those in copies."""
    return min((number for number, is_size in amounts if is_size is in_bytes), default=None)


def _accepted(values: Iterable[str], cluster: PlacedCluster) -> frozenset[TopicPartition]:
    """The partitions of --accept-data-loss; raises `InputError` for an unknown one."""
    known = {str(tp): tp for tp in cluster.rows}
    accepted = set()
    for name in ",".join(values).split(",") if values else ():
        if name.strip() not in known:
            raise InputError(
                f"--accept-data-loss {shown(name)}: no such partition, expected names such as "
                f"{next(iter(known))}{suggestion(name, known)}"
            )
        accepted.add(known[name.strip()])
    return frozenset(accepted)


def _change(chosen: dict[str, Any]) -> PlacementChange:
    from kassay.engines.replicas.cluster import PlacementChange
    from kassay.model.cluster import Broker

    ids = [number for number, _ in chosen["add_broker"]]
    if len(set(ids)) < len(ids):
        raise InputError(f"--add-broker: found one of {sorted(ids)} twice, expected each broker once")
    return PlacementChange(
        frozenset(chosen["remove_broker"]),
        frozenset(chosen["drain"]),
        tuple(Broker(number, rack) for number, rack in chosen["add_broker"]),
        frozenset(chosen["cordon"]),
        *_factors(chosen["replication_factor"]),
    )


def _factors(values: Sequence[tuple[str, int]]) -> tuple[int | None, dict[str, int]]:
    """The factor for all topics, and those of single ones."""
    by_topic = dict(values)
    if len(by_topic) < len(values):
        raise InputError("--replication-factor: expected one for all topics, and one for each TOPIC")
    return by_topic.pop("", None), by_topic


def _write(plan: ClusterPlan, out: Path) -> dict[str, str]:
    """Write certificate, steps and their rollback files; returns the paths by kind."""
    documents: dict[str, tuple[str, Any]] = {"certificate": ("certificate.json", plan.proposal.certificate)}
    before = {tp: row for step in reversed(plan.steps) for tp, row in step.before.items()}
    if plan.steps:
        after = {tp: plan.proposal.after[tp] for tp in before}
        documents["plan"] = ("plan.json", plan.document_of(after, before))
        documents["rollback"] = ("rollback.json", plan.document_of(before, after))
    width = len(str(len(plan.steps)))
    for number, step in enumerate(plan.steps, start=1):
        name = f"step-{number:0{width}}"
        there, back = plan.document_of(step.after, step.before), plan.document_of(step.before, step.after)
        documents[f"step {number}"] = (f"{name}.json", there)
        documents[f"rollback {number}"] = (f"{name}-rollback.json", back)
    files = {}
    for what, (name, document) in documents.items():
        files[what] = str(out / name)
        write_json(document, files[what])
    _forget(out, {name for name, _ in documents.values()})
    return files


def _forget(out: Path, names: set[str]) -> None:
    """Delete steps of an earlier plan that this one lacks, so that no one runs them."""
    for path in sorted(out.glob("step-*.json")):
        if path.name not in names and re.fullmatch(r"step-\d+(-rollback)?\.json", path.name):
            path.unlink()
