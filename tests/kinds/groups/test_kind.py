"""Assignors of consumer groups certified: the driver plays, judges, counts and writes down."""

import pytest
from hypothesis import given, settings

from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.kinds.groups.kind import GroupDriver
from kassay.kinds.judging import Subject
from kassay.model.calls import Look
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.claims import parse_claim
from kassay.properties.registry import validity_claims
from tests.kinds.users import first_broken
from tests.mutants import share_assignors
from tests.properties.groups.steps import member, rebalanced, step
from tests.strategies import histories

DRIVER = GroupDriver(CLIENT)
JOIN = (Join(Member("a", ("t", "u"))), Join(Member("b", ("t", "u"))))
CASE = History(Cluster.of({"t": 3, "u": 3}), (JOIN, (Leave("b"),)))


def subject(new, *claims, twin=None):
    statements = (*validity_claims(CLIENT), *(parse_claim(name, CLIENT) for name in claims))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements, twin=twin)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


@settings(max_examples=30)
@given(histories())
def test_a_history_survives_being_written_down_and_a_sound_rule_keeps_every_claim(case):
    assert DRIVER.form.read(DRIVER.form.write(case), "case") == case
    assert broken(case, subject(RoundRobin, "order-independent", "deterministic")) == set()


@settings(max_examples=30)
@given(histories())
def test_what_is_told_is_what_was_played(case):
    whom = subject(Range)
    told = DRIVER.narrate(case, whom)
    played = list(DRIVER.play(case, whom))
    assert [len(each["rounds"]) for each in told] == [len(each.steps) for each in played]


def test_another_process_is_a_second_look():
    whom = subject(RoundRobin, "deterministic", twin=lambda config: Range())
    assert broken(CASE, whom) == {"deterministic"}
    assert broken(CASE, subject(RoundRobin, "deterministic", twin=lambda config: RoundRobin())) == set()
    rebalances = list(DRIVER.play(CASE, whom))
    assert len(rebalances) == len(list(DRIVER.play(CASE, subject(RoundRobin)))) == 2
    for each in rebalances:
        for asked in each.steps:
            (probe,) = (probe for probe in asked.probes if probe.look is Look.PROCESS)
            assert probe.answer == Range().assign(asked.cluster, asked.group)


class Fails(RoundRobin):
    """Answers no group of two."""

    def assign(self, cluster, group):
        if len(group.members) == 2:
            raise TargetFailure(FailureKind.RAISED, "two are too many")
        return super().assign(cluster, group)


def test_a_call_without_an_answer_has_no_second_look():
    whom = subject(Fails, "deterministic", twin=lambda config: Range())
    (played,) = DRIVER.play(CASE, whom)
    assert [probe.look for asked in played.steps for probe in asked.probes] == []
    assert broken(CASE, whom) == {"total"}


def test_a_rebalance_is_within_what_each_of_its_inputs_is_within():
    reads = step([member("a")], {"a": "t0"})
    reads_nothing = step([member("a", "")], {"a": ""})
    assume = frozenset({"no-empty-subscriptions"})
    assert DRIVER.is_within(rebalanced(reads, reads), assume)
    assert not DRIVER.is_within(rebalanced(reads, reads_nothing), assume)
    assert DRIVER.is_within(rebalanced(reads, reads_nothing), frozenset())


def test_a_case_counts_who_joins_what_is_there_at_the_start_and_what_happens_after_it():
    assert DRIVER.counts(CASE) == {"members": 2, "partitions": 6, "events": 1}


def test_the_best_goes_by_the_order_that_the_promise_names():
    (first, _) = DRIVER.play(CASE, subject(RoundRobin))
    (outcome,) = first.outcomes
    best = DRIVER.best(outcome, parse_claim("balanced-optimal", CLIENT))
    assert (best.loads, best.moved, best.mismatched) == ((3, 3), 0, 0)
    assert TopicPartition("t", 0) in outcome.given["a"]


@pytest.mark.slow_cases("KeepsAsTheyCome")
@pytest.mark.parametrize(
    ("faulty", "claim"),
    share_assignors.FAULTY.items(),
    ids=[each.__name__ for each in share_assignors.FAULTY],
)
def test_each_fault_of_a_users_share_assignor_is_caught_by_its_claim(faulty, claim):
    assert first_broken(faulty, claim, 400) is not None


@pytest.mark.parametrize("sound", share_assignors.SOUND)
@pytest.mark.parametrize("cases", [60, pytest.param(1_500, marks=pytest.mark.slow)])
def test_a_sound_share_assignor_of_a_user_breaks_nothing(sound, cases):
    assert first_broken(sound, None, cases) is None
