"""An audit's page: verdict first, a timeline a group, boards of findings, and less of it where it would be too large."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kassay.certify.audits.values import LogAudit
from kassay.report.pages.audits import render
from kassay.report.pages.layout import PAGE_BYTES_MAX
from tests.browser import sound
from tests.certify.audits.logs import of_records
from tests.example_cluster import billing, mailer
from tests.offsets_log import cleaned


@pytest.fixture(scope="module")
def broken() -> LogAudit:
    return of_records(mailer().records)


def test_the_verdict_comes_first_and_a_finding_has_its_board(broken: LogAudit) -> None:
    page = render(broken, ["offsets-12.txt"])
    assert page.index("findings</span>") < page.index("Groups</h2>") < page.index("<code>cooperative</code>")
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
    assert "groups are in the table alone" in page and "left out" in page


@pytest.mark.browser
def test_in_a_browser_it_is_whole_and_fits(broken: LogAudit, open_page) -> None:
    text = render(broken, ["offsets-12.txt"])
    for width, dark in ((1200, False), (400, True)):
        page = open_page(text, width=width, dark=dark)
        sound(page)
