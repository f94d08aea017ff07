"""The measured rules of client libraries: no step of a path stops a member, and nothing is guessed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.clusters.clients.rules import (
    COOPERATIVE,
    NOT_MEASURED,
    client_named,
    client_names,
    measured_clients,
)
from kassay.engines.clusters.mixes import Members
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.engines.clusters.rollout import rollout
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "server-range")
LIBRARIES = client_names()


def way(start, goal, library, members=3):
    return rollout(resolve(start), resolve(goal), Members(members, 0), client=client_named(library))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("goal", ASSIGNORS)
@pytest.mark.parametrize("start", ["range", "cooperative-sticky"])
def test_no_step_has_a_setting_with_which_the_library_does_not_start(library, start, goal):
    rules = client_named(library).rules
    path = way(start, goal, library, members=2)
    assert all(rules.objection(step.setting) is None for step in path.steps)
    assert not path.is_stop or rules.objection(path.goal) is None
    assert (path.blocked is None) == (rules.objection(path.goal) is None or path.start == path.goal)


@given(st.sampled_from(LIBRARIES), st.lists(st.sampled_from([*ASSIGNORS, "my-own"]), min_size=1, max_size=3))
def test_a_setting_is_written_only_where_every_part_of_it_joined(library, strategies):
    rules = client_named(library).rules
    setting = ClientSetting(tuple(strategies))
    if rules.objection(setting) is None:
        assert set(strategies) <= rules.joins.keys()
        assert all(rules.joins[name] in rules.written(setting) for name in strategies)
        cooperative = {name in COOPERATIVE for name in strategies}
        assert len(cooperative) == 1 or rules.mixed == "joins"
    else:
        assert rules.written(setting) == str(setting)


def test_librdkafka_goes_from_eager_to_cooperative_by_a_stop():
    path = way("range", "cooperative-sticky", "librdkafka", members=6)
    assert path.is_stop and path.steps == ()
    refused = dict(path.unstartable)
    assert set(refused) == {
        "partition.assignment.strategy=cooperative-sticky,range",
        "partition.assignment.strategy=range,cooperative-sticky",
    }
    assert all("must have the same protocol type" in words for words in refused.values())


def test_javas_own_list_is_of_both_and_its_classes_are_written_out():
    path = way("range", "cooperative-sticky", "java")
    first = path.steps[0].setting
    assert first.strategies == ("cooperative-sticky", "range")
    package = "org.apache.kafka.clients.consumer"
    assert path.written(first) == (
        f"partition.assignment.strategy={package}.CooperativeStickyAssignor,{package}.RangeAssignor"
    )
    assert "only the last restart is left" in path.notes[-1]


@pytest.mark.parametrize("library", ["java", "librdkafka"])
def test_settings_that_must_go_with_the_consumer_protocol(library):
    path = way("range", "uniform", library)
    gone = path.must_go(path.steps[0].setting)
    assert {"partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms"} <= {*gone}
    back = way("uniform", "range", library)
    assert back.must_go(back.steps[0].setting) == ()


def test_what_is_not_in_the_table_is_not_measured():
    assert NOT_MEASURED in way("roundrobin", "range", "platformatic").blocked
    with pytest.raises(InputError, match=r"'librdkafk' is not measured.*did you mean librdkafka"):
        client_named("librdkafk")
    assert client_named("confluent-kafka") == client_named("librdkafka")


def test_every_library_has_its_version_and_the_table_its_date():
    table = measured_clients()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table.date)
    assert len(table.library) == 9
    for rules in table.library.values():
        assert re.search(r"\d+\.\d+", rules.version)
        assert {rules.names.get(name, name) for name in rules.joins} >= {*rules.sent.protocols}
        assert rules.source.heartbeat_ms < rules.sent.session_ms


@pytest.mark.parametrize(
    ("library", "start", "goal", "stops"),
    [
        ("librdkafka", "range", "uniform", False),
        ("librdkafka", "cooperative-sticky", "uniform", True),
        ("librdkafka", "uniform", "cooperative-sticky", False),
        ("platformatic", "roundrobin", "uniform", True),
        ("platformatic", "uniform", "roundrobin", True),
        ("java", "cooperative-sticky", "uniform", False),
    ],
)
def test_a_roll_between_the_protocols_that_ended_members_is_no_way(library, start, goal, stops):
    assert way(start, goal, library).is_stop is stops
