"""The report formats by name, and the files that they and traces are written to.

Writes the traces of a certificate as files, one per counterexample, for a replay.

The report formats by name, and the files that they write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Final

from kassay.engines.audits.values import AuditFinding, GroupAudit, LogAudit
from kassay.engines.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.model.errors import InputError
from kassay.report.facts import NotLoaded
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


FILES: Final[dict[str, tuple[str, str]]] = {
    "html": ("kassay.report.pages.certificates", "report.html"),
    "junit": ("kassay.report.files.junit", "junit.xml"),
    "sarif": ("kassay.report.files.sarif", "report.sarif"),
    "markdown": ("kassay.report.files.markdown", "report.md"),
    "badge": ("kassay.report.files.badge", "badge.json"),
}
"""For each format, the module with its `render` and the name of its file."""


def parse_formats(names: Sequence[str]) -> tuple[str, ...]:
    """The formats by name; raises `InputError` for an unknown one."""
    for name in names:
        if name not in FILES:
            raise InputError(f"--report {name!r}: expected one of {', '.join(FILES)}")
    return tuple(dict.fromkeys(names))


def reports(
    certificates: Sequence[Certificate], formats: Sequence[str], missing: Sequence[NotLoaded] = ()
) -> Iterator[tuple[str, str]]:
    """The file name and the text of each format, in order; `missing` targets were not tested."""
    for name in formats:
        module, file = FILES[name]
        render: Callable[[Sequence[Certificate], Sequence[NotLoaded]], str] = import_module(module).render
        yield file, render(certificates, missing)
