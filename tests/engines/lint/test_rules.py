"""Settings that a client or a broker refuses, and settings that end in an outage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.clusters.clients.rules import client_named
from kassay.engines.lint.clients import RULES
from kassay.engines.lint.run import lint_files, whose_settings
from kassay.engines.lint.values import SettingsOf, release_of
from kassay.model.errors import InputError
from kassay.reading.kafka.settings import read_settings
from tests.cli.runner import valid

RANGE = "org.apache.kafka.clients.consumer.RangeAssignor"
COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"


def lint(tmp_path, *texts, client=None, release=None):
    paths = []
    for number, text in enumerate(texts):
        path = tmp_path / f"f{number}.properties"
        path.write_text(text)
        paths.append(str(path))
    library = None if client is None else client_named(client)
    report = lint_files(paths, library, None if release is None else release_of(release))
    valid(report.to_json(), "lint-1")
    return {(each.rule, str(each.severity)) for each in report.findings}


CONSUMER = "group.id=g\n"
BROKER = "process.roles=broker\nnode.id=1\n"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("group.protocol=consumer\nsession.timeout.ms=45000", ("refused-with-consumer", "error")),
        (
            f"group.protocol=consumer\npartition.assignment.strategy={RANGE}",
            ("refused-with-consumer", "error"),
        ),
        ("group.remote.assignor=uniform", ("remote-assignor-unused", "error")),
        ("partition.assignment.strategy=cooperative-sticky,range", ("mixed-protocols", "error")),
        ("partition.assignment.strategy=RangeAssignor", ("no-such-class", "error")),
        ("session.timeout.ms=6000\nheartbeat.interval.ms=6000", ("heartbeat-of-session", "error")),
        ("session.timeout.ms=6000\nheartbeat.interval.ms=3000", ("heartbeat-of-session", "warning")),
        ("max.poll.interval.ms=10000", ("poll-below-session", "warning")),
        ("max.poll.interval.ms=2147483647", ("long-poll-interval", "warning")),
        ("group.instance.id=pod-1", ("instance-shared", "warning")),
        ("group.protocol=kip848", ("group-protocol", "error")),
        ("auto.offset.reset=smallest", ("offset-reset", "error")),
        ("session.timeout.ms=3000", ("session-of-brokers", "error")),
        ("session_timeout_ms=9000", ("unknown-setting", "warning")),
        ("client.id=a\nclient.id=b", ("twice", "warning")),
    ],
)
def test_a_setting_of_a_consumer(tmp_path, text, finding):
    assert finding in lint(tmp_path, CONSUMER + text)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("group.consumer.migration.policy=upgrade", ("migration-policy", "warning")),
        ("group.consumer.migration.policy=sometimes", ("migration-policy", "error")),
        ("group.consumer.heartbeat.interval.ms=45000", ("bounds", "error")),
        ("group.min.session.timeout.ms=2000000", ("bounds", "error")),
        ("offsets.topic.replication.factor=1", ("offsets-replicas", "warning")),
        ("default.replication.factor=2\nmin.insync.replicas=2", ("min-isr-of-replicas", "warning")),
        ("zookeeper.connect=z:2181", ("no-zookeeper", "warning")),
        ("group.initial.rebalance.delay.ms=0", ("no-initial-delay", "warning")),
        ("group.coordinator.rebalance.protocols=classic", ("protocols-listed", "warning")),
    ],
)
def test_a_setting_of_a_broker(tmp_path, text, finding):
    assert finding in lint(tmp_path, BROKER + text)


@pytest.mark.parametrize(
    "text",
    [
        CONSUMER,
        CONSUMER + f"partition.assignment.strategy={COOPERATIVE},{RANGE}\nsession.timeout.ms=45000",
        CONSUMER + "group.protocol=consumer\ngroup.remote.assignor=range\nmax.poll.interval.ms=300000",
        CONSUMER + "group.instance.id=${env:POD}",
        CONSUMER + "partition.assignment.strategy=range,roundrobin",
        CONSUMER + "auto.offset.reset=by_duration:PT1H",
        BROKER + "default.replication.factor=3\nmin.insync.replicas=2",
        BROKER + "group.consumer.migration.policy=bidirectional",
    ],
)
def test_settings_that_are_right(tmp_path, text):
    assert lint(tmp_path, text) == set()


def test_a_client_is_compared_with_its_brokers(tmp_path):
    client = CONSUMER + "group.protocol=consumer\ngroup.remote.assignor=mine\nclient.rack=a"
    found = lint(tmp_path, client, BROKER + "group.coordinator.rebalance.protocols=classic")
    assert {
        ("assignor-missing", "error"),
        ("no-rack-selector", "warning"),
        ("protocol-missing", "error"),
    } <= found
    assert (
        lint(tmp_path, client, BROKER + "group.consumer.assignors=a.Mine,mine\nreplica.selector.class=R")
        == set()
    )
    low = BROKER + "group.min.session.timeout.ms=1000"
    assert lint(tmp_path, CONSUMER + "session.timeout.ms=3000\nheartbeat.interval.ms=500", low) == set()


@pytest.mark.parametrize(("release", "severity"), [("4.3", "error"), (None, "warning"), ("4.4", None)])
def test_static_members_of_a_streams_group_need_brokers_4_4(tmp_path, release, severity):
    text = "application.id=a\ngroup.protocol=streams\ngroup.instance.id=${POD}"
    found = lint(tmp_path, text, release=release)
    assert found == ({("static-streams", severity)} if severity else set())


def test_a_release_decides_what_holds(tmp_path):
    zookeeper = BROKER + "zookeeper.connect=z:2181"
    assert ("no-zookeeper", "error") in lint(tmp_path, zookeeper, release="4.0")
    assert ("no-zookeeper", "error") not in lint(tmp_path, zookeeper, release="3.9.2")
    assert ("consumer-preview", "warning") in lint(
        tmp_path, CONSUMER + "group.protocol=consumer", release="3.9"
    )
    with pytest.raises(InputError, match=r"expected a release of Kafka such as 4\.3"):
        release_of("new")


def test_a_library_without_the_consumer_protocol_does_not_start(tmp_path):
    found = lint(tmp_path, CONSUMER + "group.protocol=consumer", client="kafka-python")
    assert found == {("no-consumer-protocol", "error")}


@pytest.mark.parametrize(
    ("keys", "whose"),
    [
        ("application.id=a\ngroup.id=g", SettingsOf.STREAMS),
        ("broker.id=1", SettingsOf.BROKER),
        ("group.consumer.assignors=uniform", SettingsOf.BROKER),
        ("group.id=g", SettingsOf.CONSUMER),
        ("security.protocol=SSL", SettingsOf.OTHER),
    ],
)
def test_whose_settings_a_file_has(keys, whose):
    assert whose_settings(read_settings(keys, "f")) is whose


@given(
    st.integers(1, 100_000),
    st.integers(1, 100_000),
    st.sampled_from(["java", "librdkafka", "sarama"]),
)
def test_every_finding_names_a_line_that_has_its_setting(session, heartbeat, library):
    from kassay.engines.lint.values import LintedFile, LintWorld

    text = f"group.id=g\nsession.timeout.ms={session}\nheartbeat.interval.ms={heartbeat}"
    file = LintedFile(read_settings(text, "f"), SettingsOf.CONSUMER, client_named(library))
    for rule in RULES:
        for each in rule(file, LintWorld((file,))):
            assert text.splitlines()[each.place.line - 1].startswith(each.field)
            assert each.source and each.holds_in and each.outcome
