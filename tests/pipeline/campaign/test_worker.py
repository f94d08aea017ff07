"""The targets that a worker keeps open, and the rows of a chunk."""

import json

import pytest

from kassay.certify.runs.blocks import TWIN_EVERY, TWINS_MAX
from kassay.pipeline.campaign.lanes import Chunk, lanes_of
from kassay.pipeline.campaign.spec import Spec, TargetSpec
from kassay.pipeline.campaign.tables import GAPS, RUNS, SUMS
from kassay.pipeline.campaign.worker import OPEN_MAX, TWINNED_MAX, Benches, Work, rows_of

LATE = TWIN_EVERY * TWINS_MAX


def lanes(count):
    spec = Spec("n", (TargetSpec("range"),), (("small", 3), ("large", 3)))
    return [lane for _ in range(count) for lane in lanes_of(spec)[:1]]


def numbered(count):
    (lane,) = lanes(1)
    return [type(lane)(number, lane.profile, lane.histories, lane.job) for number in range(count)]


def test_a_target_stays_open_until_it_is_the_least_used():
    benches, many = Benches(), numbered(OPEN_MAX + 1)
    opened = [benches.get("c", lane, LATE) for lane in many[:OPEN_MAX]]
    assert [benches.get("c", lane, LATE) for lane in many[:OPEN_MAX]] == opened
    assert benches.get("c", many[0], LATE) is opened[0]
    benches.get("c", many[OPEN_MAX], LATE)
    assert benches.get("c", many[0], LATE) is opened[0]
    assert benches.get("c", many[1], LATE) is not opened[1]


def test_a_lane_of_another_campaign_is_another():
    benches, (lane,) = Benches(), numbered(1)
    assert benches.get("c", lane, LATE) is not benches.get("d", lane, LATE)


def test_few_may_have_a_second_process_and_none_past_the_histories_that_ask_for_it():
    benches, many = Benches(), numbered(TWINNED_MAX + 1)
    early = [benches.get("c", lane, 0) for lane in many]
    assert benches.get("c", many[-1], 0) is early[-1]
    assert benches.get("c", many[0], 0) is not early[0]
    late = benches.get("c", many[-1], LATE)
    assert late is not early[-1]
    assert benches.get("c", many[-1], 0) is late


@pytest.mark.spark
@pytest.mark.parametrize("gap", [False, True])
def test_a_chunk_has_a_row_a_history_and_one_for_their_sums(gap):
    (lane,) = numbered(1)
    chunk = Chunk(0, 1, 4)
    rows = list(rows_of(Work("n", "c", gap, {0: lane}, (chunk,)), chunk))
    runs = [row for name, row in rows if name == RUNS.name]
    assert [row["index"] for row in runs] == [1, 2, 3]
    assert len({row["seed"] for row in runs}) == 3
    assert [row["index"] for name, row in rows if name == GAPS.name] == ([1, 2, 3] if gap else [])
    name, last = rows[-1]
    assert name == SUMS
    assert json.loads(last)["start"] == 1
