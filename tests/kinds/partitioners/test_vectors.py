"""The partitioner's and the coordinator's hashes against the genuine outputs of Kafka."""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from kassay.assignors.groups.server.coordinator import remainder_first
from kassay.assignors.partitioners.abs import Abs
from kassay.assignors.partitioners.murmur2 import Murmur2
from kassay.assignors.registry import find
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from tests.paths import VECTORS

MURMUR2, COORDINATOR = "partitioner-murmur2", "coordinator-partition"
SIZES = {MURMUR2: 348, COORDINATOR: 169}

load_formats()


@cache
def vectors(algorithm: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def problems(algorithm, factory, *, exact=True):
    check = FORMATS[algorithm].check
    told = ((vector, check(vector, factory, exact=exact)) for vector in vectors(algorithm))
    return [(vector["id"], problem) for vector, problem in told if problem is not None]


def reference(algorithm):
    return find(FORMATS[algorithm].reference).factory


@pytest.mark.parametrize("algorithm", SIZES)
@pytest.mark.parametrize("exact", [True, False])
def test_the_reference_answers_as_kafka_did(algorithm, exact):
    assert problems(algorithm, reference(algorithm), exact=exact) == []
    assert len(vectors(algorithm)) == SIZES[algorithm]


def test_other_hashes_and_lookups_are_told_apart():
    assert len(problems(MURMUR2, Abs)) > 100

    class ArticleLookup:
        def partition_for(self, group_id, partitions):
            return remainder_first(group_id, partitions)

    wrong = problems(COORDINATOR, ArticleLookup)
    assert wrong
    assert all("partitions: " in text for _, text in wrong)
    hash_min = {v["id"] for v in vectors(COORDINATOR) if v["expected"]["string_hash"] == -(2**31)}
    assert {name for name, _ in wrong} == hash_min


def test_a_recorded_hash_is_checked_against_a_reference_only():
    vector = vectors(MURMUR2)[5]
    for field in ("murmur2", "to_positive"):
        spoilt = vector | {"expected": vector["expected"] | {field: 1}}
        assert field in FORMATS[MURMUR2].check(spoilt, Murmur2, exact=True)
        assert FORMATS[MURMUR2].check(spoilt, Murmur2, exact=False) is None
    lookup = find("coordinator").factory
    vector = vectors(COORDINATOR)[5]
    for field, told in (("string_hash", "hash "), ("abs", "absolute value ")):
        spoilt = vector | {"expected": vector["expected"] | {field: 1}}
        assert FORMATS[COORDINATOR].check(spoilt, lookup, exact=True).startswith(told)
        assert FORMATS[COORDINATOR].check(spoilt, lookup, exact=False) is None


@pytest.mark.parametrize(
    ("algorithm", "field"),
    [
        (MURMUR2, "key_b64"),
        (MURMUR2, "expected"),
        (COORDINATOR, "group_id_utf16"),
        (COORDINATOR, "expected"),
    ],
)
def test_a_vector_of_another_form_is_bad_input(algorithm, field):
    vector = vectors(algorithm)[0]
    spoilt = {key: value for key, value in vector.items() if key != field}
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS[algorithm].check(spoilt, reference(algorithm), exact=True)
