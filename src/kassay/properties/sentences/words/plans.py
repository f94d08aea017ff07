"""The words for plans: the placement at the end, the copies, and the states on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Move, Plan, PlanStep
from kassay.model.placement.request import Replicas
from kassay.properties.placement.balance import gap
from kassay.properties.placement.plans import BestPlan
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Things, Vocabulary, flag, number


class PlanScene(NamedTuple):
    """A planner's answer, with the optimum for its request if the sentence needs it."""

    step: PlanStep
    best: BestPlan | None = None


def _scene(_: Scope, things: tuple[Any, ...]) -> PlanScene:
    return PlanScene(*things)


def _others(scene: PlanScene) -> Iterator[PlanScene]:
    """No move; all on the first brokers, on the last, and round robin, each by four kinds of moves."""
    request = scene.step.request
    ids, factor = [broker.broker_id for broker in request.brokers], request.replication_factor
    rows = range(len(request.before))
    yield _planned(scene, [row for _, row in request.before])
    round_robin = [tuple(ids[(row * factor + i) % len(ids)] for i in range(factor)) for row in rows]
    for targets in ([tuple(ids[:factor])] * len(rows), [tuple(ids[::-1][:factor])] * len(rows), round_robin):
        for by in (_straight, _dropping_first, _adding_first, _with_detour):
            yield _planned(scene, targets, by)


def _straight(tp: TopicPartition, going: Sequence[int], coming: Sequence[int]) -> list[Move]:
    return [Move(tp, source, target) for source, target in zip_longest(going, coming)]


def _dropping_first(tp: TopicPartition, going: Sequence[int], coming: Sequence[int]) -> list[Move]:
    return [*(Move(tp, source) for source in going), *(Move(tp, None, target) for target in coming)]


def _adding_first(tp: TopicPartition, going: Sequence[int], coming: Sequence[int]) -> list[Move]:
    return _dropping_first(tp, going, coming)[::-1]


def _with_detour(tp: TopicPartition, going: Sequence[int], coming: Sequence[int]) -> list[Move]:
    back = [Move(tp, target, source) for source, target in zip(going, coming)]
    return [*_straight(tp, going, coming), *back, *_straight(tp, going, coming)]


def _planned(
    scene: PlanScene,
    targets: Sequence[Replicas],
    by: Callable[[TopicPartition, Sequence[int], Sequence[int]], list[Move]] = _straight,
) -> PlanScene:
    """The plan that reaches these replicas `by` such moves of each partition."""
    request = scene.step.request
    moves: list[Move] = []
    for (tp, before), target in zip(request.before, targets):
        going = [broker for broker in before if broker not in target]
        coming = [broker for broker in target if broker not in before]
        moves += by(tp, going, coming)
    plan = Plan(request.brokers, request.before, tuple(moves), request.replication_factor)
    return scene._replace(step=PlanStep(request, plan))


def _brokers(scene: PlanScene) -> list[int]:
    return sorted(broker.broker_id for broker in scene.step.request.brokers)


def _racks(scene: PlanScene) -> list[str]:
    return sorted({broker.rack for broker in scene.step.request.brokers if broker.rack is not None})


def _partitions(scene: PlanScene) -> list[TopicPartition]:
    return [tp for tp, _ in scene.step.request.before]


def _after(scene: PlanScene) -> dict[TopicPartition, Replicas]:
    return dict(scene.step.given.after)


def _replicas(scene: PlanScene, broker: int) -> int:
    return sum(broker in row for row in _after(scene).values())


def _rack_of(scene: PlanScene, broker: int) -> str | None:
    return next((b.rack for b in scene.step.request.brokers if b.broker_id == broker), None)


def _on_rack(scene: PlanScene, rack: str) -> int:
    return sum(_rack_of(scene, broker) == rack for row in _after(scene).values() for broker in row)


def _racks_of(scene: PlanScene, tp: TopicPartition) -> int:
    return len({_rack_of(scene, broker) for broker in _after(scene).get(tp, ())} - {None})


