"""A campaign on disk: a spec, a folder, what its receipts say, and the sums that tasks and batches add up to.

    campaign.json               the header: spec, tables, versions
    batches/000007.plan.json    what batch 7 plays, written before it starts
    batches/000007.done.json    its receipt: rows and hash of each table, what it counted, what it cost
    tables/runs/batch=7/...     its rows, by Spark's own commit protocol
    manifest.json               the files of all receipts, for readers other than kassay

A batch without a receipt does not count: it is played again and its partitions are overwritten. A
receipt names its files and contains a digest of itself; a damaged one is ignored. Sums are numbers that
travel as JSON and add up in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay import __version__
from kassay.assignors import registry
from kassay.engines.runs.verdicts import ClaimCount, Tally
from kassay.kinds.judging import Examination
from kassay.kinds.protocol import Driver
from kassay.model.errors import InputError, TargetError
from kassay.pipeline.campaign.kinds import Names, bucket_of
from kassay.pipeline.campaign.lanes import Chunk, Lane, digests, lanes_of
from kassay.pipeline.campaign.spec import Pace, Spec
from kassay.pipeline.campaign.tables import BATCHED, GAPS, SCHEMA, TABLES
from kassay.pipeline.formats import PARQUET
from kassay.pipeline.store import Store, files_in, read_receipt, write_manifest, write_receipt
from kassay.pipeline.tables import Table
from kassay.reading.values import read_as

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


ORDINARY: Final = "ordinary"
CONTRADICTORY: Final = "contradictory"


class Key(NamedTuple):
    """Identity of a finding within a target; `bucket` represents the kind of violation."""

    claim: str
    input: str
    bucket: str


class Smallest(NamedTuple):
    """The number of histories that show a finding, and the smallest, then earliest, of them."""

    failed: int
    size: tuple[int, ...]
    history: int

    def and_(self, other: Smallest) -> Smallest:
        """The sum of both."""
        size, history = min((self.size, self.history), (other.size, other.history))
        return Smallest(self.failed + other.failed, size, history)


@dataclass
class Sums:
    """The results of some histories of one lane; their sum does not depend on the order."""

    tally: Tally = field(default_factory=Tally)
    kinds: dict[Key, Smallest] = field(default_factory=dict)

    def take(self, index: int, case: Any, seen: Examination, driver: Driver[Any]) -> None:
        """Add one examination."""
        self.tally.take(index, case, seen, driver)
        if not seen.violations:
            return
        only_contradictory: dict[tuple[str, str], bool] = {}
        names = Names.of(driver, case)
        for violation in seen.violations:
            kind = violation.claim, bucket_of(violation, names)
            only_contradictory[kind] = only_contradictory.get(kind, True) and violation.contradictory
        smallest = Smallest(1, driver.size(case), index)
        for (claim, bucket), contradictory in only_contradictory.items():
            self._note(Key(claim, CONTRADICTORY if contradictory else ORDINARY, bucket), smallest)

    def add(self, other: Sums) -> None:
        """Add the counts of `other`."""
        self.tally.add(other.tally)
        for key, smallest in other.kinds.items():
            self._note(key, smallest)

    def _note(self, key: Key, smallest: Smallest) -> None:
        known = self.kinds.get(key)
        self.kinds[key] = smallest if known is None else known.and_(smallest)

    def to_json(self) -> dict[str, Any]:
        """The sums as plain values, in a defined order."""
        tally = self.tally
        return {
            "histories": tally.histories,
            "rebalances": tally.rebalances,
            "counts": {
                c: [n.checked, n.failed, n.contradictory, n.judged, n.elsewhere]
                for c, n in sorted(tally.counts.items())
            },
            "reached": dict(sorted(tally.reached.items())),
            "covered": [[*classes, number] for classes, number in sorted(tally.covered.items())],
            "kinds": [[*key, *smallest] for key, smallest in sorted(self.kinds.items())],
        }


def sums_of(document: Mapping[str, Any]) -> Sums:
    """The sums that `to_json` wrote."""
    counts = {claim: ClaimCount(*numbers) for claim, numbers in document["counts"].items()}
    covered = Counter({(dimension, of): number for dimension, of, number in document["covered"]})
    tally = Tally(
        document["histories"], document["rebalances"], counts, Counter(document["reached"]), covered
    )
    kinds = {
        Key(claim, of_input, bucket): Smallest(failed, tuple(size), history)
        for claim, of_input, bucket, failed, size, history in document["kinds"]
    }
    return Sums(tally, kinds)


HEADER: Final = "campaign.json"
FOLDER: Final = "batches"


@dataclass
class Campaign:
    """An open campaign; `done`: receipts by batch, `planned`: plans, `damaged`: invalid receipts.

    `format` is that of its tables; `struck`: how often a batch was found damaged.
    """

    spec: Spec
    lanes: tuple[Lane, ...]
    store: Store
    planned: dict[int, list[Chunk]] = field(default_factory=dict)
    done: dict[int, dict[str, Any]] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)
    format: str = PARQUET
    struck: dict[int, int] = field(default_factory=dict)

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
        if self.format != PARQUET:
            return self._from_format(spark, table)
        if not table.batched:
            return spark.read.schema(table.ddl).parquet(root)
        files = (self.done[number]["files"].get(table.name, ()) for number in sorted(self.done))
        places = [self.store.address(name) for names in files for name in names]
        if not places:
            return spark.createDataFrame([], f"{table.ddl}, `batch` int")
        return spark.read.schema(f"{table.ddl}, `batch` int").option("basePath", root).parquet(*places)

    def _from_format(self, spark: SparkSession, table: Table) -> DataFrame:
        if table.batched and (not self.done or table not in self.batched):
            return spark.createDataFrame([], f"{table.ddl}, `batch` int")
        frame = spark.read.format(self.format).load(self.address(table))
        return frame.where(frame["batch"].isin([*self.done])) if table.batched else frame

    def plan(self, number: int, parts: list[Chunk]) -> None:
        """Record the plan of the batch."""
        document = {"parts": [list(part) for part in parts], "struck": self.struck.get(number, 0)}
        self.store.write(f"{FOLDER}/{number:06d}.plan.json", document)
        self.planned[number] = parts

    def sign(self, number: int, receipt: dict[str, Any]) -> None:
        """Write the batch's receipt, which makes it count, then the manifest."""
        places = {table.name: f"tables/{table.name}/batch={number}" for table in self.batched}
        own = places.items() if self.format == PARQUET else ()
        receipt = {**receipt, "files": {name: files_in(self.store, place) for name, place in own}}
        write_receipt(self.store, f"{FOLDER}/{number:06d}.done.json", receipt)
        self.done[number] = receipt
        self.damaged = [other for other in self.damaged if other != number]
        self.publish()

    def strike(self, number: int) -> None:
        """Delete the batch's receipt, so that it is played again."""
        self.struck[number] = self.struck.get(number, 0) + 1
        self.plan(number, self.planned[number])
        self.store.remove(f"{FOLDER}/{number:06d}.done.json")
        del self.done[number]
        self.publish()

    def publish(self, listed: Mapping[str, list[str]] | None = None) -> None:
        """Write the manifest: the files that count at this moment; beyond Parquet those that are listed."""
        if self.format != PARQUET:
            write_manifest(self.store, listed or {})
            return
        files: dict[str, list[str]] = {
            name: [] if table.batched else files_in(self.store, f"tables/{name}")
            for name, table in TABLES.items()
            if not table.batched or table in self.batched
        }
        for number in sorted(self.done):
            for name, own in self.done[number]["files"].items():
                files[name] += own
        write_manifest(self.store, files)


