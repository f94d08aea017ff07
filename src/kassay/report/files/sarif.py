"""SARIF 2.1.0, for code scanning: a result for each violation of a target that has a source file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final

from kassay import __version__
from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.reading.specs import place_and_class
from kassay.report import facts
from kassay.writing.documents import json_text
from kassay.writing.text import uri_of, visible

RESULTS_MAX: Final = 5000
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def render(certificates: Sequence[Certificate]) -> str:
    """The document. A known finding is a suppressed result; targets without a file are left out."""
    rules: dict[str, dict[str, Any]] = {}
    results = []
    for certificate in certificates:
        file = source_file(certificate.target)
        for result in certificate.claims:
            if result.verdict is Verdict.VIOLATED and file is not None:
                rules.setdefault(result.id, {"id": result.id, "shortDescription": {"text": result.sentence}})
                results.append(_result(result, file))
    driver = {"name": "kassay", "version": __version__, "rules": list(rules.values())}
    document = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [_invocation(certificate) for certificate in certificates],
                "results": results[:RESULTS_MAX],
            }
        ],
    }
    return json_text(document, indent=1) + "\n"


def _invocation(certificate: Certificate) -> dict[str, Any]:
    """How the run of one target ended: one that was interrupted did not succeed, whatever it told."""
    document: dict[str, Any] = {
        "executionSuccessful": not certificate.interrupted,
        "exitCode": certificate.exit_code,
    }
    if said := facts.interrupted(certificate):
        text = visible(f"{certificate.target}: {said}")
        document["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    return document


def source_file(target: str) -> str | None:
    """The file of a target spec `path/file.py[:Name]`, with forward slashes; None for other targets."""
    place, _ = place_and_class(target)
    return PurePath(place).as_posix() if place.endswith(".py") else None


def _result(result: ClaimResult, file: str) -> dict[str, Any]:
    example = result.counterexample
    message = example.message if example else result.why
    if command := facts.replay_command(example):
        message += f" ({command})"
    document: dict[str, Any] = {
        "ruleId": result.id,
        "level": "error",
        "message": {"text": visible(message)},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": uri_of(file)}, "region": {"startLine": 1}}}
        ],
        "partialFingerprints": {"kassay/claim": f"{file}:{result.id}"},
    }
    if result.known is not None:
        document["suppressions"] = [{"kind": "external", "justification": result.known}]
    return document
