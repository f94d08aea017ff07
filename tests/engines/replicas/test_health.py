"""The state of a cluster judged: each condition, and lines without what it needs."""

from __future__ import annotations

import pytest

from kassay.engines.replicas.health import health
from kassay.engines.replicas.judge import ClaimStanding, Standing
from kassay.engines.replicas.sources import ClusterSources
from kassay.properties.placement.balance import BestPlacement
from tests.engines.replicas.test_states import described

FINE = "Leader: {0}\tReplicas: {0},{1}\tIsr: {0},{1}"


def judged(*rows: str, head: str = "Configs: min.insync.replicas=2") -> dict[str, ClaimStanding]:
    """Each condition on a topic with these partitions on two brokers."""
    cluster = ClusterSources(topics=list(described(*rows, head=head))).cluster()
    return {each.claim: each for each in health(cluster, BestPlacement((2, 2), (1, 1)))}


def violated(standings: dict[str, ClaimStanding]) -> set[str]:
    """The conditions that do not hold."""
    return {name for name, each in standings.items() if each.standing is Standing.VIOLATED}


def test_where_all_is_well_everything_holds() -> None:
    standings = judged(FINE.format(1, 2), FINE.format(2, 1))
    assert {each.standing for each in standings.values()} == {Standing.HOLDS}


@pytest.mark.parametrize(
    ("row", "broken"),
    [
        ("Leader: none\tReplicas: 2,1\tIsr: 2,1", {"has-leader"}),
        ("Leader: 2\tReplicas: 2,1\tIsr: 2", {"in-sync", "min-insync"}),
        ("Leader: 2\tReplicas: 2,1\tIsr: 2,1\tOffline: 1", {"in-sync"}),
        ("Leader: 2\tReplicas: 2\tIsr: 2", {"min-insync", "replication-factor"}),
        ("Leader: 1\tReplicas: 2,1\tIsr: 2,1", {"leaders-even-now"}),
    ],
)
def test_a_line_and_what_it_violates(row: str, broken: set[str]) -> None:
    assert violated(judged(FINE.format(1, 2), row)) == broken


def test_what_the_topic_s_line_lacks_is_not_judged() -> None:
    standings = judged(FINE.format(1, 2), FINE.format(2, 1), head="Configs: ")
    assert standings["min-insync"].standing is Standing.NOT_JUDGED
    assert standings["min-insync"].why == "2 of 2 partitions: min.insync.replicas is not in the file"


def test_without_states_there_is_nothing_to_judge() -> None:
    from tests.engines.replicas.clusters import cluster

    assert not health(cluster({"t": [(1, 2)]}), None)


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        ("Leader: 2\tReplicas: 2,1\tIsr: 2\tElr: 1", {"not in sync": (1,), "in sync": (2,), "Elr": (1,)}),
        ("Leader: 2\tReplicas: 2,1\tIsr: 2,1\tOffline: 1", {"in sync": (1, 2), "offline": (1,)}),
    ],
)
def test_replicas_out_of_sync_have_what_the_line_says_of_them(row: str, facts: dict[str, object]) -> None:
    (evidence,) = judged(FINE.format(1, 2), row)["in-sync"].evidence
    assert dict(evidence.facts) == facts
