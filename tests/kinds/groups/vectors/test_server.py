"""The server-side references against the genuine outputs of Kafka's group coordinator."""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from kassay.assignors.groups.server.range import ServerRange
from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.assignors.groups.server.uniform import Uniform
from kassay.assignors.registry import find
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment
from tests.paths import VECTORS

DATA = VECTORS
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
def vectors(algorithm: str, release: str = "4.0.0") -> list[dict[str, Any]]:
    with gzip.open(FOLDERS[release] / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def failures(algorithm: str, release: str, found: list[dict[str, Any]]) -> list[str]:
    form = FORMATS[algorithm]
    factory = find(f"{form.reference}@{release}").factory
    told = ((vector["id"], form.check(vector, factory, exact=True)) for vector in found)
    return [f"{name}: {problem}" for name, problem in told if problem]


@pytest.mark.slow_cases("4.4-server-uniform")
@pytest.mark.parametrize(("release", "algorithm"), COUNTS)
def test_the_reference_answers_as_kafka_did_exceptions_included(release: str, algorithm: str):
    assert len(vectors(algorithm, release)) == COUNTS[release, algorithm]
    assert failures(algorithm, release, vectors(algorithm, release)) == []


@pytest.mark.parametrize("algorithm", ["server-uniform", "server-range", "server-simple"])
def test_without_the_recorded_order_the_order_of_javas_hash_tables_gives_the_same(algorithm: str):
    bare = [{k: v for k, v in vector.items() if k != "iteration_order"} for vector in vectors(algorithm)]
    assert failures(algorithm, "4.0.0", bare) == []


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
    assert len(failures(algorithm, other, vectors(algorithm, release))) > 80


def test_the_vectors_hold_errors_and_absent_members():
    outcomes = [vector["expected"] for release, algorithm in COUNTS for vector in vectors(algorithm, release)]
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
def test_another_rule_is_told_apart(algorithm: str, other: type):
    wrong = [v for v in vectors(algorithm) if FORMATS[algorithm].check(v, other, exact=False)]
    assert len(wrong) > len(vectors(algorithm)) // 4


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
    assert all(check(v, Filled, exact=False) is None for v in vectors("server-simple"))
    assert any(check(v, Filled, exact=True) is not None for v in vectors("server-simple"))


def test_a_foreign_member_is_always_told():
    vector = next(v for v in vectors("server-uniform") if v["expected"].get("assignment"))
    assert (
        FORMATS["server-uniform"].check(vector, Stranger, exact=False) == "stranger is no member of the group"
    )


def test_an_answer_in_place_of_an_error_is_told_and_the_other_way_round():
    check = FORMATS["server-range"].check
    refused = next(v for v in vectors("server-range") if "error" in v["expected"])
    answered = next(v for v in vectors("server-range") if v["expected"].get("assignment"))
    swapped = {**refused, "expected": answered["expected"]}
    assert "PartitionAssignorException" in str(check(swapped, ServerRange, exact=True))
    swapped = {**answered, "expected": refused["expected"]}
    assert "PartitionAssignorException" in str(check(swapped, ServerRange, exact=True))


@pytest.mark.parametrize("field", ["topics", "members", "subscription_type", "expected"])
def test_a_vector_without_a_field_is_bad_input(field: str):
    vector = {key: value for key, value in vectors("server-range")[0].items() if key != field}
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS["server-range"].check(vector, ServerRange, exact=True)
