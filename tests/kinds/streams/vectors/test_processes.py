"""The Streams references against the genuine outputs of Kafka's task assignors."""

import gzip
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kassay.assignors.registry import find
from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.assignors.streams.sticky import StreamsSticky
from kassay.certify.vectors.check import check_file, read_vectors
from kassay.kinds.streams.controls.tasks import IgnoresTags
from kassay.kinds.streams.vectors.processes import StreamsVector
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment
from kassay.properties.promises import promise
from kassay.properties.registry import applies
from kassay.properties.streams import tasks
from kassay.properties.streams.tags import standby_tags
from kassay.reading.values import read_as
from tests.paths import VECTORS

DATA = VECTORS
ALGORITHMS = ("streams-sticky", "streams-highavailability")

load_formats()


@cache
def vectors(algorithm: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def failures(algorithm: str, found: list[dict[str, Any]]) -> list[str]:
    form = FORMATS[algorithm]
    factory = find(str(form.reference)).factory
    told = ((vector["id"], form.check(vector, factory, exact=True)) for vector in found)
    return [f"{name}: {problem}" for name, problem in told if problem]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_reference_answers_as_kafka_did(algorithm: str):
    assert len(vectors(algorithm)) == 300
    assert failures(algorithm, vectors(algorithm)) == []


@pytest.mark.parametrize("release", ["4.3", "4.4"])
def test_the_public_rule_answers_as_was_recorded_with_racks_and_without(release: str):
    file = VECTORS / "recorded" / f"streams-public-sticky-{release}.json.gz"
    result = check_file(file, None, exact=True)
    assert (result.passed, result.failures) == (533, ())
    other = find("streams-public-sticky@3.8" if release == "4.4" else "streams-public-sticky").factory
    assert len(check_file(file, other, exact=True).failures) > 100
    assert {vector["racks"] for vector in read_vectors(file).vectors} == {"none", "racks"}


@pytest.mark.slow
def test_copies_are_spread_over_tags_as_was_recorded():
    file = VECTORS / "recorded" / "streams-highavailability-tags.json.gz"
    result = check_file(file, None, exact=True)
    assert (result.passed, result.failures) == (459, ())
    assert len(check_file(file, IgnoresTags, exact=True).failures) == 182
    spread = promise("standby-tags", STREAMS).claim
    for vector in read_vectors(file).vectors:
        case = read_as(StreamsVector, vector)
        step = TaskStep(case.request, case.answer, at_rest=True)
        claims = [tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint]
        if not case.answer.probing_rebalance and applies(spread, step):
            claims.append(standby_tags)
        assert [evidence for claim in claims for evidence in claim(step)] == [], vector["id"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_the_recorded_order_the_order_of_javas_hash_tables_gives_the_same(algorithm: str):
    bare = [{k: v for k, v in vector.items() if k != "iteration_order"} for vector in vectors(algorithm)]
    assert failures(algorithm, bare) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "predicate", [tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint]
)
def test_kafkas_own_answers_are_valid(algorithm: str, predicate):
    for vector in vectors(algorithm):
        case = read_as(StreamsVector, vector)
        assert list(predicate(TaskStep(case.request, case.answer))) == [], vector["id"]


@pytest.mark.parametrize(
    ("algorithm", "other"),
    [("streams-sticky", StreamsHighAvailability), ("streams-highavailability", StreamsSticky)],
)
def test_another_rule_is_told_apart(algorithm: str, other: type):
    wrong = [v for v in vectors(algorithm) if FORMATS[algorithm].check(v, other, exact=False)]
    assert len(wrong) > 100


class Swapped(StreamsHighAvailability):
    """Standby copies listed as active and active tasks as standby copies."""

    def assign(self, request):
        answer = super().assign(request)
        return replace(
            answer, processes={p: ClientTasks(t.standby, t.active) for p, t in answer.processes.items()}
        )


class NeverProbing(StreamsHighAvailability):
    """The right tasks, but it never asks for another rebalance."""

    def assign(self, request):
        return replace(super().assign(request), probing_rebalance=False)


class Short(StreamsHighAvailability):
    """No entry for a process with nothing to do."""

    def assign(self, request):
        answer = super().assign(request)
        return TaskAssignment({p: t for p, t in answer.processes.items() if any(t)}, answer.probing_rebalance)


def test_the_kind_of_a_task_and_the_probing_rebalance_count():
    check, found = FORMATS["streams-highavailability"].check, vectors("streams-highavailability")
    assert sum(check(v, Swapped, exact=False) is not None for v in found) > 200
    assert {check(v, NeverProbing, exact=False) for v in found} == {
        None,
        "probing rebalance False, Kafka says True",
    }


def test_only_an_exact_check_wants_an_entry_for_each_process():
    check, found = FORMATS["streams-highavailability"].check, vectors("streams-highavailability")
    assert all(check(v, Short, exact=False) is None for v in found)
    assert any(check(v, Short, exact=True) is not None for v in found)


@pytest.mark.parametrize("field", ["all_tasks", "clients", "num_standby_replicas", "expected"])
def test_a_vector_without_a_field_is_bad_input(field: str):
    vector = {key: value for key, value in vectors("streams-sticky")[0].items() if key != field}
    vector.pop("iteration_order")
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS["streams-sticky"].check(vector, StreamsSticky, exact=True)
