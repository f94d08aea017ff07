"""Rolling upgrades: their script, what an action on brokers did to the group, and one on genuine brokers."""

import tomllib

import pytest

from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.brokers import BrokerShape
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.program import Called, Stall
from kassay.engines.live.recording import MS, GroupSeen, Life, LiveStep, Recording
from kassay.engines.live.run import LiveOptions, live
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat, script_of, script_toml
from kassay.engines.live.upgrade import broker_steps, upgrade_script, upgrade_scripts
from kassay.model.cluster import TopicPartition
from kassay.report.described_runs import broker_rows

SEATS = tuple(LiveSeat(f"m{number}", "java", ("range",)) for number in (1, 2))
OLD, NEW = "4.3.1", "4.4.0"


def test_brokers_go_there_and_back_and_are_finalized_last():
    script = upgrade_script(SEATS, BrokerShape(3), OLD, NEW)
    acts = [(each.broker, each.release) for each in script.actions if each.do == "upgrade-broker"]
    there, back = [(node, NEW) for node in (1, 2, 3)], [(node, OLD) for node in (3, 2, 1)]
    assert acts == [*there, *back, *there]
    assert [each.do for each in script.actions[-3:]] == ["finalize", "leave", "join"]
    assert script_of(tomllib.loads(script_toml(script)), "x.toml") == script


def test_each_type_of_group_has_a_play_of_its_own():
    others = (LiveSeat("m3", "java", (), "share"), LiveSeat("m4", "java", (), "streams"))
    scripts = upgrade_scripts([*SEATS, *others], BrokerShape(3), OLD, NEW)
    assert [each.title for each in scripts] == [
        f"{OLD} to {NEW}, {name} group" for name in ("consumer", "share", "streams")
    ]
    assert [[seat.name for seat in each.seats] for each in scripts] == [["m1", "m2"], ["m3"], ["m4"]]


def step(action, t, coordinator, epoch, owner):
    owned = {owner: frozenset({TopicPartition("t", 0)})}
    group = GroupSeen(t * MS, "Stable", owned, coordinator, epoch)
    return LiveStep(action, t * MS, (t + 3000) * MS, True, {"t": 1}, {owner: frozenset({"t"})}, group)


def call(t, kind):
    return Called(t * MS, kind, "begin", frozenset({TopicPartition("t", 0)}))


def test_an_action_on_brokers_stands_against_the_group_before_it():
    steps = (
        step(LiveAction("join", "m1"), 0, 1, 4, "m1"),
        step(LiveAction("failover"), 5000, 2, 4, "m1"),
        step(LiveAction("leave", "m2"), 9000, 2, 5, "m1"),
        step(LiveAction("restart-broker", broker=2), 20000, -1, -1, "m2"),
    )
    failover, restart = broker_steps(Recording(LiveScript({"t": 1}, SEATS, ()), (), steps, {}))
    assert (failover.before, failover.after, failover.rebalances, failover.changed_owner) == (1, 2, 0, 0)
    assert (restart.rebalances, restart.changed_owner) == (None, 1)
    assert [*broker_rows((failover, restart))] == [
        ("predicted", "-", "0", "0", "-"),
        ("failover", "1 to 2", "0", "0", "3 s"),
        ("restart-broker 2", "2 to ?", "-", "1", "3 s"),
    ]


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ((), "not explained"),
        ((call(6000, "lost"),), "m1 lost their place in the group"),
        ((call(6000, "lost"), Stall(6000 * MS, 300)), "m1 lost their place in the group; m1 stalled"),
    ],
)
def test_a_rebalance_that_was_not_predicted_is_explained(events, why):
    steps = (step(LiveAction("join", "m1"), 0, 1, 4, "m1"), step(LiveAction("failover"), 5000, 2, 5, "m1"))
    lives = (Life(SEATS[0], 1, 0, events),)
    (failover,) = broker_steps(Recording(LiveScript({"t": 1}, SEATS, ()), lives, steps, {}))
    assert failover.why == why


@pytest.mark.broker
@pytest.mark.cluster
@pytest.mark.parametrize(
    "client", ["java:range", "java:consumer", "java:streams", "java:streams/classic", "java:share"]
)
def test_three_brokers_are_upgraded_under_a_live_group_and_back(client, tmp_path):
    broker_jars(NEW, fetch=True)
    programs = ClientPrograms({}, broker_jars(OLD, fetch=True), OLD)
    seats = programs.seats((f"{client}*2",))
    programs.fetch(seats)
    script = upgrade_script(seats, BrokerShape(3), OLD, NEW)
    result = live(LiveOptions(script=script, again=0, shrink=False, base=tmp_path), programs)
    assert result.findings == () and not result.failed
    assert {(each.rebalances, each.changed_owner) for each in result.played[0].brokers} == {(0, 0)}
