"""The references of Kafka Connect against the genuine outputs of Kafka's assignors."""

import gzip
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.assignors.registry import find
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from tests.paths import VECTORS

SIZES = {"connect-incremental": 120, "connect-eager": 352}

load_formats()


@cache
def vectors(algorithm: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / "4.4" / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def failures(algorithm: str, some: list[dict[str, Any]]) -> list[str]:
    form = FORMATS[algorithm]
    factory = find(str(form.reference)).factory
    problems = ((vector["id"], form.check(vector, factory, exact=True)) for vector in some)
    return [f"{name}: {problem}" for name, problem in problems if problem]


@pytest.mark.parametrize(("algorithm", "size"), SIZES.items())
def test_the_reference_answers_as_kafka_did_the_leaders_memory_included(algorithm: str, size: int):
    assert len(vectors(algorithm)) == size
    assert failures(algorithm, vectors(algorithm)) == []


def test_without_the_recorded_order_that_of_javas_hash_maps_gives_the_same():
    bare = [
        {
            **vector,
            "steps": [{k: v for k, v in step.items() if k != "iteration_order"} for step in vector["steps"]],
        }
        for vector in vectors("connect-incremental")
    ]
    assert failures("connect-incremental", bare) == []


def test_the_vectors_hold_an_error_and_another_rule_is_told_apart():
    assert sum("error" in vector["expected"] for vector in vectors("connect-eager")) == 1
    check = FORMATS["connect-eager"].check
    assert sum(check(v, ConnectIncremental, exact=False) is not None for v in vectors("connect-eager")) > 150
    check = FORMATS["connect-incremental"].check
    assert sum(check(v, ConnectEager, exact=False) is not None for v in vectors("connect-incremental")) > 100


class Forgetful(ConnectIncremental):
    """The right answers, and a memory without the candidates, which matter later."""

    def assign(self, request):
        answer = super().assign(request)
        return replace(answer, memory=replace(answer.memory, candidate_workers=()))


class Hasty(ConnectIncremental):
    """No delay is told to the workers."""

    def assign(self, request):
        return replace(super().assign(request), delay_ms=0)


class Backwards(ConnectIncremental):
    """What is to be started is listed backwards."""

    def assign(self, request):
        answer = super().assign(request)
        turned = {w: change._replace(assigned=change.assigned[::-1]) for w, change in answer.workers.items()}
        return replace(answer, workers=turned)


@pytest.mark.parametrize(
    ("rule", "exact", "problem"),
    [(Forgetful, True, "candidate_workers"), (Hasty, False, "delay 0"), (Backwards, True, "assigned")],
)
def test_memory_delay_and_order_count(rule: type, exact: bool, problem: str):
    check = FORMATS["connect-incremental"].check
    told = [check(vector, rule, exact=exact) for vector in vectors("connect-incremental")]
    assert any(problem in each for each in told if each is not None)


def test_only_an_exact_check_wants_the_order():
    sequences = vectors("connect-incremental")
    check = FORMATS["connect-incremental"].check
    exact = sum(check(v, Backwards, exact=True) is None for v in sequences)
    loose = sum(check(v, Backwards, exact=False) is None for v in sequences)
    assert exact < loose


@pytest.mark.parametrize("field", ["steps", "max_delay"])
def test_a_sequence_without_a_field_is_bad_input(field: str):
    vector = {key: value for key, value in vectors("connect-incremental")[0].items() if key != field}
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS["connect-incremental"].check(vector, ConnectIncremental, exact=True)


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        ("workers", [{"id": "w", "connectors": [], "tasks": ["s3"]}], "task id 's3'"),
        ("iteration_order", {"workers": ["nobody"]}, "iteration_order.workers"),
        ("connectors", [["a", 1], ["a", 2]], "different names"),
        ("connectors", [["a", -1]], "connectors"),
        ("now", "soon", "now"),
    ],
)
def test_a_rebalance_that_makes_no_sense_is_bad_input(where: str, value: object, message: str):
    vector = vectors("connect-incremental")[0]
    steps = [{**vector["steps"][0], where: value}, *vector["steps"][1:]]
    if where == "workers":
        steps[0]["iteration_order"] = {"workers": ["w"]}
    with pytest.raises(InputError, match=message):
        FORMATS["connect-incremental"].check({**vector, "steps": steps}, ConnectIncremental, exact=True)
