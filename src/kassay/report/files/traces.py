"""Writes the traces of a certificate as files, one per counterexample, for a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kassay.certify.audits.values import AuditFinding, GroupAudit, LogAudit
from kassay.certify.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.writing.files import file_name, json_text, write_text


def with_saved_traces(certificate: Certificate, out: Path) -> Certificate:
    """The certificate with the paths of its traces, which are written to the folder `traces` of `out`.

    The name of a trace has its target and claim; an earlier file of that name is replaced. Raises
    `InputError` if a file cannot be written.
    """
    results = (_saved(certificate.target, result, out / "traces") for result in certificate.claims)
    return replace(certificate, claims=tuple(results))


def _saved(target: str, result: ClaimResult, folder: Path) -> ClaimResult:
    example = result.counterexample
    if example is None:
        return result
    return replace(result, counterexample=saved_example(target, result.id, example, folder))


def saved_example(target: str, claim_id: str, example: Counterexample, folder: Path) -> Counterexample:
    """The counterexample with the path of its trace, which is written to the folder; raises `InputError`."""
    path = str(folder / file_name(target, claim_id, suffix=".json"))
    write_text(json_text(example.trace.to_json(), indent=1) + "\n", path)
    return replace(example, path=path)


def with_audit_traces(audit: LogAudit, out: Path) -> LogAudit:
    """The audit with the paths of its findings' traces, which are written to the folder `traces` of `out`.

    Raises `InputError` if a file cannot be written.
    """
    for group in audit.groups:
        group.findings = [_saved_finding(group, finding, out / "traces") for finding in group.findings]
    return audit


def _saved_finding(group: GroupAudit, finding: AuditFinding, folder: Path) -> AuditFinding:
    if finding.trace is None:
        return finding
    name = file_name(group.name, str(finding.generation), finding.claim, suffix=".json")
    path = str(folder / name)
    write_text(json_text(finding.trace.to_json(), indent=1) + "\n", path)
    return replace(finding, path=path)
