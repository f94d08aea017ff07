"""Share groups and Streams groups from the wire: what is read of the answers of a coordinator."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kassay.engines.genuine.broker import genuine_broker
from kassay.reading.kafka.other_groups import ACTIVE, SHARE, STANDBY, STREAMS, WARMUP
from kassay.reading.live.other_groups import describe_other
from tests.cli.runner import here

NOT_FOUND = 69
TURNED_OFF = 35


class Recorded:
    """A cluster of one coordinator with an answer to each request that it offers."""

    bootstrap = "b:9092"

    def __init__(self, answers: dict[str, tuple[int, Any]]) -> None:
        self.answers = answers

    def coordinators(self, groups: list[str]) -> dict[int, list[str]]:
        return {1: groups}

    def offers(self, request: str, node: int) -> int:
        return self.answers[request][0] if request in self.answers else -1

    def ask(self, request: str, fields: dict[str, Any], node: int) -> Any:
        return self.answers[request][1]

    def settled(self, ask: Any, kind: str, name: str) -> Any:
        code, answer = ask()
        assert code == 0
        return answer


def absent(name: str, code: int = NOT_FOUND) -> Any:
    return SimpleNamespace(groups=[SimpleNamespace(error_code=code, group_id=name)])


def share(version: int = 1) -> Any:
    orders = SimpleNamespace(topic_name="orders", partitions=[2, 0])
    member = SimpleNamespace(
        member_id="m-1",
        client_id="c",
        client_host="/h",
        subscribed_topic_names=["orders", "mails"],
        assignment=SimpleNamespace(topic_partitions=[orders]),
    )
    group = SimpleNamespace(
        error_code=0, group_id="s", group_state="Stable", assignor_name="simple", members=[member]
    )
    return version, SimpleNamespace(groups=[group])


def tasks(**partitions: list[int]) -> list[Any]:
    return [SimpleNamespace(subtopology_id=name[1:], partitions=each) for name, each in partitions.items()]


def test_a_share_group_has_members_partitions_and_subscriptions() -> None:
    other = describe_other(Recorded({"ShareGroupDescribe": share()}), "s")  # type: ignore[arg-type]
    assert other is not None
    assert (other.group.kind, other.group.name, other.group.state) == (SHARE, "s", "Stable")
    assert (other.group.assignor, other.group.counted) == ("simple", 1)
    (member,) = other.group.members
    assert member.of(ACTIVE) == (("orders", 0), ("orders", 2))
    assert (member.client_id, member.host, member.is_first_form) == ("c", "/h", False)
    assert other.subscriptions == {"m-1": ("orders", "mails")}


def test_version_0_is_of_kafka_4_0() -> None:
    other = describe_other(Recorded({"ShareGroupDescribe": share(0)}), "s")  # type: ignore[arg-type]
    assert other is not None and other.group.members[0].is_first_form


def test_a_streams_group_has_its_tasks_by_kind() -> None:
    none = SimpleNamespace(active_tasks=[], standby_tasks=[], warmup_tasks=[])
    own = SimpleNamespace(active_tasks=tasks(_0=[0, 2], _1=[0]), standby_tasks=tasks(_1=[1]), warmup_tasks=[])
    member = SimpleNamespace(
        member_id="m", client_id="c", client_host="/h", process_id="p", assignment=own, target_assignment=none
    )
    group = SimpleNamespace(error_code=0, group_id="app", group_state="Stable", members=[member])
    answers = {
        "ShareGroupDescribe": (1, absent("app")),
        "StreamsGroupDescribe": (0, SimpleNamespace(groups=[group])),
    }
    other = describe_other(Recorded(answers), "app")  # type: ignore[arg-type]
    assert other is not None and other.group.kind == STREAMS
    (thread,) = other.group.members
    assert thread.of(ACTIVE) == (("0", 0), ("0", 2), ("1", 0))
    assert (thread.of(STANDBY), thread.of(WARMUP), thread.process) == ((("1", 1),), (), "p")
    assert thread.of(f"TARGET-{ACTIVE}") == ()


def test_no_such_group_and_a_broker_that_knows_neither() -> None:
    assert describe_other(Recorded({}), "g") is None  # type: ignore[arg-type]
    for code in (NOT_FOUND, TURNED_OFF):
        both = {name: (0, absent("g", code)) for name in ("ShareGroupDescribe", "StreamsGroupDescribe")}
        assert describe_other(Recorded(both), "g") is None  # type: ignore[arg-type]


@pytest.mark.live
@pytest.mark.parametrize("kind", ["Share", "Streams"])
def test_the_schemas_are_written_and_read(kind: str) -> None:
    pytest.importorskip("kafka")
    from kassay.reading.live.messages import messages

    request = getattr(messages(), f"{kind}GroupDescribeRequest")
    raw = request(group_ids=["g"], include_authorized_operations=False).encode(version=0)
    assert b"g" in raw


SHARING = {
    "group.coordinator.rebalance.protocols": "classic,consumer,share,streams",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}


@pytest.mark.broker
def test_a_share_group_of_a_genuine_broker_is_answered_by_its_own_rule(tmp_path: Path) -> None:
    with genuine_broker({"PLAIN": "PLAINTEXT"}, settings=SHARING) as broker:
        address = broker.address("PLAIN")
        broker.tool(
            "kafka-topics", "--bootstrap-server", address, "--create", "--topic", "t", "--partitions", "4"
        )
        options = ("--bootstrap-server", address, "--topic", "t", "--group", "shared")
        command = broker.command("kafka-console-share-consumer", *options)
        member = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 60
            words = "group shared: share group, 1 member, 1 topic, 4 partitions"
            while True:
                done = here("what-if", "--bootstrap-server", address, "--group", "shared", cwd=tmp_path)
                if words in done.stdout or time.monotonic() > end:
                    break
                time.sleep(1)
        finally:
            member.kill()
            member.wait()
        assert words in done.stdout, done.stderr
        assert "settled under simple" in done.stdout
