"""The words for replica placement: the topic as it is afterwards, including existing partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import Placement, PlacementStep, Replicas
from kassay.properties.placement.balance import BestPlacement, gap
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Things, Undefined, Vocabulary, flag, number


class PlacementScene(NamedTuple):
    """An answered request, with its optimum if the sentence needs it."""

    step: PlacementStep
    best: BestPlacement | None = None


def _scene(_: Scope, things: tuple[Any, ...]) -> PlacementScene:
    return PlacementScene(*things)


def _others(scene: PlacementScene) -> Iterator[PlacementScene]:
    """All on the same brokers, from either end, rack after rack and across racks; and round robin."""
    request = scene.step.request
    ids = sorted(request.unfenced)
    factor, rows = request.replication_factor, request.partitions
    by_rack = sorted(ids, key=lambda broker: str(request.by_id[broker].rack))
    seen: Counter[object] = Counter()
    turn = {
        broker: seen.update([request.by_id[broker].rack]) or seen[request.by_id[broker].rack]
        for broker in ids
    }
    across = sorted(ids, key=lambda broker: (turn[broker], broker))
    if not 1 <= factor <= len(ids):
        return
    for order in (ids, ids[::-1], by_rack, by_rack[::-1], across, across[::-1]):
        yield _placed(scene, (tuple(order[:factor]),) * rows)
    for order in (ids, across):
        round_robin = tuple(
            tuple(order[(row * factor + i) % len(order)] for i in range(factor)) for row in range(rows)
        )
        yield _placed(scene, round_robin)


def _placed(scene: PlacementScene, answer: Placement) -> PlacementScene:
    return scene._replace(step=PlacementStep(scene.step.request, answer))


def _rows(scene: PlacementScene) -> Sequence[Replicas]:
    return scene.step.topic


def _brokers(scene: PlacementScene) -> list[int]:
    return sorted(scene.step.request.unfenced)


def _racks(scene: PlacementScene) -> list[str]:
    return sorted({broker.rack for broker in scene.step.request.brokers if broker.rack is not None})


def _rack_of(scene: PlacementScene, broker: int) -> str | None:
    known = scene.step.request.by_id.get(broker)
    return None if known is None else known.rack


def _on_rack(scene: PlacementScene, rack: str) -> int:
    return sum(_rack_of(scene, broker) == rack for row in _rows(scene) for broker in row)


def _leaders_on_rack(scene: PlacementScene, rack: str) -> int:
    return sum(_rack_of(scene, row[0]) == rack for row in _rows(scene) if row)


def _racks_of(scene: PlacementScene, partition: int) -> int:
    return len({_rack_of(scene, broker) for broker in _rows(scene)[partition]} - {None})


def _copies(scene: PlacementScene, partition: int, rack: str) -> int:
    return sum(_rack_of(scene, broker) == rack for broker in _rows(scene)[partition])


def _best(scene: PlacementScene) -> BestPlacement:
    assert scene.best is not None
    return scene.best


def _gap(scene: PlacementScene) -> int:
    best = _best(scene).replicas
    if best is None:
        raise Undefined("too few unfenced brokers")
    return gap(scene.step.replica_loads.values(), best)


def _equal_racks(scene: PlacementScene) -> bool:
    return len(set(Counter(broker.rack for broker in scene.step.request.brokers).values())) <= 1


def _is_new(scene: PlacementScene) -> bool:
    request = scene.step.request
    return not request.existing and request.first_partition == 0


PLACER_WORDS: Final = Vocabulary(
    kinds=(PLACER,),
    things=(
        Things("brokers", "b", _brokers, "broker"),
        Things("racks", "r", _racks, "rack"),
        Things("partitions", "p", lambda s: range(len(_rows(s))), "partition"),
    ),
    measures=(
        number("replicas", "brokers", lambda s, b: s.step.replica_loads[b], "replicas on an unfenced broker"),
        number("replicas", "racks", _on_rack, "replicas in a rack"),
        number("replicas", "partitions", lambda s, p: len(_rows(s)[p]), "replicas of a partition"),
        number("leaders", "brokers", lambda s, b: s.step.leader_loads[b], "partitions that a broker leads"),
        number("leaders", "racks", _leaders_on_rack, "partitions that brokers in a rack lead"),
        number("copies", "partitions racks", _copies, "replicas of a partition in a rack"),
        number("racks", "partitions", _racks_of, "racks that a partition has replicas in"),
        number("racks", "", lambda s: len(_racks(s)), "racks that brokers are in"),
        number("brokers", "", lambda s: len(_brokers(s)), "unfenced brokers"),
        number(
            "brokers",
            "racks",
            lambda s, r: sum(b.rack == r and not b.fenced for b in s.step.request.brokers),
            "unfenced brokers in a rack",
        ),
        number("partitions", "", lambda s: len(_rows(s)), "partitions of the topic, afterwards"),
        number("existing", "", lambda s: len(s.step.request.existing), "partitions that it had before"),
        number("rf", "", lambda s: s.step.request.replication_factor, "the requested replication factor"),
        number("gap", "", _gap, "squares of replicas a broker, less the least possible", Scope.OPTIMUM),
        number(
            "leaders_gap",
            "",
            lambda s: gap(s.step.leader_loads.values(), _best(s).leaders),
            "squares of leaders a broker, less the least possible",
            Scope.OPTIMUM,
        ),
        flag("no_racks", lambda s: not _racks(s), "no broker has a rack"),
        flag("all_racks", lambda s: s.step.request.has_racks, "every broker has a rack"),
        flag("equal_racks", _equal_racks, "as many brokers in each rack"),
        flag("no_existing", _is_new, "the topic is new: its first partition is 0"),
        flag("no_fenced", lambda s: not any(b.fenced for b in s.step.request.brokers), "no broker is fenced"),
    ),
    scope=Scope.OUTCOME,
    scene=_scene,
    others=_others,
    everything="the topic",
)
