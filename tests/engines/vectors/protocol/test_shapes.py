"""A trace that is none is refused with the path of what is wrong; what is only compared may be anything."""

import copy
from functools import cache

import pytest

from kassay.engines.vectors.check import read_vectors
from kassay.engines.vectors.protocol.check import check_trace
from kassay.model.errors import InputError
from tests.paths import VECTORS


@cache
def genuine():
    return read_vectors(VECTORS / "protocol-consumer.json.gz").vectors[0]


@pytest.mark.slow_cases("path0-SOME-config.migration_policy: found 'SOME'")
@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("config", "migration_policy"), "SOME", "config.migration_policy: found 'SOME'"),
        (("config", "consumer_max_size"), None, "config.consumer_max_size: found None"),
        (("topics",), {"t": 10**9}, "topics.t: found 1000000000, expected partitions, up to 100000"),
        (("steps", 0, "fired"), None, r"steps\[0\].fired: found None, expected a list"),
        (("steps", 0, "event", "event"), None, "step 0: event.event: found None"),
        (("steps", 0, "event", "subscribed"), [None], r"step 0: event.subscribed: \[0\]: found None"),
        (("steps", 0, "event", "owned"), [], r"step 0: event.owned: found \[\], expected an object"),
        (("steps", 0, "state", "members"), [{}], r"step 0: state.members\[0\].id: missing"),
        (("steps", 0, "records"), [{}], r"step 0: records\[0\].type: missing"),
    ],
)
def test_what_is_no_trace_is_refused(path, value, complaint):
    trace = copy.deepcopy(genuine())
    place = trace
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError, match=complaint):
        check_trace(trace, lambda: None, version="2024-10")


def test_a_request_without_a_field_is_refused():
    trace = copy.deepcopy(genuine())
    del trace["steps"][0]["event"]["rebalance_timeout"]
    with pytest.raises(InputError, match=r"step 0: event\.rebalance_timeout: missing"):
        check_trace(trace, lambda: None, version="2024-10")


def test_what_is_only_compared_is_a_difference():
    trace = copy.deepcopy(genuine())
    trace["steps"][0]["state"]["surplus"] = [{"any": [None]}]
    assert "surplus" in str(check_trace(trace, lambda: None, version="2024-10"))


def test_a_field_of_another_release_is_refused_and_not_passed_over():
    trace = copy.deepcopy(genuine())
    trace["steps"][0]["event"]["regex"] = None
    with pytest.raises(InputError, match=r"step 0: event\.regex: consumer_heartbeat has no such field"):
        check_trace(trace, lambda: None, version="2024-10")
    trace = copy.deepcopy(genuine())
    trace["steps"][0]["more"] = {}
    with pytest.raises(InputError, match="step 0: more: traces of 2024-10 have no such field"):
        check_trace(trace, lambda: None, version="2024-10")
    with pytest.raises(InputError, match=r"config\.consumer_assignment_interval_ms: missing"):
        check_trace(genuine(), lambda: None, version="4.4")
