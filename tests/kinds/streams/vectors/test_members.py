"""The broker's assignor of Streams tasks against the genuine outputs of Kafka 4.4."""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.certify.vectors.check import check_file
from kassay.kinds.streams.vectors.members import StreamsGroupVector
from kassay.kinds.vectors import FORMATS, load_formats
from kassay.model.errors import InputError
from kassay.model.java import computed_order, hash_map_order, string_hash
from kassay.model.streams.group import MemberTasks
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
