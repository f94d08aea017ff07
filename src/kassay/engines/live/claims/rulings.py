"""What a claim's judgement is: a word for each step, with figures, and the verdict of a recording."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

CLAIMS: Final = ("exclusive", "complete", "settles", "no-stuck-member", "balanced", "moves", "progress")


class Word(StrEnum):
    """What became of a claim at a step; `vacuous` where it could not have failed."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"


@dataclass(frozen=True)
class Ruling:
    """A claim at a step (from 1 on; 0: the whole recording), and the evidence or the reason.

    `clients` are the libraries on which it rests.
    """

    claim: str
    step: int
    word: Word
    text: str = ""
    clients: tuple[str, ...] = ()


@dataclass(frozen=True)
class LiveFigures:
    """Sums over the steps; `moved` and `least` count where the strategy keeps what it can."""

    moved: int = 0
    least: int = 0
    changed_owner: int = 0
    read: int = 0
    read_twice: int = 0
    seconds: float = 0.0
    rounds: int = 0

    def __add__(self, other: LiveFigures) -> LiveFigures:
        return LiveFigures(
            self.moved + other.moved,
            self.least + other.least,
            self.changed_owner + other.changed_owner,
            self.read + other.read,
            self.read_twice + other.read_twice,
            self.seconds + other.seconds,
            self.rounds + other.rounds,
        )


@dataclass(frozen=True)
class LiveVerdict:
    """The rulings of a recording, by step and claim, with its figures and what zombies believed."""

    rulings: tuple[Ruling, ...]
    figures: LiveFigures
    beliefs: tuple[str, ...] = ()

    @property
    def violated(self) -> tuple[Ruling, ...]:
        """The rulings that break a claim."""
        return tuple(each for each in self.rulings if each.word is Word.VIOLATED)
