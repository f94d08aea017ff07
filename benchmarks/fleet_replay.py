"""A fleet of 2,000 groups and 50 snapshots: time and rate, and a sample replayed in plain Python.

Run: python benchmarks/fleet_replay.py [GROUPS [SNAPSHOTS]]
"""

import sys
import tempfile
import time
from contextlib import ExitStack

from kassay.certify.targets import resolve
from kassay.pipeline.fleet.fleet import replay_fleet
from kassay.pipeline.fleet.generate import FleetSpec, texts
from kassay.pipeline.fleet.replay import replay_group
from kassay.pipeline.session import session

SAMPLE = 20
ASSIGNORS = ("range", "sticky", "optimal-sticky")


def main() -> None:
    groups, snapshots = [*map(int, sys.argv[1:]), *(2000, 50)[len(sys.argv) - 1 :]][:2]
    targets = [resolve(name) for name in ASSIGNORS]
    with session("local[2]") as spark, tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        made = texts(spark, FleetSpec(groups, snapshots, 1), 16)
        made.coalesce(2).write.partitionBy("at").text(f"file://{folder}/snapshots")
        print(f"generated in {time.perf_counter() - began:.1f} s", flush=True)
        began = time.perf_counter()
        found = replay_fleet(spark, [f"{folder}/snapshots"], f"file://{folder}/out", targets, {})
        spent = time.perf_counter() - began
        print(f"{found['groups']} groups, {found['snapshots']} snapshots: {spent:.1f} s", flush=True)
        print(f"{found['snapshots'] / spent:.0f} snapshots/s", found["events"], found["rejected"])
        for row in found["assignors"]:
            print(row)
        rows = spark.read.parquet(f"file://{folder}/out/snapshots")
        replays = spark.read.parquet(f"file://{folder}/out/replays")
        names = [r.group for r in replays.select("group").distinct().orderBy("group").limit(SAMPLE).collect()]
        alike = 0
        with ExitStack() as stack:
            hosts = {target.spec: stack.enter_context(target.open()) for target in targets}
            for name in names:
                own = [r.asDict(recursive=True) for r in rows.where(rows["group"] == name).collect()]
                plain = {
                    r["assignor"]: r for r in replay_group(name, own, targets, lambda t: hosts[t.spec], {})
                }
                table = replays.where(replays["group"] == name).collect()
                alike += {r.assignor: r.asDict() for r in table} == plain
        print(f"{alike} of {len(names)} sampled groups replayed alike in plain Python")


if __name__ == "__main__":
    main()
