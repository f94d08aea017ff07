"""The findings that an exploration may have: a file of them, by model, as `explore --baseline` reads it.

    {"schema": "kassay/explore-baseline/1", "findings": {"classic": {"generation-once": "B"}}}

A finding is an invariant, `dead ends` or `livelocks`; the text says which known one it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError
from kassay.properties.protocols.registry import load_invariants
from kassay.reading.documents import read_json
from kassay.writing.files import write_text

SCHEMA: Final = "kassay/explore-baseline/1"
STOPS: Final = ("dead ends", "livelocks")
Known = Mapping[str, Mapping[str, str]]
"""By model, then by finding."""


def read_known(path: Path) -> Known:
    """The findings in a file; raises `InputError` with the file and the field."""
    document = read_json(path, "a baseline")
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"{path}: schema: expected {SCHEMA}")
    findings = document.get("findings")
    if not isinstance(findings, dict):
        raise InputError(f"{path}: findings: expected an object, by model")
    for model, named in findings.items():
        if not isinstance(named, dict):
            raise InputError(f"{path}: findings.{model}: expected an object, by finding")
        for name in named:
            if name not in load_invariants() and name not in STOPS:
                raise InputError(
                    f"{path}: findings.{model}: unknown {name!r}, expected an invariant or {STOPS}"
                )
    return findings


def unknown(known: Known, model: str, reasons: Iterable[str]) -> list[str]:
    """The findings of an exploration of this model that are not known."""
    return [name for name in reasons if name not in known.get(model, {})]


def with_known(known: Known, model: str, reasons: Iterable[str]) -> dict[str, dict[str, str]]:
    """The findings with those of an exploration."""
    findings = {name: dict(named) for name, named in known.items()}
    findings[model] = dict.fromkeys(reasons, "") | findings.get(model, {})
    return findings


def write_known(path: Path, known: Known) -> None:
    """Write the findings to a file."""
    write_text(json.dumps({"schema": SCHEMA, "findings": known}, indent=1) + "\n", str(path))
