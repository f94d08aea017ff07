"""The independent checkers: which one a certificate needs, and its verdict.

The schema and the instance of a certificate determine its kind of proof. A kind is a file in `kinds`, found
by walking the folder. This module and what it imports know nothing of the solver, so their verdicts do not
depend on it.
"""

from __future__ import annotations

import json
import marshal
from enum import Enum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final, NamedTuple

from kassay.model.errors import MISSING, InputError, KassayError
from kassay.solver.check.shapes import (
    Document,
    Posed,
    ProofKind,
    Proven,
    ProvenQuestion,
    RefusedError,
    fit,
    require,
    shown,
)

RESULTS: Final = ("kassay/optimum/1", "kassay/optimum/2")
"""The schemas of a result."""
ORIGIN: Final = frozenset({"seed", "shape"})
"""The fields that a user's instance may have in addition to the problem: its origin."""
FREE: Final = frozenset({"name", "solver", "elapsed_s"})
"""The fields of a result that are not checked: its name, the solver, the time."""
_WITHOUT_REFERENCES: Final = 2
"""The version of `marshal` in which equal values are equal bytes: later ones refer to shared values."""


class CertificateError(KassayError):
    """A fault of kassay itself: a solver's certificate does not pass the independent checker."""


class Outcome(Enum):
    """The outcome of a check; a result without a certificate is UNKNOWN."""

    ACCEPTED = "accepted"
    ON_WORD = "accepted-on-word"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Checked(NamedTuple):
    """The outcome for one certificate: the prover whose word it relies on, if any, its instance and question.

    `bound` says whether it was checked against an instance of the user's own.
    """

    name: str
    outcome: Outcome
    reason: str
    word_of: str | None = None
    posed: Posed | None = None
    bound: bool = False
    question: ProvenQuestion | None = None

    @property
    def accepted(self) -> bool:
        """Whether it is proven without relying on the word of a solver."""
        return self.outcome is Outcome.ACCEPTED

    def to_json(self) -> dict[str, Any]:
        """The line of `kassay check --json`."""
        instance = None
        if self.posed is not None:
            instance = {"digest": self.posed.digest, "size": self.posed.size, "bound": self.bound}
        return {
            "schema": "kassay/check/2",
            "name": self.name,
            "verdict": self.outcome.value,
            "word_of": self.word_of,
            "reason": self.reason,
            "instance": instance,
            "question": None if self.question is None else self.question.to_json(),
        }


def check_certificate(document: Any, own: Posed | None = None) -> Checked:
    """Check a certificate, or a result of `kassay optimum` that carries one.

    With an `own` instance of the user, a proof for another instance is refused. Raises `InputError` for a
    document that is neither a certificate nor a result.
    """
    if not isinstance(document, dict):
        raise InputError(f"found {shown(document)}, expected a certificate or a result with one")
    is_result = "certificate" in document
    certificate = document["certificate"] if is_result else document
    name, posed = _name(document), None
    if certificate is None:
        return _without_proof(document, name)
    try:
        if is_result:
            require(document.get("schema", RESULTS[-1]) in RESULTS, _expected("schema", document, RESULTS))
        kind, posed = _kind_and_instance(certificate, "certificate" if is_result else "")
        proven = kind.check(posed.form, certificate)
        reason = _held_to(document, kind, proven) if is_result else proven.reason
        if own is not None:
            _bound_to(own, posed)
    except RefusedError as refused:
        return Checked(name, Outcome.REFUSED, str(refused), None, posed)
    outcome = Outcome.ACCEPTED if proven.prover is None else Outcome.ON_WORD
    return Checked(name, outcome, reason, proven.prover, posed, own is not None, proven.question)


def pose(document: Any) -> Posed:
    """The instance of a document, to check certificates against; raises `InputError` if it is none."""
    family = document.get("family", MISSING) if isinstance(document, dict) else document
    kinds = {kind.family: kind for kind in _kinds()}
    if not isinstance(family, str) or family not in kinds:
        raise InputError(f"family: found {shown(family)}, expected one of {', '.join(sorted(kinds))}")
    try:
        return kinds[family].pose({field: document[field] for field in document.keys() - ORIGIN})
    except RefusedError as refused:
        raise InputError(str(refused)) from None


def require_accepted(certificate: dict[str, Any], name: str) -> dict[str, Any]:
    """The figures that the certificate proves; raises `CertificateError` unless it passes."""
    try:
        kind, posed = _kind_and_instance(certificate, "")
        return kind.check(posed.form, certificate).figures
    except (RefusedError, InputError) as refused:
        raise CertificateError(f"the optimum of {name} was refused: {refused}") from None


