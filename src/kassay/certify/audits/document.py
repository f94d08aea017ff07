"""The JSON document of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kassay.certify.audits.values import (
    AuditedRebalance,
    AuditFinding,
    GroupAudit,
    LogAudit,
    LogMoment,
    RebalanceFigures,
)

SCHEMA: Final = "kassay/audit/1"


def audit_document(audit: LogAudit, files: Sequence[str], out: str | None) -> dict[str, Any]:
    """The document of the audit of these files; `out` is the folder with traces, if any were written."""
    return {
        "schema": SCHEMA,
        "files": list(files),
        "records": dict(audit.records),
        "unread": list(audit.unread),
        "notes": list(audit.notes),
        "verdict": verdict(audit),
        "out": out,
        "groups": [_group(group) for group in audit.groups],
    }


def verdict(audit: LogAudit) -> str:
    """`findings`, `clean`, or `unknown` if no rebalance could be checked."""
    if audit.findings:
        return "findings"
    return "clean" if audit.judged else "unknown"


def _group(group: GroupAudit) -> dict[str, Any]:
    worst = group.worst_spread
    return {
        "group": group.name,
        "protocol": group.protocol.value,
        "rebalances": len(group.rebalances),
        "judged": group.judged,
        "moved": group.moved,
        "needless": group.needless,
        "double_owners": group.double_owners,
        "longest_unrest_ms": group.longest_unrest_ms,
        "worst_spread": None if worst is None else {"is": worst.spread, "could_be": worst.best_spread},
        "returns": dict(group.returns.most_common()),
        "kept": group.kept,
        "abandoned": group.abandoned,
        "gaps": list(group.gaps),
        "findings": [_finding(finding) for finding in group.findings],
        "history": [_rebalance(rebalance) for rebalance in group.rebalances],
    }


def _moment(moment: LogMoment) -> dict[str, Any]:
    return {"place": str(moment.place), "offset": moment.offset, "timestamp": moment.timestamp}


def _finding(finding: AuditFinding) -> dict[str, Any]:
    return {
        "claim": finding.claim,
        "generation": finding.generation,
        **_moment(finding.moment),
        "message": finding.message,
        "trace": finding.path,
    }


def _rebalance(rebalance: AuditedRebalance) -> dict[str, Any]:
    return {
        "generation": rebalance.generation,
        **_moment(rebalance.moment),
        "assignor": rebalance.assignor,
        "members": rebalance.members,
        "partitions": rebalance.partitions,
        "round": rebalance.turn,
        "causes": [{"cause": cause.word.value, "who": list(cause.who)} for cause in rebalance.causes],
        "measured": None if rebalance.measured is None else _measured(rebalance.measured),
        "judged": list(rebalance.judged),
        "why_not": rebalance.why_not,
        "gap": rebalance.gap,
        "unrest_ms": rebalance.unrest_ms,
        "findings": len(rebalance.findings),
    }


def _measured(measured: RebalanceFigures) -> dict[str, Any]:
    return {
        "spread": measured.spread,
        "best_spread": measured.best_spread,
        "moved": measured.moved,
        "least": measured.least,
        "needless": measured.needless,
    }
