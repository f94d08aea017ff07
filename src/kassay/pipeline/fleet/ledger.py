"""A fleet's folder: what was read, load by load, and which files of its tables count.

    fleet.json                                      the header: candidates, version, digest of kassay's code
    loads/000007.plan.json                          the files that load 7 reads, written before it starts
    loads/000007.done.json                          its receipt: the files that it wrote, what was new
    tables/lines/load=7/...                         what it read
    tables/events/seen_on=2026-11-21/load=7/...     a day as it was after load 7
    tables/replays/load=7/...                       a table without days
    manifest.json                                   the files that count, for readers other than kassay

A load writes the days from its first snapshot on, next to those of earlier loads; its receipt makes them
count. A load without a receipt does not count: it is repeated. Files that no longer count are deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay import __version__
from kassay.model.errors import InputError
from kassay.pipeline.fleet.tables import DATED, LINES, TABLES
from kassay.pipeline.store import Store, files_in, read_receipt, write_manifest, write_receipt
from kassay.pipeline.tables import Table
from kassay.pipeline.workers import own_code

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA: Final = "kassay/fleet-folder/1"
HEADER: Final = "fleet.json"
FOLDER: Final = "loads"
DAY: Final = "seen_on"
"""The partition of dated tables: the day of `seen_at`, in UTC."""

Parts = dict[str, dict[str, list[str]]]
"""Files by table and day; the day is empty for a table without days."""


class InputFile(NamedTuple):
    """A file of snapshots, as it was listed."""

    path: str
    size: int


@dataclass
class FleetLedger:
    """An open folder; `planned`: the files of each load, `done`: receipts, both by the load's number."""

    store: Store
    planned: dict[int, list[InputFile]] = field(default_factory=dict)
    done: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def unfinished(self) -> int | None:
        """The load that has a plan and no receipt; None if there is none."""
        return next((number for number in sorted(self.planned) if number not in self.done), None)

    @property
    def latest(self) -> Mapping[str, Any]:
        """The receipt of the last load; empty if there is none."""
        return self.done[max(self.done)] if self.done else {}

    def unread(self, listed: Iterable[InputFile]) -> list[InputFile]:
        """The files that no load has read, in order.

        Raises `InputError` for a file whose size is another one than when it was read.
        """
        known = {path: size for number in self.done for path, size in self.planned[number]}
        new = sorted(set(listed))
        for path, size in new:
            if known.get(path, size) != size:
                raise InputError(
                    f"{path}: {size:,} bytes, and {known[path]:,} when it was read; expected files that stay "
                    "as they are: write to a name that begins with a dot, then rename"
                )
        return [file for file in new if file.path not in known]

    def parts(self, before: int | None = None) -> Parts:
        """The files that count, after all loads or those before this one."""
        parts: Parts = {name: {} for name in TABLES}
        for number in sorted(self.done):
            if before is not None and number >= before:
                break
            receipt = self.done[number]
            for name, own in receipt["wrote"].items():
                since = receipt["since"]
                kept = {
                    day: files
                    for day, files in parts[name].items()
                    if name == LINES.name or (day and (since is None or day < since))
                }
                parts[name] = {**kept, **own}
        return parts

    def plan(self, files: list[InputFile]) -> int:
        """Record what the next load reads; returns its number."""
        number = max(self.planned, default=-1) + 1
        self.replan(number, files)
        return number

    def replan(self, number: int, files: list[InputFile]) -> None:
        """Record what this load, which has no receipt, reads."""
        self.store.write(f"{FOLDER}/{number:06d}.plan.json", {"files": [list(file) for file in files]})
        self.planned[number] = files

    def wrote(self, number: int, table: Table, since: str | None) -> dict[str, list[str]]:
        """The files of a load in a table, by day; of days from `since` on."""
        root = f"tables/{table.name}"
        if table not in DATED:
            return {str(number) if table is LINES else "": files_in(self.store, f"{root}/load={number}")}
        days = (name.removeprefix(f"{DAY}=") for name in self.store.names(root) if name.startswith(DAY))
        by_day = {
            day: files_in(self.store, f"{root}/{DAY}={day}/load={number}")
            for day in days
            if since is not None and day >= since
        }
        return {day: files for day, files in by_day.items() if files}

    def sign(self, number: int, receipt: dict[str, Any]) -> None:
        """Write the load's receipt, which makes it count, and publish it."""
        receipt = {**receipt, "code": list(own_code())}
        write_receipt(self.store, f"{FOLDER}/{number:06d}.done.json", receipt)
        self.done[number] = receipt
        self.publish()

    def publish(self) -> None:
        """Write the manifest, and delete what the last load replaced."""
        if not self.done:
            return
        last = max(self.done)
        counts = self.parts()
        files = {name: [file for own in days.values() for file in own] for name, days in counts.items()}
        write_manifest(self.store, files)
        folders = {_folder(file) for own in files.values() for file in own}
        before = (own for days in self.parts(before=last).values() for own in days.values())
        for folder in sorted({_folder(file) for own in before for file in own} - folders):
            self.store.discard(folder)

    def frame(
        self, spark: SparkSession, table: Table, parts: Parts, *, before: str | None = None
    ) -> DataFrame:
        """The rows of these parts of a table; `before`: of earlier days alone."""
        files = [
            self.store.address(file)
            for day, own in parts[table.name].items()
            if before is None or day < before
            for file in own
        ]
        reader = spark.read.schema(table.ddl)
        return reader.parquet(*files) if files else spark.createDataFrame([], table.ddl)


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def open_ledger(store: Store, candidates: Mapping[str, str | None]) -> FleetLedger:
    """The ledger of a folder, which is begun if it is empty; `candidates` with the digests of their files.

    Raises `InputError` if the folder has anything else, other candidates, or is of another kassay.
    """
    spec = {"to": list(candidates), "digests": dict(candidates)}
    header = store.read(HEADER)
    if header is None:
        if others := [name for name in store.names("") if name != "lock"]:
            raise InputError(
                f"{store.place}: not empty ({others[0]}), expected an empty folder or one of `kassay fleet`"
            )
        store.write(HEADER, {"schema": SCHEMA, "version": __version__, "code": list(own_code()), **spec})
        return FleetLedger(store)
    if header.get("schema") != SCHEMA or header.get("code") != list(own_code()):
        raise InputError(
            f"{store.place}: begun by kassay {header.get('version')} with other code than this {own_code()}; "
            "expected the same, or a new folder"
        )
    for name in spec:
        if header.get(name) != spec[name]:
            begun, now = (", ".join(map(str, each)) for each in (header.get("to", ()), spec["to"]))
            differs = f"{begun}, not {now}" if begun != now else "other files of the same candidates"
            raise InputError(f"{store.place}: begun with {differs}; expected the same --to, or a new folder")
    ledger = FleetLedger(store)
    for name in store.names(FOLDER):
        number, _, what = name.partition(".")
        if what == "plan.json" and (document := store.read(f"{FOLDER}/{name}")):
            ledger.planned[int(number)] = [InputFile(*file) for file in document["files"]]
        elif what == "done.json" and (receipt := read_receipt(store, f"{FOLDER}/{name}")):
            ledger.done[int(number)] = receipt
    if ledger.unfinished is not None and max(ledger.done, default=-1) > ledger.unfinished:
        raise InputError(
            f"{store.place}/{FOLDER}/{ledger.unfinished:06d}.done.json: damaged; expected the receipt as "
            "it was written, or a new folder"
        )
    ledger.publish()
    return ledger
