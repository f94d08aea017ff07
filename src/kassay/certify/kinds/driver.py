"""What one case showed, what many cases add up to, and what a driver of a kind of target offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kassay.model.errors import KassayError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.groups.step import Rebalanced
from kassay.model.lazy import lazy
from kassay.properties.groups.generator import Profile
from kassay.properties.registry import Promise, Scope, Violation
from kassay.properties.sources import Source

Oracle = Callable[[Any, str], Any]
"""The certified best for an outcome, its goals in the given order; None where no solver can say."""


class InternalError(KassayError):
    """kassay itself is wrong; never the target's fault."""


@dataclass(frozen=True)
class Subject:
    """What is put to the test: how to make its objects, what it promises, and what is assumed.

    `new` makes a configured object of the target. `twin`, if given, makes objects of the same target
    in another process with another hash seed. `oracle` supplies the certified optimum. `watch` is
    shown every rebalance of a history after it was judged; it measures and never judges.
    """

    new: Callable[[Mapping[str, str]], Any]
    protocol: RebalanceProtocol
    promises: tuple[Promise, ...]
    assume: frozenset[str] = frozenset()
    twin: Callable[[Mapping[str, str]], Any] | None = None
    oracle: Oracle | None = None

    @lazy
    def by_scope(self) -> dict[Scope, tuple[Promise, ...]]:
        """The promises by what their predicates look at; treat as read-only."""
        return {scope: tuple(p for p in self.promises if p.claim.scope is scope) for scope in Scope}

    watch: Callable[[Rebalanced], None] | None = None


@dataclass
class Examination:
    """What one case showed.

    `judged` counts judgements by claim id, `reached` situations (a part is `id:part`), `asked` the
    rebalances (or requests) that were checked.
    """

    judged: dict[str, int] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)
    reached: dict[str, int] = field(default_factory=dict)
    asked: int = 0


class Driver(Protocol):
    """One kind of target: how its cases are made, examined, shrunk and written down."""

    def generate(self, source: Source, profile: Profile) -> Any:
        """A case out of the source's choices."""

    def examine(self, case: Any, subject: Subject) -> Examination:
        """Put the case to the subject and judge its promises."""

    def smaller(self, case: Any) -> Iterator[Any]:
        """Cases that are a little smaller, the boldest cuts first."""

    def size(self, case: Any) -> tuple[int, ...]:
        """What makes one case smaller than another."""

    def counts(self, case: Any) -> Mapping[str, int]:
        """Members, partitions and events of a case, for the report."""

    def encode(self, case: Any) -> dict[str, Any]:
        """The case as a document."""

    def decode(self, document: object, path: str) -> Any:
        """The case that a document holds; raises `InputError`."""

    def told(self, case: Any, subject: Subject) -> list[dict[str, Any]]:
        """What happens when the case is put to the subject, step by step."""


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

    def take(self, index: int, case: Any, seen: Examination, driver: Driver) -> None:
        """Take in one examination."""
        self.histories += 1
        self.asked += seen.asked
        for claim_id, number in seen.judged.items():
            self.counts.setdefault(claim_id, ClaimCount()).checked += number
        for situation, number in seen.reached.items():
            self.reached[situation] = self.reached.get(situation, 0) + number
        if seen.violations:
            self._note(index, case, seen.violations, driver)

    def _note(self, index: int, case: Any, violations: list[Violation], driver: Driver) -> None:
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
