"""Share groups: subscriptions, owners, sizes of topics, and one member that goes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

from kassay.certify.hunts.cells import cases
from kassay.kinds.groups.shapes import changed, shape_of, widened
from kassay.kinds.protocol import ScopeCell
from kassay.kinds.search import WorstMeasure, WorstSearch, measured
from kassay.model.groups.history import History, Leave
from kassay.model.groups.kinds import SHARE
from kassay.model.groups.step import Rebalanced, Step
from kassay.properties.groups.sharing import is_even
from kassay.properties.sentences.words.shares import SHARE_WORDS, ShareScene


class ShareSearch(WorstSearch):
    """Share groups with a past in which one member had each partition, and at most one member that goes."""

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
        """Every group of the size, each with a past and with none."""
        return chain.from_iterable(cases(SHARE, ScopeCell(*size, past)) for past in (False, True))

    def widened(self, case: History, size: tuple[int, int]) -> History:
        """The group repeated beside itself."""
        return widened(shape_of(case), size).history()

    def changed(self, case: History, rng: random.Random) -> History:
        """Another subscription, owner, turn or topic; or another member goes, or none."""
        if rng.randrange(4):
            other = changed(shape_of(case), rng).history()
            return replace(other, changes=(*other.changes, *case.changes[1:]))
        goes = rng.randrange(len(case.joins))
        after = ((Leave(case.joins[goes].member.member_id),),) if goes else ()
        return replace(case, changes=(case.changes[0], *after))

    def value(self, badness: str, played: Rebalanced, best: Any, /) -> int:
        """Of the last rebalance."""
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

    def bound(self, badness: str, size: tuple[int, int]) -> int | None:
        """A partition has any number of members, where there is another; each copy is taken back once."""
        members, partitions = size
        if badness == "spread":
            return members if partitions > 1 else 0
        return members * partitions if badness == "moves" else None
