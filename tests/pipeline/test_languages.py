"""Targets in other languages, asked by Spark's workers: the same answers, and no process that stays."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from kassay.pipeline.campaign.spec import Pace, Spec, TargetSpec
from tests.javac import client, require_java
from tests.paths import EXAMPLES
from tests.pipeline.commands import contents, kassay, toml

pytestmark = pytest.mark.spark

FAIR = EXAMPLES / "exec" / "fair.py"


def other(language: str) -> tuple[str, str, str]:
    """A target in the language, what stands in the command of its process, and a target that answers alike."""
    if language == "node":
        if shutil.which("node") is None:
            pytest.skip("needs node")
        return (
            f"exec:node {shlex.quote(str(FAIR.with_suffix('.mjs')))}",
            "fair.mjs",
            f"exec:{shlex.join([sys.executable, str(FAIR)])}",
        )
    if language == "mixed":
        one = f"exec:{shlex.join([sys.executable, str(FAIR)])}"
        # what a target declares decides which histories a seed gives: both are mixed
        return f"mixed:{one},{one}", "fair.py", f"mixed:{one},{one},{one}"
    require_java()
    return f"kafka-clients:range@{client()}", "kassay.Shim", "range"


def running(word: str) -> set[str]:
    """The ids of all processes here in whose command the word stands."""
    ids = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in command:
            ids.add(path.parent.name)
    return ids


# `mixed`, 30 s, is both of the others at once.
@pytest.mark.parametrize("language", ["node", "java", pytest.param("mixed", marks=pytest.mark.deep)])
def test_workers_ask_other_languages_as_their_own_and_leave_no_process(tmp_path: Path, language: str) -> None:
    target, word, alike = other(language)
    before = running(word)
    claims = ("complete", "subscribed", "exists", "topic-even")
    spec = Spec(
        "languages",
        (TargetSpec(target), TargetSpec(alike)),
        (("small", 40),),
        seed=7,
        claims=claims,
        gap=True,
        pace=Pace(batch_histories=20),
    )
    file, out = toml(spec, tmp_path / "c.toml"), tmp_path / "out"
    process = kassay("run", str(file), "--out", str(out), "--config", "spark.master=local[2]")
    _, err = process.communicate(timeout=900)
    assert process.returncode in (0, 1, 3), err
    rows = contents(out)["runs"]
    by_target = [sorted(str(row) for row in rows if name in row) for name in (target, alike)]
    assert len(by_target[0]) == len(by_target[1]) == 40
    assert [row.replace(target, alike) for row in by_target[0]] == by_target[1]
    assert running(word) <= before
