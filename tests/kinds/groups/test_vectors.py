"""The client-side references against the genuine outputs of kafka-clients 3.9.1.

The server-side references against the genuine outputs of Kafka's group coordinator.
"""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.groups.server.range import ServerRange
from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.assignors.groups.server.uniform import Uniform
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


COUNTS = {
    ("4.0.0", "server-uniform"): 590,
    ("4.0.0", "server-range"): 586,
    ("4.0.0", "server-simple"): 112,
    ("4.1", "server-simple"): 480,
    ("4.2", "server-simple"): 360,
    ("4.4", "server-uniform"): 563,
    ("4.4", "server-range"): 415,
    ("4.4", "server-simple"): 608,
}
FOLDERS = {"4.0.0": DATA} | {release: DATA / release for release in ("4.1", "4.2", "4.4")}

load_formats()


@cache
def server_vectors(algorithm: str, release: str = "4.0.0") -> list[dict[str, Any]]:
    with gzip.open(FOLDERS[release] / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def server_failures(algorithm: str, release: str, found: list[dict[str, Any]]) -> list[str]:
    form = FORMATS[algorithm]
    factory = find(f"{form.reference}@{release}").factory
    told = ((vector["id"], form.check(vector, factory, exact=True)) for vector in found)
    return [f"{name}: {problem}" for name, problem in told if problem]


@pytest.mark.slow_cases("4.4-server-uniform")
@pytest.mark.parametrize(("release", "algorithm"), COUNTS)
def test_the_reference_answers_as_kafka_did_exceptions_included(release: str, algorithm: str):
    assert len(server_vectors(algorithm, release)) == COUNTS[release, algorithm]
    assert server_failures(algorithm, release, server_vectors(algorithm, release)) == []


@pytest.mark.parametrize("algorithm", ["server-uniform", "server-range", "server-simple"])
def test_without_the_recorded_order_the_order_of_javas_hash_tables_gives_the_same_server(algorithm: str):
    bare = [
        {k: v for k, v in vector.items() if k != "iteration_order"} for vector in server_vectors(algorithm)
    ]
    assert server_failures(algorithm, "4.0.0", bare) == []


@pytest.mark.parametrize(
    ("algorithm", "release", "other"),
    [
        ("server-uniform", "4.0.0", "4.4"),
        ("server-uniform", "4.4", "4.0.0"),
        ("server-simple", "4.0.0", "4.1"),
        ("server-simple", "4.0.0", "4.4"),
        ("server-simple", "4.1", "4.0.0"),
        ("server-simple", "4.1", "4.2"),
        ("server-simple", "4.4", "4.1"),
        ("server-simple", "4.4", "4.0.0"),
    ],
)
def test_another_release_of_the_rule_is_told_apart(algorithm: str, release: str, other: str):
    assert len(server_failures(algorithm, other, server_vectors(algorithm, release))) > 80


def test_the_vectors_hold_errors_and_absent_members():
    outcomes = [
        vector["expected"] for release, algorithm in COUNTS for vector in server_vectors(algorithm, release)
    ]
    assert {outcome["error"].rpartition(".")[2] for outcome in outcomes if "error" in outcome} == {
        "PartitionAssignorException",
        "ArrayIndexOutOfBoundsException",
        "NoSuchElementException",
    }
    assert any(None in outcome["assignment"].values() for outcome in outcomes if "assignment" in outcome)


@pytest.mark.parametrize(
    ("algorithm", "other"),
    [("server-uniform", ServerRange), ("server-range", Uniform), ("server-simple", Uniform)],
)
def test_another_rule_is_told_apart_server(algorithm: str, other: type):
    wrong = [v for v in server_vectors(algorithm) if FORMATS[algorithm].check(v, other, exact=False)]
    assert len(wrong) > len(server_vectors(algorithm)) // 4


class Filled(ShareSimple):
    """An entry for everybody."""

    def assign(self, cluster, group):
        answer = super().assign(cluster, group)
        return Assignment({member.member_id: answer.get(member.member_id, ()) for member in group.members})


class Stranger(Uniform):
    """An entry for somebody who is not in the group."""

    def assign(self, cluster, group):
        return Assignment({**super().assign(cluster, group), "stranger": ()})


def test_only_an_exact_check_tells_an_absent_member_from_an_empty_one():
    check = FORMATS["server-simple"].check
    assert all(check(v, Filled, exact=False) is None for v in server_vectors("server-simple"))
    assert any(check(v, Filled, exact=True) is not None for v in server_vectors("server-simple"))


def test_a_foreign_member_is_always_told():
    vector = next(v for v in server_vectors("server-uniform") if v["expected"].get("assignment"))
    assert (
        FORMATS["server-uniform"].check(vector, Stranger, exact=False) == "stranger is no member of the group"
    )


def test_an_answer_in_place_of_an_error_is_told_and_the_other_way_round():
    check = FORMATS["server-range"].check
    refused = next(v for v in server_vectors("server-range") if "error" in v["expected"])
    answered = next(v for v in server_vectors("server-range") if v["expected"].get("assignment"))
    swapped = {**refused, "expected": answered["expected"]}
    assert "PartitionAssignorException" in str(check(swapped, ServerRange, exact=True))
    swapped = {**answered, "expected": refused["expected"]}
    assert "PartitionAssignorException" in str(check(swapped, ServerRange, exact=True))


@pytest.mark.parametrize("field", ["topics", "members", "subscription_type", "expected"])
def test_a_vector_without_a_field_is_bad_input(field: str):
    vector = {key: value for key, value in server_vectors("server-range")[0].items() if key != field}
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS["server-range"].check(vector, ServerRange, exact=True)
