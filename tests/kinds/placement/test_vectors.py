"""Placers against the genuine outputs of Kafka."""

import gzip
import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from kassay.assignors.placement.rack_aware import RackAware
from kassay.assignors.placement.rack_unaware import RackUnaware
from kassay.assignors.placement.striped import Striped
from kassay.assignors.registry import find, load_all
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from kassay.model.java import JavaRandom
from kassay.model.placement.request import PlacementRefusedError
from tests.paths import VECTORS

DATA = VECTORS
ADMIN, STRIPED = "replicas-adminutils", "replicas-striped"
SIZES = {ADMIN: 311, STRIPED: 309}

load_all()
load_formats()


@cache
def vectors(algorithm: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def problems(algorithm, factory, *, exact=True):
    check = FORMATS[algorithm].check
    told = ((vector, check(vector, factory, exact=exact)) for vector in vectors(algorithm))
    return [(vector["id"], problem) for vector, problem in told if problem is not None]


@pytest.mark.parametrize("algorithm", SIZES)
@pytest.mark.parametrize("exact", [True, False])
def test_the_reference_answers_as_kafka_did_exceptions_included(algorithm, exact):
    form = FORMATS[algorithm]
    failed = {}
    for vector in vectors(algorithm):
        spec = form.reference if isinstance(form.reference, str) else form.reference(vector)
        problem = form.check(vector, find(spec).factory, exact=exact)
        if problem is not None:
            failed[vector["id"]] = problem
    assert failed == {}
    assert len(vectors(algorithm)) == SIZES[algorithm]


def test_the_vectors_hold_refusals_and_both_rules_of_admin_utils():
    errors = Counter(
        vector["expected"].get("error", "").rpartition(".")[2]
        for a in (ADMIN, STRIPED)
        for vector in vectors(a)
    )
    assert set(errors) == {
        "",
        "InvalidPartitionsException",
        "InvalidReplicationFactorException",
        "AdminOperationException",
    }
    rules = Counter(FORMATS[ADMIN].reference(vector) for vector in vectors(ADMIN))
    assert min(rules["placement:rack-aware"], rules["placement:rack-unaware"]) > 50


class SwappedFollowers(RackAware):
    def place(self, request, random):
        return tuple((row[0], *row[:0:-1]) for row in super().place(request, random))


class OtherLeader(RackAware):
    def place(self, request, random):
        return tuple(row[::-1] for row in super().place(request, random))


class OtherError(RackAware):
    def place(self, request, random):
        try:
            return super().place(request, random)
        except PlacementRefusedError as refused:
            raise PlacementRefusedError(str(refused)) from None


class AlwaysRefusing:
    def place(self, request, random):
        raise PlacementRefusedError("no")


class NeverRefusing:
    def place(self, request, random):
        return ()


def test_only_an_exact_check_minds_the_order_of_followers_and_the_class_of_errors():
    assert problems(ADMIN, RackAware) == problems(ADMIN, SwappedFollowers, exact=False) == []
    assert problems(ADMIN, OtherError, exact=False) == []
    assert len(problems(ADMIN, SwappedFollowers)) > 100
    told = [text for _, text in problems(ADMIN, OtherError)]
    assert {text.partition(" (")[0] for text in told} == {"raised org.apache.kafka.common.KafkaException"}
    assert [text.rpartition(" where Kafka gives ")[2] for text in told] == [
        vector["expected"]["error"] for vector in vectors(ADMIN) if "error" in vector["expected"]
    ]


@pytest.mark.parametrize("exact", [True, False])
def test_wrong_placements_are_told_apart(exact):
    for wrong in (RackUnaware, OtherLeader, AlwaysRefusing, NeverRefusing):
        assert len(problems(ADMIN, wrong, exact=exact)) > 100, wrong
    for wrong in (AlwaysRefusing, NeverRefusing):
        assert len(problems(STRIPED, wrong, exact=exact)) > 200


def test_a_placer_that_draws_otherwise_is_told():
    assert len(problems(STRIPED, RackUnaware)) > 200

    class DrawsNothing(Striped):
        def place(self, request, random):
            return super().place(request, JavaRandom(0))

    texts = [text for _, text in problems(STRIPED, DrawsNothing)]
    assert any("recorded random numbers were not drawn" in text for text in texts)


@pytest.mark.parametrize(
    ("algorithm", "field"),
    [
        (ADMIN, "brokers"),
        (ADMIN, "expected"),
        (STRIPED, "random"),
        (STRIPED, "partitions"),
    ],
)
def test_a_vector_of_another_form_is_bad_input(algorithm, field):
    vector = vectors(algorithm)[0]
    spec = FORMATS[algorithm].reference
    factory = find(spec if isinstance(spec, str) else spec(vector)).factory
    spoilt = {key: value for key, value in vector.items() if key != field}
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS[algorithm].check(spoilt, factory, exact=True)
