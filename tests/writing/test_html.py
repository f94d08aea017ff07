"""HTML shows every text as it is."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given

from kassay.writing.html import Markup, inline, joined, page, table, tag, void
from kassay.writing.text import visible
from tests.hostile import TEXTS


class Reader(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("br", "meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(TEXTS, TEXTS)
def test_a_text_is_text_wherever_it_stands(text: str, other: str) -> None:
    read = Reader(tag("p", text, void("br"), tag("b", other), class_=other, data_text=text))
    assert read.elements == [
        ("p", {"class": visible(other), "data-text": visible(text)}),
        ("br", {}),
        ("b", {}),
    ]
    assert "".join(read.texts) == visible(text) + visible(other)
    assert not read.open


@given(TEXTS, TEXTS)
def test_a_table_has_a_cell_a_text(text: str, other: str) -> None:
    read = Reader(table((text, "n"), [(other, tag("i", text)), (text, other)], numbers={1}))
    cells = [(name, attributes) for name, attributes in read.elements if name in ("td", "th")]
    assert cells == [("th", {}), ("th", {}), *[("td", {}), ("td", {"class": "n"})] * 2]
    assert "".join(read.texts) == "".join(map(visible, (text, "n", other, text, text, other)))


@given(TEXTS)
def test_a_page_is_whole(text: str) -> None:
    read = Reader(page(text, "p { color:red }", tag("p", text), script="f(1 < 2)"))
    assert not read.open
    assert [name for name, _ in read.elements] == [
        "html",
        "head",
        "meta",
        "title",
        "meta",
        "style",
        "body",
        "p",
        "script",
    ]
    assert read.texts.count(visible(text)) >= 1
    assert "f(1 < 2)" in read.texts


def test_only_markup_is_taken_for_markup() -> None:
    assert inline("<b>") == "&lt;b&gt;"
    assert inline(f"{tag('b', 'x')}") == "&lt;b&gt;x&lt;/b&gt;"
    assert joined((Markup("<hr>"), "<", None or ""), " & ") == "<hr> &amp; &lt; &amp; "
    assert tag("a", href=None) == "<a></a>"
