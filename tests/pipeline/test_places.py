"""Where a campaign may live: a file system of Hadoop's, a disk that fills up."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.pipeline.campaign.spec import Pace
from tests.pipeline.campaign.campaigns import SPEC
from tests.pipeline.commands import Undisturbed, contents, finished, kassay, toml

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_a_place_that_only_hadoop_reaches(undisturbed: Undisturbed, tmp_path: Path) -> None:
    """Hadoop's view file system: another scheme, its own mount table, and a local folder behind it."""
    behind = tmp_path / "behind"
    behind.mkdir()
    spec = toml(replace(SPEC, pace=Pace(batch_histories=14)), tmp_path / "c.toml")
    place = "viewfs://kassay/data/out"
    mount = ("--config", f"spark.hadoop.fs.viewfs.mounttable.kassay.link./data=file://{behind}")
    spark = ("--config", "spark.master=local[2]", *mount)
    process = kassay("run", str(spec), "--out", place, *spark)
    end = time.monotonic() + 200
    while not list(behind.glob("out/batches/*.done.json")) and time.monotonic() < end:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = receipts(behind / "out")
    assert before

    refused = kassay("run", place, *spark)
    _, err = refused.communicate(timeout=200)
    assert refused.returncode == 2
    assert f"in use by process {process.pid}" in err.splitlines()[-1]
    assert f"remove {place}/lock" in err.splitlines()[-1]

    (behind / "out" / "lock").unlink()
    finished(kassay("run", place, *spark))
    assert contents(behind / "out") == undisturbed.tables
    said = finished(kassay("run", place, *spark, "--config", "spark.ui.enabled=true"))
    assert "Spark's pages: http://" in said
    assert contents(behind / "out") == undisturbed.tables
    assert before.items() <= receipts(behind / "out").items()
    assert not (behind / "out" / "lock").exists()


def receipts(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("batches/*.done.json")}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with little room; skips where none may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    asked = [mount or "mount", "-t", "tmpfs", "-o", "size=300k", "none", str(disk)]
    if mount is None or subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("no tmpfs may be mounted here; the limit on the size of files is tested in its place")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_one_line_and_loses_nothing(undisturbed: Undisturbed, small_disk: Path) -> None:
    out = small_disk / "out"
    process = kassay("run", str(undisturbed.spec), "--out", str(out), "--config", "spark.master=local[1]")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 2, err
    assert "cannot be written (No space left on device)" in err.splitlines()[-1]
    assert "Traceback" not in err
    before = receipts(out)
    assert before
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    finished(kassay("run", str(out), "--config", "spark.master=local[2]"))
    assert contents(out) == undisturbed.tables
    assert before.items() <= receipts(out).items()


def test_a_limit_on_files_is_one_line_and_loses_nothing(undisturbed: Undisturbed, tmp_path: Path) -> None:
    """What stands for a full disk where none can be made: the largest table's file does not fit."""
    largest = max(path.stat().st_size for path in undisturbed.out.glob("tables/*/batch=*/*.parquet"))
    out = tmp_path / "out"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 1, largest - 1))

    command = [sys.executable, "-m", "kassay", "campaign", "run", str(undisturbed.spec), "--out", str(out)]
    command += ["--config", "spark.master=local[1]"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, preexec_fn=limit)
    assert ended.returncode == 2, ended.stderr
    assert "cannot be written (File too large)" in ended.stderr.splitlines()[-1]
    finished(kassay("run", str(out), "--config", "spark.master=local[2]"))
    assert contents(out) == undisturbed.tables
