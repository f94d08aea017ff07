"""Faulty planners: each is found, and shrinks."""

import pytest

from kassay.engines.runs.shrink import shrink
from kassay.kinds.controls import controls_of
from kassay.kinds.judging import Subject
from kassay.kinds.placement.kind import PlanDriver
from kassay.model.kinds import RebalanceProtocol
from kassay.model.placement.kinds import PLANNER
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Seeded

DRIVER = PlanDriver(PLANNER)

PROFILE = GroupProfile(kind=PLANNER)


def subject(new, *claims, twin=None):
    names = [claim for claim in claims if claim not in {found.id for found in validity_claims(PLANNER)}]
    statements = (*validity_claims(PLANNER), *(parse_claim(name, PLANNER) for name in names))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements, twin=twin)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


@pytest.mark.parametrize(
    "control",
    [c for c in controls_of(PLANNER) if c.name in ("takes-from-anybody", "goes-round-about", "doubles-up")],
    ids=lambda control: control.name,
)
def test_each_fault_is_found_and_shrinks_to_one_partition(control):
    whom = subject(control.factory, control.breaks)
    case = next(
        c for s in range(100) if control.breaks in broken(c := DRIVER.generate(Seeded(s), PROFILE), whom)
    )
    found = shrink(DRIVER, case, whom, parse_claim(control.breaks, PLANNER))
    assert DRIVER.counts(found.case)["partitions"] <= 2
    (told,) = DRIVER.narrate(found.case, whom)
    assert told["moves"]
