"""The independent checkers alone: which one a certificate needs, and what it says.

This module and what it imports know nothing of the solver: what they accept does not rest on it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError, KassayError
from kassay.solver.check.refusal import Proven, RefusedError

CHECKERS: Final = {
    "kassay/optimum-certificate/1": "consumers",
    "kassay/placement-certificate/1": "placement",
    "kassay/interval-certificate/1": "intervals",
    "kassay/tasks-certificate/1": "tasks",
}
"""For each schema of a certificate the module that checks it."""


class CertificateError(KassayError):
    """A fault of kassay itself: a solver's certificate does not pass the independent checker."""


class Checked(NamedTuple):
    """What became of one certificate; `accepted` is None for a result that carries none."""

    name: str
    accepted: bool | None
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The line of `kassay check --json`."""
        verdict = {True: "accepted", False: "refused", None: "unknown"}[self.accepted]
        return {"schema": "kassay/check/1", "name": self.name, "verdict": verdict, "reason": self.reason}


def check_certificate(document: Any) -> Checked:
    """Check a certificate, or a result of `kassay optimum` that carries one.

    Raises `InputError` for what is neither.
    """
    if not isinstance(document, dict):
        raise InputError(f"found {type(document).__name__}, expected a certificate or a result with one")
    certificate = document.get("certificate", document)
    if certificate is None:
        status = document.get("status")
        return Checked(_name(document), None, f"the result is {status}: it carries no certificate")
    schema = certificate.get("schema") if isinstance(certificate, dict) else None
    if not isinstance(schema, str) or schema not in CHECKERS:
        field = "schema" if certificate is document else "certificate.schema"
        raise InputError(f"{field}: found {schema!r}, expected one of {', '.join(CHECKERS)}")
    try:
        proven = _proven(certificate)
        _hold_to(certificate | document, proven)
    except RefusedError as refused:
        return Checked(_name(document), False, str(refused))
    return Checked(_name(document), True, proven.reason)


def require_accepted(certificate: dict[str, Any], name: str) -> None:
    """Raise `CertificateError` unless the certificate passes; every solver ends with this."""
    try:
        _proven(certificate)
    except RefusedError as refused:
        raise CertificateError(f"the optimum of {name} was refused: {refused}") from None


def _proven(certificate: dict[str, Any]) -> Proven:
    checker = import_module(f"{__package__}.{CHECKERS[certificate['schema']]}")
    try:
        proven: Proven = checker.check(certificate)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise RefusedError(f"unreadable certificate: {type(error).__name__} at {error}") from None
    return proven


def _hold_to(stated: dict[str, Any], proven: Proven) -> None:
    """Refuse a result that says more than its certificate proves."""
    for field, value in proven.figures.items():
        if field in stated and stated[field] != value:
            raise RefusedError(f"{field} of the result is not what the certificate proves")
    if stated.get("status") == "optimal" and not proven.optimal:
        raise RefusedError(
            f"the result says optimal, the certificate proves no more than this: {proven.reason}"
        )


def _name(document: dict[str, Any]) -> str:
    """The name of the result or of the certificate's instance."""
    certificate = document.get("certificate") or document
    instance = certificate.get("instance") if isinstance(certificate, dict) else None
    name = document.get("name") or (instance.get("name") if isinstance(instance, dict) else None)
    return name if isinstance(name, str) else "unnamed"
