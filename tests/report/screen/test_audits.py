"""An audit on screen: times, figures, findings, gaps, and the verdict last."""

import io
from dataclasses import replace

import pytest

from kassay.engines.audits.values import LogAudit
from kassay.report.screen.audits import at, audit_view, duration, records_words, where
from kassay.report.screen.console import console
from tests.engines.audits.logs import of_records
from tests.example_cluster import billing, mailer
from tests.offsets_log import Log, cleaned


def shown(audit):
    out = io.StringIO()
    console(file=out).show(audit_view(audit))
    return out.getvalue()


def test_who_causes_most_is_told():
    assert "app-3@10.0.0.7 rejoined 4 times" in shown(of_records(billing().records))


def test_a_finding_stands_with_its_time_and_the_verdict_is_last():
    text = shown(of_records(mailer().records))
    assert "cooperative in generation 4, offset 3, 2025-11-22 " in text
    assert text.splitlines()[-1] == "1 finding: 4 rebalances judged in 1 group"


def test_gaps_are_named():
    records = cleaned(billing().records, 5)
    assert "gap: what was before generation 5 is not there" in shown(of_records(records))


def test_moves_without_a_rebalance_are_not_known():
    (group,) = of_records(mailer().records).groups
    empty = replace(group, rebalances=[])
    assert (empty.moved, empty.needless) == (None, None)


def test_records_are_counted_by_what_they_are_of():
    assert records_words(LogAudit((), {"classic groups": 1}, (), ())) == "1 record: 1 of classic groups"
    both = LogAudit((), {"classic groups": 2, "offset commits": 3}, (), ())
    assert records_words(both) == "5 records: 2 of classic groups, 3 offset commits"


def test_an_empty_log_is_unknown():
    log = Log()
    log.add(99, {}, (0, {}))
    assert shown(of_records(log.records)).splitlines()[-1] == "unknown: no rebalance could be judged"


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "0 s"), (3100, "3.1 s"), (12_400, "12 s"), (200_000, "3 min 20 s"), (7_500_000, "2 h 5 min")],
)
def test_durations(milliseconds, words):
    assert duration(milliseconds) == words


def test_a_time_that_no_calendar_has_is_a_number():
    assert at(10**18) == str(10**18)
    assert where(of_records(mailer().records).groups[0].rebalances[0].moment).startswith("offset 0, 2025-")
