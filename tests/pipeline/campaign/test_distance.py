"""The distances of a history add up what each outcome shows beside the certified best."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.assignors.groups.client.optimal_sticky import OptimalSticky
from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.kinds.groups.measures import measured_group
from kassay.kinds.groups.oracle import best_of_group
from kassay.model.calls import Failure
from kassay.model.errors import FailureKind
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.kinds import RebalanceProtocol
from kassay.pipeline.campaign.distance import Distance
from kassay.pipeline.campaign.tables import DISTANCE
from kassay.properties.groups.balance import ORDER
from tests.properties.groups.steps import T4, UV, member, rebalanced, step
from tests.strategies import histories


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
