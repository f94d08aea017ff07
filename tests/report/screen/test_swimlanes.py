"""Swim lanes: every action drawn once, lanes straight, Mermaid without stray syntax."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.values import Action
from kassay.report.screen.swimlanes import lanes, mermaid, rows, text_diagram

ACTORS = st.sampled_from(["c1", "c2", "c3", "coordinator", "zookeeper", "metadata"])
WORDS = st.text("abc XYZ;:<>#_-", max_size=90)
ACTIONS = st.lists(
    st.builds(Action, ACTORS, st.just("does"), ACTORS | st.just(""), WORDS, WORDS, fault=st.booleans()),
    min_size=1,
    max_size=12,
)


@given(ACTIONS)
def test_every_action_has_a_row_and_a_reply_where_one_came(actions: list[Action]) -> None:
    found = rows(actions)
    assert {row.number for row in found} == set(range(1, len(actions) + 1))
    calls = [row for row in found if row.kind != "reply"]
    assert [row.source for row in calls] == [action.actor for action in actions]
    away = [action for action in actions if action.reply and action.to and action.to != action.actor]
    assert sum(row.kind == "reply" for row in found) == len(away)


@given(ACTIONS)
def test_lifelines_are_straight(actions: list[Action]) -> None:
    head, *lines = text_diagram(actions).splitlines()
    assert head.split() == list(lanes(actions))
    margin = len(str(len(actions))) + 2
    columns = [margin + 6 + 13 * i for i in range(len(lanes(actions)))]
    for line in lines:
        assert all(line[column] in "|ox-" + " " for column in columns if column < len(line))
        assert line[columns[0]] != " "


def test_a_call_and_its_reply_are_arrows() -> None:
    drawn = text_diagram([Action("c1", "JoinGroup", "coordinator", "member new", "parked")])
    assert drawn.splitlines()[1:] == [
        "1        |----------->|        JoinGroup: member new",
        "         |< - - - - - |        parked",
    ]


def test_faults_are_crossed() -> None:
    drawn = text_diagram([Action("c1", "start", fault=True), Action("c1", "crashes", fault=True)])
    marks = [re.sub(r"[^ox]", "", line.partition(" ")[2][:12]) for line in drawn.splitlines()[1:]]
    assert marks == ["o", "x"]


@given(ACTIONS)
def test_mermaid_has_a_line_a_row(actions: list[Action]) -> None:
    lines = mermaid(actions).splitlines()
    assert lines[0] == "sequenceDiagram"
    assert len(lines) == 1 + len(lanes(actions)) + len(rows(actions))
    assert not any(";" in line.replace("#35;", "").replace("#lt;", "").replace("#gt;", "") for line in lines)


@given(ACTIONS, st.sampled_from([1, 30, 60, 90, 110, 200]))
def test_nothing_is_lost_on_a_screen_of_any_width(actions: list[Action], width: int) -> None:
    drawn = text_diagram(actions, width=width)
    words = drawn.split()
    for row in rows(actions):
        assert {row.source, row.target} <= {word.rstrip(":") for word in words}
        assert set(row.text.split()) <= {part for word in words for part in (word, word.strip("|"))}
    longest = max((len(word) for row in rows(actions) for word in row.text.split()), default=0)
    assert all(len(line) <= max(width, 90 + longest) for line in drawn.splitlines())


def test_without_room_for_lanes_every_action_is_a_line() -> None:
    actions = [
        Action("c1", "JoinGroup", "coordinator", "member new", "parked"),
        Action("c2", "crashes", fault=True),
    ]
    assert text_diagram(actions, width=50).splitlines() == [
        "1  c1 -> coordinator: JoinGroup: member new",
        "   coordinator --> c1: parked",
        "2  c2 (fault): crashes",
    ]


def test_a_long_name_has_a_wider_lane_and_what_cannot_be_seen_shows() -> None:
    drawn = text_diagram([Action("a-client-of-a-long-name", "says", "coordinator", "\x1b[31m")])
    assert "a-client-of-a-long-name" in drawn.splitlines()[0]
    assert "says: \\x1b[31m" in drawn
    assert "\\x1b[31m" in mermaid([Action("c1", "says", "coordinator", "\x1b[31m")])
