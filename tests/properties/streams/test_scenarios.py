"""Aimed lives of an application are in all of their situations, each time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.model.streams.documents import TASK_HISTORY
from kassay.model.streams.events import ProcessRetag
from kassay.model.streams.history import asking, play_tasks, run_tasks
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskRequest, process_id
from kassay.properties.sources import Drawn, Seeded
from kassay.properties.streams.scenarios import (
    SMALL,
    STREAMS_AIMS,
    TAGGED,
    aimed_task_history,
    tagged_task_history,
    task_history,
)
from kassay.properties.streams.situations import SENTENCES, reached


class Nothing:
    name = "nothing"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        return TaskAssignment({client.process_id: ClientTasks() for client in request.clients})


def test_a_seed_gives_the_same_history_again_and_others_give_others():
    assert task_history(Seeded(7)) == task_history(Seeded(7))
    assert len({task_history(Seeded(seed)) for seed in range(50)}) > 45


@given(st.data())
def test_hypothesis_drives_the_same_generator(data: st.DataObject):
    history = task_history(Drawn(data.draw))
    assert 1 <= len(history.processes) <= SMALL.processes
    steps = list(play_tasks(history, asking(Nothing)))
    assert len(steps) == len(history.changes) + 1
    assert all(step.request.clients for step in steps)


def test_process_ids_are_different_and_sort_differently_in_java():
    ids = [process_id(number) for number in range(SMALL.processes + 1)]
    assert len(set(ids)) == len(ids)
    assert any(name.startswith("8") for name in ids)


SEEDS = 60


@pytest.mark.parametrize("name", sorted(STREAMS_AIMS))
def test_every_life_is_in_its_situation(name):
    lives = [aimed_task_history(Seeded(seed), STREAMS_AIMS[name]) for seed in range(SEEDS)]
    assert all(name in reached(life) for life in lives)
    assert len(set(lives)) > SEEDS // 2


def test_every_situation_has_a_recipe():
    assert STREAMS_AIMS.keys() == SENTENCES.keys()


def test_an_unknown_recipe_is_an_error():
    with pytest.raises(KeyError):
        aimed_task_history(Seeded(0), "no-such-thing")


@pytest.mark.parametrize("aim", sorted(TAGGED))
def test_every_life_has_tags_and_one_process_takes_others(aim):
    for seed in range(30):
        life = tagged_task_history(Seeded(seed), aim)
        assert {aim, "process-retags"} <= reached(life)
        assert any(isinstance(event, ProcessRetag) for change in life.changes for event in change.events)
        assert TASK_HISTORY.read(json.loads(json.dumps(TASK_HISTORY.write(life))), "case") == life


@pytest.mark.parametrize("aim", sorted(TAGGED))
def test_what_processes_say_of_themselves_stands_in_every_request(aim):
    life = tagged_task_history(Seeded(1), aim)
    for step in run_tasks(life, asking(StreamsHighAvailability)).steps:
        assert step.request.rack_aware_tags == life.rack_aware_tags
        assert all(client.rack is not None for client in step.request.clients)
        assert any(client.tags for client in step.request.clients)


@given(st.data(), st.sampled_from(sorted(TAGGED)))
def test_a_life_with_tags_is_in_its_situation_whoever_makes_the_choices(data, aim):
    assert {aim, "process-retags"} <= reached(tagged_task_history(Drawn(data.draw), aim))
