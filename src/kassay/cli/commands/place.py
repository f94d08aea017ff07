"""Check a cluster's replicas, find the certified best placement, plan the steps to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.clusters import given_cluster
from kassay.cli.common import bootstrap_option, json_option, out_option, verbose_option
from kassay.cli.options import FilePath, Whole, present, require_writable, write_json
from kassay.model.errors import InputError
from kassay.reading.documents import shown

if TYPE_CHECKING:
    from kassay.api.place import Placement
    from kassay.model.cluster import Broker
    from kassay.report.screen.console import View

PLACE = 320


class ByteSize(click.ParamType[int]):
    """A size in bytes such as `500GiB`, `50MB` or `1048576`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The bytes."""
        from kassay.engines.replicas.amounts import byte_size

        try:
            return byte_size(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


class Amount(click.ParamType[tuple[int, bool]]):
    """A number of copies such as `20`, or bytes with a unit such as `500GiB`; and whether it is in bytes."""

    name = "amount"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, bool]:
        """The number, and whether it is one of bytes."""
        from kassay.engines.replicas.amounts import amount_of

        try:
            return value if isinstance(value, tuple) else amount_of(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


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
def command(**chosen: Any) -> int:
    """Check a cluster's replica placement, find the best one with a proof, and plan the steps to it.

    A FILE is the output of kafka-topics --describe, kafka-broker-api-versions, kafka-log-dirs or
    kafka-reassign-partitions, or lines id,rack; its content identifies the format. The plan is JSON for
    kafka-reassign-partitions in bounded steps, each with a rollback file. --budget and --per-step take copies
    (20) or bytes (500GiB). -v says why no better placement exists. Exit codes: 0 done, 1 a claim is broken
    (--judge) or a partition cannot be moved, 2 unreadable or impossible, 3 not proven.
    """
    from kassay.api.place import placed
    from kassay.cli.pages import write_result
    from kassay.engines.replicas.cluster import PlacementChange
    from kassay.report.screen.console import bar

    if not chosen["judge"]:
        require_writable(str(chosen["out"]), "--out", folder=True)
    with bar("reading"):
        sources = given_cluster(chosen)
        result = placed(
            sources,
            PlacementChange(
                frozenset(chosen["remove_broker"]),
                frozenset(chosen["drain"]),
                _added(chosen["add_broker"]),
                frozenset(chosen["cordon"]),
                *_factors(chosen["replication_factor"]),
            ),
            budget=chosen["budget"],
            steps=chosen["steps"],
            accepted=",".join(chosen["accept_data_loss"]).split(",") if chosen["accept_data_loss"] else (),
            throttle=chosen["throttle"],
            judge=chosen["judge"],
        )
    if not chosen["judge"]:
        result = replace(result, files=_write(result, chosen["out"]))
    write_result(result, chosen["out"], "place.html")
    present(result.to_json(), lambda: _view(result, chosen["verbose"]), chosen["json_path"])
    if chosen["judge"]:
        return 1 if result.plan.is_broken else 0
    return 1 if result.plan.blocked else 0 if result.plan.proposal.is_proven else 3


def _view(result: Placement, verbose: bool) -> View:
    from kassay.report.screen.place import judged_view, place_view

    if result.is_judged:
        return judged_view(result.plan, why=verbose, verbose=verbose)
    return place_view(result.plan, result.files, result.throttle, why=verbose, verbose=verbose)


def _added(brokers: Sequence[tuple[int, str | None]]) -> tuple[Broker, ...]:
    """The added brokers; raises `InputError` for one that is given twice."""
    from kassay.model.cluster import Broker

    ids = [number for number, _ in brokers]
    if len(set(ids)) < len(ids):
        raise InputError(f"--add-broker: found one of {sorted(ids)} twice, expected each broker once")
    return tuple(Broker(number, rack) for number, rack in brokers)


def _factors(values: Sequence[tuple[str, int]]) -> tuple[int | None, dict[str, int]]:
    """The factor for all topics, and those of single ones."""
    by_topic = dict(values)
    if len(by_topic) < len(values):
        raise InputError("--replication-factor: expected one for all topics, and one for each TOPIC")
    return by_topic.pop("", None), by_topic


def _write(result: Placement, out: Path) -> dict[str, str]:
    """Write certificate, steps and their rollback files; returns the paths by kind."""
    documents = result.documents()
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
