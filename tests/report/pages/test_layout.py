"""The frame of every page: whole, strict, and every text shown as it is."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html.parser import HTMLParser

import pytest
from hypothesis import given
from jinja2 import UndefinedError

from kassay.report.pages.layout import TEMPLATES, environment, fragment, lines, whole
from kassay.writing.text import visible
from tests.browser import axe, expect, no_overflow
from tests.hostile import ALL, TEXTS

GALLERY = """{% extends "base.html.j2" %}{% import "components.html.j2" as ui %}
{% block title %}{{ name }}{% endblock %}{% block kind %}{{ name }}{% endblock %}
{% block main %}
{{ ui.hero("not certified", "bad", name, name, id="target-1") }}
{{ ui.doubts([name]) }}
{{ ui.badge("holds", "ok") }} {{ ui.badge("violated", "bad") }} {{ ui.badge("unknown", "warn") }}
<p><a href="#target-1">{{ name }}</a> <span class="dim">{{ name }}</span></p>
{{ ui.facts([(name, name), ("seed", 1)]) }}
{{ ui.table(["name", "count"], [(name, 12345 | number)], numeric=[1], caption=name) }}
{{ ui.copyable(name) }}
{% call ui.fold(name, 3) %}<p id="inside">{{ name }}</p>{% endcall %}
{% call ui.figure(name ~ " drawn") %}<svg viewBox="0 0 900 20" width="900" role="img" aria-label="{{ name }}"><text x="0" y="14">{{ name }}</text></svg>{% endcall %}
{% endblock %}"""
EVIL = "</script><img src=x onerror=alert(1)>"


def gallery(name: str) -> str:
    """A page with every component, and the name wherever one can stand."""
    return whole(compiled(), (), {"name": name})


@cache
def compiled():
    return environment().from_string(GALLERY)


class Reader(HTMLParser):
    VOID = ("meta", "img", "br", "input", "link", "hr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)


@given(TEXTS)
def test_a_name_changes_no_element_and_is_shown(name: str) -> None:
    read, plain = Reader(gallery(name)), Reader(gallery("n"))
    assert [tag for tag, _ in read.elements] == [tag for tag, _ in plain.elements]
    assert [attributes.keys() for _, attributes in read.elements] == [
        attributes.keys() for _, attributes in plain.elements
    ]
    assert not read.open
    assert read.texts["title"] == [visible(name)]
    assert ("svg", {"viewbox": "0 0 900 20", "width": "900", "role": "img", "aria-label": visible(name)}) in (
        read.elements
    )


@given(TEXTS)
def test_lines_keep_line_ends_alone(name: str) -> None:
    shown = lines(f"{name}\n{name}")
    assert "<" not in shown
    assert len(shown.split("\n")) == 2 * len(name.split("\n"))
    assert all(c.isprintable() or c == "\n" for c in shown)


def test_the_policy_names_the_only_style_and_the_only_script() -> None:
    page = gallery("n")
    policy = dict(
        rule.split(" ", 1)
        for rule in re.search(r'Policy" content="([^"]*)"', page)[1].replace("&#39;", "'").split("; ")  # type: ignore[index]
    )
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    for tag in ("style", "script"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert policy[f"{tag}-src"] == f"'sha256-{digest}'"
    assert not re.search(r"https?://|@import|url\(| style=| on[a-z]+=", page)


@pytest.mark.parametrize("file", sorted(TEMPLATES.iterdir(), key=str), ids=lambda file: file.name)
def test_no_template_turns_escaping_off_or_styles_a_single_element(file) -> None:
    text = file.read_text()
    if file.suffix == ".j2":
        assert not re.search(r"\|\s*safe\b|autoescape|\bMarkup\b|\sstyle=|\son[a-z]+=", text)
    elif file.suffix == ".js":
        assert not re.search(r"</script|\beval\b|innerHTML\s*=|insertAdjacentHTML|document\.write", text)
    else:
        assert not re.search(r"</style|url\(|@import", text)


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        whole(environment().from_string("{{ nothing }}"), (), {})


def test_a_fragment_is_a_piece() -> None:
    assert fragment("components", "badge", "<holds>", "ok").endswith("&lt;holds&gt;</span>")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.browser
def test_the_components_in_a_browser(open_page, dark) -> None:
    page = open_page(gallery("a name"), dark=dark)
    axe(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark
    link, text = (
        page.evaluate(f"getComputedStyle(document.querySelector('{where}')).color") for where in ("p a", "p")
    )
    assert link not in (text, "rgb(0, 0, 238)")


@pytest.mark.browser
def test_no_name_runs_or_widens_the_page(open_page) -> None:
    for name in (EVIL, ALL, "x" * 400):
        page = open_page(gallery(name))
        assert page.locator("img").count() == 0
        no_overflow(page)


@pytest.mark.browser
def test_a_link_opens_the_fold_around_its_end(open_page) -> None:
    page = open_page(gallery("n"), fragment="#inside")
    expect(page.locator("#inside")).to_be_visible()


@pytest.mark.browser
def test_a_command_is_copied(open_page) -> None:
    page = open_page(gallery("kassay replay 'a b'"), permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "kassay replay 'a b'"
