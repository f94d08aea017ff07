"""The client-side references against the genuine outputs of kafka-clients 3.9.1."""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.registry import find
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment
from tests.paths import VECTORS

DATA = VECTORS
ALGORITHMS = {"range": 555, "roundrobin": 513, "sticky": 614, "cooperative-sticky": 628}

load_formats()


@cache
def vectors(algorithm: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"client-{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def failures(algorithm: str, found: list[dict[str, Any]], *, exact: bool = True) -> list[str]:
    check, factory = FORMATS[f"client-{algorithm}"].check, find(algorithm).factory
    told = ((vector["id"], check(vector, factory, exact=exact)) for vector in found)
    return [f"{name}: {problem}" for name, problem in told if problem]


@pytest.mark.parametrize(("algorithm", "count"), ALGORITHMS.items())
def test_the_reference_answers_as_kafka_did_lists_and_exceptions_included(algorithm: str, count: int):
    assert len(vectors(algorithm)) == count
    assert failures(algorithm, vectors(algorithm)) == []


@pytest.mark.slow_cases("range")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_the_recorded_order_the_order_of_javas_hash_tables_gives_the_same(algorithm: str):
    bare = [
        {key: value for key, value in vector.items() if key != "iteration_order"}
        for vector in vectors(algorithm)
    ]
    assert failures(algorithm, bare) == []


def test_the_vectors_hold_errors_and_each_reference_belongs_to_its_file():
    errors = {v["expected"]["error"] for a in ALGORITHMS for v in vectors(a) if "error" in v["expected"]}
    assert errors == {
        "java.lang.ArithmeticException",
        "java.lang.IllegalArgumentException",
        "java.lang.IllegalStateException",
        "java.lang.NullPointerException",
    }
    assert {FORMATS[f"client-{algorithm}"].reference for algorithm in ALGORITHMS} == set(ALGORITHMS)


def test_another_rule_is_told_apart():
    check = FORMATS["client-range"].check
    wrong = [v for v in vectors("range") if check(v, RoundRobin, exact=False) is not None]
    assert len(wrong) > 200


class Backwards(Range):
    """Range with every list turned round."""

    def assign(self, cluster, group):
        answer = super().assign(cluster, group)
        return Assignment({member_id: tps[::-1] for member_id, tps in answer.items()})


def test_only_an_exact_check_minds_the_order_inside_lists():
    check = FORMATS["client-range"].check
    assert all(check(v, Backwards, exact=False) is None for v in vectors("range"))
    assert any(check(v, Backwards, exact=True) is not None for v in vectors("range"))


class Silent(Range):
    """A rule that forgets its members."""

    def assign(self, cluster, group):
        return Assignment({})


class Foreign(Range):
    """A rule that makes up a member."""

    def assign(self, cluster, group):
        return Assignment({"nobody": ()})


class Crashing(Range):
    """A rule with a bug."""

    def assign(self, cluster, group):
        raise ZeroDivisionError("oops")


VECTOR = {
    "id": "v",
    "topics": [{"name": "t", "partitions": 2, "replica_racks": [["a"], [None]]}],
    "members": [{"id": "m", "instance_id": None, "rack": "a", "topics": ["t"]}],
    "expected": {"assignment": {"m": [["t", [0, 1]]]}},
}


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (Range, None),
        (Silent, "m: got no entry, Kafka gives t-0 t-1"),
        (Foreign, "nobody is no member of the group"),
        (Crashing, "raised ZeroDivisionError (oops) where Kafka gives an answer"),
        (Backwards, "m: got t-1 t-0, Kafka gives t-0 t-1"),
    ],
)
def test_the_difference_is_told_in_a_line(target: type[Range], told: str | None):
    assert FORMATS["client-range"].check(VECTOR, target, exact=True) == told


def test_an_answer_where_kafka_raises_is_told():
    vector = VECTOR | {"expected": {"error": "java.lang.NullPointerException"}}
    told = FORMATS["client-range"].check(vector, Range, exact=True)
    assert told == "answered where Kafka raises java.lang.NullPointerException"


def test_the_class_of_an_error_counts_only_in_an_exact_check():
    vector = VECTOR | {"members": [], "expected": {"error": "java.lang.NullPointerException"}}
    check = FORMATS["client-roundrobin"].check
    assert check(vector, RoundRobin, exact=False) is None
    assert "IllegalArgumentException" in (check(vector, RoundRobin, exact=True) or "")


@pytest.mark.parametrize(
    "broken",
    [
        {"topics": [{"name": "t", "partitions": 3, "replica_racks": [["a"]]}]},
        {"topics": [{"name": "t"}]},
        {"topics": None},
        {"members": [{"id": "m"}]},
        {"members": "m"},
        {"expected": {}},
        {"expected": {"assignment": {"m": [["t", 5]]}}},
        {"iteration_order": {"members": ["other"], "topics": ["t"]}},
        {"iteration_order": {"members": ["m"], "topics": ["other"]}},
        {"iteration_order": {}},
    ],
)
def test_a_vector_that_is_not_of_its_form_is_refused(broken: dict[str, Any]):
    with pytest.raises(InputError, match="vector v: "):
        FORMATS["client-range"].check(VECTOR | broken, Range, exact=True)


def test_a_sticky_vector_needs_its_claims():
    member = VECTOR["members"][0] | {"owned": [["t", ["x"]]], "generation": 1}
    with pytest.raises(InputError):
        FORMATS["client-sticky"].check(VECTOR | {"members": [member]}, Range, exact=True)
