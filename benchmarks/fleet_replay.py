"""A fleet of 2,000 groups and 50 snapshots: time, rate and memory, and a sample checked in plain Python.

Run: python -m benchmarks.fleet_replay [GROUPS [SNAPSHOTS [FOLDER]]]   (a FOLDER keeps what it makes)

CPU time is user and system time of this process and all its children, Java's among them; memory is the
sum of their peaks. Both are read from /proc. The sample is replayed by `tests/pipeline/fleet/plain.py`,
which shares no code with the pipeline.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.pipeline.fleet import plain

from kassay.engines.targets.resolve import resolve
from kassay.pipeline.fleet.fleet import FleetWork, replay_fleet
from kassay.pipeline.fleet.generate import FleetSpec, dialect_of, moments, texts
from kassay.pipeline.fleet.ledger import open_ledger
from kassay.pipeline.spark import session
from kassay.pipeline.store import Local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = 1
SAMPLE = 40
ASSIGNORS = ("range", "sticky", "optimal-sticky")
FIGURES = (
    "to_switch",
    "rebalances",
    "moved",
    "moved_least",
    "balance",
    "balance_worst",
    "spread_worst",
    "invalid",
)


def main() -> None:
    given = sys.argv[1:]
    groups, snapshots = (int(given[i]) if len(given) > i else size for i, size in enumerate((2000, 50)))
    spec = FleetSpec(groups, snapshots, SEED)
    kept = nullcontext(given[2]) if len(given) > 2 else tempfile.TemporaryDirectory()
    with session("local[2]") as spark, kept as name:
        folder = Path(name).resolve()
        if not (folder / "snapshots").exists():
            _generate(spark, spec, folder)
        _replay(spark, folder)
        _check(spark, spec, folder)


def _generate(spark: SparkSession, spec: FleetSpec, folder: Path) -> None:
    began, used = time.perf_counter(), cpu_seconds()
    snapshots = texts(spark, spec, 64).coalesce(2)
    snapshots.write.partitionBy("at").text(f"file://{folder}/snapshots")
    size = sum(path.stat().st_size for path in folder.rglob("*.txt"))
    print(
        f"generated {size / 1e6:,.0f} MB in {time.perf_counter() - began:.0f} s, "
        f"{cpu_seconds() - used:.0f} s of CPU time",
        flush=True,
    )


def _replay(spark: SparkSession, folder: Path) -> None:
    began, used = time.perf_counter(), cpu_seconds()
    targets = [resolve(name) for name in ASSIGNORS]
    ledger = open_ledger(Local(folder / "out"), {target.spec: target.digest for target in targets})
    outcome = replay_fleet(FleetWork(spark, ledger, targets, {}), [f"{folder}/snapshots"])
    spent, cpu = time.perf_counter() - began, cpu_seconds() - used
    print(
        f"{outcome['groups']:,} groups, {outcome['snapshots']:,} snapshots: {spent:.0f} s "
        f"({outcome['snapshots'] / spent:,.0f} snapshots/s), {cpu:.0f} s of CPU time "
        f"({outcome['snapshots'] / cpu:,.0f} snapshots a CPU second), peak memory {peak_mib():,.0f} MiB; "
        f"load of the machine {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    print(outcome["events"], outcome["rejected"])
    for row in outcome["assignors"]:
        print(row)


def _check(spark: SparkSession, spec: FleetSpec, folder: Path) -> None:
    """Compare a sample of the tables with what a plain replay of the files says."""
    began = time.perf_counter()
    source = random.Random(SEED)
    numbers = [n for n in range(spec.groups) if dialect_of(spec, n) in ("offsets", "members-lost", "json")]
    wanted = [moments(spec, n)[0] for n in source.sample(numbers, min(SAMPLE, len(numbers)))]
    read = plain.read(folder / "snapshots", wanted)
    small = {group: snapshots for group, snapshots in read.items() if plain.checkable(snapshots)}
    table = _rows(spark, folder, "replays", list(small))
    happened = _rows(spark, folder, "events", list(small))
    rebalances, wrong = 0, []
    for group, snapshots in small.items():
        expected = plain.replay(snapshots, ASSIGNORS)
        rebalances += expected["actual"]["rebalances"]
        rows = {row["assignor"]: {name: row[name] for name in FIGURES} for row in table[group]}
        columns = ("at", "event", "member_id", "topic", "partition_number")
        events = {tuple(row[name] for name in columns) for row in happened.get(group, ())}
        if rows != expected or events != set(plain.events(snapshots)):
            wrong.append(group)
    print(
        f"sample: {len(small) - len(wrong)} of {len(small)} groups ({rebalances} rebalances, "
        f"{len(ASSIGNORS)} assignors) are in the tables as a plain replay finds them, "
        f"{len(read) - len(small)} too large to check; {time.perf_counter() - began:.0f} s"
    )
    if wrong or not small:
        sys.exit(f"differ: {', '.join(wrong) or 'nothing was checked'}")


def _rows(
    spark: SparkSession, folder: Path, table: str, groups: Sequence[str]
) -> Mapping[str, list[dict[str, Any]]]:
    frame = spark.read.parquet(f"file://{folder}/out/tables/{table}")
    if "seen_at" in frame.columns:
        frame = frame.selectExpr("*", "unix_millis(seen_at) AS at")
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in frame.where(frame["group_id"].isin(list(groups))).collect():
        rows.setdefault(row["group_id"], []).append(row.asDict())
    return rows


def _family() -> list[Path]:
    """This process and all below it, as folders of /proc."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return [Path("/proc") / str(pid) for pid in family]


def cpu_seconds() -> float:
    """User and system time of the family, ended children included."""
    ticks = 0
    for place in _family():
        try:
            ticks += sum(map(int, (place / "stat").read_text().rpartition(")")[2].split()[11:15]))
        except OSError:  # as above
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_mib() -> float:
    """The sum of the family's peaks of resident memory; an upper bound on the peak of the sum."""
    total = 0
    for place in _family():
        try:
            status = (place / "status").read_text()
        except OSError:  # as above
            continue
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return total / 1024


if __name__ == "__main__":
    main()
