"""Check a cluster's replica placement, find the certified best one, and plan the steps to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli import completing
from kassay.cli.clusters import live_cluster, live_options
from kassay.cli.options import FilePath, json_option, no_seed_option, present, require_writable, write_json
from kassay.model.errors import InputError
from kassay.reading.documents import shown, suggestion

if TYPE_CHECKING:
    from kassay.certify.replicas.cluster import PlacedCluster, PlacementChange
    from kassay.certify.replicas.planned import ClusterPlan
    from kassay.certify.replicas.sources import ClusterSources
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
            self.fail(
                f"{shown(value)} is no size, expected something like 500GiB, 50MB or 1048576", param, ctx
            )
        units = _SIZES if match[3] or not match[4] else _DECIMAL
        return int(float(match[1]) * units[match[2]])


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
            self.fail(f"{shown(value)} is no broker, expected an id and a rack such as 7:az-c", param, ctx)
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
            self.fail(f"{shown(value)} is no replication factor, expected 3 or orders=3", param, ctx)
        return topic, int(number)


_ID = click.IntRange(0, 2**31 - 1)


@click.command(
    "place", epilog="Example: kassay place topics.txt brokers.txt --remove-broker 3 --add-broker 9:az-c --why"
)
@click.argument("files", nargs=-1, metavar="[FILE...]", shell_complete=completing.file)
@click.option(
    "--topics",
    multiple=True,
    metavar="FILE",
    shell_complete=completing.file,
    help="Output of kafka-topics --describe, or a reassignment.",
)
@click.option(
    "--brokers",
    multiple=True,
    metavar="FILE",
    shell_complete=completing.file,
    help="Output of kafka-broker-api-versions, or lines id,rack.",
)
@click.option(
    "--sizes",
    multiple=True,
    metavar="FILE",
    shell_complete=completing.file,
    help="Output of kafka-log-dirs --describe.",
)
@live_options
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
    "--max-moves", type=click.IntRange(min=0), metavar="N", help="Limit the number of copied replicas."
)
@click.option("--max-bytes", type=ByteSize(), metavar="SIZE", help="Limit the bytes copied; needs --sizes.")
@click.option(
    "--step-moves", type=click.IntRange(min=1), metavar="N", help="Limit the copies per step.  [default: 50]"
)
@click.option(
    "--step-bytes", type=ByteSize(), metavar="SIZE", help="Limit the bytes per step; needs --sizes."
)
@click.option(
    "--throttle", type=ByteSize(), default="50MB", show_default=True, help="Limit the bytes per second."
)
@click.option("--judge", is_flag=True, help="Check today's placement only; exit 1 if it breaks a claim.")
@click.option("--lint", "lints", is_flag=True, help="Lint FILEs of kafka-reassign-partitions instead.")
@click.option("--why", is_flag=True, help="Also print why no better placement exists.")
@click.option("-v", "--verbose", is_flag=True, help="Print every violation of a claim.")
@click.option(
    "--out",
    type=FilePath(),
    default=".kassay/place",
    show_default=True,
    help="Write the plan to this folder.",
)
@click.option("--report", type=click.Choice(["html"]), help="Also write a page with brokers and steps.")
@no_seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, **chosen: Any) -> int:
    """Check a cluster's replica placement, find the best one with a proof, and plan the steps to it.

    A FILE is the output of kafka-topics --describe, kafka-broker-api-versions, kafka-log-dirs or
    kafka-reassign-partitions; its content identifies the format. The plan is JSON for
    kafka-reassign-partitions in bounded steps, each with a rollback file. Exit codes: 0 done, 1 a claim is
    broken (--judge), a file has errors (--lint) or a partition cannot be moved, 2 unreadable or impossible,
    3 not proven.
    """
    from kassay.certify.replicas.sources import ClusterSources

    if chosen["command_config"] is not None and chosen["bootstrap"] is None:
        raise InputError("--command-config: expected --bootstrap-server with it")
    sources = _sources(chosen) if chosen["bootstrap"] is not None else ClusterSources()
    if chosen["lints"]:
        return _lint(chosen, sources)
    if not chosen["judge"]:
        require_writable(str(chosen["out"]), "--out", folder=True)
    from kassay.certify.replicas.sources import take_file, take_named

    for path in chosen["files"]:
        take_file(sources, path)
    take_named(sources, chosen["topics"], chosen["brokers"], chosen["sizes"])
    plan = _plan(chosen, sources)
    files = {} if chosen["judge"] else _write(plan, chosen["out"])
    if chosen["report"]:
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


def _sources(chosen: dict[str, Any]) -> ClusterSources:
    """The cluster as its brokers describe it; raises `InputError`."""
    from kassay.certify.replicas.live import read_live_replicas
    from kassay.report.screen.console import bar

    if chosen["topics"] or chosen["brokers"] or (chosen["files"] and not chosen["lints"]):
        raise InputError(
            "--bootstrap-server: provides topics and brokers itself, expected no files of either"
        )
    with live_cluster(chosen) as cluster, bar("reading"):
        return read_live_replicas(cluster)


def _view(plan: ClusterPlan, files: dict[str, str], chosen: dict[str, Any]) -> Any:
    from kassay.report.screen.place import judged_view, place_view

    if chosen["judge"]:
        return judged_view(plan, why=chosen["why"], verbose=chosen["verbose"])
    return place_view(plan, files, chosen["throttle"], why=chosen["why"], verbose=chosen["verbose"])


def _plan(chosen: dict[str, Any], sources: ClusterSources) -> ClusterPlan:
    """The plan for the options; raises `InputError`."""
    from kassay.certify.replicas.planned import plan_cluster
    from kassay.certify.replicas.proposal import MoveLimit
    from kassay.certify.replicas.steps import DEFAULT_MOVES, StepBound

    if chosen["max_moves"] is not None and chosen["max_bytes"] is not None:
        raise InputError("--max-moves and --max-bytes: expected one of the two")
    if not chosen["throttle"]:
        raise InputError("--throttle 0: expected at least a byte a second")
    change = _change(chosen)
    if chosen["judge"] and not change.is_none:
        raise InputError("--judge: checks today's placement, expected no change of brokers")
    added = frozenset(broker.broker_id for broker in change.added)
    cluster = sources.cluster(added, change.leaving, judged=chosen["judge"])
    limit = None
    if chosen["max_moves"] is not None or chosen["max_bytes"] is not None:
        in_bytes = chosen["max_moves"] is None
        limit = MoveLimit(chosen["max_bytes"] if in_bytes else chosen["max_moves"], in_bytes)
    if chosen["step_bytes"] is not None and cluster.sizes is None:
        raise InputError("--step-bytes: no sizes, expected --sizes with the output of kafka-log-dirs.sh")
    moves = chosen["step_moves"]
    if moves is None and chosen["step_bytes"] is None:
        moves = DEFAULT_MOVES
    accepted = _accepted(chosen["accept_data_loss"], cluster)
    return plan_cluster(cluster, change, limit, StepBound(moves, chosen["step_bytes"]), accepted)


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
    from kassay.certify.replicas.cluster import PlacementChange
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


def _lint(chosen: dict[str, Any], sources: ClusterSources) -> int:
    from kassay.certify.replicas.cluster import PlacedCluster
    from kassay.certify.replicas.lint import LintContext, LintSeverity, lint, lint_json
    from kassay.certify.replicas.sources import take_named, to_be_linted
    from kassay.report.screen.place import lint_view

    if not chosen["files"]:
        raise InputError("FILE: none to look through, expected JSON as kafka-reassign-partitions.sh takes it")
    blocks = to_be_linted(chosen["files"], sources)
    take_named(sources, chosen["topics"], chosen["brokers"], chosen["sizes"])
    if not blocks:
        raise InputError(
            "FILE: no reassignment among them, expected JSON as kafka-reassign-partitions.sh takes"
        )
    change = _change(chosen)
    has_topics, has_brokers = bool(sources.topics or sources.current), bool(sources.brokers)
    cluster: PlacedCluster | None = None
    if has_topics:
        added = frozenset(broker.broker_id for broker in change.added)
        cluster = sources.cluster(added, change.leaving, judged=True)
    elif has_brokers:
        cluster = PlacedCluster(tuple(sorted(broker for broker, _ in sources.brokers.values())), {})
    if cluster is not None:
        cluster = change.apply(cluster)
    context = LintContext(cluster, has_topics, has_brokers)
    findings = [each for block in blocks for each in lint(block, context)]
    present(
        lint_json(findings, len(blocks)),
        lambda: lint_view(findings, len(blocks), sources.cleaned),
        chosen["json_path"],
    )
    return 1 if any(each.severity is LintSeverity.ERROR for each in findings) else 0
