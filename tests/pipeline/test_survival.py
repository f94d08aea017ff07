"""Killed drivers, killed workers, other masters, no Java: the tables are the same."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kassay.pipeline.spec import Pace, Spec
from tests.pipeline.campaigns import SPEC

duckdb = pytest.importorskip("duckdb", reason="the pipeline's tests have an environment of their own")

pytestmark = [pytest.mark.spark, pytest.mark.slow]

DETERMINISTIC = ("runs", "gaps", "verdicts", "findings", "reached")


def toml(spec: Spec, path: Path) -> Path:
    """The spec as a file."""
    found = spec.to_json()
    lines = [
        "[campaign]",
        f"name = {json.dumps(found['name'])}",
        f"seed = {found['seed']}",
        f"targets = {json.dumps([t['spec'] for t in found['targets']])}",
        f"claims = {json.dumps(found['claims'])}",
        f"gap = {json.dumps(found['gap'])}",
        "[histories]",
        *(f"{json.dumps(name)} = {count}" for name, count in found["histories"]),
        "[pace]",
        f"batch_histories = {spec.pace.batch_histories}",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def contents(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The deterministic tables, sorted, without the batch that a row came in."""
    found = {}
    for name in DETERMINISTIC:
        place = f"read_parquet('{folder}/tables/{name}/**/*.parquet', hive_partitioning=false)"
        found[name] = duckdb.sql(f"SELECT * FROM {place} ORDER BY ALL").fetchall()
    return found


def kassay(*arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kassay", "campaign", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True
    )


def finished(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    out, err = process.communicate(timeout=400)
    assert process.returncode == 1, f"{out}\n{err}"
    return process


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    spec = toml(SPEC, folder / "c.toml")
    finished(kassay("run", str(spec), "--out", str(folder / "out"), "--master", "local[1]"))
    return spec, contents(folder / "out")


def test_a_driver_killed_three_times(undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    _, expected = undisturbed
    out = tmp_path / "out"
    finer = toml(replace(SPEC, pace=Pace(batch_histories=9)), tmp_path / "c.toml")
    for _ in range(3):
        process = kassay("run", str(finer), "--out", str(out), "--master", "local[2]")
        had = len(list(out.glob("batches/*.done.json")))
        end = time.monotonic() + 120
        while len(list(out.glob("batches/*.done.json"))) <= had and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(0.7)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert not list(out.glob("tables/verdicts/*.parquet"))
    finished(kassay("resume", str(out), "--master", "local[2]"))
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


def below(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return False


def test_a_killed_python_worker_is_only_a_task_done_again(
    undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    spec, expected = undisturbed
    process = kassay("run", str(spec), "--out", str(tmp_path / "out"), "--master", "local[2]")
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


def test_a_local_cluster(undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    spec, expected = undisturbed
    finished(kassay("run", str(spec), "--out", str(tmp_path / "out"), "--master", "local-cluster[2,1,1024]"))
    assert contents(tmp_path / "out") == expected


@contextmanager
def standalone(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A master and two workers on loopback; everything is ended with the block."""
    import pyspark

    from kassay.pipeline.java import java_home

    home = Path(pyspark.__file__).parent
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_PUBLIC_DNS": "127.0.0.1",
        "JAVA_HOME": str(java_home(folder)),
    }

    def begin(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), *arguments],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    url, package = f"spark://127.0.0.1:{port}", "org.apache.spark.deploy"
    started = [
        begin(f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    ]
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        for number in range(2):
            work = folder / f"work{number}"
            started.append(
                begin(
                    *(f"{package}.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"),
                    *("--cores", "1", "--memory", "1g", "--work-dir", str(work), url),
                )
            )
        yield url, started
    finally:
        for process in started:
            end_tree(process.pid)
            process.wait()


def end_tree(root: int) -> None:
    """SIGKILL for a process and everything below it, by id."""
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    doomed = []
    for pid in pids:
        try:
            if below(pid, root):
                doomed.append(pid)
        except OSError:
            continue
    for pid in doomed:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def test_a_standalone_master_that_loses_a_worker(
    undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    spec, expected = undisturbed
    out = tmp_path / "out"
    with standalone(tmp_path) as (url, started):

        def lose() -> None:
            end = time.monotonic() + 200
            while not list(out.glob("batches/*.done.json")) and time.monotonic() < end:
                time.sleep(0.1)
            end_tree(started[1].pid)

        thread = threading.Thread(target=lose)
        thread.start()
        finished(kassay("run", str(spec), "--out", str(out), "--master", url))
        thread.join()
    assert contents(out) == expected


def test_without_java_on_the_machine(tmp_path: Path) -> None:
    """An empty environment whose PATH has core utilities and no java."""
    tools = tmp_path / "bin"
    tools.mkdir()
    needed = "bash sh cat chmod dirname basename env expr grep head id ls mkdir mktemp nice ps readlink rm sed sort tail tr uname which"
    for name in needed.split():
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    spec = toml(replace(SPEC, histories=(("small", 30),)), tmp_path / "c.toml")
    env = {"PATH": str(tools), "HOME": str(tmp_path)}
    assert shutil.which("java", path=str(tools)) is None
    finished(kassay("run", str(spec), "--out", str(tmp_path / "out"), env=env))
    assert len(contents(tmp_path / "out")["runs"]) == 60


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("resume", "nowhere"), "no campaign.json, expected the folder of a campaign"),
        (("run", "missing.toml"), "missing.toml: no such file"),
        (("run", "c.toml", "--master", "spark://127.0.0.1:1"), "nobody answers there"),
        (("run", "c.toml", "--master", "mesos"), "expected local[N]"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    toml(SPEC, tmp_path / "c.toml")
    command = [sys.executable, "-m", "kassay", "campaign", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert ended.returncode == 2
    assert says in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_a_full_disk_is_one_line_and_loses_nothing(
    undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """A limit on the size of files stands for the full disk: no tmpfs may be mounted everywhere."""
    spec, expected = undisturbed
    out = tmp_path / "out"
    limited = [
        *("bash", "-c", 'ulimit -f 24; exec "$@"', "limited"),
        *(sys.executable, "-m", "kassay", "campaign", "run", str(spec), "--out", str(out)),
        *("--master", "local[1]", "--conf", "spark.ui.enabled=false"),
    ]
    ended = subprocess.run(limited, capture_output=True, text=True, timeout=300)
    if ended.returncode != 1:
        assert ended.returncode == 2, ended.stderr
        assert "cannot be written" in ended.stderr.splitlines()[-1]
    finished(kassay("resume", str(out), "--master", "local[2]"))
    assert contents(out) == expected
