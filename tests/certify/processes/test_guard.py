"""A target that misbehaves costs a verdict, never the run, and leaves no process behind."""

from __future__ import annotations

import os
import re
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.certify.processes.host import Host, Limits
from kassay.certify.processes.remote import PythonHost
from kassay.certify.targets.resolve import Target, resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.failure import FailureKind, TargetFailure
from kassay.model.groups.group import Group, Member
from tests.certify.processes.children import DATA, alive, children, noted

CLUSTER = Cluster.of({"t": 3, "u": 2})
GROUP = Group((Member("a", ("t", "u"), (TopicPartition("t", 0),), 1), Member("b", ("t",))))
FAIR = {"a": ["t-0", "t-2", "u-0", "u-1"], "b": ["t-1"]}
LIMITS = Limits(call_timeout_s=0.6, memory_mib=128)


@pytest.fixture(scope="module")
def target() -> Target:
    return resolve(f"{DATA}/hostile.py:Hostile", limits=LIMITS)


@pytest.fixture
def host(target: Target) -> Iterator[Host]:
    before = children()
    with target.open() as host:
        yield host
    assert children() == before


def ask(host: Host, do: str, file: Path | None = None) -> dict[str, list[str]]:
    config = {"do": do, **({} if file is None else {"file": str(file)})}
    answer = host.new(config).assign(CLUSTER, GROUP)
    return {member_id: [str(tp) for tp in tps] for member_id, tps in answer.items()}


def failure(host: Host, do: str, file: Path | None = None) -> TargetFailure:
    with pytest.raises(TargetFailure) as caught:
        ask(host, do, file)
    assert "\n" not in caught.value.message
    assert ask(host, "behave") == FAIR
    return caught.value


def test_a_target_that_behaves(host: Host) -> None:
    made = host.new({})
    assert made.subscription_user_data(("t",)) is None
    assert ask(host, "behave") == FAIR
    assert made.mutated is None


@pytest.mark.parametrize("do", ["prints", "reads_stdin", "closes_output", "changes_directory", "threads"])
def test_what_does_no_harm(host: Host, do: str) -> None:
    assert ask(host, do) == FAIR
    assert ask(host, "behave") == FAIR


def test_prints_reach_nobody(host: Host, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(20):
        ask(host, "prints")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("do", ["loops", "loops_in_c", "loops_in_re", "catches_everything"])
def test_no_answer_in_time(host: Host, do: str) -> None:
    found = failure(host, do)
    assert found.kind is FailureKind.TIMEOUT
    assert found.message == "assign did not answer within 0.6 s"
    assert ask(host, "behave") == FAIR


@pytest.mark.parametrize("do", ["allocates", "allocates_and_keeps"])
def test_no_memory(target: Target, do: str) -> None:
    limits = Limits(call_timeout_s=20, memory_mib=64)
    with resolve(target.spec, limits=limits).open() as host:
        found = failure(host, do)
    assert found.kind is FailureKind.MEMORY
    assert found.message == "assign ran out of memory (limit 64 MiB)"


def test_memory_that_is_hidden_is_a_loop(host: Host) -> None:
    assert failure(host, "allocates_and_hides").kind is FailureKind.TIMEOUT


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("exits_hard", r"process ended with exit status 3 during assign \(os\._exit or sys\.exit\?\)"),
        ("segfaults", r"process killed by signal 11 \(SIGSEGV\) during assign"),
        ("kills_itself", r"process killed by signal 9 \(SIGKILL\) during assign"),
        ("aborts", r"process killed by signal 6 \(SIGABRT\) during assign; it last wrote: about to abort"),
        ("closes_fds", r"process closed the channel to kassay during assign"),
        ("daemonises_and_exits", r"process ended with exit status 0 during assign .*"),
    ],
)
def test_the_process_ends(host: Host, tmp_path: Path, do: str, message: str) -> None:
    found = failure(host, do, tmp_path / "pids")
    assert found.kind is FailureKind.DIED
    assert re.fullmatch(message, found.message)


def test_endless_recursion_in_c(host: Host) -> None:
    assert failure(host, "recurses_without_limit").kind in {FailureKind.DIED, FailureKind.MEMORY}


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


def test_a_mutation_is_forgotten_by_the_next_call(host: Host) -> None:
    made = host.new({"do": "mutates_members"})
    made.assign(CLUSTER, GROUP)
    made.assign(CLUSTER, Group((Member("a", ("t",)),)))
    assert made.mutated == "members[0]['owned'] was [] (list) and is [('t', 99)] (list)"


