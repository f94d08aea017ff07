"""The lookup of a group's coordinator: a reference among others, which no run tests."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Kind, Nouns, declare

COORDINATOR: Final = declare(
    Kind("coordinator", "protocols", Nouns("", "", "", "", "", ""), certified=False, listed="coordinators")
)
