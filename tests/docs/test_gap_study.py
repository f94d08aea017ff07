"""The page of the gap study: its traces still show what they are kept for, and its files stay small."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from benchmarks.plots import bars, lines
from hypothesis import given

from kassay.certify.runs.replay import load_trace, replay
from kassay.writing.text import visible
from tests.hostile import SOME, TEXTS
from tests.paths import DOCS
from tests.report.campaigns import outcome

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


@SOME
@given(TEXTS)
def test_a_plot_is_xml_of_its_own(target: str) -> None:
    studies = outcome("n", target, target)["studies"]
    for plot in (bars(studies["gap_by_profile"], "unbalanced_share", target), lines(studies["gap_by_size"])):
        svg = ET.fromstring(plot.encode())
        texts = [each.text or "" for each in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert visible(target) in " ".join(texts)
    assert lines([]) == ""
