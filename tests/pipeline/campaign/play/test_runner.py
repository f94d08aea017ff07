"""How far a campaign is while it is played."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kassay.pipeline.campaign.plan.lanes import Chunk, lanes_of
from kassay.pipeline.campaign.plan.spec import Spec, TargetSpec
from kassay.pipeline.campaign.play.runner import BatchClock
from kassay.pipeline.campaign.records.campaign import Campaign
from kassay.pipeline.campaign.records.store import Local

LANES = lanes_of(Spec("n", (TargetSpec("range"), TargetSpec("sticky")), (("small", 100),)))


def begun(seconds: tuple[float, float]) -> Campaign:
    """Two lanes of 100: 20 of each are played at so many seconds a history, 40 more are planned."""
    campaign = Campaign(Spec("n", (), ()), LANES, Local(Path("unused")))
    campaign.planned = {0: [Chunk(0, 0, 20), Chunk(1, 0, 20)], 1: [Chunk(0, 20, 60), Chunk(1, 20, 60)]}
    tasks = [{"lane": lane, "nanoseconds": round(20e9 * cost)} for lane, cost in enumerate(seconds)]
    campaign.done = {0: {"tasks": tasks, "sums": {}}}
    return campaign


@given(st.tuples(st.floats(1e-3, 9), st.floats(1e-3, 9)), st.integers(1, 8), st.integers(1, 50))
def test_within_a_batch_there_is_ever_more_done_and_less_left(
    seconds: tuple[float, float], slots: int, tasks: int
) -> None:
    clock = BatchClock(begun(seconds), slots)
    told = [clock.within(1, done, tasks) for done in range(tasks + 1)]
    assert (told[0].done, told[-1].done, told[-1].of) == (40, 120, 200)
    assert [now.done for now in told] == sorted(now.done for now in told)
    left = [now.eta_s if now.eta_s is not None else -1 for now in told]
    assert left == sorted(left, reverse=True)
    assert abs(left[0] - 80 * sum(seconds) / slots) < 1e-6 * sum(seconds)
    assert abs(left[-1] - 40 * sum(seconds) / slots) < 1e-6 * sum(seconds)


def test_nothing_is_foretold_before_every_lane_has_been_seen() -> None:
    campaign = begun((1.0, 1.0))
    campaign.done = {}
    assert BatchClock(campaign, 2).within(0, 1, 4).eta_s is None
