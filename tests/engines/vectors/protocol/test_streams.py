"""The traces of genuine Streams groups, read and followed; and settings of Streams groups.

What is shown of a Streams group: every value of a trace counts.
"""

from __future__ import annotations

import copy
import random
from functools import cache

import pytest

from kassay.engines.vectors.check import check_file, read_vectors
from kassay.engines.vectors.protocol.check import check_trace
from kassay.engines.vectors.protocol.streams import GROUP, streams_config, streams_event_of
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator import step as coordinator
from kassay.model.protocols.values.streams import StreamsConfig
from tests.engines.vectors.protocol.test_check import leaves, other
from tests.paths import VECTORS

FILE = VECTORS / "4.4" / "protocol-streams.json.gz"


@cache
def traces():
    return read_vectors(FILE).vectors


@pytest.mark.slow
def test_every_trace_of_a_streams_group_is_followed():
    result = check_file(FILE, None, exact=True)
    assert result.failures == ()
    assert result.passed == 69


def heartbeat(**fields):
    steps = (step["event"] for trace in traces() for step in trace["steps"])
    return {**next(event for event in steps if event["event"] == "streams_heartbeat"), **fields}


@pytest.mark.slow
def test_a_field_that_is_missing_or_unknown_is_named():
    for name in heartbeat():
        short = {key: value for key, value in heartbeat().items() if key != name}
        if name != "event":
            with pytest.raises(InputError, match=f"step 3: event.{name}: missing"):
                streams_event_of(3, short, StreamsConfig())
    with pytest.raises(InputError, match=r"step 3: event\.mood: streams_heartbeat has no such field"):
        streams_event_of(3, heartbeat(mood="good"), StreamsConfig())


def test_copartition_groups_point_at_inputs():
    part = {"id": "0", "sources": ["a"], "changelogs": [], "repartition_sinks": [], "repartition_sources": []}
    groups = [{"sources": [1], "repartition_sources": []}]
    topology = {"epoch": 1, "subtopologies": [{**part, "copartition": groups}]}
    with pytest.raises(InputError, match="expected places of its sources"):
        streams_event_of(3, heartbeat(topology=topology), StreamsConfig())


def test_settings_are_known_by_name_and_are_numbers():
    broker = StreamsConfig(session_timeout=5)
    own = streams_config({"streams.num.standby.replicas": "2"}, GROUP, broker, "configs")
    assert (own.num_standby_replicas, own.session_timeout) == (2, 5)
    assert streams_config({}, GROUP, broker, "configs") == broker
    tags = streams_config({"streams.rack.aware.assignment.tags": "a, b"}, GROUP, broker, "configs")
    assert tags.rack_aware_tags == ("a", "b")
    with pytest.raises(InputError, match=r"configs: unknown setting 'streams\.mood'"):
        streams_config({"streams.mood": "1"}, GROUP, broker, "configs")
    for wrong in ("-1", "x", "", "²"):
        with pytest.raises(
            InputError, match=r"configs: streams.max.size: found .*, expected a whole number from 0 on"
        ):
            streams_config({"streams.max.size": wrong}, GROUP, broker, "configs")


def test_a_session_timeout_is_kept_within_its_bounds():
    settings = {"streams.session.timeout.ms": "9", "streams.max.session.timeout.ms": "5"}
    assert streams_config(settings, GROUP, StreamsConfig(), "configs").session_timeout == 5


def test_a_write_that_failed_shows_in_the_copies_that_are_counted():
    """A process that the coordinator counts as one that has a copy, though nobody there has it."""
    (trace,) = [trace for trace in traces() if trace["id"] == "protocol-streams-q0125"]
    assert check_trace(trace, lambda: coordinator, version="4.4") is None
    forgiving = copy.deepcopy(trace)
    step = forgiving["steps"][28]
    assert step["responses"][0]["standby"] == {}
    step["responses"][0]["standby"] = {"1": [3]}
    assert check_trace(forgiving, lambda: coordinator, version="4.4").startswith("step 28 ")


def test_any_other_expectation_is_noticed():
    """Each trace with one expected value changed fails, in that very step unless an earlier one reads it."""
    source = random.Random(3)
    for trace in source.sample(traces(), 40):
        number = source.randrange(len(trace["steps"]))
        expected = trace["steps"][number]
        part = source.choice(
            [part for part in ("responses", "records", "state", "more") if expected.get(part)]
        )
        paths = [path for path in leaves(expected[part], (part,)) if path[-1] != "exception"]
        if not paths:
            continue
        changed = {**trace, "steps": [*trace["steps"][:number], copy.deepcopy(expected)]}
        *way, last = source.choice(paths)
        place = changed["steps"][number]
        for key in way:
            place = place[key]
        place[last] = other(place[last])
        message = check_trace(changed, lambda: coordinator, version="4.4")
        assert message is not None and message.startswith(f"step {number} "), (trace["id"], way, last)
