"""What a driver of a kind of target offers, and what many cases add up to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kassay.certify.kinds.judging import Examination, Played, Subject, judge
from kassay.model.kinds import Kind
from kassay.properties.groups.generator import Profile
from kassay.properties.registry import Promise, Violation
from kassay.properties.situations import situations_of
from kassay.properties.sources import Source

Case = TypeVar("Case")


class Driver(ABC, Generic[Case]):
    """One kind of target: how its cases are made, played, shrunk and written down."""

    def __init__(self, kind: Kind) -> None:
        self.situations = situations_of(kind)

    @abstractmethod
    def generate(self, source: Source, profile: Profile) -> Case:
        """A case out of the source's choices."""

    @abstractmethod
    def play(self, case: Case, subject: Subject) -> Iterable[Played]:
        """Put the case to the subject, with the second looks that its promises need."""

    @abstractmethod
    def shrink_candidates(self, case: Case) -> Iterator[Case]:
        """Cases that are a little smaller, the boldest cuts first."""

    @abstractmethod
    def size(self, case: Case) -> tuple[int, ...]:
        """What makes one case smaller than another."""

    @abstractmethod
    def counts(self, case: Case) -> Mapping[str, int]:
        """Members, partitions and events of a case, for the report."""

    @abstractmethod
    def encode(self, case: Case) -> dict[str, Any]:
        """The case as a document."""

    @abstractmethod
    def decode(self, document: object, path: str) -> Case:
        """The case that a document holds; raises `InputError`."""

    @abstractmethod
    def narrate(self, case: Case, subject: Subject) -> list[dict[str, Any]]:
        """What happens when the case is put to the subject, step by step, second looks left out."""

    def best(self, outcome: Any, promise: Promise) -> Any:
        """The certified best for an outcome, as the promise's claim reads it; None if there is none."""
        return None

    def is_judged(self, played: Any, subject: Subject) -> bool:
        """Whether what was asked is within what is assumed."""
        return True

    def scene(self, case: Case, played: Any) -> object:
        """What situations are looked for in; None for nothing."""
        return played

    def asked(self, case: Case, played: Any) -> int:
        """How much was asked."""
        return len(played.steps)

    def examine(self, case: Case, subject: Subject) -> Examination:
        """Play the case, judge every promise on the way, and count the situations that were reached."""
        seen = Examination()
        for played in self.play(case, subject):
            seen.asked += self.asked(case, played)
            if self.is_judged(played, subject):
                judge(played, subject, seen, self.best)
            scene = self.scene(case, played)
            for situation in self.situations if scene is not None else ():
                name = situation.name_in(scene)
                if name is not None:
                    seen.reached[name] = seen.reached.get(name, 0) + 1
            if subject.watch is not None:
                subject.watch(played)
        return seen


@dataclass
class Candidate:
    """The smallest case so far that breaks a claim."""

    contradictory: bool
    size: tuple[int, ...]
    index: int
    case: dict[str, Any]

    @property
    def rank(self) -> tuple[bool, tuple[int, ...], int]:
        """Ordinary before contradictory, small before large, early before late."""
        return self.contradictory, self.size, self.index


@dataclass
class ClaimCount:
    """How often one claim was judged, in how many cases it was broken, and the smallest such case.

    `contradictory` counts those of the `failed` cases that broke it on contradictory input only.
    """

    checked: int = 0
    failed: int = 0
    contradictory: int = 0
    worst: Candidate | None = None

    def add(self, other: ClaimCount) -> None:
        """Take in what others counted."""
        self.checked += other.checked
        self.failed += other.failed
        self.contradictory += other.contradictory
        if other.worst is not None and (self.worst is None or other.worst.rank < self.worst.rank):
            self.worst = other.worst


@dataclass
class Tally:
    """What a block of cases showed; tallies add up in any order to the same sum."""

    histories: int = 0
    asked: int = 0
    counts: dict[str, ClaimCount] = field(default_factory=dict)
    reached: dict[str, int] = field(default_factory=dict)

    def take(self, index: int, case: Any, seen: Examination, driver: Driver[Any]) -> None:
        """Take in one examination."""
        self.histories += 1
        self.asked += seen.asked
        for claim_id, number in seen.judged.items():
            self.counts.setdefault(claim_id, ClaimCount()).checked += number
        for situation, number in seen.reached.items():
            self.reached[situation] = self.reached.get(situation, 0) + number
        if seen.violations:
            self._note(index, case, seen.violations, driver)

    def _note(self, index: int, case: Any, violations: list[Violation], driver: Driver[Any]) -> None:
        size = driver.size(case)
        noted: set[str] = set()
        for violation in sorted(violations, key=lambda v: v.contradictory):
            if violation.claim in noted:
                continue
            noted.add(violation.claim)
            count = self.counts.setdefault(violation.claim, ClaimCount())
            count.failed += 1
            count.contradictory += violation.contradictory
            rank = (violation.contradictory, size, index)
            if count.worst is None or rank < count.worst.rank:
                count.worst = Candidate(violation.contradictory, size, index, driver.encode(case))

    def add(self, other: Tally) -> None:
        """Take in another block."""
        self.histories += other.histories
        self.asked += other.asked
        for claim_id, count in other.counts.items():
            self.counts.setdefault(claim_id, ClaimCount()).add(count)
        for situation, number in other.reached.items():
            self.reached[situation] = self.reached.get(situation, 0) + number
