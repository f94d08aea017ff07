"""A hunt's page: the staircase plotted, the smallest and the worst instance as boards."""

from __future__ import annotations

import pytest

from kassay.certify.optimum.hunt import HUNTED, Hunt, WorstFound
from kassay.certify.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.report.pages.hunts import render, view_of
from kassay.solver.consumers.gap import gap
from kassay.solver.instances.hunt import STAIRS, staircase
from tests.browser import axe, no_overflow

PATHS = {"range": dict.fromkeys(HUNTED, "out/range.json")}


def hunted() -> Hunt:
    """A hunt that met one instance, on which the first reader takes all that it may."""
    record = Hunt(resolve("range"), 5, looked_at=7)
    for size in STAIRS[:3]:
        problem = staircase(size)
        answer: dict[str, list[TopicPartition]] = {member.member_id: [] for member in problem.members}
        for topic in problem.topics:
            reader = next(member for member in problem.members if topic.name in member.topics)
            answer[reader.member_id] += [TopicPartition(topic.name, n) for n in range(topic.partitions)]
        record.stairs.append(WorstFound(gap(problem, answer), answer))
    record.smallest["balance"] = record.stairs[0]
    record.worst["balance"] = record.stairs[-1]
    return record


def test_the_smallest_and_the_worst_are_boards_with_the_command_that_asks_again() -> None:
    view = view_of([hunted()], PATHS, (), "kassay gap range --hunt")
    assert (view.word, view.look) == ("time ran out", "warn")
    assert [case.title for case in view.cases] == [
        "range: smallest with a balance gap",
        "range: smallest with the worst balance gap met",
    ]
    assert [bool(case.commands) for case in view.cases] == [False, True]
    assert all(case.board for case in view.cases)


def test_the_staircase_is_a_line_beside_the_optimums() -> None:
    (chart,) = view_of([hunted()], PATHS, (), "x").lines
    assert [line.label for line in chart.lines] == ["range", "certified optimum"]
    assert all(
        mine.y <= best.y for mine, best in zip(chart.lines[0].points, chart.lines[1].points, strict=True)
    )


@pytest.mark.browser
def test_the_page_in_a_browser(open_page) -> None:
    page = open_page(render([hunted()], PATHS, (), "x"))
    axe(page)
    no_overflow(page)
