"""Admits synthetic fingerprints to the tables of an exploration on Spark, level by level, in a small heap.

    python -m benchmarks.walk_admission --out DIR                   100 million, in ten levels, with 2 GiB
    python -m benchmarks.walk_admission --out DIR --states 5000000  fewer

Each level also meets states of all earlier levels. After each level: the states admitted, the buckets,
seconds and CPU seconds, and the resident peaks of Java and of this process. Exit code 1 if a count is not
exact.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.engines.protocols.settings import ExploreSettings
from kassay.pipeline.spark import session
from kassay.pipeline.store import Local
from kassay.pipeline.walk.records import Receipt, open_journal
from kassay.pipeline.walk.tables import STEPS, State, WalkTables, Written
from kassay.pipeline.walk.worker import STEPS_DDL, SparkWalk, packed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEVELS = 10
AGAIN = 5
"""Of each earlier level, one of so many states times the number of levels is met again."""
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


def used(spark: SparkSession) -> tuple[float, str]:
    """Java's CPU seconds, and the resident peaks of Java and of this process."""
    place = Path(f"/proc/{spark._jvm.java.lang.ProcessHandle.current().pid()}")
    ticks = (place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    peak = PEAK.search((place / "status").read_text(encoding="utf-8"))
    java, python = int(peak[1]) if peak else 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), (
        f"peak of Java {java >> 10:,} MiB, of Python {python >> 10:,} MiB"
    )


def met(tables: WalkTables, level: int, new: int) -> None:
    """Write what the workers of a level would have: its new states, and some of earlier levels."""
    spark, low = tables.spark, (level - 1) * new
    again = spark.range(0, low, AGAIN * level)
    numbers = spark.range(low, low + new).union(again)
    columns = ["xxhash64(id) AS met", "id AS parent", "CAST(CAST(id AS STRING) AS BINARY) AS data"]
    blank = [f"CAST(NULL AS {each.split()[1]}) AS {each.split()[0]}" for each in STEPS_DDL.split(", ")[3:]]
    rows = numbers.selectExpr(*columns, *blank)
    rows.write.mode("overwrite").parquet(tables.store.address(f"{STEPS}/level={level}"))


def receipt(level: int, states: int, following: Written) -> Receipt:
    """A receipt of a level without findings."""
    return Receipt(level, states, 0, *following, noted=[], checked=[], actions={}, elapsed_s=0.0)


def main() -> int:
    """Admit them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="an empty folder; 6 GB for 100 million")
    parser.add_argument("--states", type=int, default=100_000_000)
    parser.add_argument("--heap", default="2g")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE")
    chosen = parser.parse_args()
    conf = {"spark.local.dir": str(chosen.out / "spill")}
    conf |= dict(pair.split("=", 1) for pair in chosen.config)
    new = chosen.states // LEVELS
    journal = open_journal(Local(chosen.out), SparkWalk(ExploreSettings("draft"), ""))
    with session(chosen.master, conf, name="walk_admission", heap=chosen.heap) as spark:
        tables, expected = WalkTables(spark, journal), 2
        start = tables.append([State(0, 0, b"", 0), State(1, 0, b"", 1)], [(0, [packed([], [])])])
        journal.sign(receipt(0, 1, start[1]))
        for level in range(1, LEVELS + 1):
            met(tables, level, new)
            began, cpu_s = time.monotonic(), used(spark)[0]
            following = tables.admit(level)
            took, (now_s, peaks) = time.monotonic() - began, used(spark)
            journal.sign(receipt(level, journal.waiting, following))
            expected += new
            print(
                f"{journal.states:,} states, {following.states:,} new in {following.buckets} buckets, "
                f"{took:,.0f} s, {now_s - cpu_s:,.0f} CPU s, {peaks}",
                flush=True,
            )
    return int(journal.states != expected)


if __name__ == "__main__":
    sys.exit(main())
