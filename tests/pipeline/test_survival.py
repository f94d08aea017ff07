"""Killed drivers, killed workers, other masters: the tables are the same."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.pipeline.campaign.spec import Pace
from tests.pipeline.campaign.campaigns import SPEC
from tests.pipeline.clusters import standalone
from tests.pipeline.commands import Undisturbed, below, contents, end_tree, finished, kassay, toml

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_a_driver_killed_three_times(undisturbed: Undisturbed, tmp_path: Path) -> None:
    expected = undisturbed.tables
    out = tmp_path / "out"
    finer = toml(replace(SPEC, pace=Pace(batch_histories=9)), tmp_path / "c.toml")
    for _ in range(3):
        process = kassay("run", str(finer), "--out", str(out), "--config", "spark.master=local[2]")
        had = len(list(out.glob("batches/*.done.json")))
        end = time.monotonic() + 120
        while len(list(out.glob("batches/*.done.json"))) <= had and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(0.7)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert not list(out.glob("tables/verdicts/*.parquet"))
    finished(kassay("run", str(out), "--config", "spark.master=local[2]"))
    assert contents(out) == expected


def python_workers(driver: int) -> list[int]:
    """The Python worker processes below a driver."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            if b"pyspark.daemon" in words and below(int(path.name), driver):
                found.append(int(path.name))
        except OSError:
            continue
    return found


def test_a_killed_python_worker_is_only_a_task_done_again(undisturbed: Undisturbed, tmp_path: Path) -> None:
    spec, expected = undisturbed.spec, undisturbed.tables
    process = kassay("run", str(spec), "--out", str(tmp_path / "out"), "--config", "spark.master=local[2]")
    end, killed = time.monotonic() + 120, 0
    while not killed and time.monotonic() < end:
        # The daemon is the parent of the workers; the youngest of them all is a worker at work.
        workers = sorted(python_workers(process.pid))[1:]
        for pid in workers[-1:]:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        time.sleep(0.02)
    assert killed
    finished(process)
    assert contents(tmp_path / "out") == expected


def test_an_interrupt_is_one_line_and_leaves_nothing_running(tmp_path: Path) -> None:
    """Ctrl-C goes to the driver, Java and the workers alike."""
    out = tmp_path / "out"
    slow = toml(
        replace(SPEC, histories=(("small", 3000),), pace=Pace(batch_histories=1000)), tmp_path / "c.toml"
    )
    process = kassay("run", str(slow), "--out", str(out), "--config", "spark.master=local[2]")
    end = time.monotonic() + 200
    while not list(out.glob("batches/000000.plan.json")) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(3)
    family = [int(p.name) for p in Path("/proc").glob("[0-9]*") if running_below(int(p.name), process.pid)]
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=900)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "kassay: interrupted"
    assert "Traceback" not in err
    assert len(family) > 1
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in family) and time.monotonic() < end:
        time.sleep(0.2)
    assert not [pid for pid in family if Path(f"/proc/{pid}").exists()]


def running_below(pid: int, ancestor: int) -> bool:
    try:
        return below(pid, ancestor)
    except OSError:
        return False


@pytest.mark.deep  # 35 s, and the standalone cluster is tried below
def test_a_local_cluster(undisturbed: Undisturbed, tmp_path: Path) -> None:
    spec, expected = undisturbed.spec, undisturbed.tables
    finished(
        kassay(
            "run",
            str(spec),
            "--out",
            str(tmp_path / "out"),
            "--config",
            "spark.master=local-cluster[2,1,1024]",
        )
    )
    assert contents(tmp_path / "out") == expected


def test_a_standalone_master_that_loses_a_worker(undisturbed: Undisturbed, tmp_path: Path) -> None:
    spec, expected = undisturbed.spec, undisturbed.tables
    out = tmp_path / "out"
    with standalone(tmp_path) as (url, started):

        def lose() -> None:
            end = time.monotonic() + 200
            while not list(out.glob("batches/*.done.json")) and time.monotonic() < end:
                time.sleep(0.1)
            end_tree(started[1].pid)

        thread = threading.Thread(target=lose)
        thread.start()
        finished(kassay("run", str(spec), "--out", str(out), "--config", f"spark.master={url}"))
        thread.join()
    assert contents(out) == expected
