"""The page of certificates: verdict first, what is broken as boards, whole offline, and sound in a browser."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kassay.engines.runs.certificate import Certificate
from kassay.report.pages import certificates as pages
from kassay.report.pages import findings
from kassay.report.pages.layout import PAGE_BYTES_MAX
from tests.browser import expect, no_overflow, on_paper, sound
from tests.report.pages.test_layout import EVIL, Reader
from tests.report.test_hostile import renamed


def place(text: str, page: str) -> int:
    assert text in page
    return page.index(text)


def test_the_page_asks_for_nothing_else(certificates: list[Certificate]) -> None:
    text = pages.render(certificates)
    read = Reader(text)
    links = [
        value
        for _, attributes in read.elements
        for name, value in attributes.items()
        if name in ("src", "href")
    ]
    assert links
    assert all(link and link.startswith("#") for link in links)
    assert not re.search(r"https?://|@import|url\(", text)
    assert "mine &amp; &lt;yours&gt;.py" in text
    assert "<yours>" not in text


def test_every_link_and_label_leads_to_what_is_there_once(certificates: list[Certificate]) -> None:
    elements = [attributes for _, attributes in Reader(pages.render(certificates)).elements]
    ids = [each["id"] for each in elements if "id" in each]
    assert len(ids) == len(set(ids))
    wanted = {each["href"][1:] for each in elements if each.get("href")}  # type: ignore[index]
    wanted |= {each["aria-labelledby"] for each in elements if "aria-labelledby" in each}
    assert wanted <= set(ids)


def test_the_verdict_comes_first_then_doubts_then_what_is_broken_then_what_holds(
    every_mark: Certificate,
) -> None:
    page = pages.render([replace(every_mark, notes=("a note",))])
    order = [
        "Not certified</span>", "Breaks <b>2 of 5</b> claims", "<code>violated</code>", "<code>without-a-case</code>",
        "2 violated", "<code>violated</code>", "<code>without-a-case</code>", "<code>known</code>",
        "<code>unknown</code>", "Claims that hold", "<code>holds</code>", "Limits of what holds",
        "unknown: unknown; a larger", "a note", "Situations reached",
    ]  # fmt: skip
    body = page[page.index("<main") :]
    at = 0
    for text in order:
        at += place(text, body[at:]) + 1
    assert "Before you rely on it" not in body, "nothing weakens that a claim is violated"
    assert "accepted until the next release" in body


def test_a_page_without_room_for_a_board_has_its_command(
    certificates: list[Certificate], monkeypatch
) -> None:
    broken = next(result for result in certificates[1].claims if result.counterexample is not None)
    example = replace(broken.counterexample, path="out/traces/a b.json")  # type: ignore[type-var]
    many = replace(certificates[1], claims=(replace(broken, counterexample=example),) * 300)
    page = pages.render([many])
    assert len(page.encode()) < PAGE_BYTES_MAX
    assert page.count('class="board"') == findings.BOARDS_MAX
    assert page.count("kassay explain &#39;out/traces/a b.json&#39;") == 300 - findings.BOARDS_MAX
    monkeypatch.setattr(findings, "BOARD_BYTES_MAX", 20_000)
    assert 0 < pages.render([many]).count('class="board"') < findings.BOARDS_MAX


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_certificates_in_a_browser(certificates, every_mark, open_page, dark) -> None:
    page = open_page(pages.render([*certificates, every_mark]), dark=dark)
    expect(page.locator(".hero").first).to_be_visible()
    expect(page.locator(".finding[open]")).to_have_count(0)  # with several targets every finding is folded
    sound(page)


@pytest.mark.browser
def test_the_filter_shows_the_targets_with_its_words(certificates, every_mark, open_page) -> None:
    page = open_page(pages.render([*certificates, every_mark]))
    page.get_by_role("searchbox").fill("ceil-range not certified")
    expect(page.locator("section.certificate:visible")).to_have_count(1)
    expect(page.get_by_role("status").first).to_have_text("1 of 3 targets")


@pytest.mark.browser
def test_no_name_runs_anything(certificates, open_page) -> None:
    page = open_page(pages.render([renamed(each, EVIL, EVIL) for each in certificates]))
    assert page.locator("img").count() == 0
    expect(page.get_by_text(EVIL).first).to_be_visible()
    no_overflow(page)


@pytest.mark.browser
def test_all_is_on_paper(certificates, open_page) -> None:
    on_paper(open_page(pages.render(certificates)), ".frame")


def test_ordinary_input_comes_first_and_the_first_finding_alone_is_open(every_mark: Certificate) -> None:
    broken = next(each for each in every_mark.claims if each.id == "violated")
    example = broken.counterexample
    assert example is not None
    conflicting = replace(example, trace=replace(example.trace, contradictory=True))
    claims = (
        replace(broken, id="often-on-conflicting-input", failed=9, counterexample=conflicting),
        replace(broken, id="seldom", failed=1),
        replace(broken, id="often", failed=5),
    )
    page = pages.render([replace(every_mark, claims=claims, histories=300)])
    ids = re.findall(r'class="id"><code>([^<]*)', page)
    assert ids == ["often", "seldom", "often-on-conflicting-input"]
    assert page.count('<details class="finding"') == 3
    assert len(re.findall(r'<details class="finding"[^>]* open', page)) == 1
    assert "<b>0.4 %</b> 1 of 300" in page, "a share of faults is rounded up"
