"""Aimed lives of an application are in all of their situations, each time."""

import pytest

from kassay.properties.sources import Seeded
from kassay.properties.streams.aims import STREAMS_AIMS, aimed_task_history
from kassay.properties.streams.situations import SENTENCES, reached

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
