"""Whom the evidence of a trace names, and where: what a board marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.report.facts import guilty_at
from kassay.report.pages.boards.board import Beside

Place = tuple[int, int | None]


@dataclass(frozen=True)
class Guilt:
    """The names that violations bear, the places they are at, and an answer that could be, with its place.

    `names` stand for places that are not in `at`: a trace recorded before places were kept has none, and
    its last step is taken for the broken one.
    """

    names: frozenset[str] = frozenset()
    at: Mapping[Place, frozenset[str]] | None = None
    could_be: Mapping[str, Any] | None = None

    def broken(self, place: Place, last: bool) -> bool:
        """Whether the claim is broken at the place."""
        return last and bool(self.names) if self.at is None else place in self.at

    def guilty(self, place: Place, last: bool) -> frozenset[str]:
        """The names that are marked at the place."""
        if self.at is None:
            return self.names if last else frozenset()
        return self.at.get(place, frozenset())

    def beside(self, place: Place) -> Mapping[str, Any] | None:
        """The answer that could be at the place."""
        could_be = self.could_be
        if could_be is None or (could_be["step"], could_be["round"]) != place:
            return None
        return could_be


def evidence(
    violations: Iterable[str],
    broken: Iterable[Mapping[str, Any]] = (),
    could_be: Mapping[str, Any] | None = None,
) -> Guilt:
    """The evidence of a trace: `violations` in words, `broken` and `could_be` as its document has them."""
    names = frozenset(name for violation in violations for name in _named(violation))
    return Guilt(names, guilty_at(broken) or None, could_be)


def beside_words(could_be: Mapping[str, Any]) -> Beside:
    """What could be, without its table."""
    instead = could_be["instead_of"]
    measures = tuple(
        (name, _words(instead.get(name)), _words(value))
        for name, value in could_be["measures"].items()
        if instead.get(name) != value
    )
    if could_be["certified"]:
        return Beside("Beside the certified optimum", could_be["words"], measures, None)
    return Beside("What could be instead", f"{could_be['words']} ({could_be['by']})", measures, None)


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return "–" if value is None else str(value)


def _named(violation: str) -> set[str]:
    """The subject of a violation in words, and the words of its facts that are no mere numbers."""
    said = re.fullmatch(r"[^:]*: (?P<subject>.*?)(?: \((?P<facts>.*)\))?", violation, re.DOTALL)
    if said is None:
        return set()
    words = re.split(r"[\s,=]+", said["facts"] or "")
    return {said["subject"], *(word for word in words if word and not word.lstrip("-").isdigit())}
