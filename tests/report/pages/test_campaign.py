"""A campaign's page: whole, offline, and with every name as text."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from hypothesis import given

from kassay.report.pages.campaign import bars, html, lines
from kassay.writing.text import visible
from tests.hostile import SOME, TEXTS
from tests.report.campaigns import outcome


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs).get("class")))
        assert not {"src", "href"} & dict(attrs).keys()
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@SOME
@given(TEXTS, TEXTS, TEXTS)
def test_the_page_is_the_same_for_all_names_and_shows_them(name: str, target: str, message: str) -> None:
    page, plain = Page(html(outcome(name, target, message))), Page(html(outcome("n", "t", "m")))
    assert page.tags == plain.tags
    assert not page.open
    for text in (f"Campaign {visible(name)}", visible(target), visible(message)):
        assert text in page.texts
    assert f"{visible(target)} · shape:{visible(message)}" in page.texts


def test_numbers_stand_to_the_right_and_texts_to_the_left() -> None:
    page = html(outcome("n", "t", "m"))
    assert '<td>t</td><td class="n">1,200</td>' in page
    assert "<td>m</td>" in page
    assert '<td class="n">-</td>' in page
    assert ", unfinished: all figures are of these, 2,000 planned" in page
    assert "left out" not in page


@SOME
@given(TEXTS)
def test_a_plot_is_xml_of_its_own(target: str) -> None:
    studies = outcome("n", target, target)["studies"]
    for plot in (bars(studies["gap_by_profile"], "unbalanced_share", target), lines(studies["gap_by_size"])):
        svg = ET.fromstring(plot.encode())
        texts = [each.text or "" for each in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert visible(target) in " ".join(texts)
    assert lines([]) == ""
