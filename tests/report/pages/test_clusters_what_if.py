"""The page on a group: the verdict, doubts before results, hostile names, sound in a real browser."""

from __future__ import annotations

import pytest

from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.inputs import read_cluster
from kassay.engines.clusters.observed import observe
from kassay.engines.clusters.whatif import what_if
from kassay.engines.targets.resolve import resolve
from kassay.report.pages.clusters import render_what_if, what_if_view_of
from kassay.report.pages.layout import PAGE_BYTES_MAX
from tests.browser import on_paper, sound
from tests.engines.clusters.cluster import observed, offsets, topics
from tests.paths import ROOT
from tests.report.pages.test_layout import Reader

FILES = [str(ROOT / "examples" / "cluster" / name) for name in ("groups.txt", "topics.txt", "racks.csv")]


@pytest.fixture(scope="module")
def answer():
    group = observe(read_cluster(FILES))
    targets = [resolve(spec) for spec in ("range", "cooperative-sticky", "uniform")]
    return what_if(group, targets, parse_events("leave:2,join:3", group), resolve("range"))


def test_the_verdict_is_a_recommendation_and_marks_its_rows(answer):
    view = what_if_view_of(answer, "kassay again")
    assert (view.word, view.look, view.group) == (
        "Switch to cooperative-sticky or uniform@4.0.1",
        "warn",
        "billing",
    )
    assert view.said.startswith(
        "Spread 3 to 1, 1 idle member to 0, 2 partitions get an owner, 1 move, 1 paused."
    )
    assert [view.switches[place][0] for place in view.recommended] == ["cooperative-sticky", "uniform@4.0.1"]
    assert [row[0] for row in view.switches] == [
        "today",
        "range",
        "cooperative-sticky",
        "uniform@4.0.1",
        "optimum (certified)",
    ]
    assert [title for title, _ in view.events] == ["leave:2", "join:3"]
    assert [len(path.steps) for path in view.paths] == [0, 2, 1]
    assert view.paths[2].policy == "bidirectional"


def test_doubts_stand_before_results_and_the_page_is_small(answer):
    text = render_what_if(answer, "kassay again")
    assert text.index("Before you rely on it") < text.index("Switching to another assignor")
    assert "partition.assignment.strategy=cooperative-sticky,range" in text
    assert len(text.encode()) < PAGE_BYTES_MAX
    assert not Reader(text).open


def test_a_group_that_is_balanced_already_is_said_to_be():
    group = observed(offsets({"a": ["t-0"], "b": ["t-1"]}), topics({"t": 2}))
    view = what_if_view_of(what_if(group, []), "x")
    assert (view.word, view.look) == ("Keep the assignment of today", "ok")


def test_names_of_others_are_text():
    group = observed(offsets({"<script>alert(1)</script>": ["t-0"], "b": ["t-1"]}))
    text = render_what_if(what_if(group, [resolve("range")]), "x")
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


@pytest.mark.browser
def test_it_is_sound_in_a_browser(answer, open_page):
    for dark in (False, True):
        sound(open_page(render_what_if(answer, "kassay again"), dark=dark))


@pytest.mark.browser
def test_all_of_it_is_on_paper(answer, open_page):
    on_paper(
        open_page(render_what_if(answer, "kassay again"), dark=True), "table", ".plot svg", "details > *"
    )
