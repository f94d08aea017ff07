"""The coordinator models against the genuine coordinator's traces, and the check against changed traces."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from functools import cache

import pytest

from kassay.assignors.registry import find
from kassay.engines.vectors.check import check_file, read_vectors
from kassay.engines.vectors.protocol import check as protocol
from kassay.engines.vectors.protocol.check import ALGORITHMS, REGEX, TraceChoices, check_trace
from kassay.kinds.vectors import load_formats
from kassay.model.cluster import Cluster, Topic
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, Member
from kassay.model.protocols.coordinator import step as coordinator
from kassay.model.protocols.coordinator.step import CoordinatorStep, step
from kassay.model.protocols.values.requests import Reply
from tests.paths import VECTORS

DATA = VECTORS
OLD = "2024-10"
COUNTS = {"protocol-classic": 420, "protocol-consumer": 420, "protocol-migration": 210}


@cache
def vectors(name):
    return read_vectors(DATA / f"{name}.json.gz")


def traces(name):
    return vectors(name).vectors


def first_trace():
    return copy.deepcopy(traces("protocol-classic")[0])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_twentieth_trace_is_followed(name):
    version = vectors(name).version
    failed = [check_trace(trace, lambda: None, version=version) for trace in traces(name)[::20]]
    assert failed == [None] * -(-COUNTS[name] // 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_trace_is_followed(name):
    result = check_file(DATA / f"{name}.json.gz", None, exact=True)
    assert result.failures == ()
    assert result.passed == COUNTS[name]


def test_traces_with_regular_expressions_are_followed():
    result = check_file(DATA / "4.4" / f"{REGEX}.json.gz", None, exact=True)
    assert (result.failures, result.passed) == ((), 14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": 7}, "records.regex"),
        ({"topics": ["elsewhere"]}, "records.regex"),
        ({"image": 9}, "records.regex"),
    ],
)
def test_another_resolution_is_noticed(change, message):
    for trace in read_vectors(DATA / "4.4" / f"{REGEX}.json.gz").vectors:
        changed = copy.deepcopy(trace)
        written = [
            record
            for step in changed["steps"]
            for record in step["records"]
            if record["type"] == "regex" and "topics" in record
        ]
        if written:
            written[0].update(change)
            assert message in check_trace(changed, lambda: coordinator)
            return
    raise AssertionError("no trace resolves anything")


@pytest.mark.parametrize("name", ["protocol-consumer"])
def test_every_trace_of_4_4_is_followed(name):
    result = check_file(DATA / "4.4" / f"{name}.json.gz", None, exact=True)
    assert result.failures == ()
    assert result.passed == 24


@pytest.mark.slow
def test_any_other_telling_beside_the_older_format_is_noticed():
    """Of what only the traces of 4.4 tell, each value counts."""
    source = random.Random(2)
    for trace in source.sample(read_vectors(DATA / "4.4" / "protocol-consumer.json.gz").vectors, 12):
        changed = copy.deepcopy(trace)
        step = source.choice([step for step in changed["steps"] if list(leaves(step.get("more")))])
        *way, last = source.choice([path for path in leaves(step["more"]) if path])
        place = step["more"]
        for key in way:
            place = place[key]
        place[last] = "x" if place[last] is None else other(place[last])
        try:
            message = check_trace(changed, lambda: coordinator, version="4.4")
        except InputError:
            continue
        assert message is not None and message.startswith(f"step {step['i']} "), (trace["id"], way, last)


def leaves(value, path=()):
    """The paths to every single value."""
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path


def other(value):
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}x"


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_any_other_expectation_is_noticed(name):
    """Each trace with one expected value changed fails, in that very step unless an earlier one reads it."""
    source = random.Random(1)
    for trace in source.sample(traces(name), 25):
        changed = copy.deepcopy(trace)
        number = source.randrange(len(changed["steps"]))
        expected = changed["steps"][number]
        part = source.choice(["responses", "records", "state", "durable", "fired", "t"])
        paths = list(leaves(expected[part], (part,)))
        if not paths:
            continue
        *way, last = source.choice(paths)
        place = expected
        for key in way:
            place = place[key]
        place[last] = other(place[last])
        message = check_trace(changed, lambda: coordinator, version=OLD)
        assert message is not None and message.startswith(f"step {number} "), (trace["id"], way, last)


def test_a_failure_names_step_event_expected_and_got():
    trace = first_trace()
    trace["steps"][0]["responses"][0]["error"] = "NONE"
    assert check_trace(trace, lambda: coordinator, version=OLD) == (
        'step 0 (join): responses.0.error: expected "NONE", got "MEMBER_ID_REQUIRED"'
    )


class Forgetful:
    """A coordinator that answers one event in ten not at all."""

    def __init__(self) -> None:
        self.count = 0

    def step(self, config, state, event, choices):
        result = step(config, state, event, choices)
        self.count += 1
        if self.count % 10:
            return result
        return CoordinatorStep(
            result.state, tuple(out for out in result.outputs if not isinstance(out, Reply))
        )


def test_a_faulty_target_fails():
    failed = [check_trace(trace, Forgetful, version=OLD) for trace in traces("protocol-consumer")[:20]]
    assert any(message is not None and "responses" in message for message in failed)


def test_a_target_of_another_kind_is_refused():
    with pytest.raises(InputError, match="no step"):
        check_trace(traces("protocol-classic")[0], lambda: "range")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_formats_are_registered(name):
    assert load_formats()[name].compare is check_trace


def test_a_sample_of_the_migrations_of_4_4_is_followed():
    result = check_file(DATA / "4.4" / "protocol-migration.json.gz", None, exact=True)
    assert result.failures == ()
    assert result.passed == 32


def test_an_unknown_event_is_bad_input():
    trace = first_trace()
    trace["steps"][0]["event"]["event"] = "applaud"
    with pytest.raises(InputError, match="step 0: event 'applaud', expected one of commit"):
        check_trace(trace, lambda: coordinator, version=OLD)


class RangeAnswers(TraceChoices):
    """The trace's choices, and beside them what our own server-side range assignor makes of each request."""

    def __init__(self, names: Mapping[str, str], *, stays: bool) -> None:
        super().__init__(names, stays=stays)
        self.wrong: list[object] = []
        self.count = 0

    def target(self, ask):
        given = super().target(ask)
        if ask.assignor == "range" and self._step.event.write_fails is None:
            names = {topic.name: topic.topic_id for topic in ask.topics}
            members = tuple(
                Member(
                    member.member_id,
                    tuple(names[topic] for topic in member.subscribed if topic in names),
                    member.target,
                    instance_id=member.group_instance_id or None,
                )
                for member in ask.members
            )
            cluster = Cluster(tuple(Topic(topic.topic_id, topic.partitions) for topic in ask.topics))
            answer = find("server-range").factory().assign(cluster, Group(members))
            self.count += 1
            if any(sorted(answer.get(member, ())) != list(tps) for member, tps in given):
                self.wrong.append((ask, given))
        return given


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param("protocol-consumer", marks=pytest.mark.slow), "protocol-migration"]
)
def test_the_coordinator_asks_the_assignor_what_kafka_asks(name, monkeypatch):
    """Range depends on no hash order, so with the right request it must give Kafka's very target."""
    used: list[RangeAnswers] = []

    def choices(names, *, stays):
        used.append(RangeAnswers(names, stays=stays))
        return used[-1]

    monkeypatch.setattr(protocol, "TraceChoices", choices)
    for trace in traces(name):
        assert check_trace(trace, lambda: coordinator, version=OLD) is None
    assert [wrong for choice in used for wrong in choice.wrong] == []
    assert sum(choice.count for choice in used) > 250
