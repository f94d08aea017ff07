"""What a run wants of generated cases, for every kind."""

from __future__ import annotations

from dataclasses import dataclass

from kassay.properties.sources import Source

LARGE_SHARE = 0.05
"""The share of large cases in a mixed run."""


def related(space: str) -> str:
    """The dimension in which names of a space relate to each other, such as one that begins another."""
    return f"related {space}"


@dataclass(frozen=True)
class Profile:
    """How large cases get, and the assumptions about them.

    `name` is small (logical corners), large (the shapes of production) or mixed. `assume` narrows the inputs.
    `shape` is the id of the one shape of large cases; empty means all shapes. `wanted` are the spaces of
    names and the ranges that the case has to be able to show, and which names relate (`related`).
    """

    name: str = "small"
    assume: frozenset[str] = frozenset()
    shape: str = ""
    wanted: frozenset[str] = frozenset()

    def allows(self, assumption: str) -> bool:
        """Whether the generator may make inputs outside the assumption."""
        return assumption not in self.assume

    def goes_large(self, source: Source) -> bool:
        """Whether the next case is large."""
        return self.name == "large" or (self.name == "mixed" and source.boolean(LARGE_SHARE))
