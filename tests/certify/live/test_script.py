"""Scripts as TOML, and scripts drawn from a seed."""

import tomllib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.live.schedule import draw_script
from kassay.certify.live.script import LiveSeat, read_script, script_of, script_toml
from kassay.model.errors import InputError

MEMBER = {"name": "m1", "client": "java", "strategies": ["range"]}
GOOD = {"topics": {"a": 2}, "member": [MEMBER], "action": [{"do": "join", "member": "m1"}]}
SEATS = [
    LiveSeat(f"m{number}", client, ("range",)) for number, client in enumerate(("java", "aiokafka", "x"))
]


@given(st.integers(0, 2**64 - 1), st.integers(1, 3), st.booleans())
def test_a_drawn_script_is_read_back_from_toml(seed, members, restarts):
    script = draw_script(seed, SEATS[:members], restarts=restarts)
    assert script_of(tomllib.loads(script_toml(script)), "x.toml") == script
    assert script == draw_script(seed, SEATS[:members], restarts=restarts)
    assert restarts or all(action.do != "restart-broker" for action in script.actions)


@given(st.integers(0, 2**64 - 1))
def test_a_drawn_script_keeps_a_member_and_means_something(seed):
    script = draw_script(seed, SEATS)
    up, paused = set(), set()
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
            case "pace":
                assert action.wait_ms < script.timeouts.max_poll_ms
        assert len(up - paused) >= 1 or action.do == "join"


def test_every_action_is_drawn():
    drawn = {action.do for seed in range(60) for action in draw_script(seed, SEATS).actions}
    assert drawn >= {"join", "leave", "crash", "return", "pause", "resume", "subscribe", "pace", "grow"}
    assert "restart-broker" in drawn


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
        ({"action": [{"do": "jion", "member": "m1"}]}, "did you mean join?"),
        ({"action": [{"do": "join", "member": "m2"}]}, "action[0].member: found 'm2'"),
        ({"action": [{"do": "grow", "topic": "b", "partitions": 3}]}, "topic 'b'"),
        ({"action": [{"do": "subscribe", "member": "m1"}]}, "expected at least one topic"),
    ],
)
def test_a_wrong_script_is_refused(change, words):
    with pytest.raises(InputError) as caught:
        script_of({**GOOD, **change}, "x.toml")
    assert words in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_script(str(tmp_path / "x.toml"))
