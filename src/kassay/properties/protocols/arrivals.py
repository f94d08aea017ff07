"""Admission to a consumer group: no request ends a client of the group's own protocol."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.values import Finding
from kassay.properties.protocols.registry import ENDED, always, real


@always("joins-are-let-in", ENDED, source="KIP-848; KAFKA-18095, KAFKA-17593")
def joins_are_let_in(ended: frozenset[str]) -> Iterator[Finding]:
    """No error ends a dynamic KIP-848 client in a group with only such clients: it may join again."""
    for name in sorted(ended):
        yield real(f"an error has ended {name}")