@pytest.mark.parametrize("do", ["forks", "daemonises", "starts_program", "forks_and_returns"])
def test_no_process_is_left_behind(target: Target, tmp_path: Path, do: str) -> None:
    with target.open() as host:
        assert ask(host, do, tmp_path / "pids") == FAIR
        assert ask(host, "behave") == FAIR
        pids = noted(tmp_path / "pids", 5 if do == "forks" else 1)
        if do != "forks_and_returns":  # its copy ends by itself when it comes back from the call
            assert all(map(alive, pids))
    assert not any(map(alive, pids))


@pytest.mark.parametrize("do", ["forks", "daemonises", "daemonises_and_exits"])
def test_processes_go_with_the_child_that_started_them(target: Target, tmp_path: Path, do: str) -> None:
    with target.open() as host:
        for end in ("loops", "exits_hard"):
            file = tmp_path / end
            if do == "daemonises_and_exits":
                failure(host, do, file)
            else:
                ask(host, do, file)
                failure(host, end)
            pids = noted(file, 5 if do == "forks" else 1)
            deadline = time.monotonic() + 5
            while any(map(alive, pids)) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert not any(map(alive, pids))


def test_garbage_in_the_channel_is_no_answer(host: Host) -> None:
    found = failure(host, "scribbles")
    assert found.kind is FailureKind.MALFORMED
    assert found.message == "the target wrote into the channel to kassay during assign"


def test_an_answer_has_a_largest_size(target: Target) -> None:
    limits = Limits(call_timeout_s=20, memory_mib=1024)
    with resolve(target.spec, limits=limits).open() as host:
        found = failure(host, "answers_huge")
    assert found.kind is FailureKind.MALFORMED
    assert found.message == "answer of 80 MiB, expected at most 64 MiB"


def test_large_inputs_and_answers_pass(host: Host) -> None:
    cluster = Cluster.of({f"topic-{t}": 100 for t in range(200)})
    topics = tuple(cluster.counts)
    group = Group(tuple(Member(f"member-{m}", topics) for m in range(40)))
    answer = host.new({}).assign(cluster, group)
    assert sum(map(len, answer.values())) == 20_000


def test_objects_are_gone_with_their_process(host: Host) -> None:
    old = host.new({})
    old.assign(CLUSTER, GROUP)
    failure(host, "exits_hard")
    with pytest.raises(TargetFailure, match="the object went down with its process"):
        old.assign(CLUSTER, GROUP)
    young = host.new({})
    young.assign(CLUSTER, GROUP)
    host.restart()
    with pytest.raises(TargetFailure, match="the object went down with its process"):
        young.assign(CLUSTER, GROUP)
    assert ask(host, "behave") == FAIR


def test_many_deaths_cost_a_fork_each(host: Host) -> None:
    for _ in range(20):
        with pytest.raises(TargetFailure, match="exit status 3"):
            ask(host, "exits_hard")
    assert ask(host, "behave") == FAIR


def test_limits_of_the_parent_stay(host: Host) -> None:
    ask(host, "behave")
    assert resource.getrlimit(resource.RLIMIT_AS) == (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def test_forgotten_objects_are_dropped(host: Host) -> None:
    for _ in range(300):
        ask(host, "behave")
    assert isinstance(host, PythonHost)
    assert len(host.drops) <= 1


def test_the_guard_cleans_up_when_its_parent_is_killed(target: Target, tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        host = target.open()
        ask(host, "daemonises", tmp_path / "pids")
        (tmp_path / "children").write_text("\n".join(map(str, children())))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    pids = noted(tmp_path / "children", 3)
    assert set(noted(tmp_path / "pids", 1)) < set(pids)
    deadline = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, pids))


def test_a_fork_of_the_parent_gets_a_guard_of_its_own(host: Host) -> None:
    made = host.new({})
    made.assign(CLUSTER, GROUP)
    pid = os.fork()
    if pid == 0:
        try:
            gone = False
            try:
                made.assign(CLUSTER, GROUP)
            except TargetFailure:
                gone = True
            fine = gone and ask(host, "behave") == FAIR
            host.close()
            os._exit(0 if fine and not children() else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert made.assign(CLUSTER, GROUP)["b"] == (TopicPartition("t", 1),)


def test_many_hosts_at_once(target: Target) -> None:
    before = children()
    hosts = [target.open() for _ in range(8)]
    with pytest.raises(TargetFailure):
        ask(hosts[3], "exits_hard")
    assert [ask(host, "behave") for host in hosts] == [FAIR] * 8
    for host in hosts:
        host.close()
        host.close()
    assert children() == before


def test_a_dropped_host_ends_its_processes(target: Target) -> None:
    before = children()
    ask(target.open(), "behave")
    assert children() == before
