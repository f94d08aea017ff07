"""What a strategy promises: balanced loads, and no move where nothing has to move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kassay.engines.live.claims.rulings import LiveFigures, Ruling, Word
from kassay.engines.live.claims.scene import Scene, listed
from kassay.engines.live.group_types import type_of
from kassay.engines.live.owners import owned_at, zombie_spans
from kassay.engines.live.program import Called
from kassay.engines.live.recording import Life, LiveStep, Recording
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member

KEEPS: Final = frozenset({"sticky", "cooperative-sticky", "uniform"})
"""Strategies that promise the best balance, and not to move what can stay."""
PROMISES_BALANCE: Final = KEEPS | {"streams"}
"""Those that promise the best balance; Streams' own assignor does not remember tasks without state."""
_DEFAULTS: Final = {"consumer": ("uniform",), "streams": ("sticky",)}
"""The brokers' own assignors, by protocol."""
Owners = Mapping[TopicPartition, str]


def strategy_of(scene: Scene) -> str:
    """The one strategy of the group; empty if it depends on a vote."""
    seats = [life.seat for life in scene.lives.values()]
    first = {seat.strategies or _DEFAULTS.get(seat.protocol, ()) for seat in seats}
    names = first.pop() if len(first) == len({seat.protocol for seat in seats}) == 1 else ()
    return names[0] if len(names) == 1 else ""


def balanced(_: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """The loads are what the strategy promises: the certified best, or for `range` equal by topic."""
    for scene in scenes:
        yield _balanced(scene)


def _balanced(scene: Scene) -> Ruling:
    claim, step, strategy, equal = "balanced", scene.step, strategy_of(scene), scene.is_even
    known = strategy in PROMISES_BALANCE or strategy == "range" or (strategy == "roundrobin" and equal)
    if not (step.settled and known and len(step.present) > 1 and equal | (strategy != "range")):
        return scene.ruling(claim, Word.VACUOUS)
    if scene.unable:
        return scene.ruling(claim, Word.UNKNOWN, scene.unable)
    if strategy == "range":
        for topic in sorted(step.topics):
            of_topic = Counter(owner for each, owner in scene.owner.items() if each.topic == topic)
            readers = [of_topic[name] for name, topics in step.present.items() if topic in topics]
            if readers and max(readers) - min(readers) > 1:
                return scene.ruling(claim, Word.VIOLATED, f"{topic}: loads {sorted(readers)}")
        return scene.ruling(claim)
    loads = sorted(map(len, scene.owned.values()))
    best, _ = _best(step, {})
    if loads == best:
        return scene.ruling(claim)
    return scene.ruling(claim, Word.VIOLATED, f"loads {loads}, the certified best is {best}")


def _best(step: LiveStep, before: Owners) -> tuple[list[int], int]:
    """The certified loads, least first, and the least moves with them."""
    from kassay.solver.groups.optimum import best_assignment
    from kassay.solver.groups.problem import Problem

    owned: dict[str, list[TopicPartition]] = {name: [] for name in step.present}
    for partition, name in before.items():
        if name in owned:
            owned[name].append(partition)
    members = tuple(
        Member(name, tuple(sorted(topics)), tuple(sorted(owned[name])), 1)
        for name, topics in sorted(step.present.items())
    )
    best = best_assignment(Problem.of(Cluster.of(dict(step.topics)), Group(members)))
    return list(best.loads), best.moved


@dataclass(frozen=True)
class StepMoves:
    """What changed its owner in a step; `moved` and `least` are None where nothing is promised of moves."""

    scene: Scene
    changed: int
    moved: tuple[TopicPartition, ...] | None = None
    least: int | None = None


def moves(_: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """A sticky strategy moves nothing where nothing has to move; sums compare with the certified least."""
    for each in step_moves(scenes):
        if each.moved is None:
            yield each.scene.ruling("moves", Word.VACUOUS)
        elif each.scene.unable:
            yield each.scene.ruling("moves", Word.UNKNOWN, each.scene.unable)
        elif each.moved and not each.least:
            text = f"moved {listed(map(str, each.moved))} where the certified least is 0"
            yield each.scene.ruling("moves", Word.VIOLATED, text)
        else:
            yield each.scene.ruling("moves")


def move_figures(scenes: Sequence[Scene]) -> LiveFigures:
    """The sums of moves, of the least, and of changes of owner."""
    every = [*step_moves(scenes)]
    known = [each for each in every if each.moved is not None and not each.scene.unable]
    return LiveFigures(
        sum(len(each.moved or ()) for each in known),
        sum(each.least or 0 for each in known),
        sum(each.changed for each in every),
    )


def step_moves(scenes: Sequence[Scene]) -> Iterator[StepMoves]:
    """The moves of each step since the group last settled."""
    settled: Owners = {}
    for scene in scenes:
        yield _moves(scene, _remembered(scene, settled))
        if scene.step.settled:
            settled = scene.owner


def _moves(scene: Scene, before: Owners) -> StepMoves:
    step = scene.step
    changed = sum(scene.owner.get(each, name) != name for each, name in before.items())
    in_racks = any(life.seat.rack for life in scene.lives.values())  # for which it may move more
    is_promised = strategy_of(scene) in KEEPS and not in_racks
    if not step.settled or not before or len(step.present) < 2 or not is_promised:
        return StepMoves(scene, changed)
    kept = {
        each: name
        for each, name in before.items()
        if name in step.present and each.topic in step.present[name]
    }
    moved = tuple(sorted(each for each in kept if scene.owner.get(each) != kept[each]))
    return StepMoves(scene, changed, moved, 0 if scene.unable else _best(step, kept)[1])


def _remembered(scene: Scene, before: Owners) -> Owners:
    """The owners before the step, without those that lost what they owned, or were cut off, in the step."""
    step, timeouts = scene.step, scene.recording.script.timeouts
    forgetful = {
        name
        for name, life in scene.lives.items()
        if any(begin <= step.ended and end >= step.began for begin, end in zombie_spans(life, timeouts))
        or lost_place(life, step)
    }
    return {each: name for each, name in before.items() if name not in forgetful}


def lost_place(life: Life, step: LiveStep) -> bool:
    """Whether the member lost its place in the group, and what it owned, in the step.

    A Streams application does not say so: all of its tasks are closed.
    """
    ends = [e for e in life.events if isinstance(e, Called) and step.began <= e.t <= step.ended]
    if not type_of(life.seat).one_by_one:
        return any(each.kind == "lost" for each in ends)
    return any(each.kind == "revoked" and not owned_at(life, each.t) for each in ends)
