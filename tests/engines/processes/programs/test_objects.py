"""Objects of a program: what their calls hold, and what becomes of the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kassay.engines.processes.programs.objects import base64_of, bytes_of
from kassay.model.cluster import TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Group, Member
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from tests.engines.processes.hostile import CLUSTER, GROUP
from tests.engines.processes.programs.version2 import opened, requests


@pytest.mark.parametrize("data", [None, b"", b"\x00\xff", b"text"])
def test_bytes_travel_as_base64(data: bytes | None) -> None:
    assert bytes_of(base64_of(data), "x") == data


def test_a_members_life(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with opened("new,user_data,on_assignment", log=log) as host:
        first = host.new({})
        assert first.subscription_user_data(("t",)) == b"[[], -1]"
        owned = (TopicPartition("t", 1),)
        first.on_assignment(owned, b"\xff", GroupMetadata(3, "m", "i"))
        data = first.subscription_user_data(("t",))
        assert data == b'[[["t", 1]], 3]'
        group = Group((Member("m", ("t",), (), -1, None, "i", data), Member("n", ("t",))), "m")
        answer = first.assign(CLUSTER, group)
    assert answer["m"][0] == TopicPartition("t", 1)
    _, _, learned, _, assign = requests(log)
    del learned["id"]
    assert learned == {
        "call": "on_assignment",
        "object": 1,
        "partitions": [["t", 1]],
        "user_data": "/w==",
        "generation": 3,
        "member": "m",
        "instance_id": "i",
    }
    assert assign["leader"] == "m"
    assert [member["user_data"] for member in assign["members"]] == [base64_of(data), None]


def test_calls_that_are_not_supported_are_not_made(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with opened("", log=log) as host:
        assignor = host.new({})
        assert assignor.subscription_user_data(("t",)) is None
        assignor.on_assignment((), None, GroupMetadata(1, "m"))
        assignor.assign(CLUSTER, GROUP)
    assert [request["call"] for request in requests(log)] == ["assign"]


def test_user_data_beside_an_answer() -> None:
    with opened("", 'assign=data:{"a": "aGk=", "b": null}') as host:
        assert host.new({}).assign(CLUSTER, GROUP).user_data == {"a": b"hi"}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("user_data=answer:3", "answer is 3 (int), expected base64 text or null"),
        ('user_data=answer:"a"', "answer is 'a' (str), expected base64 text or null"),
        ('user_data=answer:"é==="', "answer is 'é===' (str), expected base64 text or null"),
        ('assign=data:{"a": "?"}', "user_data['a'] is '?' (str), expected base64 text or null"),
        ("assign=data:[]", "user_data is [] (list), expected an object of member id to base64 text"),
    ],
)
def test_base64_that_is_none(fault: str, message: str) -> None:
    with opened("user_data", fault) as host, pytest.raises(TargetFailure) as caught:
        host.new({}).subscription_user_data(("t",))
        host.new({}).assign(CLUSTER, GROUP)
    assert (caught.value.kind, caught.value.message) == (FailureKind.MALFORMED, message)


def test_a_partitioner(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with opened("new", hello={"kind": "partitioner"}, log=log) as host:
        partitioner = host.new({})
        topic = TopicMetadata.of(6, (2,))
        assert partitioner.partition(ProducerRecord("t", b"four", b"\xff"), topic) == 4
        assert partitioner.partition(ProducerRecord("t", None, None, partition=5), topic) == 5
        partitioner.close()
    _, asked, closed = requests(log)
    assert (asked["key"], asked["value"], asked["partitions"]) == ("Zm91cg==", "/w==", 6)
    assert (asked["topic"], asked["available"]) == ("t", [0, 1, 3, 4, 5])
    assert closed["call"] == "close"
