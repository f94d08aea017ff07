"""Answers of a Connect assignor in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from kassay.kinds.answers import OwnWords, few, listed
from kassay.model.connect.history import ConnectStep
from kassay.model.connect.work import ConnectAssignment, ConnectRequest


def connect_words(step: ConnectStep) -> str:
    """What each worker starts and stops, and the delay."""

    def change(worker_id: str) -> str:
        starts, stops = workers[worker_id]
        parts = [f"starts {listed(starts)}"] * bool(starts) + [f"stops {listed(stops)}"] * bool(stops)
        return f"{worker_id} {' and '.join(parts) or 'goes on'}"

    workers: Mapping[str, Any] = step.given.workers
    delay = f"; all rejoin in {step.given.delay_ms} ms" if step.given.delay_ms else ""
    return few([change(worker_id) for worker_id in workers]) + delay


class MemoryOfEach(OwnWords):
    """Each of two leaders is given what it answered that it is to remember.

    A leader is a new one to both where the first one is, or remembers nothing.
    """

    def __init__(self) -> None:
        self._memory: Hashable = None

    def note(self, method: str, outcome: Any) -> None:
        """Take in what the other leader is to remember."""
        if isinstance(outcome, ConnectAssignment):
            self._memory = outcome.memory

    def for_other(self, argument: Any) -> Any:
        """A request with the memory of the other leader."""
        if isinstance(argument, ConnectRequest) and argument.memory is not None:
            return replace(argument, memory=self._memory)
        return super().for_other(argument)
