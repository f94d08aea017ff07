"""A small case that a control breaks its claim with, and everything to judge it by."""

from functools import cache

from kassay.engines.runs.shrink import broken, shrink
from kassay.kinds.controls import controls_of
from kassay.kinds.judging import Subject
from kassay.properties.claims import parse_claim
from tests.kinds.caught import WITHIN, job_for


@cache
def smallest(kind, name):
    """The driver, the smallest case, the subject and the promise of the control of that name.

    The control is asked in this process, so that claims about others are none of its.
    """
    control = next(each for each in controls_of(kind) if each.name == name)
    claim = parse_claim(control.breaks, kind)
    job = job_for(control)
    subject = Subject(control.new, control.protocol, (claim,))
    cases = (job.case(index) for index in range(WITHIN))
    case = next(case for case in cases if broken(job.driver, case, subject, claim))
    shrunk = shrink(job.driver, case, subject, claim, tries_max=400)
    return job.driver, shrunk.case, subject, claim
