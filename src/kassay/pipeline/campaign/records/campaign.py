"""A campaign: a spec, a folder, and the state that its receipts show.

    campaign.json               the header: spec, tables, versions
    batches/000007.plan.json    the plan of batch 7, written before it starts
    batches/000007.done.json    its receipt: rows and hash of each table, counts, cost
    tables/runs/batch=7/...     its rows, written with Spark's commit protocol

A batch without a receipt does not count: it is played again and its partitions are overwritten. A receipt
contains a digest of itself; a damaged one is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from kassay import __version__
from kassay.assignors import registry
from kassay.model.errors import InputError
from kassay.pipeline.campaign.plan.lanes import Chunk, Lane, digests, lanes_of
from kassay.pipeline.campaign.plan.spec import Pace, Spec
from kassay.pipeline.campaign.records.schemas import BATCHED, GAPS, SCHEMA, TABLES, Table
from kassay.pipeline.campaign.records.store import Store
from kassay.pipeline.campaign.records.sums import Sums, sums_of
from kassay.reading.values import read_as
from kassay.writing.documents import json_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HEADER: Final = "campaign.json"
FOLDER: Final = "batches"


@dataclass
class Campaign:
    """An open campaign; `done`: receipts by batch, `planned`: plans, `damaged`: invalid receipts."""

    spec: Spec
    lanes: tuple[Lane, ...]
    store: Store
    planned: dict[int, list[Chunk]] = field(default_factory=dict)
    done: dict[int, dict[str, Any]] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every history has been played."""
        return self.histories_done == self.histories

    @property
    def histories(self) -> int:
        """The number of histories of all lanes."""
        return sum(lane.histories for lane in self.lanes)

    @property
    def histories_done(self) -> int:
        """The number of histories in batches with a receipt."""
        return sum(self.histories_of(number) for number in self.done)

    def histories_of(self, number: int) -> int:
        """The number of histories in a batch."""
        return sum(part.stop - part.start for part in self.planned[number])

    @property
    def batched(self) -> tuple[Table, ...]:
        """The tables that each batch writes."""
        return tuple(table for table in BATCHED if table is not GAPS or self.spec.gap)

    @property
    def left(self) -> list[tuple[Lane, int]]:
        """The lanes, with the number of histories that no receipt covers."""
        played = dict.fromkeys((lane.number for lane in self.lanes), 0)
        for number in self.done:
            for part in self.planned[number]:
                played[part.lane] += part.stop - part.start
        return [(lane, lane.histories - played[lane.number]) for lane in self.lanes]

    @property
    def costs(self) -> dict[int, float]:
        """Seconds per history by lane, from the latest batch that played it."""
        costs: dict[int, float] = {}
        for number in sorted(self.done):
            spent: dict[int, int] = {}
            for task in self.done[number]["tasks"]:
                spent[task["lane"]] = spent.get(task["lane"], 0) + task["nanoseconds"]
            for part in self.planned[number]:
                costs[part.lane] = spent.get(part.lane, 0) / (part.stop - part.start) / 1e9
        return costs

    @property
    def sums(self) -> dict[int, Sums]:
        """The counts of the batches with a receipt, by lane."""
        sums = {lane.number: Sums() for lane in self.lanes}
        for receipt in self.done.values():
            for lane, document in receipt["sums"].items():
                sums[int(lane)].add(sums_of(document))
        return sums

    def address(self, table: Table) -> str:
        """The location of the table; a batched table has a folder `batch=N` per batch."""
        return self.store.address(f"tables/{table.name}")

    def table(self, spark: SparkSession, table: Table) -> DataFrame:
        """The rows of the batches with a receipt (batched tables), or of the table written at the end."""
        root = self.address(table)
        if not table.batched:
            return spark.read.schema(table.ddl).parquet(root)
        places = [f"{root}/batch={number}" for number in sorted(self.done)]
        if not places or table not in self.batched:
            return spark.createDataFrame([], f"{table.ddl}, `batch` int")
        return spark.read.schema(f"{table.ddl}, `batch` int").option("basePath", root).parquet(*places)

    def plan(self, number: int, parts: list[Chunk]) -> None:
        """Record the plan of the batch."""
        self.store.write(f"{FOLDER}/{number:06d}.plan.json", {"parts": [list(part) for part in parts]})
        self.planned[number] = parts

    def sign(self, number: int, receipt: dict[str, Any]) -> None:
        """Write the batch's receipt, which makes it count."""
        self.store.write(f"{FOLDER}/{number:06d}.done.json", {**receipt, "digest": _digest(receipt)})
        self.done[number] = receipt
        self.damaged = [other for other in self.damaged if other != number]

    def strike(self, number: int) -> None:
        """Delete the batch's receipt, so that it is played again."""
        self.store.remove(f"{FOLDER}/{number:06d}.done.json")
        del self.done[number]


