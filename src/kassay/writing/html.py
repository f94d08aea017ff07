"""HTML as a type of its own: any other text is escaped where it enters, so that it shows as it is."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from html import escape

from kassay.writing.text import visible


class Markup(str):
    """HTML that is ready to stand beside other HTML."""

    __slots__ = ()


def inline(text: str) -> Markup:
    """The text as HTML that shows it in one line; markup as it is.

    >>> inline("<b>\\x1b"), inline(tag("b", "<"))
    ('&lt;b&gt;\\\\x1b', '<b>&lt;</b>')
    """
    return text if isinstance(text, Markup) else Markup(escape(visible(text)))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """The parts one after the other, with a text between them."""
    return Markup(inline(between).join(map(inline, parts)))


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """An element. A trailing `_` of an attribute's name is left out, others are dashes; None is no attribute.

    >>> tag("p", "a & b", class_="dim", data_text='"')
    '<p class="dim" data-text="&quot;">a &amp; b</p>'
    """
    return Markup(f"{_start(name, attributes)}{joined(children)}</{name}>")


def void(name: str, /, **attributes: object) -> Markup:
    """An element that has no end, such as `br`."""
    return _start(name, attributes)


def _start(name: str, attributes: dict[str, object]) -> Markup:
    pairs = (
        f' {key.rstrip("_").replace("_", "-")}="{inline(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{''.join(pairs)}>")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Container[int] = ()) -> Markup:
    """A table; the columns in `numbers`, counted from 0, stand to the right."""
    top = tag("thead", tag("tr", *(tag("th", name) for name in head)))
    body = (
        tag(
            "tr",
            *(tag("td", cell, class_="n" if place in numbers else None) for place, cell in enumerate(row)),
        )
        for row in rows
    )
    return tag("table", top, tag("tbody", *body))


def page(title: str, style: str, *body: str, script: str = "") -> str:
    """A whole page that asks for nothing else; style and script are ours, and stand as they are."""
    head = joined(
        (
            void("meta", charset="utf-8"),
            tag("title", title),
            void("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("style", Markup(style)),
        )
    )
    parts = joined(body, "\n") + (tag("script", Markup(script)) if script else "")
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{parts}</body></html>\n'
