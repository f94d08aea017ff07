"""Workers that have another kassay, none, or another file of a target are never believed."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engines.runs.blocks import Job
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.pipeline.campaign.spec import Pace, TargetSpec
from kassay.pipeline.workers import WorkerRefused, as_on_driver, own_code, sources_of
from tests.paths import ROOT

TARGET = (ROOT / "examples" / "lag_assignor.py").read_text(encoding="utf-8")


def job_of(path: Path) -> Job:
    return Job(resolve(str(path)), RunOptions(budget=Budget(histories=1)))


def test_the_same_file_is_used_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "lags.py"
    path.write_text(TARGET)
    job = job_of(path)
    assert as_on_driver(job, sources_of([job.target])) is job


@pytest.mark.parametrize("there", ["none", "another"])
def test_the_drivers_file_travels_where_there_is_none_or_another(tmp_path: Path, there: str) -> None:
    path = tmp_path / "lags.py"
    path.write_text(TARGET)
    job = job_of(path)
    files = sources_of([job.target])
    if there == "none":
        path.unlink()
    else:
        path.write_text(TARGET + "\nx = 1\n")
    moved = as_on_driver(job, files)
    assert (moved.target.spec, moved.target.digest) == (job.target.spec, job.target.digest)
    assert moved.target.sources != job.target.sources
    assert Path(moved.target.sources[0]).read_text() == TARGET


def test_a_file_that_is_too_large_to_travel_ends_the_task(tmp_path: Path) -> None:
    path = tmp_path / "lags.py"
    path.write_text(TARGET)
    job = job_of(path)
    files = {name: replace(each, content=None) for name, each in sources_of([job.target]).items()}
    path.write_text(TARGET + "\nx = 1\n")
    with pytest.raises(WorkerRefused, match="another file than the driver's, expected the driver's on every"):
        as_on_driver(job, files)
    path.unlink()
    with pytest.raises(WorkerRefused, match="no such file"):
        as_on_driver(job, files)


def _copy(folder: Path, version: str, *, faulty: bool) -> Path:
    """A kassay of another version, or of this version with other code."""
    shutil.copytree(ROOT / "src" / "kassay", folder / "kassay", ignore=shutil.ignore_patterns("__pycache__"))
    init, rule = folder / "kassay" / "__init__.py", folder / "kassay/assignors/groups/client/range.py"
    text = init.read_text()
    assert f'"{own_code().version}"' in text
    init.write_text(text.replace(f'"{own_code().version}"', f'"{version}"'))
    if faulty:
        rule.write_text(rule.read_text() + "\n# another rule\n")
    return folder


def _python(folder: Path, path: str, options: str = "") -> str:
    """A Python for Spark's workers that finds its modules in `path` first."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{path}" exec "{sys.executable}" {options} "$@"\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("worker", ["another version", "other code", "no kassay"])
def test_another_kassay_on_a_worker_ends_the_batch_with_one_line(tmp_path: Path, worker: str) -> None:
    from tests.pipeline.campaign.campaigns import SPEC
    from tests.pipeline.commands import kassay, toml

    own = own_code()
    if worker == "no kassay":
        hidden = tmp_path / "hidden"
        hidden.mkdir()
        (hidden / "kassay.py").write_text("raise ImportError('no kassay')\n")  # found before the other
        python, said = (
            _python(tmp_path, str(hidden)),
            f"no kassay for {sys.executable}, expected {own.version}",
        )
    else:
        version = "0.0.9" if worker == "another version" else own.version
        other = _copy(tmp_path / "other", version, faulty=worker == "other code")
        python, said = _python(tmp_path, str(other)), f"kassay {version} ("
    spec = replace(
        SPEC, targets=(TargetSpec("range"),), histories=(("small", 4),), pace=Pace(batch_histories=4)
    )
    out = tmp_path / "out"
    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = python
    try:
        process = kassay("run", str(toml(spec, tmp_path / "c.toml")), "--out", str(out))
        _, errors = process.communicate(timeout=300)
    finally:
        os.environ.pop("PYSPARK_PYTHON") if before is None else os.environ.update(PYSPARK_PYTHON=before)
    line = errors.strip().splitlines()[-1]
    assert process.returncode == 3, errors
    assert said in line and line.endswith(("on every worker", "install the driver's kassay on every worker"))
    assert not list(out.glob("batches/*.done.json"))


@pytest.mark.spark
@pytest.mark.slow
def test_receipts_name_the_code_and_another_kassay_does_not_continue(tmp_path: Path) -> None:
    from tests.pipeline.campaign.campaigns import SPEC
    from tests.pipeline.commands import kassay, toml

    spec = replace(
        SPEC, targets=(TargetSpec("range"),), histories=(("small", 4),), pace=Pace(batch_histories=4)
    )
    out = tmp_path / "out"
    kassay("run", str(toml(spec, tmp_path / "c.toml")), "--out", str(out)).communicate(timeout=300)
    (receipt,) = (json.loads(path.read_text()) for path in out.glob("batches/*.done.json"))
    assert receipt["code"] == own_code()._asdict()
    assert receipt["targets"] == {"range": None}
    other = _copy(tmp_path / "other", own_code().version, faulty=True)
    (out / "batches" / "000001.plan.json").write_text('{"parts": [[0, 4, 5]]}')
    done = subprocess.run(
        [sys.executable, "-m", "kassay", "campaign", "run", str(out)],
        env={**os.environ, "PYTHONPATH": str(other)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert f"batch 0 was played by {own_code()}, this is kassay" in done.stderr
