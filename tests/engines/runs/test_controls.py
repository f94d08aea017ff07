"""How a run puts its controls to the same cases: which, how long, and what it says of them.

Claims about time: what doubles, what takes too long, and what cannot be measured.
"""

import time

import pytest

from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.engines.runs import controls as playing
from kassay.engines.runs import run as running
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.controls import (
    CONTROL_SHARE,
    EarlyControls,
    caught_by,
    caught_controls,
    control_target,
    controls_for,
    early_controls,
    kept_seconds,
    scaling_result,
)
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.kinds import controls as declared
from kassay.kinds.controls import ASLEEP, PATIENCE_S, Control, controls_of
from kassay.kinds.groups.scaling import sized, sizes
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.errors import FailureKind, InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol, Verdict, every_kind
from kassay.properties.claims import parse_claim
from kassay.properties.groups.scaling import ScaleTiming, parse_scale, scales
from kassay.properties.registry import split_claims

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


def subject_of(assignor):
    return Subject(lambda _: assignor(), RebalanceProtocol.EAGER, ())


def test_growth_is_judged_over_every_doubling():
    quick = (ScaleTiming(25, 250, 0.01), ScaleTiming(50, 500, 0.02), ScaleTiming(100, 1000, 0.04))
    cubic = (ScaleTiming(25, 250, 0.01), ScaleTiming(50, 500, 0.08), ScaleTiming(100, 1000, 0.64))
    noisy = (ScaleTiming(25, 250, 0.01), ScaleTiming(50, 500, 0.08), ScaleTiming(100, 1000, 0.16))
    assert list(scales(quick, "1.5,1,100x1000")) == []
    assert [e.subject for e in scales(cubic, "2,1,100x1000")] == ["growth"]
    assert list(scales(noisy, "2,1,100x1000")) == []
    assert [e.subject for e in scales(quick, "2,0.03,100x1000")] == ["100x1000"]


def test_the_references_scale():
    target = resolve("range")
    subject = Subject(target.open().new, target.protocol, ())
    found = scaling_result(driver_for(CLIENT), subject, parse_claim("scales:2,5,40x400", CLIENT), 30.0)
    assert found.verdict is Verdict.HOLDS, found.why
    assert "40x400" in found.why


@pytest.mark.slow
def test_a_slow_rule_does_not_scale():
    roundrobin = resolve("roundrobin").open()

    class Slow:
        def __init__(self):
            self.inner = roundrobin.new({})

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def assign(self, cluster, group):
            time.sleep(0.000004 * len(group.members) ** 3)
            return self.inner.assign(cluster, group)

    found = scaling_result(
        driver_for(CLIENT), subject_of(Slow), parse_claim("scales:1.5,60,32x64", CLIENT), 30.0
    )
    assert found.verdict is Verdict.VIOLATED, found.why
    assert (
        scaling_result(
            driver_for(CLIENT), subject_of(Slow), parse_claim("scales:9,60,32x64", CLIENT), 0.0
        ).verdict
        is Verdict.UNKNOWN
    )


def test_sizes_end_at_the_claimed_one():
    scale = parse_scale("2,5,100x1000")
    assert sizes(scale) == [(25, 250), (50, 500), (100, 1000)]
    history = sized(4, 30)
    assert len(history.joins) == 4
    assert sum(topic.partitions for topic in history.cluster.topics) == 30


@pytest.mark.parametrize(
    "spelled",
    ["scales:2", "scales:x,1,3x3", "converges:soon", "weighted-spread:much", "rack-local:rack", "stable:1"],
)
def test_arguments_that_make_no_sense_are_refused(spelled):
    with pytest.raises(InputError, match=spelled.split(":")[0]):
        parse_claim(spelled, CLIENT)


def test_commas_inside_an_argument_belong_to_it():
    assert split_claims("complete,scales:2,5,9x9,rack-local:balance,rack,movement,stable") == (
        "complete",
        "scales:2,5,9x9",
        "rack-local:balance,rack,movement",
        "stable",
    )
    assert split_claims("complete,nonsense") == ("complete", "nonsense")


def test_controls_that_the_first_histories_catch_leave_their_share_to_the_run(monkeypatch):
    """Nothing is kept once all are caught, the rest of a third before that; none is played twice."""
    job = Job(resolve("range"), RunOptions(claims=("complete", "single-owner"), budget=Budget(seconds=30)))
    names = [control.name for control in controls_for(job)]
    early = early_controls(job, 100)
    assert early.caught == {*names}
    assert kept_seconds(job, early) == 0
    assert kept_seconds(job, None) == pytest.approx(10)
    assert kept_seconds(job, EarlyControls(frozenset(names[1:]), 4.0)) == pytest.approx(6)
    played = []
    monkeypatch.setattr(playing, "caught_by", lambda _, control, *__: played.append(control.name))
    told = caught_controls(job, 100, time.monotonic(), early=EarlyControls(frozenset(names[1:]), 4.0))
    assert played == names[:1]
    assert (told["caught"], told["unknown"]) == (len(names) - 1, 1)


def test_a_run_by_time_tries_its_controls_on_the_way(monkeypatch):
    tried = []
    monkeypatch.setattr(
        running, "early_controls", lambda job, histories: tried.append(histories) or early_controls(job, 20)
    )
    claims = ("complete",)
    certificate = certify(resolve("range"), RunOptions(claims=claims, budget=Budget(seconds=0.6)))
    assert len(tried) == 1
    assert 0 < tried[0] <= certificate.histories
    assert certificate.controls["caught"] == 1
    certify(resolve("range"), RunOptions(claims=claims, budget=Budget(histories=20)))
    assert len(tried) == 1
