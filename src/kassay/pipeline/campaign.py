"""A campaign: a spec, a folder, and batch after batch until every history is in the tables once.

    campaign.json               the header: spec, tables, versions
    batches/000007.plan.json    what batch 7 plays, written before it starts
    batches/000007.done.json    its receipt: rows and hash of each table, and what it cost
    tables/runs/batch=7/...     its rows, by Spark's own commit protocol

A batch without a receipt does not count: it is played again and its partitions are overwritten.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kassay import __version__
from kassay.model.errors import InputError
from kassay.pipeline import tables, worker
from kassay.pipeline.batches import chunks_of, next_batch
from kassay.pipeline.lanes import Chunk, Lane, digests, lanes_of
from kassay.pipeline.schemas import BATCHED, SCHEMA, TABLES, WORK_DDL, Table
from kassay.pipeline.session import slots, told
from kassay.pipeline.spec import Pace, Spec, spec_of
from kassay.pipeline.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HEADER: Final = "campaign.json"
FOLDER: Final = "batches"
ROWS_A_FILE: Final = 400_000


@dataclass(frozen=True)
class Progress:
    """How far a campaign is; times in seconds, `eta_s` None as long as nothing is known."""

    batch: int
    done: int
    of: int
    rate: float
    eta_s: float | None
    findings: int


Report = Callable[[Progress], None]


@dataclass
class Campaign:
    """An open campaign; `done` are the receipts by batch, `planned` the plans."""

    spec: Spec
    lanes: tuple[Lane, ...]
    store: Store
    planned: dict[int, list[Chunk]] = field(default_factory=dict)
    done: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every history has been played."""
        return self.histories_done == self.histories

    @property
    def histories(self) -> int:
        """Histories of all lanes together."""
        return sum(lane.histories for lane in self.lanes)

    @property
    def histories_done(self) -> int:
        """Histories in batches with a receipt."""
        return sum(part.stop - part.start for number in self.done for part in self.planned[number])

    @property
    def costs(self) -> dict[int, float]:
        """Seconds a history by lane, from the latest batch that played it."""
        found: dict[int, float] = {}
        for number in sorted(self.done):
            found |= {int(lane): cost for lane, cost in self.done[number]["costs"].items()}
        return found

    def table(self, spark: SparkSession, table: Table) -> DataFrame:
        """The rows of the batches that count (for a batched table), or the table written at the end."""
        root = self.store.address(f"tables/{table.name}")
        if not table.batched:
            return spark.read.schema(table.ddl).parquet(root)
        places = [f"{root}/batch={number}" for number in sorted(self.done)]
        if not places:
            return spark.createDataFrame([], f"{table.ddl}, `batch` int")
        return spark.read.schema(f"{table.ddl}, `batch` int").option("basePath", root).parquet(*places)


