"""Ten groups of four types on a genuine broker, scraped from the command: balance, moves, and the broker's end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager

import pytest

from kassay.engines.genuine.broker import genuine_broker
from kassay.engines.live.brokers import ONE, broker_settings
from kassay.engines.live.clients import ClientPrograms
from kassay.engines.live.program import TIMEOUTS, ClientStart
from kassay.model.errors import InputError
from tests.cli.runner import ENVIRONMENT

pytestmark = pytest.mark.broker
TOPICS = {"orders": 8, "mails": 4}
GROUPS = {
    # group: assignor, topics, member names
    "skewed": ("range", ["orders", "mails"], "abc"),
    "moving": ("range", ["orders"], "abc"),
    "turns": ("roundrobin", ["orders", "mails"], "ab"),
    "cooperative": ("cooperative-sticky", ["orders"], "ab"),
    "static": ("range", ["orders"], "ab"),
    "uniform": ("uniform", ["orders", "mails"], "ab"),
    "ranged": ("server-range", ["orders", "mails"], "abc"),
}
LIMIT_S = 90


def scraped(url):
    """The value of each metric of each group; the labels of `kassay_group_info` by group."""
    parser = pytest.importorskip("prometheus_client.parser")
    with urllib.request.urlopen(url, timeout=30) as answer:
        text = answer.read().decode()
    samples = [each for family in parser.text_string_to_metric_families(text) for each in family.samples]
    info = {each.labels["group"]: each.labels for each in samples if each.name == "kassay_group_info"}
    return {(each.name, *each.labels.values()): each.value for each in samples}, info


@contextmanager
def consumers(address):
    """The members of the groups by group and name, all polled while their owner waits; and how to poll."""
    confluent = pytest.importorskip("confluent_kafka")
    members = {}
    for group, (assignor, topics, names) in GROUPS.items():
        for name in names:
            config = {"bootstrap.servers": address, "group.id": group, "client.id": name, "log_level": 0}
            if assignor in ("uniform", "server-range"):
                config |= {
                    "group.protocol": "consumer",
                    "group.remote.assignor": assignor.removeprefix("server-"),
                }
            else:
                config |= {"partition.assignment.strategy": assignor, "heartbeat.interval.ms": 300}
            if group == "static":
                config["group.instance.id"] = name
            members[group, name] = confluent.Consumer(config)
            members[group, name].subscribe(topics)
    try:
        yield members
    finally:
        for each in members.values():
            each.close()


@contextmanager
def java_member(programs, spec, group, address):
    """A member in Java of a group of that type."""
    (seat,) = programs.seats((spec,))
    programs.fetch((seat,))
    start = ClientStart(
        address, group, "m1", ("orders",), programs.loaded(seat), seat.protocol, None, TIMEOUTS
    )
    process = subprocess.Popen(
        programs.command(seat),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    process.stdin.write(json.dumps(start.document()) + "\n")
    process.stdin.flush()
    try:
        yield
    finally:
        process.kill()
        process.communicate()


@contextmanager
def served(address):
    """The address of the metrics that a process of the command serves."""
    command = [
        sys.executable,
        "-m",
        "kassay",
        "watch",
        "--bootstrap-server",
        address,
        "--listen",
        "127.0.0.1:0",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        yield process.stderr.readline().rpartition("serving ")[2].strip()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_ten_groups_of_a_genuine_broker():
    try:
        settings = broker_settings(ONE, TIMEOUTS)[0]
        with ExitStack() as after:
            with genuine_broker({"OPEN": "PLAINTEXT"}, settings=settings, fetch=True) as broker:
                url = play(broker, broker.address("OPEN"), after)
            end = time.monotonic() + LIMIT_S
            while (found := scraped(url)[0])["kassay_up",] != 0:
                assert time.monotonic() < end, found
            assert {name for name, *_ in found} == {"kassay_up", "kassay_scrape_duration_seconds"}
    except InputError as missing:
        pytest.skip(str(missing))


def play(broker, address, after):
    """Play the groups; the address of the metrics, which are served until `after`."""
    with ExitStack() as stack:
        return _play(broker, address, stack, after)


def _play(broker, address, stack, after):
    admin = pytest.importorskip("confluent_kafka.admin")
    confluent = pytest.importorskip("confluent_kafka")
    client = admin.AdminClient({"bootstrap.servers": address})
    for made in client.create_topics([admin.NewTopic(*each, 1) for each in TOPICS.items()]).values():
        made.result()
    left = confluent.Consumer({"bootstrap.servers": address, "group.id": "left"})
    left.commit(offsets=[confluent.TopicPartition("orders", 0, 5)], asynchronous=False)
    left.close()
    programs = ClientPrograms({}, broker.jars)
    stack.enter_context(java_member(programs, "java:share", "shared", address))
    stack.enter_context(java_member(programs, "java:streams", "streaming", address))
    members = stack.enter_context(consumers(address))
    url = after.enter_context(served(address))

    def awaited(*wanted):
        """The metrics once all groups are stable and each wanted group has so many members."""
        end = time.monotonic() + LIMIT_S
        while True:
            until = time.monotonic() + 1
            while time.monotonic() < until:
                for each in members.values():
                    each.poll(0)
                time.sleep(0.05)
            found, info = scraped(url)
            states = {name: labels["state"] for name, labels in info.items()}
            counts = {name: found["kassay_group_members", name] for name in info}
            settled = all(state == "Stable" for name, state in states.items() if name != "left")
            if len(states) == 10 and settled and all(counts[name] == count for name, count in wanted):
                return found, info
            assert time.monotonic() < end, (states, counts)

    everyone = [(group, len(names)) for group, (_, _, names) in GROUPS.items()]
    found, info = awaited(*everyone, ("shared", 1), ("streaming", 1))
    assert {name: labels["type"] for name, labels in info.items()} == {
        **dict.fromkeys(("skewed", "moving", "turns", "cooperative", "static", "left"), "classic"),
        **dict.fromkeys(("uniform", "ranged"), "consumer"),
        "shared": "share",
        "streaming": "streams",
    }
    assert info["left"]["state"] == "Empty" and info["ranged"]["assignor"] == "range"
    assert found["kassay_up",] == 1 and found["kassay_groups_unreadable",] == 0
    assert found["kassay_group_spread_partitions", "skewed"] == 2  # 3+2, 3+1, 2+1
    assert found["kassay_group_optimum_spread_partitions", "skewed"] == 0
    assert found["kassay_group_optimum_distance_partitions", "skewed"] == 1
    assert found["kassay_group_optimum_distance_partitions", "uniform"] == 0
    assert found["kassay_group_useful_members_max", "skewed"] == 8
    assert found["kassay_group_useful_members_max", "turns"] == 12
    assert found["kassay_group_double_owned_partitions", "streaming"] == 0
    assert found["kassay_group_partitions", "streaming"] == 8
    assert found["kassay_group_moved_partitions_total", "moving"] == 0
    assert found["kassay_scrape_requests",] <= 8

    members.pop(("moving", "a")).close()
    found, info = awaited(("moving", 2))
    # Of b's 3, 4, 5 and c's 6, 7 the range gives 0 to 3 to b, and 4 to 7 to c; the optimum leaves both what they had.
    assert found["kassay_group_moved_partitions_total", "moving"] == 2
    assert found["kassay_group_needless_moves_total", "moving"] == 2
    assert found["kassay_group_needless_moves_total", "skewed"] == 0
    return url
