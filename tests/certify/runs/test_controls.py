"""How a run puts its controls to the same cases: which, how long, and what it says of them."""

import time

import pytest

from kassay.certify.faulty.registry import controls_of
from kassay.certify.runs import run
from kassay.certify.runs.blocks import Job
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.targets.resolve import resolve
from kassay.model.failure import FailureKind
from kassay.model.kinds import Kind

NOT_EVEN, SLOW = "counts-partitions", "waits-for-ever"


def named(name, kind=Kind.CLIENT):
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
    assert run._caught_by(job, named("loses-last"), 50, time.monotonic() - 1) is None
    assert run._caught_by(job, named("loses-last"), 50, time.monotonic() + 60) is True


def test_a_target_without_a_fault_in_question_is_not_caught():
    job = Job(resolve("roundrobin"), RunOptions(claims=("single-owner",)))
    control = named("loses-last")
    harmless = type(control)(
        control.name, control.factory, "single-owner", control.protocol, control.kind, control.like
    )
    assert run._caught_by(job, harmless, 10, time.monotonic() + 60) is False


def test_controls_that_run_out_of_time_are_unknown_and_prove_nothing(monkeypatch):
    monkeypatch.setattr(run, "_caught_by", lambda *_: None)
    none = controls(6, "complete", "members")
    assert (none["caught"], none["of"], none["unknown"]) == (0, 0, 3)
    assert none["unproven"] == ["complete", "members"]


@pytest.mark.parametrize("kind", [kind for kind in Kind if controls_of(kind)], ids=str)
def test_one_that_never_answers_is_wrapped(kind):
    waiting = named(SLOW, kind)
    assert type(waiting.new({})) is not waiting.factory
    assert FailureKind.TIMEOUT.value
