"""Two targets compared over a budget: counts, the smallest difference, what cannot be compared."""

import pytest

from kassay.engines.diff import run
from kassay.engines.diff.compare import By
from kassay.engines.diff.run import MORE, diff
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT


def differed(left, right, by=By.ANSWER, **options):
    return diff(resolve(left), resolve(right), RunOptions(**options), by)


def test_the_smallest_difference_of_range_and_roundrobin_is_two_topics_of_one_partition():
    report = differed("range", "roundrobin", budget=Budget(histories=40))
    assert (report.verdict, report.exit_code) == ("differ", 1)
    assert 0 < report.differing <= report.cases <= 40
    assert report.smallest.counts == {"members": 2, "partitions": 2, "events": 0}
    assert not report.smallest.difference.contradictory
    assert report.smallest.difference.lines


def test_a_rule_is_alike_itself_on_every_input():
    report = differed("sticky", "sticky", budget=Budget(histories=60))
    assert (report.verdict, report.exit_code, report.cases, report.differing) == ("alike", 0, 60, 0)
    assert report.inputs > 60
    assert report.smallest is None


def test_the_same_seed_gives_the_same_report():
    one, two = (differed("range", "sticky", budget=Budget(histories=30), seed=5).to_json() for _ in range(2))
    assert {**one, "elapsed_s": 0} == {**two, "elapsed_s": 0}


def test_a_scope_is_tried_whole_and_the_first_size_with_a_difference_is_the_smallest():
    report = differed("range", "roundrobin", exhaustive=(2, 1), budget=Budget())
    assert (report.verdict, report.scope, report.differing) == ("alike", "2x1", 0)
    report = differed("range", "roundrobin", exhaustive=(2, 2), budget=Budget())
    assert report.verdict == "differ"
    assert report.smallest.counts["partitions"] == 2


def test_a_scope_that_time_cuts_short_is_unknown(monkeypatch):
    moments = iter([0.0, *([100.0] * 50)])
    monkeypatch.setattr(run.time, "monotonic", lambda: next(moments))
    report = differed("range", "range", exhaustive=(2, 2), budget=Budget(seconds=1.0))
    assert (report.verdict, report.exit_code) == ("unknown", 3)


def test_playing_ends_some_cases_after_the_first_difference():
    report = differed("range", "sticky", budget=Budget(histories=10 * MORE))
    assert report.cases <= MORE + 20


def test_an_interrupt_tells_what_was_seen(monkeypatch):
    def interrupt(cases, _):
        if cases == 3:
            raise KeyboardInterrupt

    report = diff(
        resolve("range"), resolve("range"), RunOptions(budget=Budget(histories=9)), By.ANSWER, interrupt
    )
    assert (report.cases, report.verdict, report.exit_code, report.interrupted) == (3, "unknown", 130, True)
    report = diff(
        resolve("range"),
        resolve("roundrobin"),
        RunOptions(budget=Budget(histories=9), seed=1),
        By.ANSWER,
        interrupt,
    )
    assert (report.exit_code, report.smallest) == (1 if report.differing else 130, None)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(InputError, match="range is of kind client, placement:striped of kind placer"):
        differed("range", "placement:striped")
    with pytest.raises(InputError, match="quality of kind partitioner is not measured"):
        differed("partitioner:murmur2", "partitioner:murmur2", By.QUALITY)
    with pytest.raises(InputError, match="has no scopes"):
        differed("placement:striped", "placement:striped", exhaustive=(2, 2), budget=Budget())


def test_two_that_never_answer_are_not_alike(tmp_path):
    source = tmp_path / "none.py"
    source.write_text("class A:\n    def assign(self, topics, members):\n        raise KeyError('none')\n")
    report = differed(f"{source}:A", f"{source}:A", budget=Budget(histories=5), in_process=True)
    assert report.inputs == report.unanswered > 0
    assert (report.verdict, report.exit_code) == ("unknown", 3)


def test_a_scope_whose_next_case_is_far_away_ends_in_time(monkeypatch):
    def endless(*_):
        while True:
            pass
        yield

    monkeypatch.setattr(type(driver_for(CLIENT)), "scope", endless)
    options = RunOptions(budget=Budget(seconds=0.2), exhaustive=(2, 2))
    report = diff(resolve("range"), resolve("range"), options)
    assert (report.verdict, report.finished, report.cases) == ("unknown", False, 0)
