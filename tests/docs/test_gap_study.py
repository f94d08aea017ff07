"""The page of the gap study: its traces still show what they are kept for, and its files stay small."""

import csv
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from benchmarks._gap_study_page import OTHER_KINDS, PLOTS, WORST, crossed, csv_of
from benchmarks.plots import bars, lines
from hypothesis import given

from kassay.engines.runs.replay import load_trace, replay
from kassay.writing.text import visible
from tests.docs.markdown import rows, section
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


def test_the_page_is_of_the_generators_text_and_its_rows_are_those_of_the_data() -> None:
    page = (DOCS / "gap-study.md").read_text(encoding="utf-8")
    assert all(text in page for text in (PLOTS, OTHER_KINDS, WORST))
    with (DOCS / "gap-study" / "kinds.csv").open(encoding="utf-8") as file:
        small = {row["rule"]: row for row in csv.DictReader(file) if row["profile"] == "small"}
    shown = rows(section(page, "Share groups, Streams tasks and Connect"))
    assert [row["rule"] for row in shown] == [*small]
    for row in shown:
        assert {key: cell.replace(",", "") for key, cell in row.items()}.items() <= small[row["rule"]].items()


def test_tables_next_to_the_page_have_every_rule() -> None:
    rules = {path.stem for path in TRACES}
    for name in ("not-optimal", "worst-spread", "needless-moves", "families-not-optimal"):
        with (DOCS / "gap-study" / f"{name}.csv").open(encoding="utf-8") as file:
            listed = [*csv.reader(file)]
        assert {*listed[0][1:]} == rules
        assert len(listed) > 9
        assert all(len(line) == len(listed[0]) for line in listed)


def test_a_table_is_written_as_csv() -> None:
    head, _ = crossed(
        [{"target": "range", "profile": "shape:nested", "spread_max": 9}], "profile", "spread_max"
    )
    assert csv_of(head, [["nested", "1,234"]]) == "profile,range\nnested,1234\n"


@SOME
@given(TEXTS)
def test_a_plot_is_xml_of_its_own(target: str) -> None:
    studies = outcome("n", target, target)["studies"]
    for plot in (bars(studies["gap_by_profile"], "unbalanced_share", target), lines(studies["gap_by_size"])):
        svg = ET.fromstring(plot.encode())
        texts = [each.text or "" for each in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert visible(target) in " ".join(texts)
    assert lines([]) == ""
