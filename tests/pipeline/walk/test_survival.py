"""A walk on Spark that is killed, through the command: the same command goes on and comes to the same.

So does a standalone master with two workers, whose tables have the same rows.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.clusters import standalone
from tests.pipeline.walk.walks import rows

pytestmark = [pytest.mark.spark, pytest.mark.slow]

WORLD = ("kip848", "--faults", "crash=1,pause=1", "--switch", "recompute_on_new_target")
"""Some levels are wide enough for the workers, and promises are broken."""


def explored(json_file: Path, *ways: str) -> subprocess.Popen[str]:
    """`kassay explore` of the world in a process group of its own."""
    command = [sys.executable, "-m", "kassay", "explore", *WORLD, "--json", str(json_file), *ways]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def came_to(json_file: Path) -> dict[str, Any]:
    """All of a result that does not depend on who walked."""
    found = json.loads(json_file.read_text(encoding="utf-8"))
    said = {key: found[key] for key in ("states", "edges", "diameter", "limit", "verdict", "not_checked")}
    violations = [
        [each[key] for key in ("invariant", "severity", "seen", "length")] for each in found["violations"]
    ]
    stuck = [[len(each["trace"]) for each in found[kind]] for kind in ("dead_ends", "livelocks")]
    return said | {"violations": violations, "stuck": stuck}


def test_a_killed_walk_goes_on_and_comes_to_what_one_process_comes_to(tmp_path: Path) -> None:
    alone = explored(tmp_path / "alone.json")
    _, err = alone.communicate(timeout=600)
    assert alone.returncode == 1, err
    master = ("--config", "spark.master=local[2]", "--out", str(tmp_path / "walk"))
    steps = tmp_path / "walk" / "steps"
    killed = explored(tmp_path / "killed.json", *master)
    # Small levels are walked by the command and written together; then comes one of the workers' own.
    while killed.poll() is None and not list(steps.glob("_temporary")) + list(steps.glob("*/_temporary")):
        time.sleep(0.02)
    time.sleep(1)
    assert killed.poll() is None
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    done = len(list((tmp_path / "walk" / "levels").glob("*.json")))
    again = explored(tmp_path / "again.json", *master)
    _, err = again.communicate(timeout=900)
    assert again.returncode == 1, err
    assert f"going on in {tmp_path / 'walk'}" in err or not done
    assert not (tmp_path / "killed.json").exists()
    assert came_to(tmp_path / "again.json") == came_to(tmp_path / "alone.json")
    with standalone(tmp_path) as (url, _):
        place = str(tmp_path / "cluster")
        other = explored(tmp_path / "other.json", "--config", f"spark.master={url}", "--out", place)
        _, err = other.communicate(timeout=900)
    assert other.returncode == 1, err
    assert rows(tmp_path / "cluster") == rows(tmp_path / "walk")
    assert came_to(tmp_path / "other.json") == came_to(tmp_path / "alone.json")
