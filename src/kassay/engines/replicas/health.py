"""The state of a cluster judged: leaders, replicas in sync, and the replication factors of topics' lines.

Placement claims judge where replicas are; these judge what the brokers on them do today.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from kassay.engines.replicas.cluster import PlacedCluster
from kassay.engines.replicas.judge import ClaimStanding, Standing, actual_leaders
from kassay.engines.replicas.states import PartitionState
from kassay.model.cluster import TopicPartition
from kassay.properties.placement.balance import BestPlacement
from kassay.properties.placement.replicas import brokers
from kassay.properties.registry import Evidence
from kassay.writing.text import counted

_Facts = dict[str, object]
_Judge = Callable[[PartitionState, int], Iterator[tuple[_Facts, str]]]


def health(cluster: PlacedCluster, best: BestPlacement | None) -> tuple[ClaimStanding, ...]:
    """Each condition on the state of the cluster; none where no state is known."""
    if not cluster.states:
        return ()
    judged = (_standing(cluster, *each) for each in _CONDITIONS)
    return (*judged, actual_leaders(cluster, best))


def _standing(
    cluster: PlacedCluster, name: str, judge: _Judge, applies: Callable[[PartitionState], bool], why: str
) -> ClaimStanding:
    states = [(tp, state) for tp, state in sorted(cluster.states.items()) if applies(state)]
    evidence = tuple(
        Evidence(str(tp), facts, f"{tp} {words}.")
        for tp, state in states
        for facts, words in judge(state, _replicas(cluster, tp))
    )
    standing = Standing.VIOLATED if evidence else Standing.HOLDS if states else Standing.NOT_JUDGED
    sentence = (judge.__doc__ or "").strip()
    unknown = len(cluster.states) - len(states)
    if unknown and not evidence:
        why = f"{unknown} of {len(cluster.states)} partitions: {why}"
        standing = Standing.NOT_JUDGED
    return ClaimStanding(name, sentence, standing, evidence, why if standing is Standing.NOT_JUDGED else "")


def _replicas(cluster: PlacedCluster, tp: TopicPartition) -> int:
    """The number of replicas today, without those that are being added."""
    state = cluster.states[tp]
    return len(state.replicas) + len(state.observers) if tp in cluster.moving else len(cluster.rows[tp])


def _leader(state: PartitionState, _: int) -> Iterator[tuple[_Facts, str]]:
    """Every partition has a leader."""
    if state.leader is None:
        facts: _Facts = {"leader": "none", "in sync": _ids(state.isr), "of replicas": _ids(state.replicas)}
        if state.elr is not None:
            facts["Elr"] = _ids(state.elr)
        if state.last_known_elr is not None:
            facts["LastKnownElr"] = _ids(state.last_known_elr)
        shown = {"replicas": facts["of replicas"], **facts}
        names = [name for name in ("replicas", "in sync", "Elr", "LastKnownElr") if name in shown]
        yield facts, f"has no leader ({'; '.join(f'{name}: {_names(shown[name])}' for name in names)})"


def _in_sync(state: PartitionState, _: int) -> Iterator[tuple[_Facts, str]]:
    """Every replica is in sync with its leader and online."""
    if state.lagging or state.offline:
        facts: _Facts = {"not in sync": _ids(state.lagging)} if state.lagging else {}
        wrong = [f"not in sync on {brokers(sorted(state.lagging))}"] if state.lagging else []
        wrong += [f"offline on {brokers(sorted(state.offline))}"] if state.offline else []
        facts["in sync"] = _ids(state.isr)
        if state.elr and state.leader is not None:
            facts["Elr"] = _ids(state.elr)
        if state.offline:
            facts["offline"] = _ids(state.offline)
        yield facts, f"is {' and '.join(wrong)} (in sync: {_names(facts['in sync'])})"


def _min_insync(state: PartitionState, _: int) -> Iterator[tuple[_Facts, str]]:
    """As many replicas are in sync as min.insync.replicas says: producers with acks=all can write."""
    if state.is_under_min:
        words = f"has {counted(len(state.isr), 'replica')} in sync; min.insync.replicas is {state.min_isr}"
        yield {"in sync": _ids(state.isr), "min.insync.replicas": state.min_isr}, words


def _declared(state: PartitionState, replicas: int) -> Iterator[tuple[_Facts, str]]:
    """Every partition has as many replicas as ReplicationFactor says in its topic's line."""
    if state.declared is not None and replicas != state.declared:
        words = f"has {counted(replicas, 'replica')}; the ReplicationFactor of its topic is {state.declared}"
        yield {"replicas": replicas, "ReplicationFactor": state.declared}, words


def _always(_: PartitionState) -> bool:
    return True


_CONDITIONS: Final[tuple[tuple[str, _Judge, Callable[[PartitionState], bool], str], ...]] = (
    ("has-leader", _leader, _always, ""),
    ("in-sync", _in_sync, _always, ""),
    (
        "min-insync",
        _min_insync,
        lambda state: state.min_isr is not None,
        "min.insync.replicas is not in the file",
    ),
    (
        "replication-factor",
        _declared,
        lambda state: state.declared is not None,
        "no topic's line with ReplicationFactor",
    ),
)


def _ids(held: Collection[int]) -> tuple[int, ...] | str:
    """Broker ids as a fact, `none` if there is none."""
    return tuple(sorted(held)) or "none"


def _names(ids: object) -> str:
    return brokers(ids) if isinstance(ids, tuple) else str(ids)