def create(spec: Spec, store: Store, format_: str | None = None, where: str = "") -> Campaign:
    """A new campaign in an empty location, or the existing one of the same spec; Parquet unless it says so.

    Raises `InputError` if the location holds another campaign or anything else. Errors of the spec's targets
    begin with `where`, the file of the spec.
    """
    try:
        lanes = lanes_of(spec)
    except (InputError, TargetError) as error:
        error.args = (": ".join(filter(None, (where, str(error)))),)
        raise
    header = store.read(HEADER)
    if header is not None:
        if header.get("schema") != SCHEMA or header.get("identity") != spec.identity:
            raise InputError(
                f"{store.place}: holds another campaign ({_other(header.get('spec', {}), spec)}), "
                "expected an empty folder or the same spec"
            )
        return reopen(store, spec.pace, format_)
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
            "format": format_ or PARQUET,
        },
    )
    return Campaign(spec, lanes, store, format=format_ or PARQUET)


def _other(recorded: Mapping[str, Any], spec: Spec) -> str:
    """What a recorded spec has that this one has not: the seeds and the like, of long fields the names."""
    differing = [
        f"{name} {recorded.get(name)!r}, here {value!r}"
        if isinstance(value, (str, int, float))
        else f"other {name}"
        for name, value in spec.to_json().items()
        if recorded.get(name) != value
    ]
    return "; ".join(differing) or "of another version"


def header_of(store: Store) -> dict[str, Any]:
    """The header of the existing campaign. Raises `InputError` if there is none."""
    header = store.read(HEADER)
    if header is None:
        raise InputError(f"{store.place}: no {HEADER}, expected the folder of a campaign")
    return header


def reopen(store: Store, pace: Pace | None = None, format_: str | None = None) -> Campaign:
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
    if format_ not in (None, header["format"]):
        raise InputError(f"--format {format_}: the tables in {store.place} are in {header['format']}")
    campaign = Campaign(spec, lanes, store, format=header["format"])
    for name in store.names(FOLDER):
        number, _, what = name.partition(".")
        if number.isdigit() and what == "plan.json" and (document := store.read(f"{FOLDER}/{name}")):
            campaign.planned[int(number)] = [Chunk(*part) for part in document["parts"]]
            campaign.struck[int(number)] = document.get("struck", 0)
        elif number.isdigit() and what == "done.json":
            receipt = read_receipt(store, f"{FOLDER}/{name}")
            if receipt is None:
                campaign.damaged.append(int(number))
            else:
                campaign.done[int(number)] = receipt
    campaign.done = {
        number: campaign.done[number] for number in sorted(campaign.done) if number in campaign.planned
    }
    return campaign
