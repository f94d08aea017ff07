"""The driver of consumer groups: client-side, server-side and share-group assignors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kassay.certify.kinds.driver import Examination, Subject
from kassay.certify.kinds.smaller import smaller_histories
from kassay.model.groups.history import CreateTopic, History
from kassay.model.groups.player import Player
from kassay.model.groups.step import Failure, Look, Probe, Rebalanced, Step
from kassay.model.groups.trace import history_of, history_to_json, rebalanced_to_json
from kassay.model.kinds import Kind
from kassay.properties.groups.assumptions import within
from kassay.properties.groups.balance import order_of
from kassay.properties.groups.generator import Profile
from kassay.properties.groups.scenarios import history
from kassay.properties.registry import Evidence, Promise, Scope, Violation
from kassay.properties.situations import SITUATIONS, Situation
from kassay.properties.sources import Source

ALWAYS_JUDGED = frozenset({"total", "terminates"})
"""Claims that speak of calls without an answer too."""


class GroupDriver:
    """Plays histories against an assignor and judges every round."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.situations = tuple(s for s in SITUATIONS.values() if kind in s.kinds)

    def generate(self, source: Source, profile: Profile) -> History:
        """A history of a consumer group."""
        return history(source, profile)

    def examine(self, case: History, subject: Subject) -> Examination:
        """Play the history and judge every promise wherever it says something."""
        seen = Examination()
        player = player_for(subject)
        rounds = player.play(case)
        if subject.twin is not None:
            rounds = _with_twin(rounds, replace(player, new=subject.twin, looks=frozenset()).play(case))
        for rebalanced in rounds:
            seen.asked += len(rebalanced.steps)
            _judge(rebalanced, subject, seen)
            _reach(rebalanced, self.situations, seen.reached)
            if subject.watch is not None:
                subject.watch(rebalanced)
        return seen

    def smaller(self, case: History) -> Iterator[History]:
        """Histories with something taken away."""
        return smaller_histories(case)

    def size(self, case: History) -> tuple[int, ...]:
        """Events, members, partitions, topics and subscriptions, and the rest."""
        return case.size

    def counts(self, case: History) -> Mapping[str, int]:
        """Members that ever join, partitions at the start and of new topics, and events."""
        made = [e.topic for change in case.changes for e in change if isinstance(e, CreateTopic)]
        return {
            "members": len(case.joins),
            "partitions": sum(t.partitions for t in (*case.cluster.topics, *made)),
            "events": case.events,
        }

    def encode(self, case: History) -> dict[str, Any]:
        """The history as a document."""
        return history_to_json(case)

    def decode(self, document: object, path: str) -> History:
        """The history that a document holds."""
        return history_of(document, path)

    def told(self, case: History, subject: Subject) -> list[dict[str, Any]]:
        """The rounds as they go, second looks left out."""
        player = replace(player_for(subject), looks=frozenset())
        return [rebalanced_to_json(rebalanced) for rebalanced in player.play(case)]


def player_for(subject: Subject) -> Player:
    """A player that takes the second looks which the promises need."""
    claims = [promise.claim for promise in subject.promises]
    looks = frozenset(look for claim in claims for look in claim.looks) - {Look.PROCESS}
    return Player(subject.new, subject.protocol, looks, any(claim.confirm for claim in claims))


def _with_twin(own: Iterator[Rebalanced], other: Iterator[Rebalanced]) -> Iterator[Rebalanced]:
    """The rebalances, each round with the answer that another process gave to it."""
    for mine, twin in zip(own, other):
        steps = tuple(
            replace(step, probes=(*step.probes, Probe(Look.PROCESS, second.answer, second.group)))
            if not isinstance(step.answer, Failure)
            else step
            for step, second in zip(mine.steps, twin.steps)
        )
        yield replace(mine, steps=steps)


def _judge(rebalanced: Rebalanced, subject: Subject, seen: Examination) -> None:
    """Judge every promise on one rebalance."""
    scopes = subject.by_scope
    assume = subject.assume
    if assume and not all(within(step, assume) for step in rebalanced.steps):
        return
    for step in rebalanced.steps:
        answered = not isinstance(step.answer, Failure)
        for promise in scopes[Scope.STEP]:
            if answered or promise.claim.id in ALWAYS_JUDGED:
                _apply(promise, seen, step, step)
    for promise in scopes[Scope.REBALANCE]:
        if rebalanced.steps[-1].answer.__class__ is not Failure:
            _apply(promise, seen, rebalanced, rebalanced)
    for outcome in rebalanced.outcomes:
        for promise in scopes[Scope.OUTCOME]:
            _apply(promise, seen, outcome, rebalanced)
        if subject.oracle is not None:
            for promise in scopes[Scope.OPTIMUM]:
                best = subject.oracle(outcome, order_of(promise))
                if best is not None:
                    _apply(promise, seen, outcome, rebalanced, best)


def _apply(
    promise: Promise, seen: Examination, thing: Step | Rebalanced, within_: Step | Rebalanced, *more: Any
) -> None:
    """Judge one promise on one thing, if it says anything about it."""
    claim = promise.claim
    if claim.applies is not None and not claim.applies(thing):
        return
    name = promise.id
    seen.judged[name] = seen.judged.get(name, 0) + 1
    if claim.argument is not None:
        more = (*more, promise.argument if promise.argument is not None else claim.argument)
    evidence: Evidence
    for evidence in claim.predicate(thing, *more):
        seen.violations.append(Violation(name, evidence, within_.contradictory))


def _reach(rebalanced: Rebalanced, situations: tuple[Situation, ...], reached: dict[str, int]) -> None:
    """Count the situations that the rebalance was in."""
    for situation in situations:
        if situation.reached is not None:
            if situation.reached(rebalanced):
                reached[situation.id] = reached.get(situation.id, 0) + 1
        elif situation.part_of is not None:
            part = situation.part_of(rebalanced)
            if part is not None:
                name = f"{situation.id}:{part}"
                reached[name] = reached.get(name, 0) + 1
