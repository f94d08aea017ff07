"""A folder that is followed, by a process that is killed: every snapshot is judged exactly once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kassay.pipeline.fleet.generate import FleetSpec, moments, snapshot_text, stamp

duckdb = pytest.importorskip("duckdb", reason="the pipeline's tests have an environment of their own")
pytestmark = [pytest.mark.spark, pytest.mark.deep]  # 60 s on two idle cores

SPEC = FleetSpec(5, 8, 3)


def arrive(folder: Path, numbers: range) -> None:
    """Snapshots of these numbers, each written to a hidden name and renamed."""
    folder.mkdir(exist_ok=True)
    seen = {group: list(every) for group, every in (moments(SPEC, n) for n in range(SPEC.groups))}
    for number in numbers:
        text = "\n".join(snapshot_text(group, every[number], "offsets") for group, every in seen.items())
        (folder / ".next").write_text(text, encoding="utf-8")
        (folder / ".next").rename(folder / f"{stamp(next(iter(seen.values()))[number].at)}.txt")


def kassay(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kassay", "fleet", *arguments, "--to", "range", "--to", "sticky"]
    command += ["--config", "spark.master=local[2]"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def until(process: subprocess.Popen[str], holds: Callable[[], object]) -> None:
    end = time.monotonic() + 400
    while not holds() and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def files(out: Path, what: str) -> list[str]:
    """The files in the plans of the loads that have a document of this name."""
    loads = [path.name.partition(".")[0] for path in out.glob(f"loads/*.{what}.json")]
    plans = (json.loads((out / f"loads/{load}.plan.json").read_text(encoding="utf-8")) for load in loads)
    return [path for plan in plans for path, _ in plan["files"]]


def contents(out: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the tables, as readers of the manifest find them."""
    listed = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["tables"]
    every = {name: [str(out / file) for file in own] for name, own in listed.items()}
    return {
        name: duckdb.sql(
            f"SELECT * FROM read_parquet({own}, hive_partitioning = false) ORDER BY ALL"
        ).fetchall()
        for name, own in every.items()
    }


def test_a_killed_follower_counts_every_snapshot_once(tmp_path: Path) -> None:
    came, out = tmp_path / "in", tmp_path / "out"
    arrive(came, range(3))
    following = [str(came), "--out", str(out), "--config", "every=1"]
    process = kassay(*following)
    until(process, lambda: len(files(out, "done")) == 3)
    arrive(came, range(3, 6))
    until(process, lambda: len(files(out, "plan")) > 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(files(out, "done")) == 3
    arrive(came, range(6, 8))
    process = kassay(*following)
    until(process, lambda: len(files(out, "done")) == 8)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 130, err
    assert Counter(files(out, "done")) == {f"file:{path}": 1 for path in came.glob("2*.txt")}
    process = kassay(str(came), "--out", str(tmp_path / "once"))
    _, err = process.communicate(timeout=400)
    assert process.returncode == 0, err
    assert contents(out) == contents(tmp_path / "once")
