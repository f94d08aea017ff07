"""Differences as text for a terminal."""

from io import StringIO

from rich.console import Console

from kassay.engines.diff.run import diff
from kassay.engines.diff.upgrade import upgrade
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.report.described import diff_described, difference_lines, leading
from kassay.report.screen.blocks import blocks_view, described_view
from kassay.report.screen.differences import upgrade_view


def shown(*views):
    console = Console(width=200, file=StringIO())
    for view in views:
        console.print(view)
    return console.file.getvalue()


def view_of(report, path):
    return described_view(diff_described(report, path))


def test_the_report_says_what_was_compared_what_differs_and_how_to_replay_it():
    report = diff(resolve("range"), resolve("roundrobin"), RunOptions(budget=Budget(histories=10)))
    text = shown(view_of(report, "a b.json"))
    assert f"{report.cases} histories, {report.inputs} inputs, by answer, seed 0" in text
    assert "smallest case: 2 members, 2 partitions, 0 events; ordinary input" in text
    assert "replay: kassay replay 'a b.json'" in text
    assert f"DIFFERENT  range and roundrobin: in {report.differing} of {report.cases} histories" in text
    assert leading(report.smallest.difference) in ("range", "roundrobin")


def test_an_agreement_says_on_how_many_inputs():
    report = diff(resolve("range"), resolve("range"), RunOptions(budget=Budget(histories=1)))
    assert shown(view_of(report, None)).startswith(f"SAME  range and range: on {report.inputs} input")
    assert "1 history," in shown(view_of(report, None))


def test_two_releases_of_one_behaviour_are_said_to_be_one_rule():
    options = RunOptions(budget=Budget(histories=1))
    same = diff(resolve("uniform@4.1"), resolve("uniform@4.4"), options)
    assert "both are uniform@4.0.1" in shown(view_of(same, None))
    assert "one rule" not in shown(view_of(diff(resolve("uniform@4.0.0"), resolve("uniform"), options), None))


def test_long_differences_are_cut_and_say_so():
    assert "and 12 more" in shown(blocks_view(difference_lines([f"line {n}" for n in range(20)])))


def test_an_upgrade_is_told_in_words_and_by_an_example():
    text = shown(upgrade_view(upgrade("uniform", "4.0.0")))
    assert "uniform since 4.0.0" in text
    assert "since 4.0.1  uniform@4.0.1: " in text
    assert "by quality: different in " in text
    assert "  movement differs: uniform@4.0.0 gives 1, uniform@4.0.1 gives 0." in text


def test_an_upgrade_that_changes_nothing_says_so():
    text = shown(upgrade_view(upgrade("sticky", "3.9")))
    assert "unchanged; releases with this rule: 3.9 on" in text
    assert "different" not in text
