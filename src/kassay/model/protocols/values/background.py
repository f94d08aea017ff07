"""Background tasks of a coordinator: it resolves regular expressions, and may compute targets.

Source: `ResolvedRegularExpression`, `TopicRegexResolver`, `CoordinatorExecutor`; KIP-848, KIP-1263.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.values.marks import Generation, MemberId, Ordered
from kassay.model.protocols.values.requests import Partitions


class Regex(NamedTuple):
    """An expression, where names of other kinds are possible too."""

    regex: str

    def __str__(self) -> str:
        return self.regex


class RegexMatches(NamedTuple):
    """The names of the topics that an expression matched, the time of its task in ms, and its image."""

    topics: tuple[str, ...] = ()
    time: int = 0
    image: int = 0


Resolved: TypeAlias = tuple[tuple[str, RegexMatches], ...]
"""The results of expressions, by expression."""


class Resolution(NamedTuple):
    """A task in progress: the expressions, and after it ran their results, in a tuple of one."""

    regexes: tuple[str, ...]
    result: tuple[Resolved, ...] = ()


class Offloaded(NamedTuple):
    """A background computation of a target for an epoch: the members, their instance ids, and the target.

    No release does this; KIP-1263 describes it.
    """

    epoch: Generation
    target: Ordered[tuple[MemberId, str, Partitions]]


class Background(NamedTuple):
    """What a coordinator does and knows in addition to its group: images, by number, and current tasks.

    `image` is the current one, `created` the last one with new topics, or the one at the time the group was
    loaded. Without subscriptions by expression, images are not numbered and count as 0. `tasks` and `targets`
    are () or hold one.
    """

    image: int = 0
    created: int = 0
    tasks: tuple[Resolution, ...] = ()
    targets: tuple[Offloaded, ...] = ()


NOTHING_BEGUN: Final = Background()


class ResolutionRun(NamedTuple):
    """The current task runs: it reads the current image."""


class ResolutionApplied(NamedTuple):
    """The result of the current task is written; the task runs now if it has not yet."""


class TargetApplied(NamedTuple):
    """The target computed in the background is written."""
