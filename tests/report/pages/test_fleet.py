"""A fleet's page: what happened beside what would have, and what it says nothing about."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from kassay.report.pages.fleet import render, view_of
from kassay.writing.text import visible
from tests.browser import sound
from tests.hostile import ALL, SOME, TEXTS
from tests.report.pages.test_layout import Reader


def fleet(name: str, unknown: int = 0) -> dict[str, Any]:
    """A replay of one group under one candidate, with any names in it."""
    row = {
        "groups": 2, "rebalances": 5, "moved": 8, "moved_least": 4, "balance": 3, "spread_worst": 2,
    }  # fmt: skip
    actual = {
        **row,
        "assignor": "actual",
        "to_switch": None,
        "better": 0,
        "same": 2,
        "worse": 0,
        "unknown": 0,
    }
    other = {
        **row, "assignor": name, "to_switch": 3, "moved": 4, "better": 1, "same": 1 - unknown, "worse": 0,
        "unknown": unknown,
    }  # fmt: skip
    change = {
        "against_actual": "better", "place": 1, "group": name, "assignor": name, "members": 2, "partitions": 6,
        "balance_more": -3, "moved_more": -4,
    }  # fmt: skip
    worst = {
        "group": name, "members": 2, "partitions": 6, "rebalances": 3, "moved": 8, "moved_least": 4,
        "balance": 3, "spread_worst": 2,
    }  # fmt: skip
    return {
        "groups": 3, "groups_replayed": 2, "snapshots": 12, "assignors": [actual, other], "worst": [worst],
        "changes": [change], "events": {"join": 4}, "rejected": {name: 2},
    }  # fmt: skip


def test_the_verdict_says_whether_all_was_compared() -> None:
    assert view_of(fleet("sticky")).word == "1 of 2 groups better, 0 worse"
    assert view_of(fleet("sticky")).look == "ok"
    view = view_of(fleet("sticky", unknown=1))
    assert view.look == "warn"
    assert any(text.startswith("sticky: unknown for 1 of 2 groups") for text in view.doubts)
    assert "1 groups had no members in any snapshot and were not replayed." in view.doubts
    assert "Rejected: 2 lines: sticky" in view.doubts


def test_what_happened_stands_beside_what_would_have() -> None:
    bars = {chart.title: [bar.label for bar in chart.bars] for chart in view_of(fleet("sticky")).bars}
    assert bars["Moves"] == ["actual", "sticky"]
    assert bars["Moves to switch"] == ["sticky"]
    moves = view_of(fleet("sticky")).bars[0].bars
    assert [bar.width for bar in moves] == [100, 50]
    assert moves[0].text == "8 (needed 4)"


def test_every_group_of_the_tables_is_in_the_index_once() -> None:
    document = fleet("sticky")
    document["worst"] = [{**document["worst"][0], "group": f"g{n}"} for n in range(300)]
    view = view_of(document)
    assert len(view.entries) == len({entry.anchor for entry in view.entries}) == 301
    page = Reader(render(document))
    ids = [
        attributes["id"]
        for _, attributes in page.elements
        if (attributes.get("id") or "").startswith("group-")
    ]
    assert sorted(ids) == sorted(entry.anchor for entry in view.entries)


@SOME
@given(TEXTS)
def test_names_change_no_element(name: str) -> None:
    page, plain = Reader(render(fleet(name))), Reader(render(fleet("n")))
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert any(visible(name) in text for text in page.texts["td"])


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_in_a_browser(open_page, dark: bool) -> None:
    page = open_page(render(fleet(ALL)), dark=dark)
    sound(page)
