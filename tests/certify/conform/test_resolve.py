"""What an intention means in a state, and what clients learn from answers."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.conform import intentions as i
from kassay.certify.conform.intentions import Intention, draw
from kassay.certify.conform.resolve import Resolver
from kassay.certify.genuine import events as e
from kassay.certify.genuine.coordinator import GenuineStep


def step(number, state=None, *answers):
    state = {"timers": [], "type": None} | (state or {})
    return GenuineStep({"i": number, "responses": list(answers), "records": [], "state": state})


def modern(epoch, member="m0"):
    return {"type": "consumer", "members": [{"id": member, "epoch": epoch, "assigned": {"foo": [0]}}]}


def test_without_decisions_a_client_does_the_ordinary():
    resolver = Resolver({"foo": 1})
    joins = resolver.event(Intention(i.CONSUMER))
    assert joins == e.ConsumerHeartbeatEvent("m0", 0, None, 30_000, ["foo"], None, None, {})
    resolver.learn(step(0, modern(2)))
    assert resolver.event(Intention(i.CONSUMER)) == e.ConsumerHeartbeatEvent("m0", 2, owned={"foo": [0]})


def test_a_client_joins_with_the_id_that_it_was_given():
    resolver = Resolver({})
    assert resolver.event(Intention(i.JOIN)).member == ""
    resolver.learn(step(0, None, {"to": 0, "kind": "join", "error": "MEMBER_ID_REQUIRED", "member": "c-1"}))
    assert resolver.event(Intention(i.JOIN)).member == "c-1"
    assert resolver.event(Intention(i.JOIN, slot=1)).member == ""


def test_who_is_no_member_joins_instead_of_heartbeating():
    assert isinstance(Resolver({}).event(Intention(i.HEARTBEAT)), e.JoinEvent)


def test_a_change_of_a_client_is_no_event():
    resolver = Resolver({})
    assert resolver.event(Intention(i.ALTER, 0, (1, 1))) is None
    assert resolver.event(Intention(i.CONSUMER)).subscribed == ["bar"]


@given(st.lists(st.integers(0, 1 << 16), max_size=6))
def test_a_topic_loses_no_partitions(numbers):
    resolver, before = Resolver({"foo": 3}), {"foo": 3}
    for number in numbers:
        after = resolver.event(Intention(i.TOPICS, 0, (number,))).topics
        assert all(after[name] >= count for name, count in before.items() if name in after)
        before = after


@given(st.integers(0, 200))
def test_every_intention_means_something_in_every_state(number):
    history = draw(0, number)
    for state in ({}, modern(3), {"type": "classic", "generation": 1, "leader": None, "members": []}):
        resolver = Resolver(history.setup.topics)
        for place, intention in enumerate(history.intentions):
            event = resolver.event(intention)
            assert (event is None) == (intention.act == i.ALTER)
            resolver.learn(step(place, state))
