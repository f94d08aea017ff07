"""The walk: small levels in this process until one is large enough for the workers, then on Spark."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from kassay.kinds.judging import InternalError
from kassay.model.explore.values import WalkLimits, WalkProgress
from kassay.pipeline.walk import worker
from kassay.pipeline.walk.records import Receipt
from kassay.pipeline.walk.tables import NOTHING, State, WalkTables, Written
from kassay.pipeline.walk.worker import WalkBench

SMALL: Final = 1_000
"""Levels with fewer states are explored in this process: Spark's start-up takes longer."""
HERE_MAX: Final = 200_000
"""The largest walk whose small levels are explored in this process, as all fingerprints are needed."""


def carry_on(
    tables: WalkTables, limits: WalkLimits, progress: Callable[[WalkProgress], None], small: int = SMALL
) -> str | None:
    """Explore all missing levels; returns the name of the limit reached first, or None.

    Limits are checked between levels. Finished work is kept in any case, and a later run resumes from it.
    """
    journal, started = tables.journal, time.monotonic()

    def limit(states: int) -> str | None:
        if limits.states_max is not None and states > limits.states_max:
            return "states"
        if limits.time_s is not None and time.monotonic() - started > limits.time_s:
            return "time"
        return None

    here = _Here(tables, limit)
    while journal.waiting or not journal.receipts:
        if journal.receipts and (reached := limit(journal.states)):
            return reached
        if not journal.receipts or (journal.waiting <= small and journal.states <= HERE_MAX):
            here.walk(small)
        else:
            _level(tables)
        progress(journal.progress())
    return None


def _level(tables: WalkTables) -> None:
    """Expand the waiting level, write the next one, then the receipt."""
    journal, began = tables.journal, time.monotonic()
    level, states = len(journal.receipts), journal.waiting
    said = tables.expand(level)
    expanded = sum(one["sources"] for one in said)
    if expanded != states:
        raise InternalError(f"level {level}: {expanded} states expanded of {states}")
    following = tables.admit(level)
    journal.sign(_receipt(level, states, following, said, time.monotonic() - began))


def _receipt(
    level: int, states: int, following: Written, said: list[dict[str, Any]], elapsed_s: float
) -> Receipt:
    return Receipt(
        level=level,
        states=states,
        edges=sum(one["edges"] for one in said),
        led_to=following.states,
        digest=following.digest,
        buckets=following.buckets,
        noted=[each for one in said for each in one["noted"]],
        checked=sorted({name for one in said for name in one["checked"]}),
        actions={label: text for one in said for label, text in one["actions"].items()},
        elapsed_s=round(elapsed_s, 3),
    )


class _Here:
    """Explores small levels in this process."""

    def __init__(self, tables: WalkTables, limit: Callable[[int], str | None]) -> None:
        self.tables = tables
        self.limit = limit
        self.bench = WalkBench(tables.journal.walk)

    def walk(self, small: int) -> None:
        """Continue while levels are small, at least one level; write all of them, then their receipts."""
        journal, began = self.tables.journal, time.monotonic()
        at = len(journal.receipts)
        if at:
            level, seen = self.tables.states(at), self.tables.fingerprints()
        else:
            level = [State(number, 0, data, 0) for number, data in self.bench.first()]
            seen = {state.fingerprint for state in level}
        fresh: list[State] = [] if at else list(level)
        steps: list[tuple[int, list[Any]]] = []
        done: list[tuple[int, int, dict[str, Any], float]] = []
        states = len(seen)
        while level and (not done or (len(level) <= small and not self.limit(states))):
            batches, said, following = self._expand(level, at + 1, seen)
            steps.append((at, batches))
            fresh += following
            done.append((at, len(level), said, time.monotonic() - began))
            level, at, began, states = following, at + 1, time.monotonic(), len(seen)
        written = self.tables.append(fresh, steps)
        for at, count, said, elapsed_s in done:
            journal.sign(_receipt(at, count, written.get(at + 1, NOTHING), [said], elapsed_s))

    def _expand(
        self, level: list[State], next_level: int, seen: set[int]
    ) -> tuple[list[Any], dict[str, Any], list[State]]:
        """The rows of a level, its summary, and its new states, which are added to `seen`."""
        bench, following = self.bench, list[State]()
        level.sort()  # the first that leads to a state is then the least, as on the workers
        bench.begin()
        expanded = [bench.expanded(state.fingerprint, state.data) for state in level]
        for state, one in zip(level, expanded, strict=True):
            for target, data in one.sent:
                if target not in seen:
                    seen.add(target)
                    following.append(State(target, state.fingerprint, data, next_level))
        numbers = [state.fingerprint for state in level]
        return (
            [worker.packed(numbers, expanded), worker.packed_words(bench)],
            worker.words_of(bench),
            following,
        )
