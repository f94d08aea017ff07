"""Counts of a task, and their sums over tasks and batches: numbers that travel as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from kassay.certify.runs.verdicts import ClaimCount, Tally
from kassay.kinds.judging import Examination
from kassay.kinds.protocol import Driver
from kassay.properties.registry import Violation, as_text
from kassay.writing.text import storable

ORDINARY: Final = "ordinary"
CONTRADICTORY: Final = "contradictory"
_NAMED: Final = re.compile(r"(?:\S*\d\S*\s*)+")
"""Words with a number in them: ids of members, topics and partitions, and figures."""


class Key(NamedTuple):
    """Identity of a finding within a target; `bucket` represents the kind of violation."""

    claim: str
    input: str
    bucket: str


class Smallest(NamedTuple):
    """The number of histories that show a finding, and the smallest, then earliest, of them."""

    failed: int
    size: tuple[int, ...]
    history: int

    def and_(self, other: Smallest) -> Smallest:
        """The sum of both."""
        size, history = min((self.size, self.history), (other.size, other.history))
        return Smallest(self.failed + other.failed, size, history)


def kind_of(violation: Violation) -> str:
    """The violation without its names and numbers.

    >>> from kassay.properties.registry import Evidence
    >>> kind_of(Violation("complete", Evidence("t0-1", {"owner": "nobody", "subscribers": ("m0", "m1")})))
    'complete: # (owner nobody, subscribers #)'
    """
    subject, facts = violation.evidence.subject, violation.evidence.facts
    shown = ", ".join(
        f"{name} {_NAMED.sub('# ', as_text(value)).strip() if isinstance(value, str) else '#'}"
        for name, value in facts.items()
    )
    kind = f"{violation.claim}: {_NAMED.sub('# ', subject).strip()}" + (f" ({shown})" if shown else "")
    return storable(kind)


def bucket_of(violation: Violation) -> str:
    """Three hex digits for the kind: bounds the memory if a target always fails in new words."""
    return blake2b(kind_of(violation).encode(), digest_size=2).hexdigest()[:3]


@dataclass
class Sums:
    """The results of some histories of one lane; their sum does not depend on the order."""

    tally: Tally = field(default_factory=Tally)
    kinds: dict[Key, Smallest] = field(default_factory=dict)

    def take(self, index: int, case: Any, seen: Examination, driver: Driver[Any]) -> None:
        """Add one examination."""
        self.tally.take(index, case, seen, driver)
        if not seen.violations:
            return
        only_contradictory: dict[tuple[str, str], bool] = {}
        for violation in seen.violations:
            kind = violation.claim, bucket_of(violation)
            only_contradictory[kind] = only_contradictory.get(kind, True) and violation.contradictory
        smallest = Smallest(1, driver.size(case), index)
        for (claim, bucket), contradictory in only_contradictory.items():
            self._note(Key(claim, CONTRADICTORY if contradictory else ORDINARY, bucket), smallest)

    def add(self, other: Sums) -> None:
        """Add the counts of `other`."""
        self.tally.add(other.tally)
        for key, smallest in other.kinds.items():
            self._note(key, smallest)

    def _note(self, key: Key, smallest: Smallest) -> None:
        known = self.kinds.get(key)
        self.kinds[key] = smallest if known is None else known.and_(smallest)

    def to_json(self) -> dict[str, Any]:
        """The sums as plain values, in a defined order."""
        tally = self.tally
        return {
            "histories": tally.histories,
            "asked": tally.asked,
            "counts": {
                c: [n.checked, n.failed, n.contradictory, n.judged, n.elsewhere]
                for c, n in sorted(tally.counts.items())
            },
            "reached": dict(sorted(tally.reached.items())),
            "covered": [[*classes, number] for classes, number in sorted(tally.covered.items())],
            "kinds": [[*key, *smallest] for key, smallest in sorted(self.kinds.items())],
        }


def sums_of(document: Mapping[str, Any]) -> Sums:
    """The sums that `to_json` wrote."""
    counts = {claim: ClaimCount(*numbers) for claim, numbers in document["counts"].items()}
    covered = Counter({(dimension, of): number for dimension, of, number in document["covered"]})
    tally = Tally(document["histories"], document["asked"], counts, Counter(document["reached"]), covered)
    kinds = {
        Key(claim, of_input, bucket): Smallest(failed, tuple(size), history)
        for claim, of_input, bucket, failed, size, history in document["kinds"]
    }
    return Sums(tally, kinds)
