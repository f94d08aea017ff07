"""Streams groups: played by Kafka's rule they are clean, and each thing that can go wrong in a target is seen."""

import pytest

from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import CauseWord, GroupProtocol
from kassay.model.streams.events import ProcessJoin, ProcessLeave
from kassay.model.streams.history import TaskChange, TaskHistory
from tests.engines.audits.logs import of_records, only, tps
from tests.offsets_log import Log, cleaned
from tests.played_targets import played_tasks, write_streams

A, B, C = (f"00000000-0000-4000-8000-0000000000{n:02}" for n in range(3))


def a_streams_life() -> TaskHistory:
    """Two processes with state and copies; a third comes, the first goes, and then nothing happens."""
    return TaskHistory(
        (4, 2),
        1,
        (ProcessJoin(A, 2), ProcessJoin(B, 1)),
        (TaskChange((ProcessJoin(C, 1),)), TaskChange((ProcessLeave(A),)), TaskChange()),
        standby_replicas=1,
    )


def test_a_life_by_kafkas_rule_is_judged_and_clean():
    log = Log()
    write_streams(log, "g", played_tasks("streams-group-sticky", a_streams_life()))
    group = only(log)
    assert (group.protocol, group.judged, group.findings) == (GroupProtocol.STREAMS, 4, [])
    assert [each.causes[0].word for each in group.rebalances] == [
        CauseWord.BEGAN,
        CauseWord.JOINED,
        CauseWord.LEFT,
        CauseWord.UNSEEN,
    ]
    first, joined, left, rest = group.rebalances
    assert {"complete", "single-owner", "standby-disjoint"} <= set(first.judged)
    at_rest = {"threads-balanced", "stateful-balanced", "standby-count"}
    assert at_rest <= set(rest.judged) and at_rest.isdisjoint(left.judged)
    assert first.measured.moved is None and joined.measured.moved >= joined.measured.least > 0
    assert all(each.unrest_ms > 0 for each in group.rebalances)


def group_of(standbys: int | None = 0, topology=None, **processes):
    """A log with a group: members by name, each with its process."""
    log = Log()
    for name, process in processes.items():
        log.streams_member("g", name, process, client=name)
    log.topology("g", topology or {"0": (("orders",), True), "1": (("refunds",), False)})
    log.streams_epoch("g", 1, standbys)
    return log


def target(log, epoch, **tasks):
    for name, (active, standby) in tasks.items():
        log.streams_target("g", name, active, standby)
    log.streams_target_epoch("g", epoch)
    log.next()


def t(*ids):
    return tuple(tp for each in ids for tp in tps(each.split("_")[0], int(each.split("_")[1])))


@pytest.mark.parametrize(
    ("claim", "standbys", "a", "b"),
    [
        ("complete", 0, (t("0_0"), ()), (t("0_2", "1_0"), ())),
        ("complete", 0, (t("0_0"), ()), (t("0_1"), ())),
        ("single-owner", 0, (t("0_0", "1_0"), ()), (t("0_0", "0_1"), ())),
        ("standby-disjoint", 1, (t("0_0", "1_0"), t("0_0")), (t("0_1"), ())),
        ("standby-disjoint", 1, (t("0_0", "1_0"), t("0_1")), (t("0_1"), ())),
        ("task-errors", 1, (t("0_0", "1_0"), t("0_1")), (t("0_1"), t("0_0", "1_0"))),
    ],
)
def test_what_is_wrong_with_a_target_is_a_finding(claim, standbys, a, b):
    log = group_of(standbys, a=A, b=B)
    target(log, 1, a=a, b=b)
    assert claim in {each.claim for each in only(log).findings}


def test_two_threads_with_one_active_task_are_double_owners_and_a_copy_is_none():
    log = group_of(1, a=A, b=B)
    target(log, 1, a=(t("0_0", "1_0"), ()), b=(t("0_1"), t("0_0")))
    log.streams_current("g", "a", 1, t("0_0"))
    log.next()
    log.streams_current("g", "b", 1, t("0_1"), t("0_0"))
    log.next()
    assert only(log).double_owners == 0
    log.streams_current("g", "b", 1, t("0_1", "0_0"))
    log.next()
    finding = only(log).findings[-1]
    assert "0-0: owned by b (epoch 1) while a still has it" in finding.message


