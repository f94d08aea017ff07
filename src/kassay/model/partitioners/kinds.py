"""The kind of targets that choose the partition of a record."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Kind, Nouns, declare

PARTITIONER: Final = declare(
    Kind(
        "partitioner",
        "partitioners",
        Nouns("sending", "sendings", "record", "records", "", "partition", "record", "sendings"),
        "partitioner",
        "partitioners",
        "record",
        method="partition",
        forms=("partitioner",),
        listed="partitioners",
        assumptions=("no-recreated-topics",),
        exec_version=2,
        place=30,
    )
)
