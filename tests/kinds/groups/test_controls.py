"""Faulty assignors: what catches one shrinks, and is still broken by it then."""

import pytest

from kassay.engines.runs.shrink import broken, shrink
from kassay.kinds.controls import controls_of
from kassay.kinds.judging import Subject
from kassay.model.groups.kinds import CLIENT
from kassay.properties.claims import parse_claim
from tests.kinds.caught import WITHIN, job_for

NAMES = ("omits-idle", "counts-to-the-end", "gives-twice", "deals-in-turn", "restarts-per-topic", "rounds-up")


@pytest.mark.parametrize("name", NAMES)
def test_what_catches_a_control_shrinks(name):
    (control,) = (each for each in controls_of(CLIENT) if each.name == name)
    broken_promise = parse_claim(control.breaks, CLIENT)
    job = job_for(control)
    subject = Subject(control.new, control.protocol, (broken_promise,))
    case = next(each for each in map(job.case, range(WITHIN)) if job.driver.examine(each, subject).violations)
    small = shrink(job.driver, case, subject, broken_promise)
    assert small is not None
    assert job.driver.size(small.case) <= job.driver.size(case)
    assert broken(job.driver, small.case, subject, broken_promise)
