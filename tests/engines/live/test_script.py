"""Scripts as TOML, and scripts drawn from a seed."""

import tomllib
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.live.brokers import ONE, BrokerShape
from kassay.engines.live.program import TIMEOUTS
from kassay.engines.live.schedule import draw_script
from kassay.engines.live.script import LiveAction, LiveSeat, read_script, script_of, script_toml
from kassay.model.errors import InputError

MEMBER = {"name": "m1", "client": "java", "strategies": ["range"]}
GOOD = {"topics": {"a": 2}, "member": [MEMBER], "action": [{"do": "join", "member": "m1"}]}
SEATS = [
    LiveSeat(f"m{number}", client, ("range",)) for number, client in enumerate(("java", "aiokafka", "x"))
]
SHARES = [LiveSeat(f"m{number}", "java", (), "share") for number in range(3)]


SHAPES = [ONE, BrokerShape(3), BrokerShape(3, ("a", "b", "c"), 2, {"x.y": "1"})]
shapes = st.sampled_from(SHAPES)


@given(st.integers(0, 2**64 - 1), st.integers(1, 3), st.booleans(), shapes, st.sampled_from([SEATS, SHARES]))
def test_a_drawn_script_is_read_back_from_toml(seed, members, restarts, shape, seats):
    script = draw_script(seed, seats[:members], restarts=restarts, cluster=shape)
    assert script_of(tomllib.loads(script_toml(script)), "x.toml") == script
    assert script == draw_script(seed, seats[:members], restarts=restarts, cluster=shape)
    assert restarts or all(action.do not in ("restart-broker", "failover") for action in script.actions)


@given(st.integers(0, 2**64 - 1), shapes)
def test_a_drawn_script_keeps_a_member_and_means_something(seed, shape):
    script = draw_script(seed, SEATS, cluster=shape)
    up, paused, rare = set(), set(), set()
    for action in script.actions:
        match action.do:
            case "join":
                assert action.member not in up
                up.add(action.member)
            case "leave" | "crash":
                assert action.member in up - paused
                up.discard(action.member)
            case "pause":
                assert action.member in up - paused
                paused.add(action.member)
            case "resume":
                paused.remove(action.member)
            case "return":
                assert script.by_name[action.member].instance
            case "pace" if action.wait_ms > script.timeouts.max_poll_ms:
                assert shape.count == 3
                rare.add(action.member)
            case "pace":
                rare.discard(action.member)
            case "failover" | "restart-broker":
                assert action.broker in range(shape.count + 1) and (action.do != "failover" or shape != ONE)
        rare &= up
        assert len(up - paused - rare) >= 1 or action.do == "join"


def test_every_action_is_drawn():
    drawn = {action.do for seed in range(60) for action in draw_script(seed, SEATS).actions}
    assert drawn >= {"join", "leave", "crash", "return", "pause", "resume", "subscribe", "pace", "grow"}
    assert "restart-broker" in drawn and "failover" not in drawn
    many = [each for seed in range(60) for each in draw_script(seed, SEATS, cluster=SHAPES[1]).actions]
    assert {each.broker for each in many if each.do == "restart-broker"} == {1, 2, 3}
    assert "failover" in {each.do for each in many}
    assert any(each.wait_ms > TIMEOUTS.max_poll_ms for each in many if each.do == "pace")


def test_members_are_in_the_racks_of_the_brokers_in_turn():
    seats = draw_script(1, [*SEATS, replace(SEATS[0], name="m4")], cluster=SHAPES[2]).seats
    assert [each.rack for each in seats] == ["a", "b", "c", "a"]


def test_a_member_may_join_as_another_and_stays_so():
    actions = [
        {"do": "join", "member": "m1"},
        {"do": "join", "member": "m1", "protocol": "consumer"},
        {
            "do": "join",
            "member": "m1",
            "client": "java@4.3.1",
            "strategies": ["sticky"],
            "protocol": "classic",
        },
    ]
    script = script_of({**GOOD, "action": actions}, "x.toml")
    assert [each.words for each in script.actions] == [
        "join m1",
        "join m1 as consumer",
        "join m1 as java@4.3.1:classic/sticky",
    ]
    first = script.actions[1].seat(script.seats[0])
    assert (first.client, first.strategies, first.protocol) == ("java", (), "consumer")
    assert LiveAction("join", "m1").seat(first) == first
    assert script_of(tomllib.loads(script_toml(script)), "x.toml") == script


def test_brokers_are_upgraded_and_finalized_in_scripts():
    actions = [
        {"do": "upgrade-broker", "broker": 2, "release": "4.4.0"},
        {"do": "finalize", "release": "4.4.0"},
    ]
    script = script_of({**GOOD, "brokers": {"count": 3}, "action": actions}, "x.toml")
    assert [each.words for each in script.actions] == ["upgrade-broker 2 to 4.4.0", "finalize 4.4.0"]
    assert script_of(tomllib.loads(script_toml(script)), "x.toml") == script


def test_any_action_can_be_left_out():
    script = draw_script(3, SEATS)
    index = Random(1).randrange(len(script.actions))
    assert len(script.without(index).actions) == len(script.actions) - 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"topics": {}}, "expected a topic"),
        ({"topics": {"a": 0}}, "x.toml: topics"),
        ({"topics": {"a/b": 1}}, "topics.a/b: expected letters"),
        ({"member": [MEMBER, MEMBER]}, "already at"),
        ({"member": [{**MEMBER, "nam": 1}]}, "nam: unknown field"),
        ({"member": [{"name": "m1", "client": "java"}]}, "member[0].strategies: expected at least one"),
        ({"action": [{"do": "jion", "member": "m1"}]}, "did you mean join?"),
        ({"action": [{"do": "join", "member": "m2"}]}, "action[0].member: found 'm2'"),
        ({"action": [{"do": "grow", "topic": "b", "partitions": 3}]}, "topic 'b'"),
        ({"action": [{"do": "subscribe", "member": "m1"}]}, "expected at least one topic"),
        ({"brokers": {"count": 2}}, "brokers.count: found 2, expected 1 or 3"),
        ({"brokers": {"count": 1, "replicas": 2}}, "brokers.replicas: found 2"),
        ({"action": [{"do": "restart-broker", "broker": 2}]}, "action[0].broker: found 2"),
        ({"action": [{"do": "upgrade-broker", "release": "4.4.0"}]}, "action[0].broker: found 0"),
        ({"action": [{"do": "finalize", "release": "4"}]}, "action[0].release: found '4'"),
    ],
)
def test_a_wrong_script_is_refused(change, words):
    with pytest.raises(InputError) as caught:
        script_of({**GOOD, **change}, "x.toml")
    assert words in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_script(str(tmp_path / "x.toml"))
