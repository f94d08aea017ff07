"""What brokers said of each partition: its leader, the replicas in sync, and what the topic's line expects.

Kafka's words: a partition without a leader is *offline*; one with fewer replicas in sync than replicas is
*under-replicated*; one with fewer in sync than `min.insync.replicas` refuses producers with acks=all. `Elr`,
the eligible leader replicas, may lead without loss when they answer again (KIP-966).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.placement.request import Replicas
from kassay.reading.kafka.topics import DescribedPartition, DescribedTopic


class PartitionState(NamedTuple):
    """A partition as its line and its topic's line describe it.

    `replicas` are those that should be in sync: neither observers nor being added. `min_isr`,
    `declared` (ReplicationFactor), `elr` and `last_known_elr` are None where the lines do not say them.
    """

    leader: int | None
    replicas: Replicas
    isr: frozenset[int]
    min_isr: int | None = None
    declared: int | None = None
    elr: Replicas | None = None
    last_known_elr: Replicas | None = None
    observers: Replicas = ()
    offline: frozenset[int] = frozenset()

    @property
    def lagging(self) -> Replicas:
        """The replicas that should be in sync and are not."""
        return tuple(broker for broker in self.replicas if broker not in self.isr)

    def loses_last(self, leaving: Set[int]) -> bool:
        """Whether replicas lag behind, and all that are in sync with the leader are on `leaving` brokers."""
        return self.leader is not None and bool(self.lagging) and bool(self.isr) and self.isr <= leaving

    @property
    def is_under_min(self) -> bool:
        """Whether fewer replicas are in sync than min.insync.replicas, as far as that is known."""
        return self.min_isr is not None and len(self.isr) < self.min_isr


States = Mapping[TopicPartition, PartitionState]


def states_of(topics: Iterable[DescribedTopic]) -> dict[TopicPartition, PartitionState]:
    """The state of every described partition."""
    return {row.partition: _state(row, topic) for topic in topics for row in topic.partitions}


def _state(row: DescribedPartition, topic: DescribedTopic) -> PartitionState:
    apart = {*row.adding, *row.observers}
    return PartitionState(
        row.leader,
        tuple(broker for broker in row.replicas if broker not in apart),
        frozenset(row.isr),
        topic.min_isr,
        topic.replication_factor,
        row.elr,
        row.last_known_elr,
        row.observers,
        frozenset(row.offline),
    )


def idle_brokers(states: States) -> frozenset[int]:
    """The brokers of which every line says that they do not answer.

    They lead nothing, are in sync with no leader, and lag behind one or would lead what has none: a broker
    that does not answer leaves every set of replicas in sync but those in which it is the last.
    """
    seen, absent = set[int](), set[int]()
    for state in states.values():
        if state.leader is not None:
            seen |= {state.leader, *state.isr}
            absent |= {*state.lagging}
        else:
            absent |= {*state.isr, *(state.elr or ())}
    return frozenset(absent - seen)


def answering(states: States, silent: Set[int]) -> Iterator[str]:
    """The `silent` brokers that lead a partition or are in sync with a leader: outputs of different times.

    A broker that is fenced or gone leaves every set of replicas in sync but those in which it is the last.
    """
    led = [state for state in states.values() if state.leader is not None]
    for broker in sorted(silent):
        leads = sum(state.leader == broker for state in led)
        synced = sum(broker in state.isr for state in led)
        if leads or synced:
            yield (
                f"broker {broker} does not answer or is fenced by the list of brokers, but leads {leads} "
                f"partitions and is in sync in {synced}: outputs of different times, or an incomplete list?"
            )


def state_warnings(topics: Iterable[DescribedTopic], states: States) -> Iterator[str]:
    """What follows from the topics' lines, one sentence a kind."""
    topics = list(topics)
    unknown = [topic.name for topic in topics if topic.min_isr is None]
    if unknown:
        yield (
            f"min.insync.replicas of {_first(unknown)} is not in the file (Configs): not judged, and no plan "
            "keeps to it"
        )
    strange = [
        str(row.partition)
        for topic in topics
        for row in topic.partitions
        if not {*row.isr, row.leader} - {None} <= {*row.replicas}
    ]
    if strange:
        yield (
            f"Leader or Isr of {_first(strange, word='partition')} names a broker that Replicas lacks: "
            "edited by hand? Describe the cluster again"
        )
    deleted = [topic.name for topic in topics if topic.is_being_deleted]
    if deleted:
        yield f"{_first(deleted)} marked for deletion: expected to vanish; describe the cluster again then"
    throttled = [topic.name for topic in topics if topic.throttles]
    if throttled:
        yield (
            f"replication throttles are set on {_first(throttled)}: --verify removes them, "
            "--preserve-throttles keeps them"
        )
    observed = sorted({tp.topic for tp, state in states.items() if state.observers})
    if observed:
        yield (
            f"Observers: {_first(observed)} (Confluent Server): kept apart; a plan moves these partitions "
            "only off brokers that leave, inside their racks, and its files name the observers"
        )


def not_preferred(rows: Mapping[TopicPartition, Replicas], states: States) -> list[TopicPartition]:
    """The partitions that another replica leads than the preferred leader, although that is in sync."""
    return [
        tp
        for tp, state in sorted(states.items())
        if state.leader is not None and rows[tp][0] in state.isr - {state.leader}
    ]


def _first(names: Iterable[str], shown: int = 4, word: str = "topic") -> str:
    names = list(names)
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    word += "s" * (len(names) > 1)
    return f"{word} {', '.join(names[:shown])}{more}"