def _leaders(scene: PlanScene, broker: int) -> int:
    return sum(row[:1] == (broker,) for row in _after(scene).values())


def _copied(scene: PlanScene) -> list[tuple[TopicPartition, int]]:
    """The copied replicas in order, with the target broker of each."""
    return [(move.partition, move.target) for move in scene.step.given.moves if move.target is not None]


def _on_the_way(scene: PlanScene, tp: TopicPartition) -> list[int]:
    """The number of replicas of the partition at the start and after each of its moves."""
    states = [len(moved.after) for moved in scene.step.given.states() if moved.move.partition == tp]
    return [len(dict(scene.step.request.before).get(tp, ())), *states]


def _best(scene: PlanScene) -> BestPlan:
    assert scene.best is not None
    return scene.best


def _gap(scene: PlanScene) -> int:
    return gap((_replicas(scene, broker) for broker in _brokers(scene)), _best(scene).replicas)


def _going(scene: PlanScene) -> int:
    return len({broker for _, row in scene.step.request.before for broker in row} - {*_brokers(scene)})


def _coming(scene: PlanScene) -> int:
    return len({*_brokers(scene)} - {broker for _, row in scene.step.request.before for broker in row})


PLAN_WORDS: Final = Vocabulary(
    kinds=(PLANNER,),
    things=(
        Things("brokers", "b", _brokers, "broker"),
        Things("racks", "r", _racks, "rack"),
        Things("partitions", "p", _partitions, "partition"),
    ),
    measures=(
        number("replicas", "brokers", _replicas, "replicas on a broker at the end of the plan"),
        number("replicas", "racks", _on_rack, "replicas in a rack then"),
        number(
            "replicas", "partitions", lambda s, p: len(_after(s).get(p, ())), "replicas of a partition then"
        ),
        number("leaders", "brokers", _leaders, "partitions of which a broker is the first replica then"),
        number("racks", "partitions", _racks_of, "racks that a partition has replicas in then"),
        number(
            "fewest",
            "partitions",
            lambda s, p: min(_on_the_way(s, p)),
            "the fewest replicas it has on the way",
        ),
        number("most", "partitions", lambda s, p: max(_on_the_way(s, p)), "the most that it has on the way"),
        number("moves", "", lambda s: len(s.step.given.moves), "moves of the plan"),
        number(
            "moves",
            "partitions",
            lambda s, p: Counter(move.partition for move in s.step.given.moves)[p],
            "moves of a partition",
        ),
        number("copied", "", lambda s: len(_copied(s)), "replicas that are copied, detours included"),
        number(
            "copied",
            "brokers",
            lambda s, b: sum(target == b for _, target in _copied(s)),
            "replicas that are copied to a broker",
        ),
        number("brokers", "", lambda s: len(_brokers(s)), "brokers that stay or are added"),
        number("going", "", _going, "brokers that have replicas before and are not to stay"),
        number("coming", "", _coming, "brokers that have none before"),
        number("racks", "", lambda s: len(_racks(s)), "racks that brokers are in"),
        number("partitions", "", lambda s: len(_partitions(s)), "partitions there are"),
        number("rf", "", lambda s: s.step.request.replication_factor, "the requested replication factor"),
        number("gap", "", _gap, "squares of replicas a broker, less the least possible", Scope.OPTIMUM),
        number(
            "best_copied", "", lambda s: _best(s).copies, "the fewest copies at the best loads", Scope.OPTIMUM
        ),
        flag("no_racks", lambda s: not _racks(s), "no broker has a rack"),
        flag(
            "all_racks",
            lambda s: all(broker.rack is not None for broker in s.step.request.brokers),
            "every broker has a rack",
        ),
        flag("no_going", lambda s: not _going(s), "no broker is removed"),
        flag("no_coming", lambda s: not _coming(s), "no broker is empty before"),
    ),
    scope=Scope.OUTCOME,
    scene=_scene,
    others=_others,
    everything="the plan",
)
