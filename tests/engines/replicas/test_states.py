"""What brokers said of partitions, read, and what follows from it."""

from __future__ import annotations

import pytest

from kassay.engines.replicas.states import (
    answering,
    idle_brokers,
    not_preferred,
    state_warnings,
    states_of,
)
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.topics import DescribedTopic, read_topics

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))


def described(*rows: str, head: str = "Configs: min.insync.replicas=2") -> tuple[DescribedTopic, ...]:
    """A topic of RF 2 with these partitions."""
    lines = [f"Topic: t\tPartitionCount: {len(rows)}\tReplicationFactor: 2\t{head}"]
    lines += [f"\tTopic: t\tPartition: {number}\t{row}" for number, row in enumerate(rows)]
    return read_topics("\n".join(lines), "f")


def test_a_line_says_leader_replicas_in_sync_and_what_the_topic_expects() -> None:
    row = "Leader: none\tReplicas: 3,2\tIsr: \tElr: 3\tLastKnownElr: 3,2"
    state = states_of(described(row))[T0]
    assert (state.leader, state.isr, state.elr, state.last_known_elr) == (None, frozenset(), (3,), (3, 2))
    assert (state.min_isr, state.declared, state.lagging, state.is_under_min) == (2, 2, (3, 2), True)
    unknown = states_of(described(row, head="Configs: "))[T0]
    assert unknown.min_isr is None and not unknown.is_under_min


def test_replicas_that_are_being_added_and_observers_need_not_be_in_sync() -> None:
    moving = "Leader: 1\tReplicas: 2,3,1\tIsr: 1\tAdding Replicas: 2,3\tRemoving Replicas: 1"
    observed = "Leader: 1\tReplicas: 1,2,3\tIsr: 1,2\tOffline: \tObservers: 3"
    states = states_of(described(moving, observed))
    assert states[T0].replicas == (1,) and states[T1].replicas == (1, 2)
    assert not states[T0].lagging and not states[T1].lagging and states[T1].observers == (3,)


@pytest.mark.parametrize(
    ("rows", "idle"),
    [
        (["Leader: 1\tReplicas: 1,3\tIsr: 1"], {3}),
        (["Leader: 1\tReplicas: 1,3\tIsr: 1", "Leader: 2\tReplicas: 2,3\tIsr: 2,3"], set()),
        (["Leader: none\tReplicas: 3,2\tIsr: 3"], {3}),
        (["Leader: none\tReplicas: 3,2\tIsr: \tElr: 3\tLastKnownElr: "], {3}),
        (["Leader: 1\tReplicas: 1,2\tIsr: 1,2"], set()),
    ],
)
def test_a_broker_that_is_in_sync_with_no_leader_does_not_answer(rows: list[str], idle: set[int]) -> None:
    assert idle_brokers(states_of(described(*rows))) == idle


def test_only_leaders_that_an_election_can_change_are_not_preferred() -> None:
    topics = described(
        "Leader: 2\tReplicas: 1,2\tIsr: 1,2",
        "Leader: 2\tReplicas: 1,2\tIsr: 2",
        "Leader: 1\tReplicas: 1,2\tIsr: 1",
    )
    rows = {row.partition: row.replicas for row in topics[0].partitions}
    assert not_preferred(rows, states_of(topics)) == [T0]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("Configs: min.insync.replicas=1", []),
        ("Configs: ", ["min.insync.replicas of topic t is not in the file"]),
        ("Configs: min.insync.replicas=1\tMarkedForDeletion: true", ["topic t marked for deletion"]),
        (
            "Configs: min.insync.replicas=1,leader.replication.throttled.replicas=0:1",
            ["replication throttles are set on topic t: --verify removes them"],
        ),
        (
            "Configs: min.insync.replicas=1,leader.replication.throttled.replicas=",
            [],
        ),
    ],
)
def test_what_the_topic_s_line_says_is_a_warning(head: str, said: list[str]) -> None:
    topics = described("Leader: 1\tReplicas: 1,2\tIsr: 1,2", head=head)
    texts = list(state_warnings(topics, states_of(topics)))
    assert len(texts) == len(said) and all(
        text.startswith(start) for text, start in zip(texts, said, strict=True)
    )


@pytest.mark.parametrize(
    "row", ["Leader: 4\tReplicas: 1,2\tIsr: 1,2", "Leader: 1\tReplicas: 1,2\tIsr: 1,2,4"]
)
def test_leaders_and_replicas_in_sync_that_are_no_replicas_are_warned_of(row: str) -> None:
    topics = described(row, "Leader: none\tReplicas: 1,2\tIsr: ")
    (said,) = state_warnings(topics, states_of(topics))
    assert said.startswith("Leader or Isr of partition t-0 names a broker that Replicas lacks")


def test_a_broken_min_insync_replicas_is_not_taken_as_missing() -> None:
    with pytest.raises(InputError, match=r"Configs: min\.insync\.replicas: found 'x'"):
        states_of(described("Leader: 1\tReplicas: 1\tIsr: 1", head="Configs: min.insync.replicas=x"))


def test_a_broker_that_is_fenced_and_leads_is_of_another_time() -> None:
    topics = described("Leader: 1\tReplicas: 1,2\tIsr: 1,2", "Leader: none\tReplicas: 3\tIsr: 3")
    (said,) = answering(states_of(topics), {1, 3})
    assert said.startswith("broker 1 does not answer or is fenced by the list of brokers, but leads 1 part")
