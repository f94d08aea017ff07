"""What a run wants of generated cases, whatever their kind."""

from __future__ import annotations

from dataclasses import dataclass

from kassay.properties.sources import Source

LARGE_SHARE = 0.05
"""Of the cases of a mixed run so many are large."""


@dataclass(frozen=True)
class Profile:
    """How large cases get, and what is assumed of them.

    `name` is small (logical corners), large (the shapes of production) or mixed. `assume` narrows the inputs.
    `shape` is the id of the one shape that large cases take; all of them where it is empty.
    """

    name: str = "small"
    assume: frozenset[str] = frozenset()
    shape: str = ""

    def allows(self, assumption: str) -> bool:
        """Whether inputs outside the assumption may be made."""
        return assumption not in self.assume

    def goes_large(self, source: Source) -> bool:
        """Whether this time a large case is to be made."""
        return self.name == "large" or (self.name == "mixed" and source.boolean(LARGE_SHARE))
