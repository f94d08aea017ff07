"""`kassay.audit` is what the command shows."""

from datetime import UTC, datetime

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.test_what_if import CLUSTER, TOPICS

LOG = CLUSTER / "offsets-12.txt"


def test_the_function_returns_what_the_command_writes(command):
    function = kassay.audit(LOG, TOPICS, since="2026-01-01")
    assert function.to_json() == command("audit", str(LOG), str(TOPICS), "--since", "2026-01-01")


def test_a_row_is_a_group(tmp_path):
    audited = kassay.audit(LOG, TOPICS, out=tmp_path)
    assert sum(row["findings"] for row in audited.rows()) == audited.audit.findings
    assert audited.verdict == ("findings" if audited.audit.findings else "clean")
    assert [row["group"] for row in audited.rows()] == [group.name for group in audited.audit.groups]
    assert "<html" in audited.page() and "judged" in repr(audited)


def test_a_time_is_a_text_a_datetime_or_milliseconds():
    moment = datetime(2026, 11, 22, tzinfo=UTC)
    times = ("2026-11-22", moment, round(moment.timestamp() * 1000))
    documents = [kassay.audit(LOG, TOPICS, since=time).to_json() for time in times]
    assert documents[0] == documents[1] == documents[2]


def test_misuse_is_an_error():
    with pytest.raises(InputError, match="since 'soon': not a time"):
        kassay.audit(LOG, since="soon")
    with pytest.raises(InputError, match="no such group"):
        kassay.audit(LOG, TOPICS, group="nobody")
    with pytest.raises(InputError, match="expected a FILE"):
        kassay.audit()