def create(spec: Spec, store: Store) -> Campaign:
    """A new campaign in an empty place, or the one of the same spec that is already there.

    Raises `InputError` where another campaign or anything else is.
    """
    lanes = lanes_of(spec)
    found = store.read(HEADER)
    if found is not None:
        if found.get("schema") != SCHEMA or found.get("identity") != spec.identity:
            raise InputError(
                f"{store.place}: holds another campaign ({found.get('spec', {}).get('name')!r}), "
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


def reopen(store: Store, pace: Pace | None = None) -> Campaign:
    """The campaign that is there, as far as its receipts say; its targets must be what they were.

    Raises `InputError` for a place without a campaign, or with one that this version cannot carry on.
    """
    header = store.read(HEADER)
    if header is None:
        raise InputError(f"{store.place}: no {HEADER}, expected the folder of a campaign")
    if header.get("schema") != SCHEMA:
        raise InputError(
            f"{store.place}/{HEADER}: schema {header.get('schema')!r}, this version has {SCHEMA!r}"
        )
    spec = _spec_of_header(header, store, pace)
    lanes = lanes_of(spec)
    for target, digest in digests(lanes).items():
        if header["digests"].get(target) != digest:
            raise InputError(f"{target}: changed since the campaign began, expected the same source")
    made = Campaign(spec, lanes, store)
    for name in store.names(FOLDER):
        number, _, what = name.partition(".")
        document = store.read(f"{FOLDER}/{name}")
        if not number.isdigit() or document is None:
            continue
        if what == "plan.json":
            made.planned[int(number)] = [Chunk(*part) for part in document["parts"]]
        elif what == "done.json":
            made.done[int(number)] = document
    made.done = {number: made.done[number] for number in sorted(made.done) if number in made.planned}
    return made


def _spec_of_header(header: Mapping[str, Any], store: Store, pace: Pace | None) -> Spec:
    found, place = header["spec"], f"{store.place}/{HEADER}"
    campaign = {k: found[k] for k in ("name", "seed", "assume", "gap", "shrink")}
    if found["claims"] is not None:
        campaign["claims"] = found["claims"]
    limits = {"memory": found["memory_mib"], "shrink_tries": found["shrink_tries"]}
    if found["call_timeout_s"] is not None:
        limits["call_timeout"] = found["call_timeout_s"]
    targets = [{k: v for k, v in target.items() if v} for target in found["targets"]]
    settings = vars(pace) if pace is not None else header["pace"]
    document = {
        "campaign": campaign,
        "target": targets,
        "histories": dict(found["histories"]),
        "limits": limits,
        "pace": {k: v for k, v in settings.items() if v is not None},
    }
    return spec_of(document, place)


def carry_on(spark: SparkSession, campaign: Campaign, report: Report = lambda _: None) -> None:
    """Play everything that is not there yet, batch by batch."""
    began, at_first = time.monotonic(), campaign.histories_done
    found: set[tuple[str, str, str]] = set()
    unfinished = sorted(number for number in campaign.planned if number not in campaign.done)
    while True:
        if unfinished:
            number = unfinished.pop(0)
        else:
            number = max(campaign.planned, default=-1) + 1
            if not _plan(campaign, number, slots(spark)):
                return
        findings = _play(spark, campaign, number)
        found |= findings
        done, spent = campaign.histories_done, time.monotonic() - began
        rate = (done - at_first) / max(1e-9, spent)
        left = sum(campaign.costs.get(lane.number, 0.0) * count for lane, count in _left(campaign)) / slots(
            spark
        )
        report(Progress(number, done, campaign.histories, rate, left, len(found)))


def _left(campaign: Campaign) -> list[tuple[Lane, int]]:
    played = dict.fromkeys((lane.number for lane in campaign.lanes), 0)
    for number in campaign.done:
        for part in campaign.planned[number]:
            played[part.lane] += part.stop - part.start
    return [(lane, lane.histories - played[lane.number]) for lane in campaign.lanes]


def _plan(campaign: Campaign, number: int, slots_: int) -> bool:
    """Write down what the batch plays; False if nothing is left."""
    upto: dict[int, int] = {}
    for parts in campaign.planned.values():
        for part in parts:
            upto[part.lane] = max(upto.get(part.lane, 0), part.stop)
    parts = next_batch(campaign.lanes, upto, campaign.costs, campaign.spec.pace, slots_)
    if not parts:
        return False
    campaign.store.write(f"{FOLDER}/{number:06d}.plan.json", {"parts": [list(part) for part in parts]})
    campaign.planned[number] = parts
    return True


def _play(spark: SparkSession, campaign: Campaign, number: int) -> set[tuple[str, str, str]]:
    """Play a planned batch, write its tables, then its receipt; what it found broken."""
    from pyspark import StorageLevel

    began = time.monotonic()
    chunks = chunks_of(campaign.planned[number], campaign.costs, campaign.spec.pace, slots(spark))
    work = worker.Work(
        campaign=campaign.spec.name,
        identity=campaign.spec.identity,
        gap=campaign.spec.gap,
        lanes={part.lane: campaign.lanes[part.lane] for part in campaign.planned[number]},
        chunks=chunks,
    )
    numbers = spark.range(0, len(chunks), 1, len(chunks))
    rows = numbers.mapInArrow(partial(worker.play, work), WORK_DDL).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        with told(campaign.store.place):
            made = tables.of_batch(rows)
            summed = tables.summary(made)
            for name, frame in made.items():
                files = 1 + summed[name]["rows"] // ROWS_A_FILE
                place = campaign.store.address(f"tables/{name}/batch={number}")
                frame.coalesce(files).write.mode("overwrite").parquet(place)
            costs = _costs(campaign, made["timings"])
            broken = {tuple(row) for row in made["candidates"].select("target", "claim", "input").collect()}
    finally:
        rows.unpersist()
    receipt = {
        "tables": summed,
        "costs": {str(lane): cost for lane, cost in costs.items()},
        "elapsed_s": round(time.monotonic() - began, 3),
        "tasks": len(chunks),
    }
    campaign.store.write(f"{FOLDER}/{number:06d}.done.json", receipt)
    campaign.done[number] = receipt
    return broken


def _costs(campaign: Campaign, timings: DataFrame) -> dict[int, float]:
    """Seconds a history for each lane of the batch."""
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    cost = F.sum("nanoseconds") / F.sum(F.col("stop") - F.col("start")) / 1e9
    rows = timings.groupBy("target", "profile").agg(cost.alias("cost")).collect()
    found = {(row.target, row.profile): round(row.cost, 6) for row in rows}
    return {
        lane.number: found[lane.target, lane.profile]
        for lane in campaign.lanes
        if (lane.target, lane.profile) in found
    }


def verify(spark: SparkSession, campaign: Campaign) -> list[int]:
    """The batches whose tables are not what their receipts say; their receipts are taken away."""
    bad: set[int] = set()
    for table in BATCHED:
        try:
            found = tables.summary_by_batch(campaign.table(spark, table), table)
        except Exception:  # damaged or missing files: which batch it is shows one by one
            found = _one_by_one(spark, campaign, table)
        bad |= {
            number
            for number, receipt in campaign.done.items()
            if found.get(number, tables.NOTHING) != receipt["tables"].get(table.name)
        }
    for number in sorted(bad):
        campaign.store.remove(f"{FOLDER}/{number:06d}.done.json")
        del campaign.done[number]
    return sorted(bad)


def _one_by_one(spark: SparkSession, campaign: Campaign, table: Table) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for number in campaign.done:
        alone = replace(campaign, done={number: campaign.done[number]})
        try:
            found |= {number: tables.NOTHING, **tables.summary_by_batch(alone.table(spark, table), table)}
        except Exception:  # the batch cannot be read, so it is done again
            found[number] = {"rows": -1, "hash": "unreadable"}
    return found
