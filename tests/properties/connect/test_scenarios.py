"""What is drawn of Connect clusters.

Recipes reach what they are for, whatever the source says.
"""

import pytest

from kassay.model.connect.history import WorkerJoin
from kassay.model.connect.kinds import CONNECT
from kassay.properties.connect.scenarios import (
    CONNECT_AIMS,
    CONNECT_LARGE,
    CONNECT_SMALL,
    MAX_DELAYS,
    aimed_connect_history,
    connect_history,
)
from kassay.properties.connect.situations import reached_by
from kassay.properties.registry import situations_of
from kassay.properties.sources import Seeded


def drawn(profile, ownership_conflicts, count=200):
    return [
        connect_history(Seeded(seed), profile, ownership_conflicts=ownership_conflicts)
        for seed in range(count)
    ]


def comes_running(history):
    events = (event for change in history.changes for event in change.events)
    return any(isinstance(event, WorkerJoin) and event.running for event in events)


def test_workers_come_running_only_where_claims_may_conflict():
    assert any(map(comes_running, drawn(CONNECT_SMALL, True)))
    assert not any(map(comes_running, drawn(CONNECT_SMALL, False)))


def test_sizes_are_those_of_the_profile_and_all_delays_come_up():
    for profile in (CONNECT_SMALL, CONNECT_LARGE):
        histories = drawn(profile, True, 100)
        assert max(len(history.workers) for history in histories) == profile.workers
        assert {history.max_delay_ms for history in histories} == set(MAX_DELAYS)


@pytest.mark.parametrize(("name", "aim"), CONNECT_AIMS.items())
def test_a_recipe_reaches_its_situation(name, aim):
    assert all(name in reached_by(aimed_connect_history(Seeded(seed), aim)) for seed in range(30))


def test_every_situation_has_a_recipe():
    assert {situation.id for situation in situations_of(CONNECT)} == CONNECT_AIMS.keys()
