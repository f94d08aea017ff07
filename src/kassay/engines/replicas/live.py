"""A cluster's replicas read from its brokers, as the same values that the outputs of Kafka's tools give."""

from __future__ import annotations

from kassay.engines.replicas.sources import ClusterSources
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.topics import brokers_of, describe_log_dirs, describe_topics, require_topics


def read_live_replicas(cluster: LiveCluster) -> ClusterSources:
    """Topics with leaders and reassignments, brokers with racks, and sizes where we may know them.

    Raises `InputError` if there is no topic that we may describe.
    """
    described = describe_topics(cluster)
    require_topics(described, cluster)
    sources = ClusterSources(topics=list(described.topics), has_hosts=True)
    sources.add_brokers(brokers_of(cluster), cluster.bootstrap)
    sizes = describe_log_dirs(cluster)
    if sizes is not None:
        sources.log_dirs.append(sizes)
    if sizes is None or not described.moves_known:
        sources.notes.append(
            "no right to DESCRIBE on cluster: sizes, and reassignments under way, are not known: "
            f"kafka-acls.sh --bootstrap-server {cluster.bootstrap} --add --allow-principal User:NAME "
            "--operation Describe --cluster"
        )
    return sources
