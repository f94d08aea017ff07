"""Who is asked for an answer that keeps a promise."""

from kassay.engines.findings import _offers, _references
from kassay.kinds.broken import broken_steps
from kassay.kinds.registry import driver_for
from kassay.kinds.words import OPTIMUM
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.claims import parse_claim
from tests.engines.cases import smallest


def test_references_that_declare_the_claim_are_asked_first_and_alone_unless_all_are_meant():
    even = parse_claim("topic-even", CLIENT)
    eager = RebalanceProtocol.EAGER
    declaring = _references(driver_for(CLIENT), even, eager)
    assert all("topic-even" in each.claims for each in declaring)
    everybody = _references(driver_for(CLIENT), even, eager, all_of_them=True)
    assert everybody[: len(declaring)] == declaring
    assert len(everybody) > len(declaring)
    assert all(each.protocol is eager for each in everybody)


def test_the_optimum_is_offered_before_any_reference():
    driver, case, subject, claim = smallest(CLIENT, "restarts-per-topic")
    (broken, *_) = broken_steps(driver, driver.play(case, subject), subject, claim)
    names = [by for by, _ in _offers(driver, claim, broken, broken.thing)]
    assert names[0] == OPTIMUM
    assert names[-1].startswith("as ")