def _digest(receipt: Mapping[str, Any]) -> str:
    return blake2b(json_text(receipt, sort_keys=True).encode(), digest_size=16).hexdigest()


def create(spec: Spec, store: Store) -> Campaign:
    """A new campaign in an empty location, or the existing one of the same spec.

    Raises `InputError` if the location holds another campaign or anything else.
    """
    lanes = lanes_of(spec)
    header = store.read(HEADER)
    if header is not None:
        if header.get("schema") != SCHEMA or header.get("identity") != spec.identity:
            raise InputError(
                f"{store.place}: holds another campaign ({header.get('spec', {}).get('name')!r}), "
                "expected an empty folder or the same spec"
            )
        return reopen(store, spec.pace)
    if others := [name for name in store.names("") if name != "lock"]:
        raise InputError(f"{store.place}: not empty ({others[0]}), expected an empty folder")
    store.write(
        HEADER,
        {
            "schema": SCHEMA,
            "identity": spec.identity,
            "spec": spec.to_json(),
            "pace": vars(spec.pace),
            "digests": dict(digests(lanes)),
            "tables": {table.name: table.to_json() for table in TABLES.values()},
            "version": __version__,
        },
    )
    return Campaign(spec, lanes, store)


def header_of(store: Store) -> dict[str, Any]:
    """The header of the existing campaign. Raises `InputError` if there is none."""
    header = store.read(HEADER)
    if header is None:
        raise InputError(f"{store.place}: no {HEADER}, expected the folder of a campaign")
    return header


def reopen(store: Store, pace: Pace | None = None) -> Campaign:
    """The existing campaign, as its receipts show; its targets must be unchanged.

    Raises `InputError` if there is no campaign, or one that this version cannot continue.
    """
    header = header_of(store)
    if header.get("schema") != SCHEMA:
        raise InputError(
            f"{store.place}/{HEADER}: schema {header.get('schema')!r}, expected {SCHEMA!r}: "
            "this version would play and count other histories (the tables there are Parquet and can be read)"
        )
    settings = header["pace"] if pace is None else vars(pace)
    spec = read_as(Spec, {**header["spec"], "pace": settings}, f"{store.place}/{HEADER}")
    spec = replace(
        spec, targets=tuple(replace(each, spec=registry.recorded(each.spec)) for each in spec.targets)
    )
    lanes = lanes_of(spec)
    for target, digest in digests(lanes).items():
        recorded = header["digests"].get(target)
        if recorded is not None and recorded != digest:
            raise InputError(f"{target}: changed since the campaign began, expected the same source")
    campaign = Campaign(spec, lanes, store)
    for name in store.names(FOLDER):
        number, _, what = name.partition(".")
        if number.isdigit() and what == "plan.json" and (document := store.read(f"{FOLDER}/{name}")):
            campaign.planned[int(number)] = [Chunk(*part) for part in document["parts"]]
        elif number.isdigit() and what == "done.json":
            receipt = _receipt(store, f"{FOLDER}/{name}")
            if receipt is None:
                campaign.damaged.append(int(number))
            else:
                campaign.done[int(number)] = receipt
    campaign.done = {
        number: campaign.done[number] for number in sorted(campaign.done) if number in campaign.planned
    }
    return campaign


def _receipt(store: Store, name: str) -> dict[str, Any] | None:
    """The receipt of this name; None if it is damaged."""
    try:
        receipt = store.read(name) or {}
    except InputError:
        return None
    digest = receipt.pop("digest", None)
    return receipt if digest == _digest(receipt) else None
