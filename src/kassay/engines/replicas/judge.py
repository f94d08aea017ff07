"""A placement checked against the placement claims: which hold, which are broken, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kassay.engines.replicas.cluster import PlacedCluster, Rows, leaders_of, listed, replicas_of
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.request import PlacementRequest, PlacementStep, Replicas
from kassay.properties.placement.balance import BestPlacement, leaders_even, replicas_even
from kassay.properties.placement.replicas import (
    follower_spread,
    has_laps,
    has_rack_rule,
    no_fenced_leader,
    rack_spread,
    replicas_distinct,
)
from kassay.properties.registry import Evidence


class Standing(StrEnum):
    """Result of a claim about one placement; nothing is random, so there is no `unknown`."""

    HOLDS = "holds"
    VIOLATED = "violated"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class ClaimStanding:
    """A claim about a placement in its own words, with the evidence if it is broken."""

    claim: str
    sentence: str
    standing: Standing
    evidence: tuple[Evidence, ...] = ()
    why: str = ""


_BY_FACTOR: Final = (
    ("replicas-distinct", replicas_distinct, None, ""),
    ("rack-spread", rack_spread, has_rack_rule, "not every broker has a rack"),
    ("no-fenced-leader", no_fenced_leader, None, ""),
    ("follower-spread", follower_spread, has_laps, "no broker leads as many partitions as there are brokers"),
)
"""Claims about partitions, checked for one replication factor at a time."""


def judge(
    brokers: tuple[Broker, ...],
    rows: Rows,
    best: BestPlacement | None,
    undescribed: Set[int] = frozenset(),
    silent: Set[int] = frozenset(),
) -> tuple[ClaimStanding, ...]:
    """Each placement claim for these rows on these brokers; claims about balance need `best`.

    `undescribed` brokers hold replicas too, but their racks are not known. `silent` ones do not answer, as if
    they were fenced.
    """
    known = tuple(broker._replace(fenced=broker.fenced or broker.broker_id in silent) for broker in brokers)
    everyone = tuple(sorted((*known, *(Broker(id_, None, fenced=True) for id_ in undescribed))))
    racked = {tp: row for tp, row in rows.items() if undescribed.isdisjoint(row)}
    left_out = len(rows) - len(racked)
    standings = []
    for claim, predicate, applies, why in _BY_FACTOR:
        in_racks = claim == "rack-spread"
        steps = _steps(known, racked) if in_racks else _steps(everyone, rows)
        judged = [(tps, step) for tps, step in steps if applies is None or applies(step)]
        evidence = tuple(_named(each, tps) for tps, step in judged for each in predicate(step))
        if in_racks and left_out and not evidence and (judged or not racked):
            why = (
                f"{left_out} of {len(rows)} partitions are on {listed(undescribed)}, whose rack is not known"
            )
            judged = []
        standings.append(_standing(claim, predicate.__doc__, evidence, "" if judged else why))
    whole = _step(known, tuple(rows.values()), 1)
    for claim, balance in (("replicas-even", replicas_even), ("leaders-even", leaders_even)):
        if best is None or best.replicas is None:
            why = "there is no certified best to judge by"
            why = f"replicas on {listed(undescribed)} are on no broker of these" if undescribed else why
            standings.append(_standing(claim, balance.__doc__, (), why))
        else:
            standings.append(_standing(claim, balance.__doc__, tuple(balance(whole, best)), ""))
    return tuple(standings)


def actual_leaders(cluster: PlacedCluster, best: BestPlacement | None) -> ClaimStanding:
    """Whether those that lead today do so as evenly as preferred leaders could."""
    sentence = "Leaders per broker are today as even as preferred leaders can be."
    rows = tuple((state.leader,) for state in cluster.states.values() if state.leader is not None)
    if best is None:
        return _standing("leaders-even-now", sentence, (), "there is no certified best to judge by")
    known = tuple(b._replace(fenced=b.fenced or b.broker_id in cluster.silent) for b in cluster.brokers)
    return _standing("leaders-even-now", sentence, tuple(leaders_even(_step(known, rows, 1), best)), "")


def best_loads(brokers: Iterable[Broker], rows: Iterable[Replicas]) -> BestPlacement:
    """The loads of a certified best placement, as the balance claims expect them."""
    rows = tuple(rows)
    held, led = replicas_of(rows), leaders_of(rows)
    unfenced = [broker.broker_id for broker in brokers if not broker.fenced]
    return BestPlacement(
        tuple(sorted(held[broker] for broker in unfenced)), tuple(sorted(led[broker] for broker in unfenced))
    )


def _standing(claim: str, sentence: str | None, evidence: tuple[Evidence, ...], why: str) -> ClaimStanding:
    standing = Standing.NOT_JUDGED if why else Standing.VIOLATED if evidence else Standing.HOLDS
    return ClaimStanding(claim, (sentence or "").strip().splitlines()[0], standing, evidence, why)


def _steps(brokers: tuple[Broker, ...], rows: Rows) -> Iterator[tuple[list[TopicPartition], PlacementStep]]:
    """The partitions of each replication factor, as an answer of a placer."""
    by_factor: dict[int, list[TopicPartition]] = {}
    for tp, row in rows.items():
        by_factor.setdefault(len(row), []).append(tp)
    for factor, tps in sorted(by_factor.items()):
        yield tps, _step(brokers, tuple(rows[tp] for tp in tps), factor)


def _step(brokers: tuple[Broker, ...], rows: tuple[Replicas, ...], factor: int) -> PlacementStep:
    return PlacementStep(PlacementRequest(len(rows), factor, brokers), rows)


def _named(evidence: Evidence, tps: list[TopicPartition]) -> Evidence:
    """The evidence with the partition's name instead of its number."""
    word, _, number = evidence.subject.partition(" ")
    if word != "partition":
        return evidence
    name = str(tps[int(number)])
    return Evidence(name, evidence.facts, f"{name}{evidence.words.removeprefix(f'Partition {number}')}")


def rack_breaks(cluster: PlacedCluster, rows: Rows) -> frozenset[TopicPartition]:
    """The partitions whose replicas violate the rack rule on these brokers."""
    if not cluster.has_racks:
        return frozenset()
    known = cluster.ids
    broken: set[TopicPartition] = set()
    for tps, step in _steps(cluster.brokers, rows):
        if has_rack_rule(step):
            subjects = {each.subject for each in rack_spread(step)}
            broken.update(tp for number, tp in enumerate(tps) if f"partition {number}" in subjects)
    return frozenset(broken) | {tp for tp, row in rows.items() if not known.issuperset(row)}
