"""Answers of a Connect assignor in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kassay.kinds.answers import few, listed
from kassay.model.connect.history import ConnectStep


def connect_words(step: ConnectStep) -> str:
    """What each worker starts and stops, and the delay."""

    def change(worker_id: str) -> str:
        starts, stops = workers[worker_id]
        parts = [f"starts {listed(starts)}"] * bool(starts) + [f"stops {listed(stops)}"] * bool(stops)
        return f"{worker_id} {' and '.join(parts) or 'goes on'}"

    workers: Mapping[str, Any] = step.given.workers
    delay = f"; all rejoin in {step.given.delay_ms} ms" if step.given.delay_ms else ""
    return few([change(worker_id) for worker_id in workers]) + delay
