"""The certified optimum, as the value that claims read."""

from __future__ import annotations

from kassay.certify.examine import Oracle


def oracle_for(kind: str) -> Oracle | None:  # noqa: ARG001
    """The oracle of a kind; None where there is no solver for it."""
    return None
