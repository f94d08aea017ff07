"""Shrinking: deterministic, and true to the class of input."""

from kassay.certify.kinds.judging import Subject
from kassay.certify.kinds.registry import driver_for
from kassay.certify.runs.blocks import Job
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.shrink import broken, shrink
from kassay.certify.targets.resolve import resolve
from kassay.model.kinds import Kind
from kassay.properties.registry import promise


def test_shrinking_is_deterministic_and_keeps_to_the_class_of_input():
    found = promise("topic-even", Kind.CLIENT)
    subject = Subject(resolve("ceil-range").open().new, resolve("ceil-range").protocol, (found,))
    driver = driver_for(Kind.CLIENT)
    job = Job(resolve("ceil-range"), RunOptions(budget=Budget(histories=1)))
    made = []
    for index in range(40):
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
    found = promise("topic-even", Kind.CLIENT)
    target = resolve("range")
    case = Job(target, RunOptions()).case(0)
    assert (
        shrink(driver_for(Kind.CLIENT), case, Subject(target.open().new, target.protocol, (found,)), found)
        is None
    )
