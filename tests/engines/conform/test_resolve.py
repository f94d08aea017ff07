"""What an intention means in a state, and what clients learn from answers."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.conform import intentions as i
from kassay.engines.conform.intentions import Intention, draw
from kassay.engines.conform.resolve import Resolver
from kassay.engines.genuine import events as e
from kassay.engines.genuine.coordinator import GenuineStep


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


def test_without_decisions_a_thread_joins_and_reports_its_tasks():
    resolver = Resolver({"foo": 1}, application=1)
    joins = resolver.event(Intention(i.STREAMS))
    assert (joins.member, joins.epoch, joins.active, joins.process) == ("m0", 0, {}, "p0")
    assert [part["sources"] for part in joins.topology["subtopologies"]] == [["foo"]]
    tasks = {"active": {"0": [0]}, "standby": {}, "warmup": {}}
    member = {"id": "m0", "epoch": 2, "assigned": tasks, "pending": {}}
    resolver.learn(step(0, {"type": "streams", "members": [member], "endpoint_epoch": 3}))
    stays = resolver.event(Intention(i.STREAMS))
    assert stays == e.StreamsHeartbeatEvent(
        "m0", 2, 3, "i1", active={"0": [0]}, standby={}, warmup={}, process=None
    )
    assert resolver.event(Intention(i.COMMIT)).offsets == [("foo", 0, 1)]


def test_the_broker_creates_the_topics_that_a_group_asks_for():
    resolver = Resolver({"foo": 1}, application=1)
    resolver.event(Intention(i.STREAMS))
    answer = {"to": 0, "kind": i.STREAMS, "error": "NONE", "member": "m0", "epoch": 1}
    resolver.learn(step(0, None, answer | {"create_topics": {"app": 2}}))
    assert resolver.event(Intention(i.TOPICS)).topics == {"foo": 1, "app": 2}


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
        streams = history.setup.application if history.setup.kind == "streams" else None
        resolver = Resolver(history.setup.topics, application=streams)
        for place, intention in enumerate(history.intentions):
            event = resolver.event(intention)
            assert (event is None) == (intention.act == i.ALTER)
            resolver.learn(step(place, state))
