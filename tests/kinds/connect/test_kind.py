"""The driver of Connect assignors, on sound and broken ones."""

from dataclasses import replace
from itertools import islice

import pytest

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.assignors.connect.optimal import OptimalConnect
from kassay.engines.runs.shrink import shrink
from kassay.kinds.connect.kind import ConnectDriver
from kassay.kinds.controls import controls_of
from kassay.kinds.judging import Subject
from kassay.model.connect.history import ConnectHistory
from kassay.model.connect.kinds import CONNECT
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Seeded
from tests.kinds.descent import TRIED
from tests.kinds.users import first_broken
from tests.mutants import connect_assignors

DRIVER = ConnectDriver(CONNECT)
PROFILE = GroupProfile(kind=CONNECT)


def subject(rule, *claims, protocol=RebalanceProtocol.COOPERATIVE):
    statements = (*validity_claims(CONNECT), *(parse_claim(claim, CONNECT) for claim in claims))
    return Subject(lambda _config: rule(), protocol, statements)


def broken(whom, seeds=range(60)):
    """The claims that break in random histories."""
    cases = (DRIVER.generate(Seeded(seed), PROFILE) for seed in seeds)
    return {violation.claim for case in cases for violation in DRIVER.examine(case, whom).violations}


def test_sound_rules_break_nothing():
    everything = (
        "deleted-stops",
        "balanced-within-one",
        "revoke-before-assign",
        "backs-off",
        "converges",
        "stable",
    )
    assert broken(subject(OptimalConnect, *everything)) == set()
    assert broken(subject(ConnectIncremental)) == set()
    assert broken(subject(ConnectEager, protocol=RebalanceProtocol.EAGER)) == set()


@pytest.mark.parametrize("name", ["leaves-deleted-running", "gives-lost-work-to-one", "waits-twice"])
def test_a_broken_rule_is_shrunk_to_a_smaller_history_that_replays(name):
    (control,) = (each for each in controls_of(CONNECT) if each.name == name)
    claim = parse_claim(control.breaks, CONNECT)
    whom = replace(subject(control.factory), claims=(claim,))
    cases = (DRIVER.generate(Seeded(seed), PROFILE) for seed in range(200))
    case = next(case for case in cases if DRIVER.examine(case, whom).violations and len(case.changes) > 2)
    small = shrink(DRIVER, case, whom, claim).case
    assert DRIVER.size(small) < DRIVER.size(case)
    assert {violation.claim for violation in DRIVER.examine(small, whom).violations} == {control.breaks}
    assert DRIVER.form.read(DRIVER.form.write(small), "case") == small


@pytest.mark.slow_cases("LeavesTwins")
@pytest.mark.parametrize(
    ("faulty", "claim"),
    connect_assignors.FAULTY.items(),
    ids=[each.__name__ for each in connect_assignors.FAULTY],
)
def test_each_fault_of_a_users_rule_is_caught_by_its_claim(faulty, claim):
    assert first_broken(faulty, claim, 150) is not None


@pytest.mark.slow_cases("60-FromTheTop")
@pytest.mark.parametrize("sound", connect_assignors.SOUND)
@pytest.mark.parametrize("cases", [60, pytest.param(1_500, marks=pytest.mark.slow)])
def test_a_sound_rule_of_a_user_breaks_nothing(sound, cases):
    assert first_broken(sound, None, cases) is None


def test_every_candidate_is_smaller_and_sound():
    for seed in range(15):
        case = DRIVER.generate(Seeded(seed), PROFILE)
        for smaller in islice(DRIVER.shrink_candidates(case), TRIED):
            assert smaller.workers
            assert DRIVER.form.read(DRIVER.form.write(smaller), "case") == smaller


def test_an_assumption_leaves_out_what_contradicts_itself():
    assumed = GroupProfile(kind=CONNECT, assume=frozenset({"no-conflicting-claims"}))
    for seed in range(60):
        case = DRIVER.generate(Seeded(seed), assumed)
        assert DRIVER.is_within(next(DRIVER.play(case, subject(OptimalConnect))), assumed.assume), seed


def test_what_is_told_ends_with_the_rebalance_for_no_reason():
    case = ConnectHistory(("w0",), (("c0", 1),))
    told = DRIVER.narrate(case, subject(ConnectIncremental))
    assert [step["at_rest"] for step in told] == [True, True]
    assert DRIVER.counts(case) == {"members": 1, "partitions": 2, "events": 0}
