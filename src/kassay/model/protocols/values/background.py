"""What a coordinator does in the background: it resolves regular expressions, and may compute targets.

Source: `ResolvedRegularExpression`, `TopicRegexResolver`, `CoordinatorExecutor`; KIP-848, KIP-1263.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.values.marks import Generation, MemberId, Ordered
from kassay.model.protocols.values.requests import Partitions


class Regex(NamedTuple):
    """An expression where it stands beside names of another kind."""

    regex: str

    def __str__(self) -> str:
        return self.regex


class RegexMatches(NamedTuple):
    """The topics that an expression matched, by name; when its task ran, in ms; the image that it read."""

    topics: tuple[str, ...] = ()
    time: int = 0
    image: int = 0


Resolved: TypeAlias = tuple[tuple[str, RegexMatches], ...]
"""What expressions came to, by expression."""


class Resolution(NamedTuple):
    """A task under way: the expressions, and once it has run, in a tuple of one, what they came to."""

    regexes: tuple[str, ...]
    result: tuple[Resolved, ...] = ()


class Offloaded(NamedTuple):
    """A target that is computed in the background, for an epoch: whose, under what instance id, and what.

    No release does this; it is what KIP-1263 describes.
    """

    epoch: Generation
    target: Ordered[tuple[MemberId, str, Partitions]]


class Background(NamedTuple):
    """What a coordinator does and knows beside its group: images, by number, and what is under way.

    `image` is the present one, `created` the last that had new topics, or the one that was there when the
    group was loaded. Where nobody subscribes by an expression images have no number, which is 0. `tasks` and
    `targets` are () or hold one.
    """

    image: int = 0
    created: int = 0
    tasks: tuple[Resolution, ...] = ()
    targets: tuple[Offloaded, ...] = ()


NOTHING_BEGUN: Final = Background()


class ResolutionRun(NamedTuple):
    """The task under way runs: it reads the image that there is now."""


class ResolutionApplied(NamedTuple):
    """The result of the task under way, which runs now if it has not, is written."""


class TargetApplied(NamedTuple):
    """The target computed in the background is written."""
