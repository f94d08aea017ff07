"""`exec:` targets: any program, under the same guard and limits."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure, TargetNotLoadable
from kassay.model.groups.group import Group, Member
from kassay.model.groups.kinds import CLIENT
from kassay.model.java import JavaRandom
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRefusedError, PlacementRequest, Placer
from tests.engines.processes.children import DATA, children
from tests.engines.processes.hostile import CLUSTER, GROUP

PYTHON = shlex.quote(sys.executable)
LIMITS = Limits(call_timeout_s=60, memory_mib=64, start_timeout_s=60)
IMPATIENT = replace(LIMITS, call_timeout_s=0.005)


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    before = children()
    yield
    assert children() == before


def program(do: str, limits: Limits = LIMITS) -> Target:
    return resolve(f"exec:{PYTHON} {DATA}/program.py {do}", limits=limits)


def failure(do: str) -> TargetFailure:
    """How one call fails; the next object works with a new process, or fails alike."""
    with program(do, IMPATIENT if do == "loops" else LIMITS).open() as host:
        for _ in range(2):
            with pytest.raises(TargetFailure) as caught:
                host.new({}).assign(CLUSTER, GROUP)
    assert "\n" not in caught.value.message
    return caught.value


def test_a_program_that_behaves() -> None:
    target = program("behave")
    assert (target.name, target.kind, target.protocol) == ("program", CLIENT, "eager")
    with target.open() as host:
        assert children()
        made = host.new({})
        for _ in range(50):
            answer = made.assign(CLUSTER, GROUP)
        assert {m: [str(tp) for tp in tps] for m, tps in answer.items()} == {
            "a": ["t-0", "t-2", "u-0", "u-1"],
            "b": ["t-1"],
        }
        assert made.subscription_user_data(("t",)) is None
        assert made.mutated is None


@pytest.mark.parametrize("do", ["chatty", "starts_program"])
def test_what_does_no_harm(do: str) -> None:
    with program(do).open() as host:
        for _ in range(3):
            assert set(host.new({}).assign(CLUSTER, GROUP)) == {"a", "b"}


def test_what_a_program_is_asked() -> None:
    cluster = Cluster((Topic("t", 2, ((0,), (1,)), (5, 7)),), (Broker(0, "x"), Broker(1)))
    group = Group((Member("a", ("t", "t"), (TopicPartition("\ud800", 3),), 4, "x", "i"),))
    target = program("echo")
    assert target.protocol == "cooperative"
    with target.open() as host:
        host.new({})
        answer = host.new({"k": "v"}).assign(cluster, group)
    assert json.loads(answer["a"][0].topic) == {
        "call": "assign",
        "object": 2,
        "config": {"k": "v"},
        "partitions_per_topic": {"t": 2},
        "members": [
            {
                "id": "a",
                "topics": ["t", "t"],
                "owned": [["\ud800", 3]],
                "generation": 4,
                "rack": "x",
                "instance_id": "i",
            }
        ],
        "replica_racks": [["t", 0, ["x"]], ["t", 1, []]],
        "partition_weights": [["t", 0, 5], ["t", 1, 7]],
    }


@pytest.mark.slow_cases("allocates-memory-assign took more than 64 MiB of memory and was killed")
@pytest.mark.parametrize(
    ("do", "kind", "message"),
    [
        ("loops", FailureKind.TIMEOUT, r"assign did not answer within 0\.005 s"),
        (
            "exits",
            FailureKind.DIED,
            r"process ended with exit status 3 during assign .*; it last wrote: giving up",
        ),
        ("hoards", FailureKind.MEMORY, r"assign ran out of memory; it last wrote: MemoryError"),
        ("allocates", FailureKind.MEMORY, r"assign took more than 64 MiB of memory and was killed"),
        (
            "prints",
            FailureKind.MALFORMED,
            r"assign was answered by 'debug: assigning', expected one line of JSON on standard output",
        ),
        ("twice", FailureKind.MALFORMED, r"assign was answered by .*: a key stands twice in one object, .*"),
        ("wrong_id", FailureKind.MALFORMED, r"assign was answered by .*, expected an object with the id \d"),
        ("array", FailureKind.MALFORMED, r"assign was answered by \[1\] \(list\), expected an object .*"),
        ("deep", FailureKind.MALFORMED, r"assign was answered by .*, expected one line of JSON .*"),
        ("binary", FailureKind.MALFORMED, r"assign was answered by .*, expected one line of JSON .*"),
        ("endless", FailureKind.MALFORMED, r"answer of more than 64 MiB"),
        (
            "pair_str",
            FailureKind.MALFORMED,
            r"answer\['a'\]\[0\] is 't-0' \(str\), expected a \(topic, partition\) pair",
        ),
        ("none", FailureKind.MALFORMED, r"answer is None, expected a dict of member id to list .*"),
        ("error", FailureKind.RAISED, r"assign answered with the error: no idea"),
        ("empty", FailureKind.MALFORMED, r"assign was answered without 'answer' or 'error'"),
    ],
)
def test_a_call_that_fails(do: str, kind: FailureKind, message: str) -> None:
    found = failure(do)
    assert re.fullmatch(message, found.message), found.message
    assert found.kind is kind


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("hello_list", "hello: found [], expected an object"),
        ("hello_number", "hello: name: found 3, expected a text"),
        ("hello_claims", "hello: claims[0]: found 1, expected a text"),
        ("hello_kind", "hello: kind: found 'consumer', expected 'assignor' or"),
        ("exits_at_once", "it last wrote: no configuration, expected an answer to hello"),
        ("silent", "did not answer within 0.01 s, expected an answer to hello"),
    ],
)
def test_a_program_that_does_not_start(do: str, message: str) -> None:
    with pytest.raises(TargetNotLoadable) as caught:
        program(do, Limits(start_timeout_s=0.01 if do == "silent" else 60))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_placer() -> None:
    target = program("placer")
    assert (target.kind, target.claims) == (PLACER, ("replicas-distinct",))
    brokers = (Broker(0), Broker(1))
    with target.open() as host:
        made = host.new({})
        assert isinstance(made, Placer)
        assert made.place(PlacementRequest(2, 2, brokers), JavaRandom(0)) == ((0, 1), (0, 1))
        with pytest.raises(PlacementRefusedError, match="too few brokers"):
            made.place(PlacementRequest(2, 3, brokers), JavaRandom(0))
