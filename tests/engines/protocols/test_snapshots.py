"""States as tables: all that differs is shown, every state of a trace alike, whatever the model."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kassay.engines.protocols.snapshots import StateSnapshot, snapshots, text_of
from kassay.model.cluster import TopicPartition
from kassay.model.explore.values import run
from kassay.model.protocols.values.in_flight import Wire
from kassay.model.protocols.values.requests import ZERO_BYTES, Heartbeat
from tests.explored import build

MODELS: list[dict[str, Any]] = [
    {"model": "zookeeper"},
    {"model": "draft"},
    {"model": "classic"},
    {"model": "classic", "network": "steps", "records": 1},
    {"model": "classic", "clock": "ticks"},
    {"model": "kip848"},
    {"model": "migration"},
]


def walked(steps: int, **chosen: Any) -> list[Any]:
    """The states of a run that always takes the first step."""
    model = build(chosen.pop("model"), **chosen)
    return [step.state for step in run(model, [lambda _: True] * steps)]


def cells(snapshot: StateSnapshot) -> dict[tuple[str, str, str], str]:
    return {
        (table.title, row[0], column): text
        for table in snapshot.tables
        for row in table.rows
        for column, text in zip(table.columns, row[1:], strict=True)
    }


@pytest.mark.parametrize("chosen", MODELS, ids=lambda chosen: "-".join(map(str, chosen.values())))
def test_every_state_of_a_run_has_the_same_tables_and_a_step_changes_them(chosen: dict[str, Any]) -> None:
    states = walked(7, **chosen)
    shown = snapshots(states)
    assert len(shown) == len(states)
    frames = {tuple((table.title, table.columns) for table in each.tables) for each in shown}
    assert len(frames) == 1
    assert shown[0].tables[0].title == "clients"
    assert [row[0] for row in shown[0].tables[0].rows] == ["c1", "c2"]
    assert all(cells(before) != cells(after) for before, after in itertools.pairwise(shown))
    assert not any("=" in text or "(" in text for each in shown for text in cells(each).values())


def test_a_column_that_says_nothing_is_left_out() -> None:
    (start,) = snapshots(walked(0, model="classic"))
    assert start.tables[0].columns == ("run", "state")
    assert cells(start)["clients", "c1", "run"] == "new"


def test_an_answer_in_an_inbox_is_told() -> None:
    states = walked(6, model="classic")
    unread = [set(each.unread) for each in snapshots(states)]
    assert unread == [
        {f"c{number}" for number, cell in enumerate(state.clients, 1) if cell.value.inbox} for state in states
    ]
    assert any(unread)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("", "-"),
        (-1, "-"),
        (0, "0"),
        (False, "-"),
        (ZERO_BYTES, "nothing yet"),
        ((TopicPartition("t", 1), TopicPartition("t", 0)), "t-1 t-0"),
        ((1, 2), "1 2"),
        (((1, 2), ()), "1 2; -"),
        (Wire(sent=(Heartbeat(0, "m", 1),)), "Heartbeat sent"),
    ],
)
def test_a_value_in_a_few_characters(value: object, text: str) -> None:
    assert text_of(value) == text
