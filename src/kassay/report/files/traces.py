"""Writes the traces of a certificate as files, one per counterexample, for a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kassay.certify.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.writing.documents import json_text
from kassay.writing.files import file_name, write_text


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
