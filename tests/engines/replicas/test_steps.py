"""Steps from one placement to another, on drawn clusters: each is judged, bounded, executable and can be undone.

Log directories: the emptiest that takes new replicas, and home again on the way back.
"""

from __future__ import annotations

import json

import pytest

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange, Rows
from kassay.engines.replicas.judge import Standing, best_loads, judge, rack_breaks
from kassay.engines.replicas.lint import LintContext, LintSeverity, lint
from kassay.engines.replicas.proposal import propose
from kassay.engines.replicas.steps import (
    DiskLayout,
    ReassignmentStep,
    StepBound,
    evidence_against,
    reassignment_json,
    steps_of,
)
from kassay.model.cluster import Broker, TopicPartition
from kassay.reading.kafka.brokers import read_log_dirs
from kassay.reading.kafka.reassignment import read_reassignment
from kassay.solver.placement.problem import InfeasiblePlacementError
from kassay.writing.files import json_text
from tests.engines.replicas.clusters import RACKS, cluster, drawn

MIB = 1 << 20


def broken(placed: PlacedCluster, rows: Rows) -> set[tuple[str, str]]:
    """The placement claims about partitions that the rows break, and where."""
    return {
        (standing.claim, each.subject)
        for standing in judge(placed.brokers, rows, None)
        for each in standing.evidence
        if standing.claim in ("replicas-distinct", "rack-spread", "no-fenced-leader")
    }


def newly_broken(placed: PlacedCluster, before: Rows, after: Rows) -> set[tuple[str, str]]:
    """What one step breaks: spread over racks may grow less while brokers that go are still there."""
    return {
        (claim, where)
        for claim, where in broken(placed, after) - broken(placed, before)
        if claim != "rack-spread"
    }


def keeps_all(placed: PlacedCluster, rows: Rows) -> bool:
    """Whether the rows keep the placement claims; who follows whom is no goal of the optimum."""
    best = best_loads(placed.brokers, rows.values())
    return all(
        each.standing is not Standing.VIOLATED
        for each in judge(placed.brokers, rows, best)
        if each.claim != "follower-spread"
    )


def walked(placed: PlacedCluster, change: PlacementChange, bound: StepBound) -> int:
    """How many steps a proposal takes, every one of which is what a step must be."""
    proposal = propose(placed, change)
    steps = steps_of(proposal, bound)
    assert not list(evidence_against(proposal, steps))
    rows = dict(placed.rows)
    everybody = PlacedCluster(
        tuple(sorted({*placed.brokers, *proposal.target.brokers})),
        rows,
        placed.sizes,
        cordoned=proposal.target.cordoned,
    )
    for step in steps:
        assert {tp: rows[tp] for tp in step.before} == step.before
        assert all(
            len(step.after[tp]) == len(row) == len(set(step.after[tp])) for tp, row in step.before.items()
        )
        copies = sum(len(set(row) - set(step.before[tp])) for tp, row in step.after.items())
        assert copies <= step.copies <= (bound.moves or step.copies)
        if bound.size is not None and step.copies > 1:
            assert step.size is None or step.size <= bound.size
        before = PlacedCluster(everybody.brokers, dict(rows), placed.sizes, cordoned=everybody.cordoned)
        assert not faults(step, before)
        rows |= step.after
        lost = rack_breaks(proposal.target, rows) - rack_breaks(proposal.target, before.rows)
        assert not lost
        assert not newly_broken(everybody, before.rows, rows)
    assert rows == dict(proposal.after)
    assert proposal.limit or keeps_all(proposal.target, rows)
    assert sum(step.copies for step in steps) == proposal.copies == proposal.figures["copies"]
    back = dict(rows)
    for step in reversed(steps):
        back |= step.before
    assert back == dict(placed.rows)
    return len(steps)


def faults(step: ReassignmentStep, before: PlacedCluster) -> list[str]:
    """What the lint has against the file of a step, racks aside, which depend on the brokers of tomorrow."""
    block = read_reassignment(
        json_text(reassignment_json(step.after, step.before, {}), indent=1), "step.json"
    )
    findings = lint(block, LintContext(before, has_topics=True, has_brokers=True))
    return [
        str(each) for each in findings if each.severity is LintSeverity.ERROR and each.rule != "rack-spread"
    ]


def test_every_step_of_every_plan_is_bounded_valid_and_can_be_undone() -> None:
    lengths = []
    for seed in range(120):
        bound = StepBound(1 + seed % 4, 3 * MIB if seed % 3 == 0 else None)
        try:
            lengths.append(walked(*drawn(seed), bound))
        except InfeasiblePlacementError:
            lengths.append(-1)
    assert lengths.count(-1) < 30 and max(lengths) > 5


