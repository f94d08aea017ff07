"""A cluster's replicas, read from a broker with recorded answers."""

import pytest

from kassay.engines.replicas.live import read_live_replicas
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.settings import ClientSettings
from tests.cli.runner import here, one_line
from tests.engines.clusters.broker import RecordedBroker


@pytest.mark.live
def test_replicas_leaders_and_racks_are_read():
    pytest.importorskip("kafka.protocol.consumer.metadata")
    with (
        RecordedBroker("g", {}, {"orders": 2, "refunds": 1}) as broker,
        LiveCluster(broker.bootstrap, ClientSettings()) as live,
    ):
        cluster = read_live_replicas(live).cluster()
    assert sorted(map(str, cluster.rows)) == ["orders-0", "orders-1", "refunds-0"]
    assert [(each.broker_id, each.rack) for each in cluster.brokers] == [(1, "az-a")]
    assert cluster.sizes is None
    assert any("no right to DESCRIBE on cluster" in each for each in cluster.warnings)


@pytest.mark.live
def test_place_takes_a_cluster_and_no_files_of_one(tmp_path):
    pytest.importorskip("kafka.protocol.consumer.metadata")
    with RecordedBroker("g", {}, {"orders": 2}) as broker:
        live = ["--bootstrap-server", broker.bootstrap]
        done = here("place", *live, "--judge", cwd=tmp_path)
        assert (done.returncode, "1 topic, 2 partitions" in done.stdout) == (0, True), done.stdout
        (tmp_path / "t.txt").write_text("x\n")
        assert "provides topics and brokers itself" in one_line(
            here("place", *live, "t.txt", cwd=tmp_path), 2
        )
