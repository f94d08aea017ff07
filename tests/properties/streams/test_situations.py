"""The situations of Streams applications are reached."""

from collections import Counter

import pytest

from kassay.model.streams.events import ProcessJoin, ProcessRetag
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import process_id
from kassay.properties.sources import Seeded
from kassay.properties.streams.scenarios import TAGGED, task_history
from kassay.properties.streams.situations import SENTENCES, reached

SEEDS = 400
OF_TAGS = {*TAGGED, "process-retags"}
"""Reached by lives that are aimed at them alone: others have no tags."""


def test_every_situation_is_reached_and_none_is_rare():
    counts = Counter(name for seed in range(SEEDS) for name in reached(task_history(Seeded(seed))))
    assert set(counts) == set(SENTENCES) - OF_TAGS
    assert min(counts.values()) > SEEDS // 20


def one_life(*changes, tags=("a", "b", "a"), keys=("zone",), standbys=1):
    processes = tuple(
        ProcessJoin(process_id(number), 1, tags=(("zone", value),) if value else ())
        for number, value in enumerate(tags)
    )
    return TaskHistory((1,), 1, processes, changes, standbys, rack_aware_tags=keys)


@pytest.mark.parametrize(
    ("life", "names"),
    [
        (one_life(), {"client-tags"}),
        (one_life(tags="aaa"), set()),
        (one_life(keys=()), set()),
        (one_life(keys=("rack",)), {"tags-missing"}),
        (one_life(tags=("a", "b", "")), {"tags-missing"}),
        (one_life(standbys=2), {"client-tags", "few-tag-values"}),
        (one_life(standbys=2, tags="abc"), {"client-tags", "enough-tag-values"}),
        (one_life(standbys=3, tags="abca"), {"client-tags", "few-tag-values"}),
        (one_life(standbys=0), set()),
        (one_life(TaskChange((ProcessRetag(process_id(2), None, (("zone", "a"),)),))), {"client-tags"}),
        (one_life(TaskChange((ProcessRetag(process_id(9)),))), {"client-tags"}),
        (
            one_life(TaskChange((ProcessRetag(process_id(2)),))),
            {"client-tags", "tags-missing", "process-retags"},
        ),
    ],
)
def test_what_tags_say_is_seen_at_each_rebalance(life, names):
    assert reached(life) & OF_TAGS == names
