"""Faulty assignors: each is caught by its claim, and shrinks."""

import pytest

from kassay.certify.faulty.registry import load_controls
from kassay.certify.kinds.judging import Subject
from kassay.certify.kinds.registry import driver_for
from kassay.certify.runs.blocks import Job
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.shrink import broken, shrink
from kassay.certify.targets.resolve import resolve
from kassay.model.kinds import Kind
from kassay.properties.registry import promise

# The one that breaks `deterministic` needs a second process; tests/cli/commands/test_certify.py counts it among the caught.
GROUP_CONTROLS = [c for c in load_controls() if c.kind is Kind.CLIENT and c.breaks != "deterministic"]


@pytest.mark.parametrize("control", GROUP_CONTROLS, ids=lambda control: control.name)
def test_every_control_is_caught_by_its_claim(control):
    found = promise(control.breaks, Kind.CLIENT)
    driver = driver_for(Kind.CLIENT)
    subject = Subject(control.new, control.protocol, (found,))
    job = Job(resolve("range"), RunOptions(budget=Budget(histories=1)))
    caught = next((i for i in range(600) if driver.examine(job.case(i), subject).violations), None)
    assert caught is not None
    small = shrink(driver, job.case(caught), subject, found)
    assert small is not None
    assert driver.size(small.case) <= driver.size(job.case(caught))
    assert broken(driver, small.case, subject, found)
