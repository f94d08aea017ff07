"""The page of the gap study: its traces still show what they are kept for, and its files stay small."""

from pathlib import Path

import pytest

from kassay.certify.runs.replay import load_trace, replay
from tests.paths import DOCS

TRACES = sorted((DOCS / "gap-study").glob("*.json"))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_worst_case_of_a_rule_is_away_from_the_optimum(path: Path) -> None:
    playback = load_trace(path)
    assert playback.target.spec == path.stem
    assert replay(playback).violations == playback.trace.violations


def test_the_page_names_every_file_beside_it_and_all_are_small() -> None:
    page = (DOCS / "gap-study.md").read_text(encoding="utf-8")
    beside = sorted((DOCS / "gap-study").iterdir())
    assert len(TRACES) == 7
    assert all(f"gap-study/{path.name}" in page for path in beside)
    assert all(path.stat().st_size < 100_000 for path in beside)
