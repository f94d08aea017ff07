"""The page on a group at each number of members."""

from __future__ import annotations

import pytest

from kassay.engines.clusters.scale import scale
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.report.pages.scaling import render_scale, scale_view_of
from tests.browser import sound
from tests.engines.clusters.cluster import observed, offsets
from tests.report.pages.test_layout import Reader


@pytest.fixture(scope="module")
def answer():
    group = observed(offsets({"a": [f"t-{p}" for p in range(6)], "b": [f"t-{p}" for p in range(6, 12)]}))
    return scale(group, resolve("range"), 13, lags={TopicPartition("t", 0): 9}, extra_moves=12, seconds=60)


def test_today_comes_first_and_ranges_cover_every_count(answer):
    view = scale_view_of(answer, "kassay again")
    assert (view.word, view.look) == ("2 members today: safe", "ok")
    spans = [row[0].partition("–") for row in view.ranges]
    numbers = [n for first, _, last in spans for n in range(int(first), int(last or first) + 1)]
    assert numbers == list(range(1, 14))
    (place,) = view.today
    assert view.ranges[place][0].startswith("2")
    assert len(view.busiest.columns) == 13
    assert [row[2] == "safe" for row in view.ranges] == [
        next(each for each in answer.counts if each.members == int(first)).is_safe for first, _, _ in spans
    ]
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
    sound(page)
