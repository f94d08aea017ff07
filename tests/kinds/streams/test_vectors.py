"""The broker's assignor of Streams tasks against the genuine outputs of Kafka 4.4.

The Streams references against the genuine outputs of Kafka's task assignors.
"""

import gzip
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kassay.assignors.registry import find
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.assignors.streams.sticky import StreamsSticky
from kassay.engines.vectors.check import check_file, read_vectors
from kassay.kinds.streams.controls.tasks import IgnoresTags
from kassay.kinds.streams.vectors import StreamsGroupVector, StreamsVector
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from kassay.model.java import computed_order, hash_map_order, string_hash
from kassay.model.streams.group import MemberTasks
from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment
from kassay.properties.claims import parse_claim
from kassay.properties.registry import applies
from kassay.properties.streams import tasks
from kassay.properties.streams.tags import standby_tags
from kassay.reading.values import read_as
from tests.paths import VECTORS

load_formats()
FORM = FORMATS["streams-group-sticky"]


@cache
def vectors() -> list[dict[str, Any]]:
    with gzip.open(VECTORS / "4.4" / "streams-group-sticky.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def differences(chosen: list[dict[str, Any]], factory: type, exact: bool = True) -> list[str]:
    checked = ((vector["id"], FORM.check(vector, factory, exact=exact)) for vector in chosen)
    return [f"{vector_id}: {difference}" for vector_id, difference in checked if difference]


@pytest.mark.slow
def test_the_reference_answers_as_kafka_did():
    assert len(vectors()) == 527
    assert differences(vectors(), StreamsGroupSticky) == []


@pytest.mark.parametrize(("release", "count"), [("4.1", 474), ("4.2.0", 527), ("4.2.2", 527)])
def test_older_releases_answer_as_was_recorded(release: str, count: int):
    result = check_file(VECTORS / "recorded" / f"streams-group-sticky-{release}.json.gz", None, exact=True)
    assert (result.passed, result.failures) == (count, ())


def test_without_the_recorded_order_the_order_of_javas_hash_tables_gives_the_same():
    bare = [{k: v for k, v in vector.items() if k != "iteration_order"} for vector in vectors()]
    assert differences(bare, StreamsGroupSticky) == []


def test_processes_and_their_members_iterate_as_was_recorded():
    for vector in vectors():
        process_of = {member["id"]: member["process_id"] for member in vector["members"]}
        order = vector["iteration_order"]
        listed = [process_of[member_id] for member_id in order["members"]]
        assert computed_order(listed, string_hash, len(listed)) == [p for p, _ in order["processes"]]
        for process_id, member_ids in order["processes"]:
            theirs = [member_id for member_id in order["members"] if process_of[member_id] == process_id]
            assert hash_map_order(theirs) == member_ids


class Swapped(StreamsGroupSticky):
    """Standby copies listed as active, and active tasks as standby copies."""

    def assign_group(self, group):
        return {m: MemberTasks(t.standby, t.active) for m, t in super().assign_group(group).items()}


class Short(StreamsGroupSticky):
    """No entry for a member with nothing to do."""

    def assign_group(self, group):
        return {member_id: t for member_id, t in super().assign_group(group).items() if any(t)}


class Stranger(StreamsGroupSticky):
    """An entry for somebody who is not there."""

    def assign_group(self, group):
        return {**super().assign_group(group), "!": MemberTasks()}


def test_the_kind_of_a_task_counts():
    assert len(differences(vectors(), Swapped, exact=False)) > 400


def test_only_an_exact_check_wants_an_entry_for_each_member():
    assert differences(vectors(), Short, exact=False) == []
    assert any("no entry for" in line for line in differences(vectors(), Short))


def test_nobody_else_may_have_an_entry():
    assert "! is no member of the group" in differences(vectors()[:1], Stranger, exact=False)[0]


@pytest.mark.parametrize("field", ["subtopologies", "members", "num_standby_replicas", "expected"])
def test_a_vector_without_a_field_is_bad_input(field: str):
    vector = {key: value for key, value in vectors()[0].items() if key != field}
    with pytest.raises(InputError, match=vector["id"]):
        FORM.check(vector, StreamsGroupSticky, exact=True)


def test_a_vector_that_expects_nothing_is_bad_input():
    with pytest.raises(InputError, match="neither assignment nor error"):
        FORM.check(vectors()[0] | {"expected": {}}, StreamsGroupSticky, exact=True)


def test_kafkas_own_answers_give_each_task_once_and_no_process_two_copies():
    for vector in (read_as(StreamsGroupVector, document) for document in vectors()):
        if vector.expected.error is not None:
            continue
        process_of = {member.member_id: member.process_id for member in vector.group.members}
        active = [task for tasks in vector.answer.values() for task in tasks.active]
        assert sorted(active) == sorted(vector.group.tasks)
        copies = [
            (process_of[who], task)
            for who, tasks in vector.answer.items()
            for task in (*tasks.active, *tasks.standby)
        ]
        assert len(set(copies)) == len(copies)


DATA = VECTORS
ALGORITHMS = ("streams-sticky", "streams-highavailability")

load_formats()


@cache
def processes_vectors(algorithm: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{algorithm}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)["vectors"]


def failures(algorithm: str, found: list[dict[str, Any]]) -> list[str]:
    form = FORMATS[algorithm]
    factory = find(str(form.reference)).factory
    told = ((vector["id"], form.check(vector, factory, exact=True)) for vector in found)
    return [f"{name}: {problem}" for name, problem in told if problem]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_reference_answers_as_kafka_did_processes(algorithm: str):
    assert len(processes_vectors(algorithm)) == 300
    assert failures(algorithm, processes_vectors(algorithm)) == []


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
    spread = parse_claim("standby-tags", STREAMS).kind
    for vector in read_vectors(file).vectors:
        case = read_as(StreamsVector, vector)
        step = TaskStep(case.request, case.answer, at_rest=True)
        claims = [tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint]
        if not case.answer.probing_rebalance and applies(spread, step):
            claims.append(standby_tags)
        assert [evidence for claim in claims for evidence in claim(step)] == [], vector["id"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_the_recorded_order_the_order_of_javas_hash_tables_gives_the_same_processes(algorithm: str):
    bare = [
        {k: v for k, v in vector.items() if k != "iteration_order"} for vector in processes_vectors(algorithm)
    ]
    assert failures(algorithm, bare) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "predicate", [tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint]
)
def test_kafkas_own_answers_are_valid(algorithm: str, predicate):
    for vector in processes_vectors(algorithm):
        case = read_as(StreamsVector, vector)
        assert list(predicate(TaskStep(case.request, case.answer))) == [], vector["id"]


@pytest.mark.parametrize(
    ("algorithm", "other"),
    [("streams-sticky", StreamsHighAvailability), ("streams-highavailability", StreamsSticky)],
)
def test_another_rule_is_told_apart(algorithm: str, other: type):
    wrong = [v for v in processes_vectors(algorithm) if FORMATS[algorithm].check(v, other, exact=False)]
    assert len(wrong) > 100


class SwappedProcesses(StreamsHighAvailability):
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


class ShortProcesses(StreamsHighAvailability):
    """No entry for a process with nothing to do."""

    def assign(self, request):
        answer = super().assign(request)
        return TaskAssignment({p: t for p, t in answer.processes.items() if any(t)}, answer.probing_rebalance)


def test_the_kind_of_a_task_and_the_probing_rebalance_count():
    check, found = FORMATS["streams-highavailability"].check, processes_vectors("streams-highavailability")
    assert sum(check(v, SwappedProcesses, exact=False) is not None for v in found) > 200
    assert {check(v, NeverProbing, exact=False) for v in found} == {
        None,
        "probing rebalance False, Kafka says True",
    }


def test_only_an_exact_check_wants_an_entry_for_each_process():
    check, found = FORMATS["streams-highavailability"].check, processes_vectors("streams-highavailability")
    assert all(check(v, ShortProcesses, exact=False) is None for v in found)
    assert any(check(v, ShortProcesses, exact=True) is not None for v in found)


@pytest.mark.parametrize("field", ["all_tasks", "clients", "num_standby_replicas", "expected"])
def test_a_vector_without_a_field_is_bad_input_processes(field: str):
    vector = {key: value for key, value in processes_vectors("streams-sticky")[0].items() if key != field}
    vector.pop("iteration_order")
    with pytest.raises(InputError, match=vector["id"]):
        FORMATS["streams-sticky"].check(vector, StreamsSticky, exact=True)
