"""Instances as targets are asked them: who answers which, and what counts as the answer."""

import pytest

from kassay.engines.optimum.gaps import posed
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.measures import play
from kassay.kinds.measures import How, Missed
from kassay.kinds.streams.measures import play_application
from kassay.model.groups.kinds import CONSUMER_GROUPS, SHARE
from kassay.model.streams.kinds import STREAMS
from kassay.reading.documents import Located
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import as_group
from kassay.solver.instances.brokers_and_tasks import MEMBER_SHAPES, member_tasks, placement, tasks
from kassay.solver.instances.groups import consumer, share_group
from kassay.solver.streams.problem import MemberTaskProblem, request_of

HOW = How("flow", MOVEMENT_FIRST, None)
UNKNOWN = """
META = {"kind": "task-assignor", "level": "process"}

class Assignor:
    def assign(self, application):
        return {p["id"]: {"active": ["7_7"], "standby": []} for p in application["processes"]}
"""


@pytest.mark.parametrize(
    ("document", "kinds"),
    [
        (consumer("join", 1, members=3, partitions=5), CONSUMER_GROUPS),
        (share_group("join", 1, members=3), (SHARE,)),
        (tasks("join", 1, clients=2, tasks=3), (STREAMS,)),
        (member_tasks("join", 1, processes=2, tasks=3), (STREAMS,)),
    ],
)
def test_a_family_has_its_kinds(document, kinds):
    assert (posed(Located(document, "here")).kinds, posed(Located(document, "here")).name) == (
        kinds,
        document["name"],
    )


def test_nobody_answers_placements():
    assert posed(Located(placement("create", 1, brokers=4, partitions=4), "here")) is None


def test_a_cooperative_group_is_measured_when_it_is_at_rest_and_from_where_it_began():
    problem = Problem.parse(consumer("join", 1, members=5, partitions=14))
    played = {}
    for spec in ("cooperative-sticky", "sticky"):
        target = resolve(spec, in_process=True)
        with target.open() as host:
            played[spec] = play(host.new, target.protocol, *as_group(problem))
    assert played["cooperative-sticky"].rounds > 1 == played["sticky"].rounds
    assert played["cooperative-sticky"].answer.same_sets(played["sticky"].answer)


@pytest.mark.parametrize("shape", MEMBER_SHAPES)
def test_an_application_is_measured_when_its_copies_have_caught_up(shape):
    document = member_tasks(shape, 1, processes=4, tasks=16)
    target = resolve("streams-high-availability", in_process=True)
    with target.open() as host:
        request = request_of(MemberTaskProblem.parse(document))
        first, played = host.new({}).assign(request), play_application(host.new, request)
        asked = posed(Located(document, "here")).solve(HOW)(host.new, target.protocol)
    assert first.probing_rebalance is (shape != "fresh")
    assert not played.answer.probing_rebalance
    assert (played.rounds > 1) is first.probing_rebalance
    assert (asked.gap.balance, asked.rounds) == (0, played.rounds)


def test_an_answer_about_tasks_that_are_not_there_has_no_gap(tmp_path):
    (tmp_path / "unknown.py").write_text(UNKNOWN)
    target = resolve(f"{tmp_path}/unknown.py", in_process=True)
    with target.open() as host:
        asked = posed(Located(member_tasks("join", 1, processes=2, tasks=3), "here")).solve(HOW)(
            host.new, target.protocol
        )
    assert isinstance(asked.gap, Missed)
    assert asked.gap.reason.endswith(": 7_7 is no task of the application")
