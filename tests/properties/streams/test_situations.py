"""The situations of Streams applications are reached."""

from collections import Counter

from kassay.properties.sources import Seeded
from kassay.properties.streams.scenarios import (
    task_history,
)
from kassay.properties.streams.situations import SENTENCES, reached

SEEDS = 400


def test_every_situation_is_reached_and_none_is_rare():
    counts = Counter(name for seed in range(SEEDS) for name in reached(task_history(Seeded(seed))))
    assert set(counts) == set(SENTENCES)
    assert min(counts.values()) > SEEDS // 20
