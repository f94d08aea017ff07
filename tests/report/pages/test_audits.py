"""An audit's page: verdict first, a timeline a group, boards of findings, and less of it where it would be too large."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kassay.engines.audits.values import LogAudit
from kassay.report.pages.audits import render
from kassay.report.pages.layout import PAGE_BYTES_MAX
from tests.browser import eventually, expect, sound
from tests.engines.audits.logs import of_records
from tests.example_cluster import billing, mailer
from tests.offsets_log import cleaned
from tests.report.pages.test_layout import Reader


@pytest.fixture(scope="module")
def broken() -> LogAudit:
    return of_records(mailer().records)


def test_the_verdict_comes_first_and_a_finding_has_its_board(broken: LogAudit) -> None:
    page = render(broken, ["offsets-12.txt"])
    assert (
        page.index("Findings</span>") < page.index("Index of groups") < page.index("<code>cooperative</code>")
    )
    assert 'class="board"' in page and 'class="mark bad"' in page
    assert "1 finding, 4 records read." in page


def test_gaps_are_said_before_anything_is_relied_on() -> None:
    log = billing()
    page = render(of_records(cleaned(log.records, len(log.records) - 6)), ["offsets-9.txt"])
    assert "1 gap: the log is compacted" in page
    assert "app-3@10.0.0.7 rejoined" in page


def test_a_large_audit_is_cut_down_to_the_gravest(broken: LogAudit) -> None:
    (one,) = broken.groups
    many = [replace(one, name=f"group-{number}-{'x' * 200}") for number in range(90)]
    for group in many:
        group.rebalances = one.rebalances * 60
    page = render(replace(broken, groups=tuple(many)), ["all.txt"])
    assert 100_000 < len(page.encode()) <= PAGE_BYTES_MAX
    assert "left out" in page
    assert page.count('data-entry="group-') == 90, "every group has its entry"


NODES_MAX = 25_000
"""The elements of a page of 300 groups, which its time to open depends on."""


def fleet_of(broken: LogAudit, count: int) -> LogAudit:
    """An audit of so many groups: every fifteenth breaks a claim, the others move partitions needlessly."""
    clean = of_records(billing().records)
    each = (broken.groups[0], clean.groups[0])
    groups = (replace(each[n % 15 > 0], name=f"service-{n:03d}") for n in range(count))
    return replace(clean, groups=tuple(groups))


def test_a_page_of_300_groups_is_small_and_leads_to_every_group(broken: LogAudit) -> None:
    page = render(fleet_of(broken, 300), ["all.txt"])
    elements = Reader(page).elements
    ids = {attributes.get("id") for _, attributes in elements}
    links = [
        attributes["href"][1:]
        for tag, attributes in elements
        if tag == "a" and "group-" in attributes["href"]
    ]
    assert len(links) == len(set(links)) == 300
    assert set(links) <= ids
    assert len(elements) < NODES_MAX
    assert len(page.encode()) <= PAGE_BYTES_MAX
    assert len(re.findall(r'<details class="finding audited"[^>]* open', page)) == 1


@pytest.mark.browser
def test_the_index_of_300_groups_filters_by_verdict_and_stays_in_sight(broken: LogAudit, open_page) -> None:
    page = open_page(render(fleet_of(broken, 300), ["all.txt"]))
    page.get_by_role("searchbox").fill("1 finding")
    expect(page.locator(".index li:visible")).to_have_count(20)
    expect(page.get_by_role("status").first).to_have_text("20 of 300 groups")
    page.evaluate("scrollTo(0, 1200)")
    eventually(page, "document.querySelector('input[type=search]').getBoundingClientRect().top >= 0", True)
    page.get_by_role("searchbox").fill("")
    page.locator(".index li a").last.click()
    eventually(page, "document.querySelector(location.hash || 'none')?.checkVisibility()", True)


@pytest.mark.browser
def test_in_a_browser_it_is_whole_and_fits(broken: LogAudit, open_page) -> None:
    text = render(broken, ["offsets-12.txt"])
    for width, dark in ((1200, False), (400, True)):
        page = open_page(text, width=width, dark=dark)
        sound(page)
