"""A deliberately wrong rule of a model as a value: the invariants that find it, and the bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.certify.protocols.settings import ExploreSettings

DEAD_END: Final = "dead end"
LIVELOCK: Final = "livelock"


@dataclass(frozen=True)
class Switch:
    """One wrong rule, the findings that show it, and the bound at which they appear.

    `along` are further switches without which it cannot show.
    """

    name: str
    bug: str
    effect: str
    shows: tuple[str, ...]
    bound: ExploreSettings
    along: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The model whose rule it breaks."""
        return self.bound.model
