"""How a run puts its controls to the same cases: which, how long, and what it says of them."""

import time

import pytest

from kassay.assignors.client.roundrobin import RoundRobin
from kassay.certify.runs import controls as playing
from kassay.certify.runs.blocks import Job
from kassay.certify.runs.controls import CONTROL_SHARE, caught_by, caught_controls, control_target
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.targets.resolve import resolve
from kassay.kinds import controls as declared
from kassay.kinds.controls import ASLEEP, PATIENCE_S, Control, controls_of
from kassay.kinds.judging import Subject
from kassay.model.failure import FailureKind
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol, every_kind

NOT_EVEN, SLOW = "counts-partitions", "waits-for-ever"


def named(name, kind=CLIENT):
    (control,) = (each for each in controls_of(kind) if each.name == name)
    return control


def controls(histories, *claims, spec="roundrobin"):
    options = RunOptions(budget=Budget(histories=histories), claims=claims)
    return certify(resolve(spec), options).controls


def test_only_what_the_run_judges_is_put_to_the_test():
    assert controls(30, "complete") == {"caught": 1, "of": 1, "unknown": 0, "missed": [], "unproven": []}


def test_a_control_that_the_cases_do_not_catch_is_missed_and_its_claim_is_named():
    """One case is a third of three, and in the first one nobody has weights."""
    few = controls(3, "weighted-spread", "complete", spec="optimal-sticky")
    assert few["missed"] == [NOT_EVEN]
    assert few["unproven"] == ["weighted-spread"]
    assert (few["caught"], few["of"]) == (1, 2)


def test_without_time_a_control_is_neither_caught_nor_missed():
    job = Job(resolve("roundrobin"), RunOptions(claims=("complete",)))
    assert caught_by(job, named("loses-last"), 50, time.monotonic() - 1) is None
    assert caught_by(job, named("loses-last"), 50, time.monotonic() + 60) is True


def test_a_target_without_a_fault_in_question_is_not_caught():
    job = Job(resolve("roundrobin"), RunOptions(claims=("single-owner",)))
    control = named("loses-last")
    harmless = type(control)(
        control.name, control.factory, "single-owner", control.protocol, control.kind, control.like
    )
    assert caught_by(job, harmless, 10, time.monotonic() + 60) is False


def test_controls_that_run_out_of_time_are_unknown_and_prove_nothing(monkeypatch):
    monkeypatch.setattr(playing, "caught_by", lambda *_: None)
    none = controls(6, "complete", "members")
    assert (none["caught"], none["of"], none["unknown"]) == (0, 0, 3)
    assert none["unproven"] == ["complete", "members"]


@pytest.mark.parametrize("kind", [kind for kind in every_kind() if controls_of(kind)], ids=str)
def test_one_that_never_answers_is_wrapped(kind):
    waiting = named(SLOW, kind)
    assert type(waiting.new({})) is not waiting.factory
    assert FailureKind.TIMEOUT.value


class Sound(RoundRobin):
    """Follows its rule, so no claim of it catches it."""


@pytest.mark.parametrize(("seconds", "judged"), [(60.0, False), (-1.0, None)])
def test_a_control_that_is_missed_or_not_run_in_time_does_not_count_as_caught(seconds, judged):
    job = Job(resolve("range"), RunOptions(budget=Budget(histories=5)))
    control = Control("sound", Sound, "complete", RebalanceProtocol.EAGER, CLIENT)
    assert caught_by(job, control, 5, time.monotonic() + seconds) is judged
    breaks = next(c for c in controls_of(CLIENT) if c.breaks == "complete")
    assert caught_by(job, breaks, 50, time.monotonic() + 60) is True


class Dawdles(RoundRobin):
    """Takes its time, and counts the calls that it could end."""

    ended = 0

    def assign(self, cluster, group):
        time.sleep(PATIENCE_S / 2)
        type(self).ended += 1
        return super().assign(cluster, group)


def test_endless_cases_end_with_the_time_of_controls():
    job = Job(resolve("range"), RunOptions(claims=("complete",)))
    control = Control("sound", Sound, "complete", RebalanceProtocol.EAGER, CLIENT)
    assert caught_by(job, control, 10**9, time.monotonic() + 0.2) is None


@pytest.mark.parametrize("kind", [kind for kind in every_kind() if controls_of(kind)], ids=str)
def test_one_that_never_answers_is_not_waited_for_beyond_the_time_of_controls(kind):
    """What a shorter time ends says nothing of a call that may take `PATIENCE_S`."""
    waiting = named(SLOW, kind)
    job = Job(control_target(waiting), RunOptions(claims=("terminates",)))
    assert caught_by(job, waiting, 40, time.monotonic() + PATIENCE_S / 4) is None


def test_one_that_sleeps_and_never_answers_is_caught_before_its_time_is_over(monkeypatch):
    monkeypatch.setitem(declared._PATIENCE, "terminates", declared._Patience(60.0, ASLEEP))
    job = Job(resolve("range"), RunOptions(claims=("terminates",)))
    started = time.monotonic()
    assert caught_by(job, named(SLOW), 40, started + 120) is True
    assert time.monotonic() - started < 30


def test_a_control_that_is_timed_may_sleep():
    job = Job(resolve("range"), RunOptions(claims=("terminates",)))
    slow = Control("dawdles", Dawdles, "scales", RebalanceProtocol.EAGER, CLIENT).new({})
    Dawdles.ended = 0
    next(iter(job.driver.play(job.case(0), Subject(lambda _: slow, RebalanceProtocol.EAGER, ()))))
    assert Dawdles.ended


@pytest.mark.parametrize("claim", ["terminates", "scales"])
def test_a_slow_call_ends_with_the_time_of_controls(claim):
    job = Job(resolve("range"), RunOptions(claims=(claim,)))
    control = Control("dawdles", Dawdles, claim, RebalanceProtocol.EAGER, CLIENT)
    Dawdles.ended = 0
    assert caught_by(job, control, 40, time.monotonic() + PATIENCE_S / 4) is None
    assert Dawdles.ended == 0


@pytest.mark.parametrize(("limit", "spent", "most"), [(30.0, 20.0, 10.0), (30.0, 2.0, 10.0), (0.3, 9.0, 0.1)])
def test_controls_have_a_third_of_a_time_budget_at_most(limit, spent, most, monkeypatch):
    ends = []
    monkeypatch.setattr(playing, "caught_by", lambda *given: ends.append(given[-1]))
    job = Job(resolve("range"), RunOptions(claims=("complete",), budget=Budget(seconds=limit)))
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    caught_controls(job, 100, 1000.0 - spent)
    assert pytest.approx(1 / 3) == CONTROL_SHARE
    assert ends == [pytest.approx(1000.0 + most)]
