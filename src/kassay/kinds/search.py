"""What a search for the worst cases needs from a kind."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from kassay.properties.sentences.vocabulary import Vocabulary

SEED_CELL: Final = (3, 3)
SEEDS: Final = 4


class WorstMeasure(NamedTuple):
    """The claim that the worst case of a value breaks, with the value left open; and what the value means."""

    claim: str
    meaning: str


class WorstSearch(ABC):
    """Cases of one kind, changed step by step to make a measure as bad as possible."""

    measures: ClassVar[Mapping[str, WorstMeasure]]

    @abstractmethod
    def small(self, size: tuple[int, int]) -> Iterator[Any]:
        """Every case of a small size."""

    @abstractmethod
    def widened(self, case: Any, size: tuple[int, int]) -> Any:
        """The case at this size."""

    @abstractmethod
    def changed(self, case: Any, rng: random.Random) -> Any:
        """The case with one thing changed, of the same size."""

    @abstractmethod
    def value(self, badness: str, played: Any, best: Any, /) -> int:
        """The value, larger is worse, -1 if undefined; `best` returns the certified best for an outcome."""

    @abstractmethod
    def bound(self, badness: str, size: tuple[int, int], spec: str = "") -> int | None:
        """A proven bound for all cases of the size, for the target of that spec."""

    def seeds(self, value: Callable[[Any], int], size: tuple[int, int]) -> Iterator[Any]:
        """The starting points: the worst of every small case, widened to the size."""
        small = (min(size[0], SEED_CELL[0]), min(size[1], SEED_CELL[1]))
        for case in sorted(self.small(small), key=value, reverse=True)[:SEEDS]:
            yield self.widened(case, size)

    def expected(self, badness: str, spec: str, kind: object) -> str:
        """What the message says is expected where the kind has no such measure."""
        return f"--worst {badness}: means nothing of a {kind}, expected {', '.join(self.measures)}"


def measured(words: Vocabulary, name: str, scene: Any, *of: Any) -> int:
    """A measure of the claim language."""
    read = next(each.read for each in words.by_name[name] if len(each.of) == len(of))
    value: int = read(scene, *of)
    return value


def apart(words: Vocabulary, name: str, scene: Any, things: str) -> int:
    """The difference of the measure between one thing and another."""
    among = next(each for each in words.things if each.name == things)
    values = [measured(words, name, scene, each) for each in among.each(scene)]
    return max(values) - min(values)


def least_squares(total: int, shares: int) -> int:
    """The least sum of squares of `shares` whole numbers with this sum.

    >>> least_squares(7, 3)
    17
    """
    share, more = divmod(total, shares)
    return share**2 * (shares - more) + (share + 1) ** 2 * more
