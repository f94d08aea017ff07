"""The independent checkers alone: which one a certificate needs, and what it says.

This module and what it imports know nothing of the solver: what they accept does not rest on it.
"""

from __future__ import annotations

import importlib
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError

CHECKERS: Final = {
    "kassay/optimum-certificate/1": ("kassay.solver.check.balance_document", "check_optimum"),
    "kassay/placement-certificate/1": ("kassay.solver.check.placement", "check_placement_document"),
    "kassay/interval-certificate/1": ("kassay.solver.check.intervals", "check_interval_document"),
    "kassay/tasks-certificate/1": ("kassay.solver.check.tasks", "check_tasks_document"),
}
"""For each schema of a certificate the module and the function that check it."""


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
    module, function = CHECKERS[schema]
    accepted, reason = getattr(importlib.import_module(module), function)(document)
    if accepted:
        claimed = _unproven(document, certificate, reason)
        if claimed is not None:
            return Checked(_name(document), False, claimed)
    return Checked(_name(document), accepted, reason)


def _unproven(document: dict[str, Any], certificate: dict[str, Any], reason: str) -> str | None:
    """Why the result says more than its accepted certificate; None if it does not.

    A bound on another prover's word is no more than that, and the reason says whose word it is.
    """
    proven = reason.startswith("optimal") or certificate.get("prover") is not None
    if document.get("status") == "optimal" and not proven:
        return f"the result says optimal, the certificate proves no more than this: {reason}"
    if certificate is document:
        return None
    for field, value in _figures(document, certificate).items():
        if field in document and document[field] != value:
            return f"{field} of the result is not what the certificate proves"
    return None


def _figures(document: dict[str, Any], certificate: dict[str, Any]) -> dict[str, Any]:
    """What the figures of a result must be, so far as the checker of its certificate leaves them alone.

    The checker has accepted the certificate, so its parts are what they should be.
    """
    given, instance = certificate["assignment"], certificate["instance"]
    figures: dict[str, Any] = {"assignment": given}
    if certificate["schema"] == "kassay/placement-certificate/1":
        counts = {broker["id"]: broker.get("base", 0) for broker in instance["brokers"]}
        for row in (row for rows in given.values() for row in rows):
            for broker_id in row:
                counts[broker_id] += 1
        loads = sorted(counts.values())
        imbalance = _imbalance(counts, {b["id"]: b.get("share", 1) for b in instance["brokers"]})
        figures |= {"moved": document.get("copies"), "lower": imbalance, "upper": imbalance}
    elif certificate["schema"] == "kassay/tasks-certificate/1":
        loads = sorted(len(tasks) for tasks in given.values())
        figures["standbys"] = certificate["standbys"]
    else:
        of_member = {member["id"]: given.get(member["id"], {}) for member in instance["members"]}
        loads = sorted(sum(map(len, topics.values())) for topics in of_member.values())
        figures["max_weight"] = document.get("upper")
    return figures | {"loads": loads, "sum_squares": sum(load * load for load in loads)}


def _imbalance(counts: dict[int, int], shares: dict[int, int]) -> int:
    """The sum of squared counts; with unequal shares of (count * all shares - total * own share)."""
    if len(set(shares.values())) == 1:
        return sum(count * count for count in counts.values())
    total, every = sum(counts.values()), sum(shares.values())
    return sum((count * every - total * shares[broker]) ** 2 for broker, count in counts.items())


def _name(document: dict[str, Any]) -> str:
    """The name of the result or of the certificate's instance."""
    for holder in (document, document.get("instance"), (document.get("certificate") or {})):
        if isinstance(holder, dict):
            name = holder.get("name") or (holder.get("instance") or {}).get("name")
            if isinstance(name, str):
                return name
    return "unnamed"
