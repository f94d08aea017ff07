"""Blocks as a page: the verdict first, a picture before the words, sound in a browser."""

from __future__ import annotations

import pytest

from kassay.report.blocks import (
    BreakBlock,
    CommandBlock,
    Described,
    HeadingBlock,
    RowsBlock,
    StoryBlock,
    TextBlock,
    VerdictBlock,
)
from kassay.report.pages.blocks import render
from tests.browser import sound
from tests.report.pages.test_layout import EVIL, Reader
from tests.report.test_loads import frame


def described(name: str) -> Described:
    blocks = (
        TextBlock("a line", name=name),
        TextBlock(name, "bad", depth=2),
        BreakBlock(),
        StoryBlock((frame({"m0": 0, "m1": 2}, {"m0": 1, "m1": 1}, guilty="m1"),)),
        CommandBlock("replay", f"kassay replay {name}"),
        VerdictBlock("Broken", "bad", name, "a claim", "(seed 1)"),
        HeadingBlock("More"),
        RowsBlock(("claim", "s"), ((name, "1.0"),), ("s",)),
    )
    return Described("a hunt", (blocks, (VerdictBlock("Holds", "ok", name, "another"),)))


def test_the_verdict_comes_first_and_the_picture_before_the_board() -> None:
    page = render(described("range"), "kassay hunt")
    assert page.index("Broken</span>") < page.index("a line") < page.index('class="loads"')
    assert page.index('class="loads"') < page.index('class="board"') < page.index("kassay hunt")
    assert page.count("<h1") == 1


def test_a_name_changes_no_element() -> None:
    read, plain = Reader(render(described(EVIL), "x")), Reader(render(described("n"), "x"))
    assert [tag for tag, _ in read.elements] == [tag for tag, _ in plain.elements]
    assert not read.open


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_in_a_browser(open_page, dark: bool) -> None:
    sound(open_page(render(described("range"), "kassay hunt"), dark=dark))
