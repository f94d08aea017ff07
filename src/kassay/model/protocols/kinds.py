"""What looks up the coordinator of a group: a reference among others, which no run puts to the test."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Kind, Nouns, declare

COORDINATOR: Final = declare(
    Kind("coordinator", "protocols", Nouns("", "", "", "", "", ""), certified=False, listed="coordinators")
)
