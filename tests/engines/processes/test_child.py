"""What a child does with the calls of a class: answers, exceptions, output, changed inputs."""

from __future__ import annotations

import re

import pytest

from kassay.engines.processes.host import Host, Limits
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.cluster import TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from tests.engines.processes.hostile import CLUSTER, GROUP, ask, failure


def test_prints_reach_nobody(host: Host, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(20):
        ask(host, "prints")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("do", ["allocates", "allocates_and_keeps"])
def test_no_memory(target: Target, do: str) -> None:
    limits = Limits(call_timeout_s=20, memory_mib=64)
    with resolve(target.spec, limits=limits).open() as host:
        found = failure(host, do)
    assert found.kind is FailureKind.MEMORY
    assert found.message == "assign ran out of memory (limit 64 MiB)"


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("recurses", r"assign raised RecursionError: maximum recursion depth exceeded.* \(hostile\.py:\d+\)"),
        ("exits", r"assign raised SystemExit: 3 \(hostile\.py:\d+\)"),
        ("interrupts", r"assign raised KeyboardInterrupt \(hostile\.py:\d+\)"),
        ("raises", r"assign raised KeyError: 'c\\nd' \(hostile\.py:\d+\)"),
        ("raises_without_text", r"assign raised Odd \(hostile\.py:\d+\)"),
        ("raise_in_configure", r"configure raised RuntimeError: not like this \(hostile\.py:\d+\)"),
    ],
)
def test_exceptions_are_failures_of_the_call_alone(host: Host, do: str, message: str) -> None:
    bystander = host.new({})
    bystander.assign(CLUSTER, GROUP)
    found = failure(host, do)
    assert found.kind is FailureKind.RAISED
    assert re.fullmatch(message, found.message)
    assert re.fullmatch(r"hostile\.py:\d+", found.where)
    assert bystander.assign(CLUSTER, GROUP)["b"] == (TopicPartition("t", 1),)


def test_what_was_raised_is_named(host: Host) -> None:
    assert failure(host, "refuses").raised == ("Declined", "ValueError", "Exception")


@pytest.mark.parametrize(
    ("do", "mutated"),
    [
        ("mutates_members", "members[0]['owned'] was [('t', 0)] (list) and is [('t', 0), ('t', 99)] (list)"),
        ("mutates_topics", "partitions_per_topic was {'t': 3, 'u': 2} (dict) and is {'u': 2} (dict)"),
        ("reorders_topics", "the keys of partitions_per_topic are in another order"),
    ],
)
@pytest.mark.parametrize("in_process", [False, True])
def test_changes_of_the_input_are_told(target: Target, do: str, mutated: str, in_process: bool) -> None:
    with resolve(target.spec, in_process=in_process).open() as host:
        made = host.new({"do": do})
        for _ in range(2):
            made.assign(CLUSTER, GROUP)
            assert made.mutated == mutated
        with pytest.raises(TargetFailure):
            host.new({"do": "raises"}).assign(CLUSTER, GROUP)
    assert CLUSTER.counts == {"t": 3, "u": 2}


@pytest.mark.slow
def test_an_answer_has_a_largest_size(target: Target) -> None:
    limits = Limits(call_timeout_s=20, memory_mib=1024)
    with resolve(target.spec, limits=limits).open() as host:
        found = failure(host, "answers_huge")
    assert found.kind is FailureKind.MALFORMED
    assert found.message == "answer of 80 MiB, expected at most 64 MiB"
