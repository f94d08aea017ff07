"""Copies are spread over the values of tags, whichever of them was placed first."""

import pytest

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)
from kassay.properties.claims import parse_claim
from kassay.properties.registry import applies
from kassay.properties.streams.tags import COPIES_MAX, standby_tags

TASK = TaskId(0, 0)


def step(values, runs, *copies, keys=None, asked=None):
    """Processes with a letter for each tag; the given one runs the only task, the others have a copy."""
    keys = ("zone", "cluster")[: max(map(len, values))] if keys is None else keys
    ids = [process_id(number) for number in range(len(values))]
    clients = tuple(TaskClient(p, 1, tags=tuple(zip(keys, v))) for p, v in zip(ids, values))
    request = TaskRequest(
        clients, (TASK,), (TASK,), len(copies) if asked is None else asked, rack_aware_tags=keys
    )
    given = {p: ClientTasks((TASK,) * (n == runs), (TASK,) * (n in copies)) for n, p in enumerate(ids)}
    return TaskStep(request, TaskAssignment(given), at_rest=True)


SPREAD = {
    "another zone": (["a", "b", "a"], 0, 1),
    "two zones and a third copy": (["a", "b", "a"], 0, 1, 2),
    "three zones": (["a", "b", "c", "a"], 0, 1, 2),
    "another zone and another cluster": (["ax", "ay", "bx", "by"], 0, 3),
    "nobody differs in both": (["ax", "ay", "bx"], 0, 1),
    "both zones first, in whichever order": (["ax", "bx", "ay", "by"], 0, 1, 3),
    "clusters are used up, zones are not": (["ax", "by", "cx", "ay", "cy"], 0, 1, 4),
    "a first choice after which nobody is left": (["ax", "by", "bz", "cz", "az"], 0, 2, 1),
    "one value everywhere": (["a", "a"], 0, 1),
}
CROWDED = {
    "the same zone, though there is another": (["a", "b", "a"], 0, 2),
    "the same cluster, though there is another": (["ax", "ay", "bx", "by"], 0, 2),
    "one zone twice, though there is a third": (["a", "b", "c", "a"], 0, 1, 3),
    "two copies in one zone": (["a", "b", "c", "b"], 0, 1, 3),
    "clusters are used up, a zone is used twice": (["ax", "by", "cx", "ay"], 0, 1, 3),
}


@pytest.mark.parametrize("name", SPREAD)
def test_copies_that_differ_as_far_as_they_can_are_spread(name):
    assert list(standby_tags(step(*SPREAD[name]))) == []


@pytest.mark.parametrize("name", CROWDED)
def test_copies_that_share_a_value_which_they_need_not_are_told(name):
    values, runs, *copies = CROWDED[name]
    (evidence,) = standby_tags(step(values, runs, *copies))
    assert evidence.subject == "0_0"
    assert evidence.facts["active on"] == process_id(runs)
    assert evidence.facts["values"][process_id(copies[0])] == " ".join(values[copies[0]])


def test_a_task_without_all_its_copies_is_left_to_other_claims():
    assert list(standby_tags(step(["a", "b", "a"], 0, 2, asked=2))) == []
    assert list(standby_tags(step(["a", "b", "c", "b"], 0, 1, 3, asked=1))) == [], "a copy too many"
    assert list(standby_tags(step(["a", "b", "a"], 0, 0))) == [], "a copy beside the active task"
    assert list(standby_tags(step(["a", "b", "a"], 3, 2))) == [], "a task that runs nowhere"


@pytest.mark.parametrize(
    ("found", "judged"),
    [
        (step(["a", "b"], 0, 1), True),
        (step(["a", "b"], 0, asked=0), False),
        (step(["a", ""], 0, 1), False),
        (step(["a", "b"], 0, 1, keys=()), False),
        (step(["a"], 0, asked=1), False),
        (step("abcde", 0, 1, 2, 3, 4), False),
        (step("abcde", 0, 1, 2, 3), True),
    ],
)
def test_it_is_judged_where_each_process_has_each_tag_and_orders_are_few(found, judged):
    assert COPIES_MAX == 3
    assert applies(parse_claim("standby-tags", STREAMS).kind, found) == judged
