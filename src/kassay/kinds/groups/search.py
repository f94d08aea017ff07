"""The search for worst cases of groups: changes subscriptions, owners, topics, and a member that leaves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

from kassay.kinds.groups.scopes import starting_points
from kassay.kinds.groups.shapes import beside, changed, one_topic, shape_of, stairs, widened
from kassay.kinds.groups.shapes import chain as one_chain
from kassay.kinds.search import SEED_CELL, SEEDS, WorstMeasure, WorstSearch, least_squares, measured
from kassay.model.groups.history import History, Leave
from kassay.model.groups.metrics import moved
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups.balance import Best
from kassay.properties.groups.sharing import is_even
from kassay.properties.sentences.words.shares import SHARE_WORDS, ShareScene


class GroupSearch(WorstSearch):
    """Consumer groups with a past: sizes of topics, subscriptions and owners."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "max(load) - min(load) - (best_max - best_min) < {}",
            "largest less smallest load, less that of the optimum",
        ),
        "moves": WorstMeasure(
            "(moved - best_moved) * max(0, 1 - gap) < {}",
            "moves beyond the fewest, where the loads are the best",
        ),
        "rounds": WorstMeasure("rounds < {}", "rounds until nothing changes"),
        "gap": WorstMeasure("gap < {}", "sum of squared loads, less the least possible"),
    }

    def small(self, size: tuple[int, int]) -> Iterator[History]:
        """Every group of the size without a past, with all topics read."""
        return starting_points(*size, pasts=False)

    def seeds(self, value: Callable[[Any], int], size: tuple[int, int]) -> Iterator[History]:
        """The worst small groups, widened; a chain, one topic, stairs, and copies of the worst group."""
        small = (min(size[0], SEED_CELL[0]), min(size[1], SEED_CELL[1]))
        # A small group is evaluated in the form in which it is changed; its names have two digits.
        every = [shape_of(case).history() for case in self.small(small)]
        ranked = sorted(every, key=value, reverse=True)
        for case in ranked[:SEEDS]:
            yield self.widened(case, size)
        for shape in (one_chain(size), one_topic(size), stairs(size), beside(shape_of(ranked[0]), size)):
            yield shape.history()

    def widened(self, case: History, size: tuple[int, int]) -> History:
        """The group repeated next to itself."""
        return widened(shape_of(case), size).history()

    def changed(self, case: History, rng: random.Random) -> History:
        """Another subscription, owner, order of members or topic."""
        return changed(shape_of(case), rng).history()

    def value(self, badness: str, played: Rebalanced, best: Any, /) -> int:
        """The measure of the last rebalance."""
        try:
            if badness == "rounds":
                return len(played.steps) - played.settled
            outcome: Step = played.outcomes[-1]
            least: Best = best(outcome)
        except IndexError:
            return -1
        loads = outcome.loads.values()
        gap = sum(load**2 for load in loads) - sum(load**2 for load in least.loads)
        if badness == "gap":
            return gap
        if badness == "moves":
            return len(moved(outcome.given, outcome.previous)) - least.moved if gap == 0 else 0
        return max(loads) - min(loads) - (max(least.loads) - min(least.loads))

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """With n partitions, loads differ by at most n, squares sum to at most n squared, and at most n move.

        Even loads have the least squares. The answers of the optimum's own rules are certified.
        """
        members, partitions = size
        if badness == "rounds":
            return None
        if spec.startswith("optimal-"):
            return 0
        if badness == "spread":
            return partitions if members > 1 else 0
        return partitions if badness == "moves" else partitions**2 - least_squares(partitions, members)

    def expected(self, badness: str, spec: str, kind: object) -> str:
        """A message: members of a group have no leaders among the partitions."""
        return f"--worst {badness}: {spec} has no leaders, expected {', '.join(self.measures)}"


class ShareSearch(WorstSearch):
    """Share groups with a past in which one member had each partition; at most one member leaves."""

    measures: ClassVar[Mapping[str, WorstMeasure]] = {
        "spread": WorstMeasure(
            "all t: spread(t) < {}",
            "members of one partition of a topic less those of another",
        ),
        "moves": WorstMeasure(
            "taken_back - best_taken_back < {} where even",
            "copies taken back beyond the fewest, where the answer is even",
        ),
        "rounds": WorstMeasure("rounds < {}", "rounds until nothing changes"),
    }

    def small(self, size: tuple[int, int]) -> Iterator[History]:
        """Every group of the size with all topics read, each with and without a past."""
        return chain.from_iterable(starting_points(*size, pasts=past) for past in (False, True))

    def widened(self, case: History, size: tuple[int, int]) -> History:
        """The group repeated next to itself."""
        return widened(shape_of(case), size).history()

    def changed(self, case: History, rng: random.Random) -> History:
        """Another subscription, owner, order of members or topic; or another leaving member, or none."""
        if rng.randrange(4):
            other = changed(shape_of(case), rng).history()
            return replace(other, changes=(*other.changes, *case.changes[1:]))
        goes = rng.randrange(len(case.joins))
        after = ((Leave(case.joins[goes].member.member_id),),) if goes else ()
        return replace(case, changes=(case.changes[0], *after))

    def value(self, badness: str, played: Rebalanced, best: Any, /) -> int:
        """The measure of the last rebalance."""
        if badness == "rounds":
            return measured(SHARE_WORDS, "rounds", ShareScene(played.steps[-1], None, played))
        if not played.outcomes:
            return -1
        step: Step = played.outcomes[-1]
        if badness == "moves":
            scene = ShareScene(step, best(step))
            taken = measured(SHARE_WORDS, "taken_back", scene)
            return taken - measured(SHARE_WORDS, "best_taken_back", scene) if is_even(step) else 0
        topics = [topic for topic in step.group.subscribers if step.assignable_of(topic)]
        return max((measured(SHARE_WORDS, "spread", ShareScene(step), topic) for topic in topics), default=-1)

    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """Any number of members may share a partition if there is another; each copy is taken back once."""
        members, partitions = size
        if badness == "spread":
            return members if partitions > 1 else 0
        return members * partitions if badness == "moves" else None
