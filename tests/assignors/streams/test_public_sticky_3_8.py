"""The public sticky rule before KAFKA-20198: a share rounded down for each thread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import DivisionByZeroError
from kassay.assignors.registry import find
from kassay.assignors.streams.public_sticky import StreamsPublicSticky
from kassay.assignors.streams.public_sticky_3_8 import StreamsPublicStickyFloor
from kassay.model.errors import InputError
from kassay.model.streams.history import asking, play_tasks
from kassay.model.streams.tasks import TaskClient, TaskId, TaskRequest, process_id
from kassay.properties.sources import Drawn
from kassay.properties.streams.scenarios import task_history

A, B = process_id(0), process_id(2)
TASKS = tuple(TaskId(0, p) for p in range(3))


def test_with_fewer_tasks_than_threads_a_task_moves_that_has_stayed_since():
    request = TaskRequest((TaskClient(A, 1, TASKS[1:2]), TaskClient(B, 2)), TASKS[:2], ())
    assert StreamsPublicStickyFloor().assign(request).owners == {TASKS[0]: A, TASKS[1]: B}
    assert StreamsPublicSticky().assign(request).owners == {TASKS[1]: A, TASKS[0]: B}


@st.composite
def histories(draw: st.DrawFn):
    return task_history(Drawn(draw))


@given(histories())
def test_where_tasks_come_out_even_nothing_has_changed_since(history):
    for step in play_tasks(history, asking(StreamsPublicStickyFloor)):
        if len(step.request.tasks) % sum(client.capacity for client in step.request.clients) == 0:
            assert StreamsPublicSticky().assign(step.request) == step.answer


def test_no_process_divides_by_zero():
    for tasks in (TASKS, ()):
        with pytest.raises(DivisionByZeroError):
            StreamsPublicStickyFloor().assign(TaskRequest((), tasks, ()))


def test_it_is_the_rule_of_3_8_until_4_4():
    for release in ("3.8", "3.9.1", "4.0", "4.3.9"):
        assert find(f"streams-public-sticky@{release}").factory is StreamsPublicStickyFloor
    with pytest.raises(InputError, match=r"known since 3\.8 only"):
        find("streams-public-sticky@3.7")
