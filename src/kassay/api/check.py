"""Certificates of optima, checked without the solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.model.errors import InputError
from kassay.report.result import Result

if TYPE_CHECKING:
    from kassay.reading.documents import Located
    from kassay.solver.check.check import Checked
    from kassay.solver.check.shapes import Posed

Documents = str | Path | Mapping[str, Any] | Iterable[Mapping[str, Any]]
"""A document, several, or a file with one or with JSON lines, `-` for standard input."""

_EXPECTED: Final = {
    "certificate": "a certificate or a result of kassay optimum in JSON, or JSON lines of such",
    "instance": "an instance with its family in JSON, or JSON lines of such",
}
"""What a file of each kind holds."""


@dataclass(frozen=True, repr=False)
class Checks(Result):
    """The verdict on each certificate, in order."""

    checked: tuple[Checked, ...]

    @property
    def accepted(self) -> bool:
        """Whether all are proven, none only on the word of a prover."""
        return all(each.accepted for each in self.checked)

    @property
    def refused(self) -> tuple[Checked, ...]:
        """The certificates that do not prove what they state, each with its `reason`."""
        from kassay.solver.check.check import Outcome

        return tuple(each for each in self.checked if each.outcome is Outcome.REFUSED)

    def summary(self) -> str:
        """How many certificates have which verdict."""
        verdicts = [each.outcome.value for each in self.checked]
        return ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))

    def to_json(self) -> Any:
        """The document `kassay/check/2` of one certificate, or a list of several."""
        documents = [each.to_json() for each in self.checked]
        return documents[0] if len(documents) == 1 else documents

    def rows(self) -> list[dict[str, Any]]:
        """A row for each certificate."""
        return [
            {
                "name": each.name,
                "verdict": each.outcome.value,
                "reason": each.reason,
                "question": None if each.question is None else each.question.sentence,
                "digest": None if each.posed is None else each.posed.digest,
            }
            for each in self.checked
        ]

    def page(self, again: str = "") -> str:
        """The verdicts as a page."""
        from kassay.report.checks import checks_described
        from kassay.report.pages.blocks import render

        return render(checks_described(self.checked), again)


def check(certificate: Documents, instance: Documents | None = None) -> Checks:
    """Check certificates of optima, or results that carry one; no part of the solver is loaded.

    With `instance` a certificate must be for that one: one for all, or one each. Raises `InputError` for
    documents that are neither, and for none.

    >>> import kassay
    >>> best = kassay.optimum({"family": "A", "members": [{"id": "a", "topics": ["t"]}],
    ...     "topics": [{"name": "t", "partitions": 2}]})
    >>> kassay.check(best.certificate)
    <Checks: 1 accepted>
    """
    return Checks(tuple(checked(certificate, instance)))


def checked(certificate: Documents, instance: Documents | None = None) -> Iterator[Checked]:
    """The verdicts of `check` one at a time."""
    from kassay.reading.documents import at
    from kassay.reading.others import also_is
    from kassay.solver.check.check import check_certificate

    located = _located(certificate, "certificate")
    own = [None] * len(located) if instance is None else _posed(instance, len(located))
    for each, posed in zip(located, own, strict=True):
        with at(each.where):
            try:
                yield check_certificate(each.document, posed)
            except InputError as error:
                raise InputError(f"{error}{also_is(each.document)}") from None


def _located(given: Documents, word: str) -> list[Located]:
    """The documents, each with its place in error messages."""
    from kassay.reading.documents import Located, documents

    if isinstance(given, str | Path):
        return documents(str(given), _EXPECTED[word])
    if isinstance(given, Mapping):
        return [Located(given, word)]
    several = [Located(each, f"{word} {number}") for number, each in enumerate(given, 1)]
    if not several:
        raise InputError(f"{word}s: found none, expected at least one")
    return several


def _posed(instance: Documents, certificates: int) -> list[Posed]:
    """The instances: one for each certificate, or a single one for all."""
    from kassay.reading.documents import at
    from kassay.solver.check.check import pose

    instances = []
    for each in _located(instance, "instance"):
        with at(each.where):
            instances.append(pose(each.document))
    if len(instances) not in (1, certificates):
        where = f"{instance}: " if isinstance(instance, str | Path) else ""
        raise InputError(
            f"{where}found {len(instances)} instances for {certificates} certificates, "
            "expected one, or one for each"
        )
    return instances * (certificates if len(instances) == 1 else 1)
