"""A whole round in one request, and call by call: what is told of it is the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from kassay.engines.processes.process import Guarded
from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.verdicts import Tally
from kassay.engines.targets.programs import ProgramOpener
from kassay.engines.targets.resolve import Target
from kassay.model.calls import Failure, Look
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind
from kassay.model.groups.group import Member
from kassay.model.groups.history import FailedSync, History, Join, Leave
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import Player
from kassay.model.groups.step import Step
from tests.engines.processes.children import children
from tests.engines.processes.programs.version2 import ALL, START, opened, program, requests

ONE_BY_ONE = "new,user_data,on_assignment,drop"
DOORS = (ONE_BY_ONE, f"{ONE_BY_ONE},batch", f"{ONE_BY_ONE},round", ALL)
LOOKS = frozenset({Look.AGAIN, Look.OTHER, Look.PERMUTED})


def history(faults: dict[str, str]) -> History:
    """Members come, one of them with a failed sync, and one leaves; each may have a fault."""

    def join(member_id: str, *topics: str, owned: tuple[TopicPartition, ...] = ()) -> Join:
        config = (("fault", faults[member_id]),) if member_id in faults else ()
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
def hosts() -> Iterator[tuple[ProgramHost, ...]]:
    """The program by each door, the one without any first."""
    with ExitStack() as stack:
        yield tuple(stack.enter_context(opened(door)) for door in DOORS)


def steps(host: ProgramHost, faults: dict[str, str], looks: frozenset[Look] = LOOKS) -> list[Step]:
    """The rounds of one history."""
    played = Player(host.new, looks=looks).play(history(faults))
    return [step for rebalanced in played for step in rebalanced.steps]


def unanswered(step: Step) -> list[Failure]:
    """The calls of the round that had no answer."""
    answers = [step.answer, *(look.answer for look in step.probes)]
    return [answer for answer in answers if isinstance(answer, Failure)]


FAULTS = {
    "m0": [
        f"{call}={how}"
        for call in ("user_data", "assign")
        for how in ("raises", "exits", "nonsense", "answer:3")
    ]
    + [
        "new=raises",
        "assign=data:[]",
        "assign=half",
        "assign=fresh-raises",
        "assign=fresh-exits",
        "assign=fresh-answer:3",
        "on_assignment=raises",
        "on_assignment=exits",
    ],
    "m1": ["new=raises", "new=exits", "user_data=raises", "on_assignment=nonsense", "assign=raises"],
    "m2": ["user_data=answer:3", "on_assignment=raises", "new=raises"],
}


@pytest.mark.parametrize(
    ("member", "fault"), [(member, fault) for member in FAULTS for fault in FAULTS[member]]
)
def test_what_is_told_of_a_faulty_member_is_the_same(
    hosts: tuple[ProgramHost, ...], member: str, fault: str
) -> None:
    by_call, *others = (steps(host, {member: fault}) for host in hosts)
    for other in others:
        assert other == by_call
    assert any(map(unanswered, by_call))


def test_what_is_told_of_sound_members_is_the_same(hosts: tuple[ProgramHost, ...]) -> None:
    for looks in (LOOKS, LOOKS - {Look.PERMUTED}, LOOKS - {Look.AGAIN}, frozenset()):
        by_call, *others = (steps(host, {}, looks) for host in hosts)
        assert others == [by_call] * 3
        assert not any(map(unanswered, by_call))
        assert [len(step.group.members) for step in by_call] == [2, 3, 3, 2]
        assert all(member.user_data for member in by_call[-1].group.members)


@pytest.mark.parametrize("call", ["new", "user_data", "assign", "on_assignment"])
def test_who_does_not_answer_in_time_is_told_the_same(
    hosts: tuple[ProgramHost, ...], call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = Guarded.exchange

    def impatient(
        self: Guarded, request: bytes, during: str, timeout_s: float, size_of: Callable[[bytearray, int], int]
    ) -> bytes:
        """The first call of that name is the one that never answers."""
        return exchange(self, request, during, 0.001 if during == call else timeout_s, size_of)

    for host in hosts:
        if not host.alive:
            host.restart()
    monkeypatch.setattr(Guarded, "exchange", impatient)
    by_call, *others = (steps(host, {"m0": f"{call}=loops"}) for host in hosts)
    assert others == [by_call] * 3
    (failure,) = unanswered(by_call[-1])
    assert (failure.kind, failure.message) == (FailureKind.TIMEOUT, f"{call} did not answer within 0.001 s")


def test_a_second_look_that_ends_the_process_ends_the_calls_after_it(hosts: tuple[ProgramHost, ...]) -> None:
    for host in hosts:
        (step,) = steps(host, {"m0": "assign=fresh-exits"})
        assert [failure.message for failure in unanswered(step)] == [
            "the object went down with its process",
            "process ended with exit status 3 during assign (did it exit itself?); it last wrote: giving up",
            "process ended with exit status 3 during assign (did it exit itself?); it last wrote: giving up",
            "the object went down with its process",
        ]


def test_a_round_is_one_request_and_what_a_group_learns_another(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with opened(log=log) as host:
        played = Player(host.new, looks=LOOKS - {Look.OTHER}).play(history({}))
        rounds = sum(len(rebalanced.steps) for rebalanced in played)
    asked = [request for request in requests(log) if "id" in request]
    claims = 1  # of m0, when it joins
    assert len(asked) == 2 * rounds + claims
    assert {request["call"] for request in asked} == {"batch"}
    validator = jsonschema.Draft202012Validator(
        json.loads(files("kassay.report").joinpath("schemas", "exec-protocol-2.json").read_text())
    )
    for request in asked:
        validator.validate(request)


def test_a_dropped_host_ends_its_process_though_it_had_a_door() -> None:
    before = children()
    steps(opened(ALL), {})
    assert children() == before


@pytest.mark.parametrize("fault", ["", "assign=fresh-answer:{}"])
def test_a_block_of_histories_has_the_same_tally(fault: str) -> None:
    def tally(supports: str) -> Tally:
        opener = ProgramOpener(program(supports, *filter(None, [fault])))
        target = Target("exec:program2", "program2", CLIENT, opener, claims=("sticky-minimal",), start=START)
        with open_bench(Job(target, RunOptions(controls=False))) as bench:
            return play_block(bench, 1, 9)

    by_call = tally(ONE_BY_ONE)
    assert tally(ALL) == by_call
    assert by_call.rebalances > 20


@pytest.mark.parametrize(
    ("supports", "fault", "kind", "message"),
    [
        (
            ALL,
            "batch=nonsense",
            FailureKind.MALFORMED,
            "new was answered by 'batch', expected one line of JSON",
        ),
        (ALL, "batch=exits", FailureKind.DIED, "process ended with exit status 3 during new"),
        (ALL, "batch=half", FailureKind.DIED, "process ended with exit status 0 during new"),
        (ALL, "batch=megabytes", FailureKind.MALFORMED, "answer of more than 64 MiB"),
        (
            ALL,
            "batch=more",
            FailureKind.MALFORMED,
            "new was answered by a dict, expected an object with the id",
        ),
        (
            ALL,
            "round=nonsense",
            FailureKind.MALFORMED,
            "user_data was answered by 'round', expected one line",
        ),
        (
            f"{ONE_BY_ONE},round",
            "round=exits",
            FailureKind.DIED,
            "process ended with exit status 3 during user_data",
        ),
        (
            ALL,
            "user_data=twice",
            FailureKind.MALFORMED,
            "answer is None, expected a dict of member id to list",
        ),
        (
            ALL,
            "user_data=nonsense",
            FailureKind.MALFORMED,
            "user_data was answered by 'user_data', expected one",
        ),
        (
            "new,user_data,later",
            "user_data=answer:[1]",
            FailureKind.MALFORMED,
            "answer is [1] (list), expected base64",
        ),
        ("new", "new=answer:[1]", FailureKind.RAISED, "assign answered with the error: no object"),
    ],
)
def test_what_a_hostile_program_costs(supports: str, fault: str, kind: FailureKind, message: str) -> None:
    with opened(supports, fault) as host:
        (step,) = steps(host, {})
    assert isinstance(step.answer, Failure)
    assert step.answer.kind is kind
    assert step.answer.message.startswith(message)
    assert "\n" not in step.answer.message


@pytest.mark.slow_cases("round=more")
@pytest.mark.parametrize("fault", ["user_data=twice", "assign=twice", "round=more"])
def test_lines_too_many_are_nobodys_answer_in_the_next_history(fault: str) -> None:
    with opened(ALL, fault) as host:
        steps(host, {})
        (step,) = steps(host, {})
    assert isinstance(step.answer, Failure)
    assert step.answer.message.startswith("drop was answered by a dict, expected an object with the id")
