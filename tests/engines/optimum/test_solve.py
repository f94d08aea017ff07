"""The instances of a suite, each under its name."""

from __future__ import annotations

import gc
import time
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import pytest

from kassay.engines.optimum import solve as module
from kassay.engines.optimum.solve import located_in_suite, read_instance, solve
from kassay.model.errors import InputError
from kassay.reading.documents import Located
from kassay.solver.check.balance import MOVEMENT_FIRST, RACK_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.brokers_and_tasks import placement, tasks
from kassay.solver.instances.families import FAMILIES, Wanted, family_of
from kassay.solver.instances.groups import consumer, share_group
from kassay.solver.instances.suites import suite
from kassay.solver.results import Solved
from tests.solver.streams.members_cases import small

TOO_FEW: dict[str, Any] = {
    "family": "B",
    "name": "too few",
    "brokers": [{"id": 1}, {"id": 2}],
    "topics": [{"name": "t", "partitions": 1, "rf": 3}],
}


def line(document: dict[str, Any], solver: str = "flow", seconds: float | None = None) -> dict[str, Any]:
    return solve(Located(document, "here"), MOVEMENT_FIRST, solver, seconds)


@pytest.mark.parametrize(
    "document",
    [
        consumer("join", 3, members=4, partitions=12),
        consumer("copart", 3, members=3, partitions=9),
        placement("add", 3, brokers=6, partitions=9),
        tasks("leave", 3, clients=4, tasks=8),
    ],
    ids=lambda document: str(document["name"]),
)
def test_every_family_is_solved_and_its_line_is_accepted(document: dict[str, Any]) -> None:
    found = line(document, seconds=600.0)
    assert (found["name"], found["family"]) == (document["name"], document["family"])
    assert found["status"] == "optimal"
    assert check_certificate(found).accepted


def test_what_no_placement_satisfies_is_an_instance_and_infeasible_with_its_witness() -> None:
    read_instance(Located(TOO_FEW, "here"))
    found = line(TOO_FEW)
    assert (found["status"], found["witness"], found["certificate"]) == ("infeasible", [1, 2], None)


def test_a_solver_that_does_not_take_the_family_is_unknown_with_the_reason() -> None:
    found = line(placement("add", 1, brokers=6, partitions=6), "z3")
    assert found["status"] == "unknown"
    assert found["why"] == "the solver z3 does not take placements, flow does"


@pytest.mark.parametrize("solver", ["flow", "z3"])
def test_a_spent_time_limit_is_an_interval_with_the_balance_proven(solver: str) -> None:
    document = consumer("random", 1, members=60, partitions=2000)
    spent, best = line(document, solver, 0.0), line(document)
    assert (spent["status"], best["status"]) == ("interval", "optimal")
    assert check_certificate(spent).accepted
    assert [goal["value"] for goal in best["goals"]] < [goal["value"] for goal in spent["goals"]]
    for goal, other in zip(spent["goals"], best["goals"], strict=True):
        assert goal["bound"] <= other["value"]
    assert spent["goals"][0]["proven"]


class StalledClock:
    """A clock that stands still for so many looks and then is far beyond every limit, as after a stall."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def __call__(self) -> float:
        self.left -= 1
        return 0.0 if self.left >= 0 else 1e6


STALLED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "balance": (consumer("random", 5, members=5, partitions=20), {}),
    "bundles": (consumer("copart", 5, members=4, partitions=16), {}),
    "weights": (consumer("weighted", 5, members=3, partitions=14), {}),
    "tolerance": (consumer("weighted", 6, members=3, partitions=14), {"tolerance": Fraction(1, 20)}),
    "budget": (consumer("random", 6, members=5, partitions=20), {"budget": 2}),
    "racks within a budget": (
        consumer("racks", 6, members=5, partitions=20),
        {"budget": 3, "order": RACK_FIRST},
    ),
    "placement": (placement("add", 5, brokers=6, partitions=9), {}),
    "tasks": (tasks("leave", 5, clients=4, tasks=10, standbys=1), {}),
    "tasks of members": (small(Random(4)), {}),
    "sharing": (share_group("leave", 5, members=6), {}),
}


@pytest.mark.slow_cases("weights")
@pytest.mark.parametrize("name", STALLED)
def test_a_machine_that_stalls_anywhere_makes_an_interval_and_never_a_lie(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, asked = STALLED[name]
    order = asked.get("order", MOVEMENT_FIRST)
    rest = {key: value for key, value in asked.items() if key != "order"}

    def solved(seconds: float | None) -> dict[str, Any]:
        return solve(Located(document, "here"), order, "flow", seconds, **rest)

    best = solved(None)
    monkeypatch.setattr(module, "deadline", lambda _: nullcontext())
    for looks in (*range(8), 12, 20, 40):
        clock = StalledClock(looks)
        monkeypatch.setattr(time, "monotonic", clock)
        monkeypatch.setattr(time, "perf_counter", clock)
        late = solved(1000.0)
        monkeypatch.undo()
        monkeypatch.setattr(module, "deadline", lambda _: nullcontext())
        assert late["status"] in ("optimal", "interval")
        assert check_certificate(late).accepted
        values = [goal["value"] for goal in best["goals"]]
        if late["status"] == "optimal":
            assert best["status"] != "optimal" or [goal["value"] for goal in late["goals"]] == values
        else:
            assert late["goals"][0]["bound"] <= values[0]


def test_garbage_is_collected_again_afterwards_also_where_an_instance_is_refused() -> None:
    line(consumer("join", 1))
    assert gc.isenabled()
    with pytest.raises(InputError):
        line({"family": "Q"})
    assert gc.isenabled()
    gc.disable()
    try:
        line(consumer("join", 1))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_does_not_mind_its_limit_is_ended_and_asked_for_what_it_has_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[float | None] = []

    def endless(problem: Problem, wanted: Wanted) -> Solved:
        limits.append(wanted.time_limit_s)
        while wanted.time_limit_s:
            pass
        return FAMILIES["A"].solve(problem, wanted)

    family = replace(FAMILIES["A"], solve=endless)
    monkeypatch.setattr(module, "family_of", lambda _: family)
    monkeypatch.setattr(module, "_GRACE_S", 0.01)
    assert check_certificate(line(consumer("join", 1), seconds=0.05)).accepted
    assert limits[1:] == [0.0]


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (None, "here: found None, expected an object with a family"),
        (
            {"family": "Q"},
            "here: family: found 'Q', expected one of A (consumers), B (placement), C (tasks), D (sharing)",
        ),
        (TOO_FEW | {"brokers": []}, "here: brokers: found [], expected at least one broker"),
    ],
)
def test_junk_is_named_with_the_place_and_the_field(document: Any, complaint: str) -> None:
    for read in (lambda: line(document), lambda: read_instance(Located(document, "here"))):
        with pytest.raises(InputError) as refused:
            read()
        assert str(refused.value) == complaint


@pytest.mark.parametrize("name", ["small", "bench"])
def test_an_instance_is_said_to_stand_at_its_name_and_is_one(name):
    located = list(islice(located_in_suite(name), 20))
    assert [each.document for each in located] == list(islice(suite(name), 20))
    assert [each.where for each in located] == [each.document["name"] for each in located]
    assert len({each.where for each in located}) == 20
    for each in located:
        assert family_of(each.document).parse(each.document).name == each.where


def test_a_suite_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(InputError, match="found 'none', expected one of small, bench, large"):
        list(located_in_suite("none"))
