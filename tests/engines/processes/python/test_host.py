"""A host of a Python class: its objects, requests of several calls, and whole rounds, which tell the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kassay.engines.processes.host import Host, Limits, Start
from kassay.engines.processes.load import TargetSource
from kassay.engines.processes.process import Guarded
from kassay.engines.processes.python.host import PythonHost, PythonRequest
from kassay.engines.processes.python.objects import RemoteAssignor
from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.classes import UserClass
from kassay.engines.targets.resolve import Target
from kassay.model.calls import Failure, Look
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.group import Member
from kassay.model.groups.history import FailedSync, History, Join, Leave
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import Player
from kassay.model.groups.step import Step
from tests.engines.processes.children import children
from tests.engines.processes.hostile import CLUSTER, GROUP, ask


def test_forgotten_objects_are_dropped(host: Host) -> None:
    for _ in range(300):
        ask(host, "behave")
    assert isinstance(host, PythonHost)
    assert host.drops == [300]


def test_a_dropped_host_ends_its_process_though_it_had_a_door(target: Target) -> None:
    before = children()
    host = target.open()
    assert isinstance(host, PythonHost)
    door = host.rounds
    assert door is not None
    assert door.holds([host.new({})])
    host.new({}).assign(CLUSTER, GROUP)
    del door, host
    assert children() == before


def three(host: Host) -> tuple[PythonHost, list[RemoteAssignor]]:
    """The host, with an object that behaves, one that raises, and one more that behaves."""
    assert isinstance(host, PythonHost)
    return host, [host.new({"do": do}) for do in ("behave", "raises", "behave")]


def test_calls_that_are_not_needed_are_answered_whatever_became_of_the_others(host: Host) -> None:
    python, objects = three(host)
    calls = [each.assign_call(CLUSTER, GROUP) for each in objects]
    replies = python.send(python.guard_of(objects[0], "assign"), PythonRequest(calls))
    answers = [objects[0].answer_of(replies.next()[0])]
    with pytest.raises(TargetFailure) as caught:
        replies.next()
    answers.append(objects[2].answer_of(replies.next()[0]))
    assert caught.value.kind is FailureKind.RAISED
    assert answers == [objects[2].assign(CLUSTER, GROUP)] * 2


def test_after_a_needed_call_that_fails_nothing_more_is_done(host: Host) -> None:
    python, objects = three(host)
    calls = [each.assign_call(CLUSTER, GROUP) for each in objects]
    replies = python.send(python.guard_of(objects[0], "assign"), PythonRequest(calls, needed=3))
    replies.next()
    with pytest.raises(TargetFailure):
        replies.next()
    answer = objects[2].assign(CLUSTER, GROUP)  # whose reply is that of the next request
    assert sum(map(len, answer.values())) == 5


LOOKS = frozenset({Look.AGAIN, Look.OTHER, Look.PERMUTED})
START = Start(Limits(call_timeout_s=60, start_timeout_s=60, memory_mib=128))
SOURCE = '''
import os
import time

from kassay.full_form import Assignment, AssignorBase

FAULTS = {
    "raises": lambda: 1 / 0,
    "exits": lambda: os._exit(3),
    "hoards": lambda: bytearray(2**40),
    "loops": lambda: time.sleep(3600),
}
COUNTS = {}


class Plain:
    """Deals in turn; an object with a fault has it at that call, a fresh one in its first."""

    def __init__(self):
        self.config = {}
        self.calls = 0

    def configure(self, config):
        self.config = config
        COUNTS[str(config)] = COUNTS.get(str(config), 0) + 1
        self.at("new")
        if COUNTS[str(config)] == 2:
            self.at("second")

    def at(self, call):
        fault = self.config.get(call)
        self.calls += call == "assign"
        if fault and (self.calls == 1 or not fault.startswith("fresh-")):
            FAULTS[fault.removeprefix("fresh-")]()

    def assign(self, partitions_per_topic, members):
        self.at("assign")
        ids = [member["id"] for member in members]
        if self.config.get("mutates"):
            members[0]["owned"].append(("t", 99))
        dealt = {member_id: [] for member_id in ids}
        for number, pair in enumerate((t, p) for t in sorted(partitions_per_topic) for p in range(partitions_per_topic[t])):
            dealt[ids[number % len(ids)]].append(pair)
        return dealt


class Full(Plain, AssignorBase):
    """The same with user data: what it learned, and how often it was asked for that."""

    name = "full"
    claims = ("sticky-minimal",)

    def __init__(self):
        super().__init__()
        self.learned = ()
        self.asked = 0

    def subscription_user_data(self, topics):
        self.at("user_data")
        self.asked += 1
        return None if self.config.get("silent") else repr((self.asked, self.learned)).encode()

    def assign(self, cluster, group):
        self.at("assign")
        members = [[m.member_id, m.user_data] for m in group.members]
        dealt = {m: [] for m, _ in members}
        for number, tp in enumerate(sorted(cluster.everything)):
            dealt[members[number % len(members)][0]].append(tp)
        if self.config.get("data") == "wrong":
            return Assignment(dealt, {members[0][0]: 3})
        return Assignment(dealt, {m: data for m, data in members if data is not None})

    def on_assignment(self, assignment, user_data, metadata):
        self.at("on_assignment")
        self.learned = (sorted(assignment), user_data and len(user_data), metadata.generation)
'''


def history(faults: dict[str, str]) -> History:
    """Members come, one of them with a failed sync, and one leaves; the first has faults."""

    def join(member_id: str, *topics: str, owned: tuple[TopicPartition, ...] = ()) -> Join:
        config = tuple(faults.items()) if member_id == "m0" else ()
        return Join(Member(member_id, topics, owned, 1 if owned else -1), config)

    return History(
        Cluster.of({"t": 5, "u": 2}),
        (
            (join("m0", "t", "u", owned=(TopicPartition("t", 1),)), join("m1", "t")),
            (join("m2", "t", "u"), FailedSync("m1")),
            (Leave("m0"),),
        ),
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rounds") / "two.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture(scope="module")
def hosts(file: Path) -> Iterator[dict[str, list[PythonHost]]]:
    """By class a host without the door, and one with it."""
    with ExitStack() as stack:
        opened: dict[str, list[PythonHost]] = {}
        for name in ("Plain", "Full"):
            source = TargetSource(file=str(file), class_name=name)
            opened[name] = [stack.enter_context(PythonHost(source, START)) for _ in range(2)]
            opened[name][0].at_once = False
        yield opened


def steps(host: PythonHost, faults: dict[str, str], looks: frozenset[Look] = LOOKS) -> list[Step]:
    """The rounds of one history."""
    played = Player(host.new, looks=looks).play(history(faults))
    return [step for rebalanced in played for step in rebalanced.steps]


def unanswered(step: Step) -> list[Failure]:
    """The calls of the round that had no answer."""
    answers = [step.answer, *(look.answer for look in step.probes)]
    return [answer for answer in answers if isinstance(answer, Failure)]


FAULTS = [("Plain", call, how) for call in ("new", "assign") for how in ("raises", "exits", "hoards")]
FAULTS += [("Full", call, how) for call in ("user_data", "assign") for how in ("raises", "exits", "hoards")]
FAULTS += [
    ("Plain", "assign", "fresh-raises"),
    ("Full", "assign", "fresh-exits"),
    ("Plain", "second", "raises"),
    ("Full", "second", "exits"),
    ("Full", "on_assignment", "raises"),
    ("Full", "on_assignment", "exits"),
    ("Full", "data", "wrong"),
]


@pytest.mark.parametrize(("name", "call", "how"), FAULTS)
def test_what_is_told_of_a_faulty_member_is_the_same(
    hosts: dict[str, list[PythonHost]], name: str, call: str, how: str
) -> None:
    by_call, by_rounds = (steps(host, {call: how}) for host in hosts[name])
    assert by_rounds == by_call
    assert any(map(unanswered, by_call))


@pytest.mark.parametrize("name", ["Plain", "Full"])
def test_what_is_told_of_sound_members_is_the_same(hosts: dict[str, list[PythonHost]], name: str) -> None:
    for faults in ({}, {"mutates": "1"}, {"silent": "1"}):
        for looks in (LOOKS, LOOKS - {Look.PERMUTED}, LOOKS - {Look.AGAIN}, frozenset[Look]()):
            by_call, by_rounds = (steps(host, faults, looks) for host in hosts[name])
            assert by_rounds == by_call
            assert not any(map(unanswered, by_call))
            assert any(step.mutated for step in by_call) == (name == "Plain" and "mutates" in faults)
    given = [member.user_data for member in by_call[-1].group.members]
    assert all(given) == (name == "Full")


@pytest.mark.parametrize("call", ["assign", "subscription_user_data", "on_assignment"])
def test_who_does_not_answer_in_time_is_told_the_same(
    hosts: dict[str, list[PythonHost]], call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = Guarded.exchange

    def impatient(
        self: Guarded, request: bytes, during: str, timeout_s: float, size_of: Callable[[bytearray, int], int]
    ) -> bytes:
        """The first call of that name is the one that never answers."""
        return exchange(self, request, during, 0.001 if during == call else timeout_s, size_of)

    for host in hosts["Full"]:
        if not host.alive:
            host.restart()
    monkeypatch.setattr(Guarded, "exchange", impatient)
    fault = call.removeprefix("subscription_")
    by_call, by_rounds = (steps(host, {fault: "loops"}) for host in hosts["Full"])
    assert by_rounds == by_call
    (failure,) = unanswered(by_call[-1])
    assert (failure.kind, failure.message) == (FailureKind.TIMEOUT, f"{call} did not answer within 0.001 s")


def test_a_round_is_one_request_and_what_a_group_learns_another(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    send = PythonHost.send

    def noted(self: PythonHost, guarded: Guarded, request: object) -> object:
        sent.append(request)
        return send(self, guarded, request)  # type: ignore[arg-type]  # what came in goes on

    monkeypatch.setattr(PythonHost, "send", noted)
    with PythonHost(TargetSource(file=str(file), class_name="Full"), START) as host:
        played = Player(host.new, looks=LOOKS - {Look.OTHER}).play(history({}))
        rounds = sum(len(rebalanced.steps) for rebalanced in played)
    claims = 1  # of m0, when it joins
    assert len(sent) == 2 * rounds + claims


@pytest.mark.slow_cases("Full")
@pytest.mark.parametrize("name", ["Plain", "Full"])
def test_a_block_of_histories_has_the_same_tally(
    file: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tally() -> object:
        opener = UserClass(TargetSource(file=str(file), class_name=name), isolated=True)
        target = Target("two.py", "two", CLIENT, opener, claims=("sticky-minimal",), start=START)
        with open_bench(Job(target, RunOptions(controls=False))) as bench:
            return play_block(bench, 1, 9)

    by_rounds = tally()
    monkeypatch.setattr(PythonHost, "at_once", False)
    assert tally() == by_rounds
