"""Members that restart one after the other, on the coordinator of the models."""

import pytest

from kassay.engines.clusters.rolling_group import RollingGroup
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.requests import Config

RANGE, STICKY = ClientSetting(("range",)), ClientSetting(("sticky",))
BOTH, UNIFORM = ClientSetting(("sticky", "range")), ClientSetting(remote="uniform")
MIGRATES = Config(upgrade=True, downgrade=True)


def restarted(group, setting, members=3):
    return [tuple(group.restart(index, setting))[:3] for index in range(members)]


def test_a_dynamic_member_costs_two_rebalances_and_a_static_one_none():
    dynamic = RollingGroup(Config(), 3, RANGE, static=False)
    assert restarted(dynamic, RANGE) == [(2, "range", "")] * 3
    static = RollingGroup(Config(), 3, RANGE, static=True)
    assert restarted(static, RANGE) == [(0, "range", "")] * 3


@pytest.mark.parametrize("static", [False, True])
def test_a_member_without_a_common_assignor_is_refused(static):
    group = RollingGroup(Config(), 3, RANGE, static=static)
    assert group.restart(0, STICKY).error == "INCONSISTENT_GROUP_PROTOCOL"


@pytest.mark.parametrize("static", [False, True])
def test_what_all_list_takes_over_with_the_last_of_them(static):
    group = RollingGroup(Config(), 3, RANGE, static=static)
    assert [rule for _, rule, _ in restarted(group, BOTH)] == ["range", "range", "sticky"]
    assert [error for _, _, error in restarted(group, STICKY)] == [""] * 3


@pytest.mark.parametrize("static", [False, True])
def test_the_first_of_the_consumer_protocol_converts_and_the_last_converts_back(static):
    group = RollingGroup(MIGRATES, 3, RANGE, static=static)
    assert group.restart(0, UNIFORM).error == "" and isinstance(group.group, ConsumerGroup)
    assert [rule for _, rule, _ in restarted(group, UNIFORM)] == ["uniform"] * 3
    assert not any(member.classic for member in group.group.members)
    assert [error for _, _, error in restarted(group, RANGE)] == [""] * 3
    assert isinstance(group.group, ClassicGroup) and group.rule == "range"


def test_without_the_policy_the_consumer_protocol_is_refused():
    group = RollingGroup(Config(), 3, RANGE, static=False)
    assert group.restart(0, UNIFORM).error == "GROUP_ID_NOT_FOUND"
    assert isinstance(group.group, ClassicGroup)


def test_who_leaves_for_good_is_gone():
    for static in (False, True):
        group = RollingGroup(Config(), 3, RANGE, static=static)
        group.leave(1)
        assert len(group.group.members) == 2


def test_members_of_the_classic_protocol_wait_for_a_target_that_nobody_computes():
    """Without the policy to convert back, the last of the consumer protocol leaves a group that is not at rest."""
    group = RollingGroup(Config(upgrade=True, downgrade=False), 3, UNIFORM, static=False)
    assert [group.restart(index, RANGE).error for index in (0, 1)] == [""] * 2
    group.leave(2)
    assert isinstance(group.group, ConsumerGroup)
    assert all(member.classic for member in group.group.members)
    assert group.group.target_epoch < group.group.epoch


def test_a_tie_of_two_members_never_settles_and_a_tie_of_four_does():
    """Rebalance follows rebalance while one member of two has range and one uniform (seen on Kafka 4.4)."""
    server_range = ClientSetting(remote="range")
    two, four = (RollingGroup(MIGRATES, count, server_range, static=False) for count in (2, 4))
    assert [two.restart(index, UNIFORM).is_settled for index in range(2)] == [False, True]
    assert all(four.restart(index, UNIFORM).is_settled for index in range(4))
