"""Kafka's own `CoordinatorRuntime` and our reading of it give the same steps."""

import pytest

from kassay.engines.conform.intentions import draw
from kassay.engines.conform.resolve import Resolver
from kassay.engines.genuine import events as e
from kassay.engines.genuine.coordinator import CONFIG, KAFKAS, OWN, GenuineProcess
from tests.engines.conform.sequences import SEQUENCES, record, thread
from tests.genuine import genuine_jars

pytestmark = pytest.mark.java
EVEN, ODD = 2, 3
"""Seeds with which Kafka's runtime writes a batch at once, and holds it together with acknowledgements."""
HISTORIES = 60


def modern(member, epoch=0, **more):
    return e.ConsumerHeartbeatEvent(
        member, epoch, subscribed=["foo"], owned={}, rebalance_timeout=30_000, **more
    )


@pytest.fixture(scope="module")
def both():
    jars = genuine_jars()
    with GenuineProcess(jars, runtime=OWN) as own, GenuineProcess(jars, runtime=KAFKAS) as kafkas:
        yield own, kafkas


@pytest.fixture(params=[EVEN, ODD])
def kafkas(both, request):
    _, process = both
    process.start(CONFIG, {"foo": 2}, request.param)
    return process


def test_a_failed_write_is_taken_back(kafkas):
    step = kafkas.send(modern("m", write_fails="NOT_ENOUGH_REPLICAS"))
    assert step.answers[0]["error"] == "COORDINATOR_NOT_AVAILABLE"
    assert (step.records, step.state["type"]) == ([], None)
    assert [record["type"] for record in step.document["lost"]][:2] == ["member", "epoch"]


def test_what_waits_for_acknowledgement_is_answered_when_the_broker_gives_up_the_group(kafkas):
    kafkas.send(e.DeferEvent())
    assert kafkas.send(modern("m")).answers == []
    (answer,) = kafkas.send(e.FailoverEvent()).answers
    assert (answer["to"], answer["error"]) == (1, "NOT_COORDINATOR")


def test_a_batch_is_acknowledged_at_once(kafkas):
    kafkas.send(e.DeferEvent())
    kafkas.send(modern("m"))
    kafkas.send(modern("n"))
    assert [answer["to"] for answer in kafkas.send(e.FlushEvent()).answers] == [1, 2]
    assert kafkas.replays()["memory"]["members"] == kafkas.replays()["log"]["members"]


def test_a_log_that_does_not_load_leaves_no_coordinator(both):
    from tests.engines.conform.sequences import joins, streams

    for process in both:
        process.start(dict(CONFIG) | streams(), {"foo": 1}, 1)
        for event in (modern("m"), modern("m", -1), joins("x", "range"), thread("m")):
            process.send(event)
        assert process.send(e.FailoverEvent()).state["type"] is None
        assert process.send(thread("m", 2)).answers[0]["error"] == "NOT_COORDINATOR"


def test_the_recorded_sequences_are_the_same(both):
    own, kafkas = both
    for sequence in SEQUENCES.values():
        assert record(own, sequence) == record(kafkas, sequence)


@pytest.mark.slow
def test_random_histories_are_the_same(both):
    """About 1,800 steps, 15 s."""
    own, kafkas = both
    for number in range(HISTORIES):
        history = draw(9, number)
        setup = history.setup
        for process in both:
            process.start(setup.config, setup.topics, setup.seed)
        resolver = Resolver(
            setup.topics, application=setup.application if "streams" in setup.config else None
        )
        for event in filter(None, map(resolver.event, history.intentions)):
            step = own.send(event)
            assert kafkas.send(event).document == step.document, f"history {number}"
            resolver.learn(step)
