"""Split of a campaign's work: batches of every lane, and chunks of similar cost for the tasks.

The cost of a history is unknown until some were played, so the first batch is small and later ones use
measured costs. A batch is recorded before it starts; a resumed campaign plays that same batch. None of this
changes a result: a history's seed depends only on its index.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kassay.pipeline.campaign.plan.lanes import Chunk, Lane
from kassay.pipeline.campaign.plan.spec import Pace

FIRST_SMALL = 32
FIRST_LARGE = 1
"""Histories of each lane in the first batch, before costs are known."""
TASKS_A_SLOT = 6
"""The least number of tasks per slot, if there is enough work: the last tasks balance the load."""
GROWTH_MAX = 60
"""A batch has at most this many times the histories from which its lane's cost is known."""
TRUST_MAX = 8
"""The same limit for a task: the cost of one cheap history must not put a whole batch into one task."""


def next_batch(
    lanes: Sequence[Lane], done: Mapping[int, int], costs: Mapping[int, float], pace: Pace, slots: int
) -> list[Chunk]:
    """The range of each unfinished lane that the next batch plays; empty when all is done.

    `done`: the end of each lane's planned range; `costs`: the seconds per history, where known.
    """
    left = {lane.number: lane.histories - done.get(lane.number, 0) for lane in lanes}
    left = {number: count for number, count in left.items() if count > 0}
    by_number = {lane.number: lane for lane in lanes}
    known = {number: costs[number] * count for number, count in left.items() if number in costs}
    share = min(1.0, pace.batch_seconds * slots / max(1e-9, sum(known.values())))
    chunks = []
    for number, count in left.items():
        start = done.get(number, 0)
        if pace.batch_histories is not None:
            size = pace.batch_histories
        elif number in costs:
            size = min(math.ceil(share * count), GROWTH_MAX * max(1, start))
        else:
            size = FIRST_SMALL if by_number[number].profile == "small" else FIRST_LARGE
        chunks.append(Chunk(number, start, start + min(count, size)))
    return chunks


def chunks_of(
    batch: Sequence[Chunk], costs: Mapping[int, float], pace: Pace, slots: int
) -> tuple[Chunk, ...]:
    """The batch as tasks, the most expensive first so that none of those runs last."""
    guess = {part.lane: costs.get(part.lane, 0.01) for part in batch}
    total = sum(guess[part.lane] * (part.stop - part.start) for part in batch)
    seconds = min(pace.task_seconds, max(0.05, total / (TASKS_A_SLOT * slots)))
    cut = [
        Chunk(part.lane, start, min(part.stop, start + size))
        for part in batch
        for size in [max(1, min(int(seconds / max(1e-6, guess[part.lane])), TRUST_MAX * max(1, part.start)))]
        for start in range(part.start, part.stop, size)
    ]
    return tuple(sorted(cut, key=lambda c: (-guess[c.lane] * (c.stop - c.start), c)))
