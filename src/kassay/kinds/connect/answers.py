"""Answers of a Connect assignor in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from kassay.kinds.answers import OwnWords, few, listed
from kassay.model.connect.history import ConnectStep
from kassay.model.connect.work import ConnectAssignment, ConnectRequest


def connect_words(step: ConnectStep) -> str:
    """What each worker must start and stop, and the delay."""

    def change(worker_id: str) -> str:
        starts, stops = workers[worker_id]
        parts = [f"starts {listed(starts)}"] * bool(starts) + [f"stops {listed(stops)}"] * bool(stops)
        return f"{worker_id} {' and '.join(parts) or 'goes on'}"

    workers: Mapping[str, Any] = step.given.workers
    delay = f"; all rejoin in {step.given.delay_ms} ms" if step.given.delay_ms else ""
    return few([change(worker_id) for worker_id in workers]) + delay


class MemoryOfEach(OwnWords):
    """Gives each of two leaders the memory from its own answers.

    Where the first leader is new or remembers nothing, so does the second.
    """

    def __init__(self) -> None:
        self._memory: Hashable = None

    def note(self, method: str, outcome: Any) -> None:
        """Record the memory that the other leader's answer leaves."""
        if isinstance(outcome, ConnectAssignment):
            self._memory = outcome.memory

    def for_other(self, argument: Any) -> Any:
        """The request with the memory of the other leader."""
        if isinstance(argument, ConnectRequest) and argument.memory is not None:
            return replace(argument, memory=self._memory)
        return super().for_other(argument)
