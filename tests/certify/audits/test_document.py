"""The document of an audit and its verdict."""

from kassay.certify.audits.document import audit_document, verdict
from tests.certify.audits.logs import of_records
from tests.cli.runner import valid
from tests.example_cluster import billing, fraud, mailer
from tests.offsets_log import Log


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
