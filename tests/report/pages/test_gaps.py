"""A gap study's page: the order of its leaderboard, plots of every gap, the worst case as a board.

A hunt's page: the staircase plotted, the smallest and the worst instance as boards.
"""

from __future__ import annotations

from itertools import islice

import pytest

from kassay.engines.optimum.gaps import HUNTED, GapReport, Hunt, WorstFound, measure
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.reading.documents import Located
from kassay.report.pages.gaps import hunt_view_of, render, render_hunt, view_of
from kassay.solver.groups.results import gap
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import STAIRS, staircase
from kassay.solver.instances.suites import suite as suite_of
from kassay.solver.results import parse_order
from tests.browser import on_paper, sound
from tests.report.pages.test_layout import Reader

SPECS = ("range", "sticky", "cooperative-sticky")
PATHS = {spec: f"out/{spec}.json" for spec in SPECS}


@pytest.fixture(scope="module")
def study() -> GapReport:
    instances = [
        Located(consumer(shape, seed, members=6, partitions=30), f"{shape}-{seed}")
        for shape in ("random", "nested")
        for seed in (1, 2)
    ]
    return measure(
        [resolve(spec) for spec in SPECS], instances, "here", order=parse_order("balance,movement,rack")
    )


def test_the_leaderboard_is_in_order_and_every_target_in_it(study: GapReport) -> None:
    view = view_of(study, PATHS, (), "kassay gap again")
    assert view.word in ("Closest to the optimum", "All equal")
    assert "at the optimal balance, worst gap" in view.said
    assert view.leaderboard is not None
    assert {row[1] for row in view.leaderboard.rows} == set(SPECS)
    gaps = [int(str(row[4]).replace(",", "")) for row in view.leaderboard.rows]
    assert gaps == sorted(gaps)


def test_every_gap_that_was_judged_is_in_a_histogram(study: GapReport) -> None:
    charts = {chart.title: chart for chart in view_of(study, PATHS, (), "x").histograms}
    assert "Balance gap" in charts
    for row in charts["Balance gap"].rows:
        counted = sum(int(column.text.split(": ")[1].split(" of ")[0]) for column in row.columns)
        (target,) = (each for each in study.targets if each.target.spec == row.label)
        assert counted == sum(gap.balance is not None for gap in target.gaps)


def test_the_worst_case_is_a_board_beside_the_optimum(study: GapReport) -> None:
    view = view_of(study, PATHS, ("--order", "balance"), "x")
    short = [each for each in study.targets if each.worst is not None]
    assert len(view.cases) == len(short) >= 1
    for case in view.cases:
        assert case.board is not None
        assert "Compared with the certified optimum" in case.board
        assert case.commands[0].startswith("kassay gap ")
        assert case.commands[0].endswith("--order balance")
    page = Reader(render(study, PATHS, (), "x"))
    assert not page.open


@pytest.mark.parametrize(
    ("spec", "suite", "place"),
    [("share-simple@4.1", "share", "round-1"), ("streams-sticky", "streams", "rebalance-1")],
)
def test_share_groups_and_tasks_have_boards_beside_their_optimum(spec: str, suite: str, place: str) -> None:
    small = (document for document in suite_of(suite) if len(str(document)) < 4_000)
    instances = [Located(document, f"{suite}-{number}") for number, document in enumerate(islice(small, 4))]
    study = measure([resolve(spec)], instances, "here", order=parse_order("balance,movement,rack"))
    (case,) = view_of(study, {spec: "worst.json"}, (), "x").cases
    assert case.board is not None
    assert "Compared with the certified optimum" in case.board
    assert place in case.board
    told, gap = study.targets[0].worst.telling(), study.targets[0].worst.gap
    if suite == "share":
        (round_,) = told.step["rounds"]
        assert sorted(map(len, told.best.values())) == list(gap.best.loads)
        assert sorted(map(len, round_["answer"].values())) == list(gap.loads)
    else:
        assert sorted(t for each in told.best.values() for t in each["active"]) == sorted(told.step["tasks"])


def test_the_worst_answer_is_kept_with_its_gap(study: GapReport) -> None:
    for each in study.targets:
        worst = max((gap.balance or 0 for gap in each.gaps), default=0)
        if each.worst is not None:
            assert (each.worst.gap.balance or 0) == worst
            (round_,) = each.worst.telling().step["rounds"]
            assert sorted(map(len, round_["answer"].values())) == list(each.worst.gap.loads)
        assert sum(each.rounds_taken.values()) == each.instances
        assert sum(rounds * count for rounds, count in each.rounds_taken.items()) == each.rounds


def test_what_was_not_measured_is_said() -> None:
    study = GapReport("nothing", ("balance",), "flow", [], set_aside=2)
    assert "2 instances set aside: these targets do not answer them." in view_of(study, {}, (), "x").doubts


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_in_a_browser(open_page, study: GapReport, dark: bool) -> None:
    page = open_page(render(study, PATHS, (), "x"), dark=dark)
    sound(page)


@pytest.mark.browser
def test_all_of_a_study_is_on_paper(open_page, study: GapReport) -> None:
    on_paper(open_page(render(study, PATHS, (), "x")), ".plot svg", "table")


HUNTS_PATHS = {"range": dict.fromkeys(HUNTED, "out/range.json")}


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
    view = hunt_view_of([hunted()], HUNTS_PATHS, (), "kassay hunt --on range --worst gap")
    assert (view.word, view.look) == (f"Balance gap of {hunted().worst['balance'].gap.balance}", "warn")
    assert view.facts[-1] == ("ended", "by time")
    assert [case.title for case in view.cases] == [
        "range: smallest with a balance gap",
        "range: smallest with the worst balance gap met",
    ]
    assert [bool(case.commands) for case in view.cases] == [False, True]
    assert all(case.board for case in view.cases)


def test_the_staircase_is_a_line_beside_the_optimums() -> None:
    (chart,) = hunt_view_of([hunted()], HUNTS_PATHS, (), "x").lines
    assert [line.label for line in chart.lines] == ["range", "certified optimum"]
    assert all(
        mine.y <= best.y for mine, best in zip(chart.lines[0].points, chart.lines[1].points, strict=True)
    )


@pytest.mark.browser
def test_the_page_in_a_browser_hunts(open_page) -> None:
    page = open_page(render_hunt([hunted()], HUNTS_PATHS, (), "x"))
    sound(page)
