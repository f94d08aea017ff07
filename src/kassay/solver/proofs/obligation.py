"""Proof obligations: questions of a claim, registered where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from typing import Any, Final, NamedTuple, TypeVar

from kassay.model.modules import import_modules

Asker = TypeVar("Asker", bound=Callable[..., "Question"])


class ProofVerdict(StrEnum):
    """The outcome of an obligation; a spent time limit is `unknown`."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Question(NamedTuple):
    """Do the assumptions imply the goal? `shown` are the unknowns of a counterexample, the first of them made
    as small as possible, then the second, and so on.
    """

    assumptions: Sequence[Any]
    goal: Any
    shown: Sequence[Any]


@dataclass(frozen=True)
class Obligation:
    """One question of a claim: `part` is "all sizes", "base", "step", "lemma" or what it adds."""

    claim: str
    part: str
    sentence: str
    source: str
    ask: Callable[[], Question]
    expected: ProofVerdict

    @property
    def name(self) -> str:
        """The name that a user gives for it; the claim's name stands for all its parts."""
        return f"{self.claim}/{self.part}"


_REGISTERED: Final[list[Obligation]] = []


def obligation(
    claim: str,
    part: str,
    sentence: str,
    source: str,
    *,
    arguments: tuple[Any, ...] = (),
    expected: ProofVerdict = ProofVerdict.PROVED,
) -> Callable[[Asker], Asker]:
    """Register the decorated function, called with `arguments`, as the question of an obligation."""

    def register(ask: Asker) -> Asker:
        _REGISTERED.append(Obligation(claim, part, sentence, source, partial(ask, *arguments), expected))
        return ask

    return register


@cache
def obligations() -> tuple[Obligation, ...]:
    """Every obligation of this package, in reading order."""
    import_modules(str(__package__))
    return tuple(_REGISTERED)
