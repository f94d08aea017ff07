"""Live reading on a genuine broker with SASL, TLS and ACLs: who gets in, who may read what.

Run by `tox -e broker`: needs Java, and Maven for the jars of a broker (54 MB, once). One broker serves all tests.
"""

from __future__ import annotations

import re
import subprocess
import time

import pytest

from kassay.engines.clusters.live import read_live
from kassay.engines.clusters.observed import observe
from kassay.engines.replicas.live import read_live_replicas
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.sources import LogRow, read_dump
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.log import dump_lines, offset_partitions
from kassay.reading.live.settings import ClientSettings, read_settings
from tests.cli.runner import here
from tests.secured import secured_broker

pytestmark = pytest.mark.broker

SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
JOINED_S = 60.0
MEMBERS = (
    ("billing", "--topic", "bills", "--consumer-property", "client.rack=az-a"),
    ("billing", "--include", "bills|audits"),
    *(
        ("fraud", *of, "--consumer-property", "group.protocol=consumer")
        for of in (
            ("--topic", "audits", "--consumer-property", "client.rack=az-b"),
            ("--include", "bills|aud.*"),
        )
    ),
)
"""Console consumers: the group, and what they subscribe to."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("secured")


@pytest.fixture(scope="module")
def broker(folder):
    """The broker, with the members of two groups."""
    from kassay.engines.genuine.jars import broker_jars

    try:
        broker_jars(fetch=True)
    except InputError as error:
        pytest.skip(str(error))
    with secured_broker(folder) as started:
        members = [
            subprocess.Popen(
                started.command(
                    "kafka-console-consumer", "--bootstrap-server", started.address("OPEN"), "--group", *each
                ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for each in MEMBERS
        ]
        try:
            wait_for_members(started)
            yield started
        finally:
            for each in members:
                each.terminate()
            for each in members:
                each.wait(20)


def wait_for_members(started):
    """Until both groups are stable with two members that own all partitions and have committed offsets.

    A consumer commits 5 s after its first assignment; a group without offsets has no lag to read.
    """
    end = time.monotonic() + JOINED_S
    while time.monotonic() < end:
        try:
            with LiveCluster(started.address("OPEN"), ClientSettings()) as cluster:
                groups = [observe(read_live(cluster, name)) for name in ("billing", "fraud")]
        except InputError:
            groups = []
        if groups and all(
            len(g.group.members) == 2 and not (g.unowned or g.gaps) and g.stability.is_stable for g in groups
        ):
            return
        time.sleep(0.5)
    seen = [(len(g.group.members), g.unowned, g.gaps, g.stability) for g in groups]
    raise AssertionError(f"the members did not join or commit: {seen}")


def properties(folder, protocol, mechanism=None, jaas=None, **more):
    """A file of properties, as users write them."""
    lines = [f"security.protocol={protocol}"]
    if mechanism is not None:
        lines += [f"sasl.mechanism={mechanism}", f"sasl.jaas.config={jaas}"]
    if protocol.endswith("SSL") and "trust" not in more:
        lines += ["ssl.truststore.type=PEM", f"ssl.truststore.location={folder / 'ca.pem'}"]
    path = folder / "client.properties"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def login(user, password="pw", module=SCRAM):
    quoted = password.replace("\\", "\\\\").replace('"', '\\"').replace("\\", "\\\\")
    return f'{module} username="{user}" password="{quoted}";'


def test_what_the_wire_has_of_members_is_read(broker):
    with LiveCluster(broker.address("OPEN"), ClientSettings()) as cluster:
        groups = {name: observe(read_live(cluster, name)) for name in ("billing", "fraud")}
    for name, racks in (("billing", {None, "az-a"}), ("fraud", {None, "az-b"})):
        group = groups[name]
        assert (group.assumptions, group.gaps, group.is_consumer_group) == ((), (), name == "fraud")
        assert {each.rack for each in group.group.members} == racks
        assert sorted(each.topics for each in group.group.members) == sorted(
            [("bills",) if name == "billing" else ("audits",), ("audits", "bills")]
        )


@pytest.mark.parametrize(
    ("listener", "protocol", "mechanism", "jaas"),
    [
        ("SASL", "SASL_PLAINTEXT", "SCRAM-SHA-512", login("app")),
        ("SASL", "SASL_PLAINTEXT", "SCRAM-SHA-512", login("odd", 'p=w;#"q\\z')),
        ("SASL", "SASL_PLAINTEXT", "PLAIN", login("app", module=PLAIN)),
        (
            "SASL",
            "SASL_PLAINTEXT",
            "OAUTHBEARER",
            'x.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="app";',
        ),
        ("BOTH", "SASL_SSL", "SCRAM-SHA-512", login("app")),
        ("TLS", "SSL", None, None),
    ],
    ids=lambda value: str(value)[:14],
)
def test_who_may_come_in_reads_the_group(broker, folder, tmp_path, listener, protocol, mechanism, jaas):
    config = properties(folder, protocol, mechanism, jaas)
    live = ["--bootstrap-server", broker.address(listener), config]
    done = here("scale", *live, "--group", "billing", "--from", "range", "--max-members", "2", cwd=tmp_path)
    assert (done.returncode, "2 (today)" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(
    ("listener", "protocol", "mechanism", "jaas", "words"),
    [
        ("SASL", "SASL_PLAINTEXT", "SCRAM-SHA-512", login("app", "no"), "wrong username or password"),
        ("SASL", "SASL_PLAINTEXT", "PLAIN", login("app", "no", PLAIN), "wrong username or password"),
        (
            "SASL",
            "SASL_PLAINTEXT",
            "SCRAM-SHA-256",
            login("app"),
            "does not offer sasl.mechanism=SCRAM-SHA-256, expected SCRAM-SHA-512",
        ),
        ("SASL", "PLAINTEXT", None, None, "this listener wants SASL"),
        ("BOTH", "SSL", None, None, "this listener wants SASL"),
        ("OPEN", "SASL_PLAINTEXT", "SCRAM-SHA-512", login("app"), "this listener does not use SASL"),
        ("TLS", "SASL_SSL", "SCRAM-SHA-512", login("app"), "this listener does not use SASL"),
        (
            "TLS",
            "PLAINTEXT",
            None,
            None,
            "the broker speaks TLS on this port: expected security.protocol=SSL",
        ),
        ("BOTH", "SASL_PLAINTEXT", "SCRAM-SHA-512", login("app"), "the broker speaks TLS on this port"),
        ("OPEN", "SSL", None, None, "the broker does not speak TLS on this port"),
        ("SASL", "SASL_SSL", "SCRAM-SHA-512", login("app"), "the broker does not speak TLS on this port"),
        ("CONTROLLER", "PLAINTEXT", None, None, "the port of a controller, expected one of a broker"),
    ],
)
def test_a_failed_connection_names_its_cause_at_once(
    broker, folder, listener, protocol, mechanism, jaas, words
):
    settings = read_settings(properties(folder, protocol, mechanism, jaas))
    began = time.monotonic()
    with pytest.raises(InputError, match=re.escape(words)):
        LiveCluster(broker.address(listener), settings)
    assert time.monotonic() - began < 2.0  # a broker delays the answer to a failed login


def test_a_certificate_without_trust(broker, folder):
    settings = read_settings(properties(folder, "SSL", trust=None))
    with pytest.raises(InputError, match=r"certificate is not trusted .*ssl.truststore.location"):
        LiveCluster(broker.address("TLS"), settings)


@pytest.mark.parametrize(
    ("user", "group", "words"),
    [
        ("app", "nope", "no right to DESCRIBE on group nope"),
        ("app2", "nope", "group 'nope': does not exist"),
        ("nogroup", "billing", "no right to DESCRIBE on group billing"),
        ("nogroup", "fraud", "no right to DESCRIBE on group fraud"),
        ("notopic", "billing", "no right to DESCRIBE on topic audits"),
        ("onetopic", "billing", "no right to DESCRIBE on topic audits"),
        ("onetopic", "fraud", "no right to DESCRIBE on a topic that the group subscribes to"),
        ("nothing", "billing", "no right to DESCRIBE on group billing"),
    ],
)
def test_a_missing_right_is_reported_as_operation_and_resource(broker, folder, user, group, words):
    settings = read_settings(properties(folder, "SASL_PLAINTEXT", "SCRAM-SHA-512", login(user)))
    with (
        LiveCluster(broker.address("SASL"), settings) as cluster,
        pytest.raises(InputError, match=re.escape(words)),
    ):
        read_live(cluster, group)


def test_all_groups_of_the_cluster_in_a_row_each(broker, tmp_path):
    done = here("what-if", "--bootstrap-server", broker.address("OPEN"), cwd=tmp_path)
    assert (done.returncode, re.findall(r"(?m)^(billing|fraud) +Stable +2 +8 ", done.stdout)) == (
        0,
        ["billing", "fraud"],
    ), done.stderr


def test_the_log_of_rebalances_is_the_one_that_the_tool_dumps(broker, folder, tmp_path):
    settings = read_settings(properties(folder, "SASL_PLAINTEXT", "SCRAM-SHA-512", login("offsets")))
    (segment,) = (broker.folder / "data" / "__consumer_offsets-0").glob("*.log")
    with LiveCluster(broker.address("SASL"), settings) as cluster:
        ((tp, leader),) = offset_partitions(cluster).items()
        lines = list(dump_lines(cluster, tp, leader, lambda _: None))
    dumped = broker.tool("kafka-dump-log", "--offsets-decoder", "--files", str(segment)).splitlines()
    ours, theirs = (records(name, text) for name, text in (("ours", lines), ("theirs", dumped)))
    assert len(ours) > 10
    assert {offset: theirs[offset] for offset in ours} == ours
    live = [
        "--bootstrap-server",
        broker.address("SASL"),
        str(folder / "client.properties"),
    ]
    done = here("audit", *live, "--group", "fraud", cwd=tmp_path)
    assert (done.returncode in (0, 3), "fraud" in done.stdout) == (True, True), done.stderr


def records(name, lines):
    """The records of groups by offset."""
    items = read_dump([f"{line}\n".encode() for line in lines], name)
    return {
        item.offset: item.record for item in items if isinstance(item, LogRow) and item.record is not None
    }


def test_the_right_to_read_the_log_is_named(broker, folder):
    settings = read_settings(properties(folder, "SASL_PLAINTEXT", "SCRAM-SHA-512", login("app")))
    words = "no right to READ on topic __consumer_offsets"
    with LiveCluster(broker.address("SASL"), settings) as cluster, pytest.raises(InputError, match=words):
        offset_partitions(cluster)


def test_replicas_and_sizes_with_the_right_to_describe_the_cluster_and_without(broker, folder):
    with LiveCluster(broker.address("OPEN"), ClientSettings()) as live:
        everything = read_live_replicas(live).cluster()
    settings = read_settings(properties(folder, "SASL_PLAINTEXT", "SCRAM-SHA-512", login("app2")))
    with LiveCluster(broker.address("SASL"), settings) as live:
        less = read_live_replicas(live).cluster()
    assert everything.rows == less.rows
    assert everything.sizes is not None and less.sizes is None
    assert any("no right to DESCRIBE on cluster" in each for each in less.warnings)