def test_how_many_copies_are_asked_for_must_be_known_to_miss_one():
    log = group_of(None, a=A, b=B)
    target(log, 1, a=(t("0_0", "1_0"), ()), b=(t("0_1"), ()))
    group = only(log)
    assert group.findings == [] and "standby-count" not in group.rebalances[0].judged


def test_a_task_that_was_there_and_still_could_be_is_missed():
    log = group_of(0, a=A)
    target(log, 1, a=(t("0_0", "0_1", "0_2", "1_0"), ()))
    log.streams_epoch("g", 2, 0)
    target(log, 2, a=(t("0_0", "0_1", "1_0"), ()))
    assert only(log).findings == []
    assert only(log, KnownTopics({"orders": 2, "refunds": 1})).findings == []
    (finding,) = only(log, KnownTopics({"orders": 7, "refunds": 1})).findings
    assert (finding.claim, finding.generation) == ("complete", 2) and "0_2" in finding.message


def test_threads_are_told_by_their_member_ids():
    log = group_of(0, **{"thread-1": A, "thread-2": A})
    target(log, 1, **{"thread-1": (t("0_0", "0_1", "0_2", "1_0"), ()), "thread-2": ((), ())})
    log.streams_epoch("g", 2, 0)
    target(log, 2)
    (finding, _) = only(log).findings
    assert "thread-1" in finding.message and f"{A}-0" not in finding.message


def test_needless_moves_are_measured_beside_the_certified_optimum():
    log = group_of(0, a=A, b=B)
    target(log, 1, a=(t("0_0", "0_1"), ()), b=(t("1_0", "1_1"), ()))
    for name, tasks in (("a", t("0_0", "0_1")), ("b", t("1_0", "1_1"))):
        log.streams_current("g", name, 1, tasks)
    log.streams_epoch("g", 2, 0)
    target(log, 2, a=(t("1_0", "0_1"), ()), b=(t("0_0", "1_1"), ()))
    figures = only(log).rebalances[1].measured
    # Even by state the two tasks of the first subtopology must part: one moves, and one of the others for it.
    assert (figures.spread, figures.best_spread, figures.moved, figures.least) == (0, 0, 2, 2)


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        (((), ()), "no task is assigned"),
        ((t("7_0"), ()), "tasks of 7"),
    ],
)
def test_a_target_that_no_rule_answered_for_is_not_judged(tasks, why):
    log = group_of(0, a=A)
    target(log, 1, a=tasks)
    (rebalance,) = only(log).rebalances
    assert why in (rebalance.why_not or "")


def test_without_a_topology_and_for_an_older_epoch_nothing_is_said():
    log = Log()
    log.streams_member("g", "a", A)
    log.streams_epoch("g", 1, 0)
    target(log, 1, a=(t("0_0"), ()))
    assert "topology is not there" in (only(log).rebalances[0].why_not or "")
    log = group_of(0, a=A)
    log.streams_epoch("g", 2, 0)
    target(log, 1, a=(t("0_0"), ()))
    assert "older epoch" in (only(log).rebalances[0].why_not or "")


def test_a_compacted_log_is_judged_at_its_end():
    log = Log()
    write_streams(log, "g", played_tasks("streams-group-sticky", a_streams_life()))
    (group,) = of_records(cleaned(log.records, len(log.records))).groups
    (rebalance,) = group.rebalances
    assert (group.findings, rebalance.generation) == ([], 4)
    assert "judged as it stands at the end" in (rebalance.gap or "")
    assert rebalance.measured is not None and rebalance.measured.moved is None


def test_subtopologies_without_numbers_are_told_apart():
    log = group_of(0, topology={"agg": (("orders",), True), "map": (("refunds",), False)}, a=A)
    target(log, 1, a=(tps("agg", 0) + tps("map", 0), ()))
    (rebalance,) = only(log).rebalances
    assert rebalance.findings == () and "complete" in rebalance.judged