@pytest.mark.slow
def test_more_plans_are_valid_step_by_step() -> None:
    for seed in range(1000, 2000):
        try:
            walked(*drawn(seed), StepBound(1 + seed % 3))
        except InfeasiblePlacementError:
            continue


def test_what_leaves_comes_first_and_what_copies_nothing_last() -> None:
    rows = {"t": [(1, 2, 3), (1, 2, 3), (2, 1, 3), (4, 2, 3), (1, 5, 6), (1, 4, 5), (6, 2, 4), (3, 2, 1)]}
    placed = cluster(rows, sizes=True)
    proposal = propose(placed, PlacementChange(removed=frozenset({3}), added=(Broker(9, "c"),)))
    purposes = [step.purpose for step in steps_of(proposal, StepBound(1))]
    order = ["drain", "racks", "balance", "leaders"]
    assert purposes == sorted(purposes, key=order.index) and purposes[0] == "drain"


def test_no_step_where_nothing_is_better() -> None:
    placed = cluster({"t": [(1, 2, 3), (5, 6, 4), (2, 3, 4), (6, 1, 5), (3, 4, 2), (4, 5, 6)]}, RACKS)
    first = propose(placed, PlacementChange())
    best = PlacedCluster(placed.brokers, first.after)
    assert not steps_of(propose(best, PlacementChange()), StepBound())


def test_a_step_that_ends_elsewhere_or_loses_a_rack_is_told() -> None:
    placed = cluster({"t": [(1, 2, 3), (1, 2, 3), (1, 2, 3)]})
    proposal = propose(placed, PlacementChange())
    steps = steps_of(proposal, StepBound(1))
    assert any(each.subject == "the last step" for each in evidence_against(proposal, steps[:-1]))
    bad = ReassignmentStep(
        {tp: row for tp, row in placed.rows.items() if tp.partition == 0},
        {tp: (1, 4, 2) for tp in placed.rows if tp.partition == 0},
        (),
        "balance",
        1,
        None,
    )
    assert any("breaks the rack rule of" in each.facts for each in evidence_against(proposal, [bad]))


A, B, C = (TopicPartition("t", number) for number in range(3))


def layout(**brokers):
    """Of each broker (`b1`) its directories with the sizes of the partitions in them."""
    rows = []
    for name, directories in brokers.items():
        log_dirs = []
        for directory, (held, *error) in directories.items():
            replicas = [
                {"partition": f"{tp[0]}-{tp[1]}", "size": size, "offsetLag": 0, "isFuture": False}
                for tp, size in held.items()
            ]
            log_dirs.append(
                {"logDir": directory, "error": error[0] if error else None, "partitions": replicas}
            )
        rows.append({"broker": int(name[1:]), "logDirs": log_dirs})
    return DiskLayout.of([read_log_dirs(json.dumps({"version": 1, "brokers": rows}), "dirs.txt")])


SIZES = {A: 50, B: 40, C: 30}


def test_replicas_go_to_the_emptiest_directory_the_largest_first():
    disks = layout(b1={"/a": ({A: 50},), "/b": ({B: 40, C: 30},)}, b2={"/x": ({},), "/y": ({},)})
    homes = disks.homes_after({A: (1,), B: (1,), C: (1,)}, {A: (2,), B: (2,), C: (2,)}, SIZES)
    assert {tp: homes[tp, 2] for tp in (A, B, C)} == {A: "/x", B: "/y", C: "/y"}
    assert homes[A, 1] == "/a"


def test_what_leaves_makes_room_and_what_is_offline_takes_nothing():
    disks = layout(
        b1={"/a": ({A: 50},), "/b": ({B: 40},), "/c": ({}, "KafkaStorageException")}, b2={"/x": ({C: 30},)}
    )
    homes = disks.homes_after({A: (1,), B: (1,), C: (2,)}, {A: (2,), B: (1,), C: (1,)}, SIZES)
    assert homes[C, 1] == "/a"
    assert (A, 2) not in homes, "a broker with one directory needs no choice"


def test_only_what_comes_is_named_and_goes_home_again():
    before, after = {A: (1, 3)}, {A: (2, 3)}
    homes = {(A, 1): "/a", (A, 2): "/y", (A, 3): "/z"}
    (there,) = reassignment_json(after, before, homes)["partitions"]
    (back,) = reassignment_json(before, after, homes)["partitions"]
    assert (there["log_dirs"], back["log_dirs"]) == (["/y", "any"], ["/a", "any"])
    (unknown,) = reassignment_json(after, before, {})["partitions"]
    assert unknown["log_dirs"] == ["any", "any"]
