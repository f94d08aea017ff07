from __future__ import annotations

import json
from collections import Counter
from itertools import takewhile
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.balance import ORDERS, RACK_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.families import NotTakenError, Wanted, solve_document
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import suite
from kassay.solver.packing import optimum as packing_optimum
from tests.solver.instances import tiny
from tests.solver.packing.cases import one_topic

BENCH = [*takewhile(lambda document: document["family"] == "A", suite("bench"))]
"""The groups of consumers, which come first; the larger instances behind them are not made for the ids of tests."""
EXACT = [document for document in BENCH if document["shape"] not in ("weighted", "copart")]


@pytest.mark.parametrize("document", EXACT, ids=lambda document: document["name"])
def test_the_bench_suite_is_optimal_and_its_certificates_stand_alone(document: dict[str, Any]) -> None:
    for order in ORDERS:
        result = json.loads(json.dumps(solve_document(document, Wanted(order))))
        assert result["status"] == "optimal"
        assert result["lower"] == result["upper"] == result["sum_squares"]
        assert check_certificate(result).accepted
        assert check_certificate(result["certificate"]).accepted


def test_both_solvers_give_the_same_figures() -> None:
    document = consumer("random", 5, members=8, partitions=30)
    for order in ORDERS:
        flow = solve_document(document, Wanted(order))
        second = solve_document(document, Wanted(order, "z3"))
        for key in ("loads", "moved", "rack_mismatch", "status"):
            assert flow[key] == second[key]
        assert check_certificate(second).accepted


def test_other_families_and_variants_are_passed_on() -> None:
    solved = {}
    documents = [*suite("bench")]
    assert [document for document in documents if document["family"] == "A"] == BENCH
    for document in documents:
        kind = document["family"], document["shape"]
        if kind not in solved and kind in {("A", "weighted"), ("B", "create"), ("C", "join")}:
            solved[kind] = solve_document(document, Wanted(time_limit_s=5.0))
    assert len(solved) == 3
    assert solved["B", "create"]["status"] == "optimal"
    for result in solved.values():
        assert result["status"] == ("optimal" if result["lower"] == result["upper"] else "interval")
        assert check_certificate(result).accepted


def test_figures_around_a_certificate_must_be_the_proven_ones() -> None:
    result = solve_document(consumer("racks", 1), Wanted(RACK_FIRST))
    for key, wrong in (
        ("moved", -1),
        ("loads", [4] * 9),
        ("sum_squares", 3),
        ("lower", 1),
        ("status", "best"),
    ):
        checked = check_certificate(result | {key: wrong})
        assert checked.accepted is False
        assert key in checked.reason


@pytest.mark.parametrize("solver", ["flow", "z3"])
def test_a_spent_time_limit_is_an_interval(solver: str) -> None:
    document = consumer("random", 1, members=50, partitions=500)
    result = solve_document(document, Wanted(ORDERS[0], solver, 0.0))
    assert result["status"] == "interval"
    assert check_certificate(result).accepted


def test_z3_takes_consumers_alone() -> None:
    with pytest.raises(NotTakenError, match="does not take placements"):
        solve_document(placement("add", 1, brokers=6, partitions=6), Wanted(solver="z3"))


@pytest.mark.parametrize("junk", [None, [], 3, {}, {"family": "Q"}, {"family": ["A"]}])
def test_junk_is_refused_in_one_line(junk: Any) -> None:
    with pytest.raises(InputError) as caught:
        solve_document(junk)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError):
        check_certificate(junk)


SILENT = [
    ({"name": "zz", "partitions": 1, "weights": [2]}, False, []),
    ({"name": "zz", "partitions": 0, "weights": []}, True, []),
    ({"name": "zz", "partitions": 0}, True, ["zy", "zz"]),
    (
        {"name": "zz", "partitions": 3, "racks": [["r0"], [], ["r1"]], "weights": [0, 9, 4]},
        False,
        ["zy", "zz"],
    ),
]


@pytest.mark.parametrize("shape", ["random", "copart", "weighted"])
@pytest.mark.parametrize(("topic", "read", "copartition"), SILENT)
def test_a_topic_that_is_empty_or_that_nobody_reads_changes_nothing(
    shape: str, topic: dict[str, Any], read: bool, copartition: list[str]
) -> None:
    document = consumer(shape, 4, members=3, partitions=9)
    silent = [topic, *({**topic, "name": name} for name in copartition if name != topic["name"])]
    names = [each["name"] for each in silent] if read else []
    more = document | {
        "topics": [*document["topics"], *silent],
        "members": [member | {"topics": [*member["topics"], *names]} for member in document["members"]],
        "copartition": [*document["copartition"], *([copartition] if copartition else [])],
    }
    before, after = solve_document(document), solve_document(more)
    assert check_certificate(after).accepted
    for key in ("status", "loads", "moved", "rack_mismatch", "lower", "upper"):
        assert after[key] == before[key], key
    assert after["certificate"]["schema"] == before["certificate"]["schema"]


@pytest.mark.parametrize("weights", [None, [1, 1]])
def test_what_the_exact_methods_take_is_sent_there(weights: list[int] | None) -> None:
    document = one_topic([1, 1], 2)
    document["topics"][0]["weights"] = weights
    assert Problem.parse(document).exact
    assert solve_document(document)["certificate"]["schema"] == "kassay/optimum-certificate/1"


def _asked(family: str, seed: int, number: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What was answered of so many tiny instances; `steps` are consumers whose packings nobody enumerates."""
    if family == "steps":
        monkeypatch.setattr(packing_optimum, "best_of_all", lambda *_: None)
    return tiny.asked("consumers" if family == "steps" else family, seed, number)


@pytest.mark.slow_cases("members-200-160")
@pytest.mark.parametrize(
    ("family", "number", "optimal"),
    [
        ("consumers", 60, 40),
        ("steps", 40, 20),
        ("placement", 30, 20),
        ("tasks", 30, 20),
        ("members", 200, 160),
    ],
)
def test_nothing_that_is_said_of_a_tiny_instance_disagrees_with_everything_tried(
    family: str, number: int, optimal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _asked(family, 1, number, monkeypatch)["optimal"] > optimal


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize(
    ("family", "number", "optimal"),
    [("consumers", 2000, 1200), ("steps", 1000, 500), ("placement", 1000, 600), ("tasks", 1000, 800)]
    + [("members", 1000, 800)],
)
def test_nothing_that_is_said_of_twenty_thousand_disagrees(
    family: str, number: int, optimal: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = _asked(family, seed, number, monkeypatch)
    assert statuses["optimal"] > optimal
    print(family, seed, dict(statuses))
