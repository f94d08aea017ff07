"""A campaign's page: whole, small, every name as text, and findings that open their boards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given

from kassay.pipeline.campaign.findings import KeptFinding, save_traces
from kassay.report.pages.campaign import page_of, render, view_of
from kassay.report.pages.layout import PAGE_BYTES_MAX
from kassay.writing.text import visible
from tests.browser import expect, no_overflow, on_paper, sound
from tests.hostile import ALL, SOME, TEXTS
from tests.kinds.boards import OURS, trace
from tests.report.campaigns import outcome
from tests.report.pages.test_layout import Reader
from tests.report.pages.test_packed import unpacked
from tests.report.thousand import campaign

TRACE = json.dumps(trace(OURS / "sticky-converges.json") | {"narration": []})


@pytest.fixture(scope="module")
def thousand() -> tuple[dict[str, Any], list[str]]:
    return campaign(1000)


@SOME
@given(TEXTS, TEXTS, TEXTS)
def test_the_page_is_the_same_for_all_names_and_shows_them(name: str, target: str, message: str) -> None:
    page = Reader(render(outcome(name, target, message), [TRACE], "results"))
    plain = Reader(render(outcome("n", "t", "m"), [TRACE], "results"))
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert not page.open
    assert visible(name) in page.texts["code"]
    for text in (target, message):
        assert any(visible(text) in each for each in page.texts["td"])
    assert f"{visible(target)} · shape:{visible(message)}" in page.texts["span"]


def test_the_verdict_is_the_gravest_and_what_is_unfinished_is_said() -> None:
    view = view_of(outcome("n", "t", "m"), [TRACE], "results")
    assert (view.word, view.look) == ("violated", "bad")
    assert view.doubts == ("The campaign is not complete: all figures are of these, 2,000 planned.",)
    document = outcome("n", "t", "m")
    for verdict, word in (("unknown", "unknown"), ("holds", "holds")):
        document["verdicts"][0]["verdict"] = verdict
        assert view_of(document, [TRACE], "results").word == word
    assert view_of({**document, "verdicts": []}, [TRACE], "results").word == "unknown"


def test_verdicts_are_those_over_all_profiles() -> None:
    view = view_of(outcome("n", "t", "m"), [TRACE], "results")
    assert len(view.broken.rows) == 1
    assert view.holds.rows == ()


def test_a_campaign_without_gaps_or_findings_has_a_page() -> None:
    document = outcome("n", "t", "m")
    studies = {**document["studies"], "gap_by_profile": [], "gap_by_size": [], "convergence": []}
    page = render({**document, "findings": [], "studies": studies}, [], "results")
    assert "<p>None.</p>" in page
    assert "Distance to the certified optimum" not in page


@pytest.mark.slow
def test_a_thousand_findings_are_listed_open_their_boards_and_weigh_less_than_a_megabyte(
    thousand: tuple[dict[str, Any], list[str]],
) -> None:
    document, traces = thousand
    view = view_of(document, traces, "results")
    assert len(page_of(view).encode()) < PAGE_BYTES_MAX
    assert sum(len(group.lines) for group in view.groups) == len(traces) == 1000
    assert view.left_out == ""
    pieces = [piece for parcel in unpacked(view.parcels) for piece in parcel]
    assert len(pieces) == 1000
    for row, piece in zip(document["findings"], pieces, strict=True):
        assert row["identity"] in piece


@pytest.mark.slow
def test_far_more_findings_have_the_command_instead(thousand: tuple[dict[str, Any], list[str]]) -> None:
    document, traces = thousand
    more = {**document, "findings": document["findings"] * 3}
    view = view_of(more, traces * 3, "results")
    page = page_of(view)
    assert len(page.encode()) < PAGE_BYTES_MAX
    listed = sum(len(group.lines) for group in view.groups)
    assert view.left_out == f"{3000 - listed:,} more: the command above saves them all."
    assert "its trace as <code>" in page
    assert view.save == "kassay campaign findings results --out traces"


def test_the_name_of_a_saved_trace_is_the_one_that_saving_gives(
    thousand: tuple[dict[str, Any], list[str]], tmp_path
) -> None:
    document, traces = thousand
    row = {name: value for name, value in document["findings"][0].items() if name != "history"}
    (path,) = save_traces([KeptFinding(**row, history=0, trace=traces[0])], tmp_path)
    view = view_of({**document, "findings": document["findings"][:1]}, traces[:1], "results")
    ((piece,),) = unpacked(view.parcels)
    assert path.removeprefix(f"{tmp_path}/") in piece


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_in_a_browser(open_page, thousand: tuple[dict[str, Any], list[str]], dark: bool) -> None:
    document, traces = thousand
    few = {**document, "findings": document["findings"][:60]}
    page = open_page(render(few, traces[:60], "results"), dark=dark)
    fold = page.locator("details.listed").nth(30)
    fold.locator("summary").click()
    fold.locator(".board .frame.shown").first.wait_for()
    tile = fold.locator(".frame.shown .tile").first
    assert tile.evaluate("tile => getComputedStyle(tile).paddingLeft") != "0px"
    sound(page)


@pytest.mark.browser
def test_the_first_and_the_last_of_a_thousand_findings_open(
    open_page, thousand: tuple[dict[str, Any], list[str]]
) -> None:
    page = open_page(render(*thousand, "results"))
    for number in (0, 999):
        fold = page.locator("details.listed").nth(number)
        fold.locator("summary").click()
        expect(fold.locator(".board .frame.shown").first).to_have_text(re.compile(r"\S"))


@pytest.mark.browser
def test_on_paper_the_findings_are_listed_and_no_board_is_unpacked(
    open_page, thousand: tuple[dict[str, Any], list[str]]
) -> None:
    document, traces = thousand
    page = open_page(render({**document, "findings": document["findings"][:30]}, traces[:30], "x"), dark=True)
    on_paper(page, "details.listed > summary", "table", ".plot svg")
    assert page.locator("details.listed .room").count() == 0


@pytest.mark.browser
def test_no_name_of_a_finding_runs(open_page, thousand: tuple[dict[str, Any], list[str]]) -> None:
    document, traces = thousand
    evil = "</script></template><img src=x onerror=alert(1)>"
    rows = [{**row, "message": evil, "kind": ALL, "target": evil} for row in document["findings"][:3]]
    hostile = [json.dumps(json.loads(trace)).replace("consumer-", f"{evil}-") for trace in traces[:3]]
    page = open_page(render({**document, "findings": rows}, hostile, evil))
    for number in range(3):
        page.locator("details.listed summary").nth(number).click()
    page.locator(".board").nth(2).wait_for()
    assert page.locator("img").count() == 0
    no_overflow(page)