def derived(certificate: dict[str, Any], field: str) -> Any:
    """The proven value of a field that only some results have; None where the certificate proves nothing.

    Raises `CertificateError` unless the certificate passes.
    """
    try:
        kind, posed = _kind_and_instance(certificate, "")
        derive = kind.check(posed.form, certificate).optional.get(field)
    except (RefusedError, InputError) as refused:
        raise CertificateError(f"{field}: the certificate was refused: {refused}") from None
    return None if derive is None else derive()


@cache
def _kinds() -> tuple[ProofKind, ...]:
    """All kinds of proof, by the names of their files."""
    package = f"{__package__}.kinds"
    names = [module.name for module in iter_modules(import_module(package).__path__)]
    return tuple(import_module(f"{package}.{name}").KIND for name in names)


def _kind_and_instance(certificate: Any, where: str) -> tuple[ProofKind, Posed]:
    """The kind of proof that a certificate's instance requires, its shape checked, and the instance."""
    schemas = dict.fromkeys(kind.schema for kind in _kinds())
    schema = certificate.get("schema", MISSING) if isinstance(certificate, dict) else certificate
    if not isinstance(schema, str) or schema not in schemas:
        field = ".".join(filter(None, (where, "schema")))
        raise InputError(f"{field}: found {shown(schema)}, expected one of {', '.join(schemas)}")
    kinds = [kind for kind in _kinds() if kind.schema == schema]
    if "instance" not in certificate:
        raise InputError(".".join(filter(None, (where, "instance: missing"))))
    posed = kinds[0].pose(certificate["instance"])
    suited = [kind for kind in kinds if kind.takes(posed.form)]
    require(bool(suited), f"a {schema} proves nothing of such an instance: what counts differs")
    kind, stated = suited[0], certificate.get("kind")
    require(
        stated == kind.kind, f"such an instance asks for a proof of kind {kind.kind}, not {shown(stated)}"
    )
    fit(kind.shape, certificate, where)
    return kind, posed


def _held_to(document: Document, kind: ProofKind, proven: Proven) -> str:
    """The statement of a result with this proof; refuses a result that differs from what is proven."""
    stated = sorted(document.keys() - FREE - {"schema", "certificate"})
    optional = {field: proven.optional[field]() for field in stated if field in proven.optional}
    figures = proven.figures | optional | {"family": kind.family}
    reasons = [proven.reason]
    for field in stated:
        if field in optional and document.get("schema") == RESULTS[0] and document[field] != optional[field]:
            reasons.append(f"nothing is proven of {field}, which earlier results state in other words")
        elif field in proven.least:
            reasons.append(_at_least(field, document[field], proven.least[field]))
        elif field not in figures:
            raise RefusedError(f"{field} of the result is an unknown field")
        elif not _same(document[field], figures[field]):
            raise RefusedError(
                f"{field} of the result is {shown(document[field])}, "
                f"the certificate proves {shown(figures[field])}: {proven.reason}"
            )
    return "; ".join(reasons)


def _at_least(field: str, value: Any, least: int) -> str:
    """The statement for a field of earlier results; refuses a value that is refuted."""
    require(
        value is None or (type(value) is int and value >= least),
        f"{field} of the result is {shown(value)}, expected {least} or more, or null",
    )
    return f"of {field} no more is proven than that {least} is the least that it can be"


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON, where True is not 1."""
    if one is other:
        return True
    # A fast comparison of values and types; values that it does not take, or in another order, are
    # serialised.
    try:
        if marshal.dumps(one, _WITHOUT_REFERENCES) == marshal.dumps(other, _WITHOUT_REFERENCES):
            return True
    except ValueError:
        pass
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _bound_to(own: Posed, posed: Posed) -> None:
    require(
        own.digest == posed.digest,
        f"the proof is for an instance of {posed.size} ({posed.digest[:12]}), "
        f"not for this one of {own.size} ({own.digest[:12]})",
    )


def _without_proof(document: Document, name: str) -> Checked:
    status = document.get("status")
    if status in ("unknown", "infeasible"):
        return Checked(name, Outcome.UNKNOWN, f"the result is {status}: it carries no certificate")
    return Checked(name, Outcome.REFUSED, f"the result is {shown(status)} without a certificate")


def _expected(field: str, document: Document, values: tuple[str, ...]) -> str:
    return f"{field}: found {shown(document.get(field))}, expected {' or '.join(values)}"


def _name(document: Document) -> str:
    """The name of the result or of the certificate's instance."""
    certificate = document.get("certificate") or document
    instance = certificate.get("instance") if isinstance(certificate, dict) else None
    name = document.get("name") or (instance.get("name") if isinstance(instance, dict) else None)
    return name if isinstance(name, str) else "unnamed"
