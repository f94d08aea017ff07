"""A history that begins where another has got to goes on as that one does from there."""

import pytest

from kassay.assignors.groups.client.cooperative_sticky import CooperativeSticky
from kassay.assignors.groups.client.range import Range
from kassay.assignors.groups.client.sticky import Sticky
from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.kinds.groups.kind import GroupDriver
from kassay.kinds.judging import Subject
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import Crash, History, Join, ReportOwned, Return, Withhold
from kassay.model.groups.kinds import CLIENT, SHARE
from kassay.model.groups.player import Player
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.sources import Seeded

DRIVER = GroupDriver(CLIENT)
RULES = [(Range, RebalanceProtocol.EAGER), (Sticky, RebalanceProtocol.EAGER)]
RULES.append((CooperativeSticky, RebalanceProtocol.COOPERATIVE))


def restarts(case, rule=Range, protocol=RebalanceProtocol.EAGER):
    return list(DRIVER.restarts(case, Subject(lambda _: rule(), protocol, ())))


def without_user_data(group):
    return [member._replace(user_data=None) for member in group.members]


@pytest.mark.parametrize(("rule", "protocol"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_each_begins_with_what_a_round_was_asked(rule, protocol):
    compared = 0
    for seed in range(25):
        case = history(Seeded(seed), GroupProfile())
        player = Player(lambda _: rule(), protocol)
        rounds = [(r.index, step) for r in player.play(case) for step in r.steps]
        again = restarts(case, rule, protocol)
        if not case.events:
            assert again == []
            continue
        assert all(len(other.changes) >= 1 and isinstance(other.changes[0][0], Join) for other in again)
        for index, step in rounds:
            if not step.group.members or isinstance(step.answer, Failure):
                continue
            rest = case.changes[index + 1 :]
            alone, *more = [again.pop(0) for _ in range(1 + bool(rest))]
            assert alone.events == 0
            assert [other.changes[1:] for other in more] == ([rest] if rest else [])
            first = next(iter(player.play(alone))).steps[0]
            assert first.cluster == step.cluster
            assert without_user_data(first.group) == without_user_data(step.group)
            assert first.configs == step.configs
            compared += 1
    assert compared > 30


def test_a_crash_and_a_return_become_ownership_of_before():
    joins = tuple(Join(Member(name, ("t",))) for name in ("a", "b"))
    case = History(Cluster.of({"t": 2}), (joins, (Crash("a"),), (Return("a"),)))
    stale, fresh = (TopicPartition("t", 0),), (TopicPartition("t", 0), TopicPartition("t", 1))
    reports = [
        {j.member.member_id: (j.member.owned, j.member.generation) for j in c.joins} for c in restarts(case)
    ]
    assert {"a": (stale, 1), "b": (fresh, 2)} in reports


def test_reported_ownership_is_one_to_join_with():
    owned = (TopicPartition("t", 1),)
    case = History(Cluster.of({"t": 2}), ((Join(Member("a", ("t",))), ReportOwned("a", owned, -1)),))
    (again,) = restarts(case)
    assert again.changes == ((Join(Member("a", ("t",), owned, -1)),),)


def test_what_a_share_group_may_not_give_out_is_withheld_from_the_start():
    joins = (Join(Member("a", ("t",))),)
    case = History(Cluster.of({"t": 3}), (joins, (Withhold("t", (0, 2)),)))
    driver = GroupDriver(SHARE)
    subject = Subject(lambda _: ShareSimple(), RebalanceProtocol.EAGER, ())
    starts = [again.changes[0] for again in driver.restarts(case, subject) if len(again.changes) == 1]
    owned = tuple(TopicPartition("t", number) for number in range(3))
    assert starts == [joins, (Join(Member("a", ("t",), owned, 1)), Withhold("t", (0, 2)))]
