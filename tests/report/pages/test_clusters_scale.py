"""The page on a group at each number of members."""

from __future__ import annotations

import pytest

from kassay.certify.clusters.scale import scale
from kassay.certify.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.report.pages.clusters import render_scale, scale_view_of
from tests.browser import axe, no_overflow
from tests.certify.clusters.cluster import observed, offsets
from tests.report.pages.test_layout import Reader


@pytest.fixture(scope="module")
def answer():
    group = observed(offsets({"a": [f"t-{p}" for p in range(6)], "b": [f"t-{p}" for p in range(6, 12)]}))
    return scale(group, resolve("range"), 13, lags={TopicPartition("t", 0): 9}, extra_moves=12, seconds=60)


def test_what_is_safe_comes_first_and_every_count_is_a_row(answer):
    view = scale_view_of(answer, "kassay again")
    assert (view.word, view.look) == ("safe: 2-12", "ok")
    assert [row[0] for row in view.rows][:3] == ["1", "2 (today)", "3"]
    assert len(view.rows) == 13 and all(len(row) == len(view.columns) for row in view.rows)
    assert not Reader(render_scale(answer, "kassay again")).open


def test_where_no_count_is_safe_that_is_said():
    group = observed(offsets({"a": [], "b": ["t-0"]}))
    view = scale_view_of(scale(group, resolve("range"), 1, extra_moves=0), "x")
    assert view.look == "bad"
    idle = scale(group, resolve("range"), 3, extra_moves=0)
    assert scale_view_of(idle, "x").rows[2][-1] == ""


@pytest.mark.browser
def test_it_is_sound_in_a_browser(answer, open_page):
    page = open_page(render_scale(answer, "kassay again"))
    no_overflow(page)
    axe(page)
