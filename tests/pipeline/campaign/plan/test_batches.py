"""However the work is cut, every history is in exactly one chunk."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.pipeline.campaign.plan.batches import TRUST_MAX, chunks_of, next_batch
from kassay.pipeline.campaign.plan.lanes import Chunk, Lane, lanes_of
from kassay.pipeline.campaign.plan.spec import Pace, Spec, TargetSpec

LANES = lanes_of(
    Spec("n", tuple(TargetSpec(name) for name in ("range", "roundrobin")), (("small", 1), ("large", 1)))
)
costs = st.dictionaries(st.integers(0, 3), st.floats(1e-5, 30), max_size=4)
paces = st.builds(
    Pace,
    batch_seconds=st.floats(0.1, 100),
    batch_histories=st.none() | st.integers(1, 50),
    task_seconds=st.floats(0.1, 10),
)


@given(st.lists(st.integers(1, 400), min_size=4, max_size=4), costs, paces, st.integers(1, 8))
def test_batches_and_chunks_cover_everything_once(
    sizes: list[int], known: dict[int, float], pace: Pace, slots: int
) -> None:
    lanes = [Lane(lane.number, lane.profile, size, lane.job) for lane, size in zip(LANES, sizes, strict=True)]
    played: list[Chunk] = []
    upto: dict[int, int] = {}
    while batch := next_batch(lanes, upto, known, pace, slots):
        for part in batch:
            assert part.start == upto.get(part.lane, 0) < part.stop
            upto[part.lane] = part.stop
        chunks = chunks_of(batch, known, pace, slots)
        assert sum(c.stop - c.start for c in chunks) == sum(p.stop - p.start for p in batch)
        played += chunks
    for lane in lanes:
        seen = [i for c in played if c.lane == lane.number for i in range(c.start, c.stop)]
        assert sorted(seen) == list(range(lane.histories))


@given(
    st.lists(st.integers(1, 400), min_size=4, max_size=4),
    st.lists(st.floats(1e-4, 30), min_size=4, max_size=4),
    paces,
    st.integers(1, 8),
)
def test_no_straggler_however_skewed_the_lanes(
    sizes: list[int], seconds: list[float], pace: Pace, slots: int
) -> None:
    # Tasks are handed out in order to whoever is free; the work of a history is what it was taken for.
    batch, costs = [Chunk(lane, 0, size) for lane, size in enumerate(sizes)], dict(enumerate(seconds))
    busy = [0.0] * slots
    lengths = []
    for chunk in chunks_of(batch, costs, pace, slots):
        lengths.append(costs[chunk.lane] * (chunk.stop - chunk.start))
        busy[busy.index(min(busy))] += lengths[-1]
    assert max(lengths) <= max(pace.task_seconds, *seconds) + 1e-9
    # Nobody is at work for longer than an even share and the last task that it took on.
    assert max(busy) <= sum(lengths) / slots + max(lengths) + 1e-6
    # The largest come first, so what is taken on last is small where there are many.
    assert lengths == sorted(lengths, reverse=True)


def test_a_cost_known_from_few_histories_makes_no_long_task() -> None:
    # One cheap history was seen of each; all others take a thousand times as long.
    batch = [Chunk(lane, 1, 61) for lane in range(4)]
    chunks = chunks_of(batch, dict.fromkeys(range(4), 0.001), Pace(), 2)
    assert max(c.stop - c.start for c in chunks) <= TRUST_MAX
    later = chunks_of([Chunk(0, 1000, 61_000)], {0: 0.001}, Pace(), 2)
    assert max(c.stop - c.start for c in later) == 4000


def test_expensive_chunks_come_first() -> None:
    batch = [Chunk(0, 0, 100), Chunk(1, 0, 3)]
    chunks = chunks_of(batch, {0: 0.01, 1: 5.0}, Pace(task_seconds=2.0), 2)
    assert [c.lane for c in chunks][:3] == [1, 1, 1]
    assert all(c.stop - c.start == 1 for c in chunks if c.lane == 1)
