"""Claims about formulas, proved for all sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kassay.report.result import DescribedResult, Progress, no_progress

if TYPE_CHECKING:
    from kassay.report.blocks import Described
    from kassay.solver.proofs.prove import Proof


@dataclass(frozen=True, repr=False)
class Proofs(DescribedResult):
    """The proofs in the order of the list, each with its verdict and, if refuted, its counterexample."""

    proofs: tuple[Proof, ...]

    @property
    def unexpected(self) -> tuple[Proof, ...]:
        """The proofs whose verdict is not the expected one: an error of kassay, or too little time."""
        return tuple(each for each in self.proofs if not each.as_expected)

    def summary(self) -> str:
        """How many proofs have which verdict."""
        verdicts = [str(each.verdict) for each in self.proofs]
        return ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/proofs/1`."""
        return {"schema": "kassay/proofs/1", "proofs": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each proof."""
        return [each.document() | {"as_expected": each.as_expected} for each in self.proofs]

    def described(self) -> Described:
        """The proofs with their counterexamples."""
        from kassay.report.described import proofs_described

        return proofs_described(self.proofs)


def prove(*names: str, seconds: float = 20.0, progress: Progress = no_progress) -> Proofs:
    """Prove claims about formulas with Z3 for all sizes, or find the smallest counterexample.

    `names` are of `kassay list proofs`; without one, all are proved. Each may take `seconds`. Returns a
    verdict for each. Raises `InputError` for an unknown name.

    >>> import kassay
    >>> kassay.prove("ceil-range-even")
    <Proofs: 1 refuted, 2 proved>
    """
    from kassay.solver.proofs.prove import proofs

    results: list[Proof] = []
    for proof in proofs(names, seconds):
        results.append(proof)
        progress(len(results))
    return Proofs(tuple(results))
