"""Writes the traces of an audit's findings as files, one per group and claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kassay.certify.audits.values import AuditFinding, GroupAudit, LogAudit
from kassay.writing.documents import json_text
from kassay.writing.files import file_name, write_text


def with_audit_traces(audit: LogAudit, out: Path) -> LogAudit:
    """The audit with the paths of its findings' traces, which are written to the folder `traces` of `out`.

    Raises `InputError` if a file cannot be written.
    """
    for group in audit.groups:
        group.findings = [_saved(group, finding, out / "traces") for finding in group.findings]
    return audit


def _saved(group: GroupAudit, finding: AuditFinding, folder: Path) -> AuditFinding:
    if finding.trace is None:
        return finding
    name = file_name(group.name, str(finding.generation), finding.claim, suffix=".json")
    path = str(folder / name)
    write_text(json_text(finding.trace.to_json(), indent=1) + "\n", path)
    return replace(finding, path=path)
