"""All groups in a row each: of a tool's output, and of a cluster."""

import json

import pytest

from kassay.engines.clusters.inputs import read_cluster
from kassay.engines.clusters.overview import GroupRow, overview_of
from tests.cli.runner import here, one_line, valid
from tests.engines.clusters.broker import RecordedBroker

OFFSETS = """
GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
even t 0 5 5 0 a-1 /10.0.0.1 a
even t 1 5 9 4 b-1 /10.0.0.2 b

GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
skewed t 0 5 5 0 a-1 /10.0.0.1 a
skewed t 1 5 5 0 a-1 /10.0.0.1 a
skewed t 2 5 5 0 a-1 /10.0.0.1 a
skewed t 3 5 5 0 b-1 /10.0.0.2 b

GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
holes t 0 5 5 0 a-1 /10.0.0.1 a
holes t 1 5 8 3 - - -

Consumer group 'gone' has no active members.
"""


def test_the_worst_group_is_first(tmp_path):
    (tmp_path / "all.txt").write_text(OFFSETS)
    rows = overview_of(read_cluster([str(tmp_path / "all.txt")])).rows
    assert [row.name for row in rows] == ["holes", "skewed", "even", "gone"]
    assert [(row.unowned, row.excess, row.lag) for row in rows[:3]] == [(1, 0, 3), (0, 2, 0), (0, 0, 4)]
    assert "no active members" in str(rows[3].problem)


def test_what_the_counts_force_is_no_excess():
    assert GroupRow("g", members=3, partitions=10, least=3, most=4).excess == 0
    assert GroupRow("g", members=2, partitions=8, least=3, most=5).excess == 2
    assert GroupRow("g").excess == 0


def test_what_if_shows_all_groups_where_none_is_selected(tmp_path):
    (tmp_path / "all.txt").write_text(OFFSETS)
    done = here("what-if", "all.txt", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line.split()[0] for line in done.stdout.splitlines() if line]
    assert lines[:5] == ["4", "group", "holes", "skewed", "even"]
    document = valid(json.loads(here("what-if", "all.txt", "--json", "-", cwd=tmp_path).stdout), "groups-1")
    assert [each["group"] for each in document["groups"]] == ["holes", "skewed", "even", "gone"]
    assert "expected --group" in one_line(here("what-if", "all.txt", "--to", "sticky", cwd=tmp_path), 2)


@pytest.mark.live
def test_what_if_shows_all_groups_of_a_cluster(tmp_path):
    pytest.importorskip("kafka.protocol.consumer.metadata")
    with RecordedBroker("billing", {"a": {"orders": [0, 1]}, "b": {}}, {"orders": 3}) as broker:
        done = here("what-if", "--bootstrap-server", broker.bootstrap, "--json", "-", cwd=tmp_path)
    (row,) = valid(json.loads(done.stdout), "groups-1")["groups"]
    assert (row["group"], row["unowned"], row["idle"], row["lag"]) == ("billing", 1, 1, 9)
