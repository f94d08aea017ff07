"""Campaigns as commands in processes of their own, and their tables read without Spark."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kassay.pipeline.campaign.spec import Spec

duckdb = pytest.importorskip("duckdb", reason="the pipeline's tests have an environment of their own")

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


def kassay(*arguments: str) -> subprocess.Popen[str]:
    """`kassay campaign` in a process group of its own."""
    command = [sys.executable, "-m", "kassay", "campaign", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def finished(process: subprocess.Popen[str]) -> str:
    """What a command that found something broken said on the standard error."""
    out, err = process.communicate(timeout=900)
    assert process.returncode == 1, f"{out}\n{err}"
    return err


class Undisturbed(NamedTuple):
    """A campaign that nothing happened to: its spec's file, its folder and its deterministic tables."""

    spec: Path
    out: Path
    tables: dict[str, list[tuple[Any, ...]]]


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_port(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server listens on the port of loopback."""
    end = time.monotonic() + 200
    while server.poll() is None and time.monotonic() < end:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"nothing listens on {port}")


def below(pid: int, ancestor: int) -> bool:
    """Whether one process is below another, or the same."""
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return False


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
