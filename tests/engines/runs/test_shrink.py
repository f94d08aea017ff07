"""Shrinking: deterministic, and true to the class of input."""

import math

import pytest

from kassay.engines.runs.blocks import Job
from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.shrink import broken, shrink
from kassay.engines.targets.resolve import resolve
from kassay.kinds.controls import load_controls
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.registry import driver_for
from kassay.model.groups.kinds import CLIENT
from kassay.model.shape.codec import Shape
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Evidence, Violation


@pytest.mark.slow
@pytest.mark.parametrize("cases", [10, pytest.param(40, marks=pytest.mark.deep)])
def test_shrinking_is_deterministic_and_keeps_to_the_class_of_input(cases):
    """A CPU second a case."""
    found = parse_claim("topic-even", CLIENT)
    subject = Subject(resolve("ceil-range").open().new, resolve("ceil-range").protocol, (found,))
    driver = driver_for(CLIENT)
    job = Job(resolve("ceil-range"), RunOptions(budget=Budget(histories=1)))
    made = []
    for index in range(cases):
        violations = broken(driver, job.case(index), subject, found)
        if violations:
            first = shrink(driver, job.case(index), subject, found)
            again = shrink(driver, job.case(index), subject, found)
            assert first.case == again.case
            assert first.violations[0].contradictory <= violations[0].contradictory
            made.append(driver.size(first.case)[:3])
    assert made
    assert set(made) == {(0, 3, 4)}


def test_a_case_that_breaks_nothing_does_not_shrink():
    found = parse_claim("topic-even", CLIENT)
    target = resolve("range")
    case = Job(target, RunOptions()).case(0)
    assert (
        shrink(driver_for(CLIENT), case, Subject(target.open().new, target.protocol, (found,)), found) is None
    )


TOTAL = parse_claim("total", CLIENT)
NOBODY = Subject(lambda config: None, resolve("range").protocol, (TOTAL,))


class Numbers:
    """Cases are numbers; each breaks the claim where `broken` says so, on contradictory input below a limit."""

    form = Shape(lambda value, path: value)

    def __init__(
        self,
        contradictory_below=0,
        broken=lambda case: True,
        candidates=lambda case: (case - 1,),
        restarts=lambda case: (),
    ):
        self.contradictory_below = contradictory_below
        self.broken = broken
        self.candidates = candidates
        self.again = restarts
        self.examined = []

    def examine(self, case, subject):
        self.examined.append(case)
        evidence = Evidence("it", {}, "It is.")
        mine = Violation("total", evidence, case < self.contradictory_below)
        return Examination(violations=[Violation("other", evidence, False)] + [mine] * self.broken(case))

    def shrink_candidates(self, case):
        return iter([smaller for smaller in self.candidates(case) if smaller >= 0])

    def restarts(self, case, subject):
        return iter(self.again(case))

    def size(self, case):
        return (case,)


def test_what_is_broken_on_ordinary_input_stays_on_ordinary_input():
    assert shrink(Numbers(contradictory_below=3), 5, NOBODY, TOTAL).case == 3
    assert shrink(Numbers(contradictory_below=9), 5, NOBODY, TOTAL).case == 0
    assert shrink(Numbers(), 5, NOBODY, TOTAL).violations[0].contradictory is False


def test_the_violations_are_those_of_the_smallest_case():
    numbers = Numbers(contradictory_below=9)
    numbers.examine = lambda case, subject: Examination(
        violations=[Violation("total", Evidence(f"n{case}", {}, f"n{case} is."), False)]
    )
    shrunk = shrink(numbers, 4, NOBODY, TOTAL)
    assert (shrunk.case, shrunk.violations[0].evidence.subject, shrunk.tries) == (0, "n0", 4)


def test_only_violations_of_the_promise_count_the_ordinary_ones_alone_if_there_are_any():
    assert shrink(Numbers(broken=lambda case: case >= 2), 5, NOBODY, TOTAL).case == 2
    assert shrink(Numbers(broken=lambda case: False), 5, NOBODY, TOTAL) is None
    both = Numbers()
    evidence = Evidence("it", {}, "It is.")
    both.examine = lambda case, subject: Examination(
        violations=[Violation("total", evidence, True), Violation("total", evidence, False)]
    )
    assert [v.contradictory for v in broken(both, 1, NOBODY, TOTAL)] == [False]


def test_no_case_is_tried_twice_none_is_larger_and_every_one_counts():
    numbers = Numbers(
        candidates=lambda case: (case + 1, case, case - 1, case - 1), broken=lambda c: c in (5, 4)
    )
    shrunk = shrink(numbers, 5, NOBODY, TOTAL)
    assert (shrunk.case, shrunk.tries) == (4, 2)
    assert numbers.examined == [5, 4, 3]


def test_where_a_case_got_to_is_tried_before_what_can_be_taken_away():
    numbers = Numbers(restarts=lambda case: (case + 1, case // 2) if case > 2 else ())
    assert shrink(numbers, 9, NOBODY, TOTAL).case == 0
    assert numbers.examined == [9, 4, 2, 1, 0]


ENDS = (
    ("trusts-owned", (0, 2, 1)),  # a claim on the last partition of three; a crash and a return
    ("hands-over-at-once", (0, 2, 2)),
    ("prefers-the-last", (0, 2, 1)),  # an event where a past does
    # Fewer members only with more partitions.
    pytest.param("gives-up-one-by-one", (0, 2, 6), marks=pytest.mark.slow),
    # Other weights where there are fewer partitions.
    pytest.param("counts-partitions", (0, 3, 7), marks=pytest.mark.slow),
)


@pytest.mark.parametrize(("name", "least"), ENDS)
def test_counterexamples_of_many_seeds_end_at_the_least(name, least):
    control = next(c for c in load_controls() if (c.name, c.kind) == (name, CLIENT))
    found = parse_claim(control.breaks, CLIENT)
    subject = Subject(control.new, control.protocol, (found,))
    driver, ends = driver_for(CLIENT), []
    for seed in range(4):
        job = Job(control_target(control), RunOptions(claims=(control.breaks,), seed=seed))
        case = next((c for c in map(job.case, range(200)) if broken(driver, c, subject, found)), None)
        shrunk = case and shrink(driver, case, subject, found, seconds=math.inf)
        ends += [(shrunk.violations[0].contradictory, driver.size(shrunk.case)[:3])] if shrunk else []
    ordinary = {size for contradictory, size in ends if not contradictory}
    assert (ordinary or {size for _, size in ends}) == {least}


@pytest.mark.parametrize(("tries", "seconds", "case"), [(2, 20.0, 3), (0, 20.0, 5), (9, -math.inf, 5)])
def test_work_and_time_are_bounded(tries, seconds, case):
    assert shrink(Numbers(), 5, NOBODY, TOTAL, tries, seconds).case == case
