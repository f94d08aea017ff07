"""The targets that a worker keeps open, and the rows of a chunk.

The distances of a history add up what each outcome shows beside the certified best.
"""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.assignors.groups.client.optimal_sticky import OptimalSticky
from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.engines.runs.blocks import TWIN_EVERY, TWINS_MAX
from kassay.kinds.groups.measures import measured_group
from kassay.kinds.groups.oracle import best_of_group
from kassay.model.calls import Failure
from kassay.model.errors import FailureKind
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.kinds import RebalanceProtocol
from kassay.pipeline.campaign.lanes import Chunk, lanes_of
from kassay.pipeline.campaign.spec import Spec, TargetSpec
from kassay.pipeline.campaign.tables import DISTANCE, GAPS, RUNS, SUMS
from kassay.pipeline.campaign.worker import OPEN_MAX, TWINNED_MAX, Benches, Distance, Work, rows_of
from kassay.properties.groups.balance import ORDER
from tests.properties.groups.steps import T4, UV, member, rebalanced, step
from tests.strategies import histories

LATE = TWIN_EVERY * TWINS_MAX


def lanes(count):
    spec = Spec("n", (TargetSpec("range"),), (("small", 3), ("large", 3)))
    return [lane for _ in range(count) for lane in lanes_of(spec)[:1]]


def numbered(count):
    (lane,) = lanes(1)
    return [type(lane)(number, lane.profile, lane.histories, lane.job) for number in range(count)]


def test_a_target_stays_open_until_it_is_the_least_used():
    benches, many = Benches(), numbered(OPEN_MAX + 1)
    opened = [benches.get("c", lane, LATE, {}) for lane in many[:OPEN_MAX]]
    assert [benches.get("c", lane, LATE, {}) for lane in many[:OPEN_MAX]] == opened
    assert benches.get("c", many[0], LATE, {}) is opened[0]
    benches.get("c", many[OPEN_MAX], LATE, {})
    assert benches.get("c", many[0], LATE, {}) is opened[0]
    assert benches.get("c", many[1], LATE, {}) is not opened[1]


def test_a_lane_of_another_campaign_is_another():
    benches, (lane,) = Benches(), numbered(1)
    assert benches.get("c", lane, LATE, {}) is not benches.get("d", lane, LATE, {})


def test_few_may_have_a_second_process_and_none_past_the_histories_that_ask_for_it():
    benches, many = Benches(), numbered(TWINNED_MAX + 1)
    early = [benches.get("c", lane, 0, {}) for lane in many]
    assert benches.get("c", many[-1], 0, {}) is early[-1]
    assert benches.get("c", many[0], 0, {}) is not early[0]
    late = benches.get("c", many[-1], LATE, {})
    assert late is not early[-1]
    assert benches.get("c", many[-1], 0, {}) is late


@pytest.mark.spark
@pytest.mark.parametrize("gap", [False, True])
def test_a_chunk_has_a_row_a_history_and_one_for_their_sums(gap):
    (lane,) = numbered(1)
    chunk = Chunk(0, 1, 4)
    rows = list(rows_of(Work("n", "c", gap, {0: lane}, (chunk,), {}), chunk))
    runs = [row for name, row in rows if name == RUNS.name]
    assert [row["history"] for row in runs] == [1, 2, 3]
    assert len({row["seed"] for row in runs}) == 3
    assert [row["history"] for name, row in rows if name == GAPS.name] == ([1, 2, 3] if gap else [])
    name, last = rows[-1]
    assert name == SUMS
    assert json.loads(last)["start"] == 1


@settings(max_examples=25)
@given(histories(), st.sampled_from([Range, RoundRobin, OptimalSticky]))
def test_the_sums_are_those_of_the_outcomes(history, rule):
    distance = Distance(CLIENT)
    unbalanced = balance = moves = least = 0
    for each in Player(lambda config: rule(), RebalanceProtocol.EAGER).play(history):
        distance.see(each)
        for outcome in each.outcomes:
            best = best_of_group(outcome, ORDER)
            gap = sum(n * n for n in outcome.loads.values()) - sum(n * n for n in best.loads)
            unbalanced += gap > 0
            balance += gap
            moves += len(moved(outcome.given, outcome.previous))
            least += best.moved
    row = distance.row()
    assert (row["unbalanced"], row["balance"], row["moved"], row["moved_least"]) == (
        unbalanced, balance, moves, least
    )  # fmt: skip
    assert row["invalid"] == 0
    assert row["balance_worst"] <= row["balance"]
    if rule is OptimalSticky:
        assert (row["balance"], row["movement"], row["rack"]) == (0, 0, 0)


def test_a_row_has_the_columns_of_the_table():
    assert Distance(CLIENT).row().keys() == {column.name for column in DISTANCE}


def test_an_answer_that_is_no_assignment_is_invalid_and_not_measured():
    distance = Distance(CLIENT)
    both = [member("a"), member("b")]
    for given_ in ({"a": "t0 t1", "b": "t2"}, {"a": "t0 t1 t2", "b": "t2"}, {"a": "t0 t1 t2", "b": "u0"}):
        distance.take(measured_group(step(both, given_, T4)))
    distance.take(measured_group(step(both, {"a": "t0 t1 t2", "b": "t3"}, T4)))
    row = distance.row()
    assert (row["invalid"], row["outcomes"], row["unbalanced"], row["spread_worst"]) == (3, 1, 1, 2)
    assert (row["members"], row["partitions"], row["equal"]) == (2, 4, True)


def test_rounds_are_counted_without_the_one_that_shows_the_rest():
    distance = Distance(CLIENT)
    fair = step([member("a")], {"a": "t0 t1 t2 t3"}, T4)
    distance.see(rebalanced(fair))
    distance.see(rebalanced(fair, fair, fair))
    distance.see(rebalanced(fair, settled=False))
    assert (distance.row()["rounds"], distance.row()["unsettled"]) == ([1, 2], 1)


def test_a_call_without_an_answer_says_nothing_of_the_distance():
    distance = Distance(CLIENT)
    distance.see(rebalanced(step([member("a")], Failure(FailureKind.RAISED, "no"), T4), settled=False))
    assert distance.row() == Distance(CLIENT).row()


def test_a_partition_of_a_topic_that_its_owner_does_not_read_makes_the_answer_invalid():
    distance = Distance(CLIENT)
    distance.take(measured_group(step([member("a", "u"), member("b", "v")], {"a": "u0 u1", "b": ""}, UV)))
    distance.take(
        measured_group(step([member("a", "t"), member("b", "u")], {"a": "t0 t1 u0", "b": "u1"}, UV))
    )
    assert (distance.row()["outcomes"], distance.row()["invalid"]) == (1, 1)


def test_the_worst_is_the_largest_whenever_it_came():
    distance = Distance(CLIENT)
    both = [member("a"), member("b")]
    for loads in ({"a": "t0 t1 t2 t3", "b": ""}, {"a": "t0 t1 t2", "b": "t3"}, {"a": "t0 t1", "b": "t2 t3"}):
        distance.take(measured_group(step(both, loads, T4)))
    row = distance.row()
    assert (row["balance"], row["balance_worst"], row["spread_worst"], row["unbalanced"]) == (10, 8, 4, 2)
