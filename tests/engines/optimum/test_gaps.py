"""Gaps of targets on instances: what is measured, what has failed, what is set aside."""

import json
from dataclasses import replace

import pytest

from kassay.engines.optimum.gaps import measure, require_measurable
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS, SHARE
from kassay.model.streams.kinds import STREAMS
from kassay.reading.documents import Located
from kassay.report.screen.gaps import gap_view
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.brokers_and_tasks import MEMBER_SHAPES, member_tasks, placement, tasks
from kassay.solver.instances.groups import consumer
from tests.cli.runner import valid

RAISES = """
class Assignor:
    def assign(self, partitions_per_topic, members):
        if len(members) == 5:
            raise ValueError("five")
        if len(members) == 6:
            return {m["id"]: [("t0", 0)] for m in members}
        return {m["id"]: [] for m in members}
"""
NOBODY = """
META = {"kind": "task-assignor", "level": "process"}

class Assignor:
    def assign(self, application):
        return {p["id"]: {"active": [], "standby": []} for p in application["processes"]}
"""
INSTANCES = [
    Located(consumer(shape, seed, members=5, partitions=14), f"{shape}-{seed}")
    for shape in ("join", "racks", "nested", "random")
    for seed in (1, 2)
]


def measured(specs, instances=INSTANCES, **options):
    targets = [resolve(spec, in_process=True) for spec in specs]
    return measure(targets, instances, "some instances", order=MOVEMENT_FIRST, **options)


def test_nobody_is_better_than_the_optimum_and_who_looks_for_it_is_as_good():
    found = measured(["range", "roundrobin", "sticky", "cooperative-sticky", "optimal-sticky"])
    assert (found.unsolved, found.set_aside) == ([], 0)
    for each in found.targets:
        assert (each.instances, each.failed) == (len(INSTANCES), [])
        for far in each.gaps:
            assert min(far.balance, far.spread) >= 0
            assert far.balance == 0 or far.movement is None
            assert far.movement in (None, 0) or far.rack is None
    *_, best = found.targets
    assert {(far.balance, far.movement, far.rack) for far in best.gaps} == {(0, 0, 0)}
    assert best.totals["moved"] == best.totals["optimal_moved"]
    assert best.distributions["balance"].judged == len(INSTANCES)
    valid(json.loads(json.dumps(found.to_json())), "gap-1")


def test_who_fails_has_no_gap_there_and_who_leaves_partitions_out_none_that_counts(tmp_path):
    (tmp_path / "raises.py").write_text(RAISES)
    six = [Located(consumer("join", 1, members=m, partitions=9), f"m{m}") for m in (4, 6)]
    found = measured([f"{tmp_path}/raises.py"], [INSTANCES[0], *six])
    (each,) = found.targets
    assert [name for name, _ in each.failed] == ["A-join-5x14-s1", "A-join-6x9-s1"]
    raised, twice = (reason for _, reason in each.failed)
    assert "ValueError: five" in raised
    assert twice.startswith("no assignment: assignment.")
    (silent,) = each.gaps
    assert (silent.missing, silent.balance, silent.movement) == (9, None, None)
    assert each.totals["missing"] == 9
    assert (each.distributions["balance"], each.distributions["moves"]) == (None, None)
    assert gap_view(found)


def test_other_families_are_set_aside_and_weights_and_copartitioning_too():
    others = [
        Located(placement("create", 1, brokers=4, partitions=4), "b"),
        Located(tasks("join", 1, clients=2, tasks=3), "c"),
    ]
    heavy = [
        Located(consumer("weighted", 1, members=3, partitions=7), "w"),
        Located(consumer("copart", 1, members=3, partitions=9), "p"),
    ]
    for each in heavy:
        problem = replace(Problem.parse(each.document).unweighted(), copartition=())
        assert best_assignment(problem).loads == measured(["optimal-sticky"], [each]).targets[0].gaps[0].loads
    found = measured(["range"], [*others, *heavy])
    assert (found.set_aside, found.targets[0].instances) == (2, 2)


def test_tasks_are_measured_in_what_restores_cost_beside_groups_that_know_none(tmp_path):
    (tmp_path / "nobody.py").write_text(NOBODY)
    instances = [Located(member_tasks(shape, 1, processes=3, tasks=9), shape) for shape in MEMBER_SHAPES]
    threads = Located(tasks("join", 1, clients=3, tasks=7), "by thread")
    specs = ["streams-high-availability", "optimal-sticky", f"{tmp_path}/nobody.py"]
    found = measured(specs, [*instances, threads, INSTANCES[0]])
    of_tasks, of_groups, nobody = found.targets
    assert [each.instances for each in found.targets] == [6, 1, 6]
    assert {far.balance for far in of_tasks.gaps} == {0}
    assert of_tasks.distributions["movement"].worst > 0
    assert of_groups.totals["moved"] == of_groups.totals["optimal_moved"]
    assert [far.missing for far in nobody.gaps] == [9, 9, 9, 9, 9, 7]
    assert nobody.distributions["balance"] is None
    valid(json.loads(json.dumps(found.to_json())), "gap-1")
    assert gap_view(found)


def test_tasks_have_no_other_solver_and_no_optimum_out_of_time():
    instance = Located(member_tasks("join", 1, processes=3, tasks=9), "c")
    with pytest.raises(InputError, match="solver: z3 does not take tasks, expected flow"):
        measured(["streams-sticky"], [instance], solver="z3")
    late = measured(["streams-sticky"], [instance], seconds=0)
    assert [missed.reason for missed in late.unsolved] == ["no optimum within 0 s"]


def test_an_instance_is_told_by_its_place_and_numbered_as_it_comes():
    seen = []
    measured(["range"], INSTANCES[:3], report=seen.append)
    assert seen == [1, 2, 3]
    with pytest.raises(InputError, match=r"^here: members: missing"):
        measured(["range"], [Located({"family": "A", "topics": []}, "here")])


def test_an_optimum_not_found_in_time_is_unsolved_and_nobody_is_asked():
    found = measured(["range"], INSTANCES[:1], solver="z3", seconds=0.0005)
    assert [name for name, _ in found.unsolved] == ["A-join-5x14-s1"]
    assert found.targets[0].instances == 0


def test_what_answers_no_groups_is_refused():
    require_measurable(resolve("uniform"), CONSUMER_GROUPS)
    require_measurable(resolve("streams-sticky"), [STREAMS])
    with pytest.raises(InputError) as refused:
        require_measurable(resolve("partitioner:murmur2"), CONSUMER_GROUPS)
    assert str(refused.value) == (
        "partitioner:murmur2: is of kind partitioner, expected an assignor of consumer groups"
    )
    with pytest.raises(
        InputError, match="is of kind client, expected an assignor of share groups, Streams tasks"
    ):
        require_measurable(resolve("range"), [SHARE, STREAMS])
