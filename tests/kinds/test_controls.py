"""The controls: one for each claim of each kind, which catches it soon and alone."""

from dataclasses import replace

import pytest

from kassay.engines.runs.controls import scaling_result
from kassay.kinds.controls import controls_of, load_controls
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.calls import Failure
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import Verdict
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.properties.claims import parse_claim
from kassay.properties.registry import load_claims
from tests.kinds.caught import IMPLIED, catching
from tests.kinds.sound import ENTANGLED, UNASKED, broken_by_sound, broken_of_all, implying

MORE = 8
"""Cases beyond the first catch in which no other claim may catch a control."""
CONTROLS = [control for control in load_controls() if control.breaks != "scales"]


def by_kind_and_name(control):
    return f"{control.kind}-{control.name}"


def test_controls_have_names_of_their_own():
    names = [(control.kind, control.name) for control in load_controls()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("kind", "claim"), list(load_claims()), ids=str)
def test_every_claim_of_every_kind_has_a_control(kind, claim):
    assert claim in {control.breaks for control in controls_of(kind)}


@pytest.mark.slow_cases("client-follows-hashes", "connect-never-rests", "streams-swaps-what-was-lost")
@pytest.mark.parametrize("control", CONTROLS, ids=by_kind_and_name)
def test_a_control_is_caught_by_its_claim_and_by_none_that_it_keeps(control):
    caught = catching(control, more=0 if control.breaks == "terminates" else MORE)
    assert control.breaks in caught
    assert caught <= {control.breaks} | IMPLIED.get(control.breaks, set())


@pytest.mark.slow
@pytest.mark.parametrize(
    "control", [control for control in CONTROLS if control.breaks not in UNASKED], ids=by_kind_and_name
)
def test_of_all_claims_only_its_own_and_what_implies_it_tell_a_control_from_a_sound_rule(control):
    """No rule keeps all claims of a kind, so that it is what a sound rule keeps in the same cases that counts."""
    caught, of_sound = broken_of_all(control), broken_by_sound(control)
    assert control.breaks in caught | of_sound
    alone = control.breaks not in of_sound and caught - of_sound <= implying(control.breaks)
    assert alone is ((control.kind, control.name) not in ENTANGLED), caught - of_sound


def test_every_claim_has_a_control_that_it_alone_tells_from_a_sound_rule():
    entangled = {(control.kind, control.name) for control in CONTROLS} & ENTANGLED.keys()
    assert entangled == ENTANGLED.keys()
    alone = {(c.kind, c.breaks) for c in load_controls() if (c.kind, c.name) not in ENTANGLED}
    assert load_claims().keys() == alone


@pytest.mark.parametrize("control", controls_of(CLIENT), ids=by_kind_and_name)
def test_what_a_control_keeps_are_claims_of_its_kind(control):
    assert {(control.kind, claim) for claim in control.kept} <= load_claims().keys()
    assert control.breaks not in control.kept


@pytest.mark.slow
@pytest.mark.parametrize("kind", [CLIENT, SERVER])
def test_a_rule_that_grows_too_fast_is_timed(kind):
    (control,) = (each for each in controls_of(kind) if each.breaks == "scales")
    subject = Subject(control.new, control.protocol, (parse_claim("scales", kind),))
    result = scaling_result(driver_for(kind), replace(subject), parse_claim("scales:2,60,8x1000", kind), 30)
    assert result.verdict is Verdict.VIOLATED


def test_a_control_that_never_answers_is_interrupted():
    (control,) = (each for each in controls_of(PARTITIONER) if each.breaks == "terminates")
    with pytest.raises(TargetFailure) as failure:
        control.new({}).partition(None, type("Nobody", (), {"available": ()}))
    assert failure.value.kind is FailureKind.TIMEOUT
    assert Failure(failure.value.kind, failure.value.message)
