"""The kind of targets that assign the tasks of a Streams application."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Instances, Kind, Nouns, declare

_NOUNS: Final = Nouns(
    "history",
    "histories",
    "rebalance",
    "rebalances",
    "process",
    "task",
    "event after the start",
    "applications",
)
STREAMS: Final = declare(
    Kind(
        "streams",
        "streams",
        _NOUNS,
        "task-assignor",
        "Streams tasks",
        "tasks",
        forms=("processes", "members"),
        levels=("process", "member"),
        place=40,
        instances=Instances(
            "tasks",
            "Streams tasks",
            "streams",
            "Of tasks, moves are what restores (3) and changes of process (1) cost.",
        ),
    )
)
