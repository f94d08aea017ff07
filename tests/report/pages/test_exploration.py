"""An exploration's page: the verdict and what could make it meaningless, each run once, every step a link."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kassay.engines.protocols.explore import ExploreResult
from kassay.report.pages.exploration import render, view_of
from kassay.report.pages.layout import PAGE_BYTES_MAX
from kassay.report.pages.state_graph import STATES_DRAWN_MAX
from tests.browser import axe, expect, no_overflow, on_paper
from tests.explored import explore
from tests.report.pages.test_layout import Reader


@pytest.fixture(scope="module")
def broken() -> ExploreResult:
    return explore("zookeeper", switches=frozenset({"zk_no_owner_guard"}))


@pytest.fixture(scope="module")
def stuck() -> ExploreResult:
    return explore("zookeeper", switches=frozenset({"zk_stale_view"}))


def test_the_verdict_comes_first_with_what_it_means(broken: ExploreResult) -> None:
    view = view_of(broken, again="kassay explore again")
    assert (view.word, view.look) == ("Violated", "bad")
    assert view.meaning == "Violated: single-current-owner. The shortest run to each is below."
    assert "A rule is broken on purpose (--switch zk_no_owner_guard): two live owners." in view.doubts
    page = render(broken, again="kassay explore again")
    assert page.index("Violated</span>") < page.index("Before you rely on it") < page.index("What goes wrong")
    assert "kassay explore again" in page


@pytest.mark.parametrize(
    ("chosen", "look", "doubt"),
    [
        ({"model": "zookeeper"}, "ok", "Explored without faults"),
        ({"model": "classic", "states_max": 20}, "warn", "The walk stopped at the limit of states"),
        ({"model": "classic", "states_max": 20}, "warn", "Dead ends and livelocks are not judged"),
        ({"model": "classic", "partitions": 1}, "ok", "12 invariants could not have been broken"),
    ],
)
def test_what_could_make_it_meaningless_is_said(chosen: dict[str, Any], look: str, doubt: str) -> None:
    view = view_of(explore(**chosen), again="x")
    assert view.look == look
    assert any(text.startswith(doubt) for text in view.doubts)


def test_every_invariant_is_told_of_once(broken: ExploreResult) -> None:
    view = view_of(broken, again="x")
    held = {name for name, _ in view.held}
    silent = {name for _, names in view.not_checked for name in names}
    violated = {violation.invariant for violation in broken.exploration.violations}
    assert not held & (silent | violated)
    assert violated == {trace.title for trace in view.traces if trace.claim}


def test_a_run_is_drawn_once_with_a_state_for_every_step(broken: ExploreResult) -> None:
    view = view_of(broken, again="x")
    read = Reader(render(broken, again="x"))
    assert not read.open
    ids = {attributes.get("id") for _, attributes in read.elements}
    links = {attributes["href"] for tag, attributes in read.elements if tag == "a" and attributes.get("href")}
    assert {link[1:] for link in links if link} <= ids
    for trace in view.traces:
        if trace.same_as is None:
            assert {f"{trace.id}/step-{number}" for number in range(trace.broken + 1)} <= ids
            assert [state.number for state in trace.states] == list(range(trace.broken + 1))
        else:
            assert trace.same_as.id in ids
            assert f"{trace.id}/step-0" not in ids
    drawn = [trace for trace in view.traces if trace.same_as is None]
    assert 1 <= len(drawn) < len(view.traces)


def test_what_a_step_changes_is_marked(broken: ExploreResult) -> None:
    first = view_of(broken, again="x").traces[0]
    changed = [
        {
            (table.title, row.name)
            for table in state.tables
            for row in table.rows
            for cell in row.cells
            if cell.changed
        }
        for state in first.states
    ]
    assert not changed[0]
    assert all(changed[1:])
    assert ("clients", "owned") in changed[-1]


def test_a_walk_that_holds_shows_how_deep_it_went_and_a_run(broken: ExploreResult) -> None:
    result = explore("classic", partitions=1)
    view = view_of(result, again="x")
    assert view.sample is not None
    assert len(view.sample.states) == result.exploration.diameter + 1
    assert len(view.depths.columns) == result.exploration.diameter + 1
    assert view_of(broken, again="x").sample is None
    page = render(result, again="x")
    assert "breaks here" not in page
    assert not Reader(page).open


def test_a_dead_end_has_its_run(stuck: ExploreResult) -> None:
    titles = {trace.title: trace for trace in view_of(stuck, again="x").traces}
    assert titles["dead end"].message.endswith("; nothing follows.")


def test_the_graph_is_drawn_where_it_is_small_and_else_its_size_is_told(broken: ExploreResult) -> None:
    view = view_of(broken, again="x")
    assert view.graph is not None
    assert len(view.graph.nodes) == len(view.graph.rows) == broken.exploration.states
    assert [node.start for node in view.graph.nodes].count(True) == 1
    way = [node for node in view.graph.nodes if node.way]
    assert {node.link for node in way} <= {f"trace-1/step-{n}" for n in range(view.traces[0].broken + 1)}
    assert [node.bad for node in way].count(True) == 1
    large = explore("classic", faults="crash=1", states_max=STATES_DRAWN_MAX + 1)
    view = view_of(large, again="x")
    assert view.graph is None
    assert f"up to {STATES_DRAWN_MAX}" in view.too_large


def test_a_large_exploration_is_a_small_page() -> None:
    result = explore(
        "classic",
        switches=frozenset({"no_generation_fence"}),
        faults="crash=1,pause=1",
        network="steps",
        records=1,
        states_max=3000,
    )
    assert len(render(result, again="x").encode()) < PAGE_BYTES_MAX / 2


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_in_a_browser(open_page, broken: ExploreResult, dark: bool) -> None:
    page = open_page(render(broken, again="x"), dark=dark)
    axe(page)
    no_overflow(page)


@pytest.mark.browser
def test_all_of_an_exploration_is_on_paper(open_page, broken: ExploreResult) -> None:
    page = open_page(render(broken, again="x"))
    on_paper(page, ".steps > li", ".steps .words", "svg.graph")
    expect(page.locator("[data-at]:visible")).to_have_count(2)  # one state of each run


@pytest.mark.browser
def test_a_link_and_a_slider_open_a_step(open_page, broken: ExploreResult) -> None:
    for fragment in ("#trace-1/step-2", "#step-2"):
        page = open_page(render(broken, again="x"), fragment=fragment)
        expect(page.locator("#trace-1\\/step-2")).to_be_visible()
        expect(page.locator("#trace-1\\/step-3")).to_be_hidden()
        expect(page.locator("#trace-1 li.on")).to_have_attribute("data-step", "2")
    slider = page.locator("#trace-1 input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator("#trace-1\\/step-3")).to_be_visible()
    page.get_by_role("button", name="Step back").first.click()
    expect(page.locator("#trace-1\\/step-2")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuetext", re.compile("rebalance"))
    page.locator("#trace-1 .steps a").first.click()
    expect(page.locator("#trace-1\\/step-1")).to_be_visible()
    page.locator("svg.graph a").last.click()
    expect(page).to_have_url(re.compile(r"#trace-1/step-(?!1$)\d+$"))
