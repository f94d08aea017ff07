"""The commands of a plan: each starts on the cluster as it is."""

from __future__ import annotations

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.engines.replicas.planned import plan_cluster
from kassay.engines.replicas.steps import StepBound
from kassay.model.cluster import Broker
from kassay.report.screen.place_commands import commands
from tests.engines.replicas.clusters import cluster
from tests.engines.replicas.test_planned import without_3
from tests.report.screen.test_place import shown

ROWS: dict[str, list[tuple[int, ...]]] = {"t": [(3, 1, 2), (1, 2, 3), (2, 1, 3)]}
FILES = {"step 1": "s1.json", "rollback 1": "b1.json", "rollback": "b.json"}


def printed(placed: PlacedCluster) -> str:
    """The commands that replace broker 3 by broker 9."""
    change = PlacementChange(frozenset({3}), added=(Broker(9, "c"),))
    plan = plan_cluster(placed, change, None, StepBound())
    return " ".join("".join(shown(each) for each in commands(plan, FILES, 10**6)).split())


def test_no_command_has_a_throttle_where_a_broker_does_not_answer() -> None:
    text = printed(without_3(ROWS))
    assert "--throttle 1000000" not in text and text.count("--execute") == 3
    assert "No --throttle where broker 3 holds a replica and does not answer" in text
    assert "The tool refuses a rollback to broker 3 (Unknown broker id) until it answers again" in text


def test_copies_between_brokers_that_answer_are_throttled() -> None:
    text = printed(cluster(ROWS))
    assert text.count("--execute --throttle 1000000") == 3 and "No --throttle" not in text


def test_the_election_is_printed_where_old_leaders_stay() -> None:
    text = printed(without_3(ROWS))
    assert "kafka-leader-election.sh" in text and "keeps its old leader" in text
