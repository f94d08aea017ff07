"""Figures of a group, out of its rebalances.

The document of an audit and its verdict.
"""

from kassay.engines.audits.values import (
    AuditedRebalance,
    AuditFinding,
    GroupAudit,
    GroupProtocol,
    LogMoment,
    RebalanceFigures,
    audit_document,
    verdict,
)
from kassay.reading.kafka.lines import Place
from tests.cli.runner import valid
from tests.engines.audits.logs import of_records
from tests.example_cluster import billing, fraud, mailer
from tests.offsets_log import Log


def at(seconds):
    return LogMoment(Place("f", 1), seconds, seconds * 1000)


def group(*rebalances, protocol=GroupProtocol.CLASSIC):
    audit = GroupAudit("g", protocol)
    for each in rebalances:
        audit.add(each)
    return audit


def rebalance(seconds, measured=None, **parts):
    return AuditedRebalance(1, at(seconds), "range", 2, 4, measured=measured, judged=("complete",), **parts)


def test_moves_and_the_worst_spread():
    audit = group(
        rebalance(0, RebalanceFigures(3, 2, 5, 2)), rebalance(1, RebalanceFigures(2, 0)), rebalance(2)
    )
    assert (audit.moved, audit.needless, audit.judged) == (5, 3, 3)
    assert audit.worst_spread == RebalanceFigures(3, 2, 5, 2)
    assert audit.worst_excess is audit.rebalances[1]


def test_moves_that_are_not_known_are_never_summed_as_none():
    known, unknown = rebalance(0, RebalanceFigures(0, 0, 5, 2)), rebalance(1, unmeasured="a reason")
    audit = group(known, unknown)
    assert (audit.moved, audit.needless, dict(audit.unmeasured)) == (None, None, {"a reason": 1})
    assert (audit.moved_at_least, audit.needless_at_least) == (5, 3)
    assert group(known).moved == 5
    compacted = group(known)
    compacted.lost.append((at(2), "its records are compacted"))
    assert (compacted.moved, compacted.unmeasured.total()) == (None, 1)


def test_unrest_is_what_the_records_say():
    assert group(rebalance(0), rebalance(50), rebalance(100), rebalance(1000)).longest_unrest_ms is None
    assert group(rebalance(0, unrest_ms=20), rebalance(1, unrest_ms=30)).longest_unrest_ms == 30
    consumer = group(rebalance(0, unrest_ms=700), rebalance(1), protocol=GroupProtocol.CONSUMER)
    assert consumer.longest_unrest_ms == 700


def test_gaps_findings_and_what_is_withdrawn():
    finding = AuditFinding("single-owner", "t-0", 1, at(3))
    audit = group(rebalance(3, gap="a gap", findings=(finding,)), rebalance(4))
    assert (audit.gaps, audit.double_owners) == (["a gap"], 1)
    audit.withdraw({at(3)}, "torn")
    assert (audit.findings, audit.rebalances[0].why_not, audit.judged) == ([], "torn", 1)


def test_the_document_keeps_to_its_schema_and_has_every_rebalance():
    for log in (billing(), fraud(), mailer()):
        audit = of_records(log.records)
        document = valid(audit_document(audit, ["dump.txt"], None), "audit-1")
        (group,) = document["groups"]
        assert group["rebalances"] == len(group["history"]) == len(audit.groups[0].rebalances)
        assert document["verdict"] == ("findings" if group["findings"] else "clean")


def test_where_nothing_could_be_judged_nothing_is_known():
    log = Log()
    log.classic("connect", 1, "sessioned", "w", [], "connect")
    assert verdict(of_records(log.records)) == "unknown"
