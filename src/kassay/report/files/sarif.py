"""SARIF 2.1.0 for code scanning: one result per violation by a target that has a source file.

The place of a target's source in its repository: the file, and the line of its class.
"""

from __future__ import annotations

import ast
import shlex
import warnings
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

from kassay import __version__
from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.model.kinds import Kind, Verdict
from kassay.properties.claims import claim_kind_of
from kassay.reading.documents import is_file, is_there
from kassay.reading.specs import command_of, place_and_class
from kassay.report import facts
from kassay.writing.files import json_text
from kassay.writing.text import uri_of, visible

_BYTES_MAX: Final = 1 << 20
_DEFINITIONS: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class SourcePlace(NamedTuple):
    """A place in a file: its URI, relative to the root of its repository; the line, from 1."""

    uri: str
    in_repository: bool
    line: int


def source_of(target: str) -> SourcePlace | None:
    """Where the target of that spec is defined; None for one without a file, such as a reference.

    A class or a function is found by its name; without a name it is the first class of the file. The source
    of a program is the first word of its command that is a file. Nothing is imported.
    """
    place, name = _file_and_class(target)
    if place is None:
        return None
    path, root = Path(place), repository()
    line = _line(path, name) if path.suffix == ".py" else 1
    try:
        return SourcePlace(uri_of(path.resolve().relative_to(root).as_posix()), in_repository=True, line=line)
    except (OSError, ValueError):
        return SourcePlace(uri_of(PurePath(place).as_posix()), in_repository=False, line=line)


def repository() -> Path:
    """The nearest git repository from this folder upwards; this folder if there is none."""
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if is_there(each / ".git")), here)


def _file_and_class(target: str) -> tuple[str | None, str]:
    command = command_of(target)
    if command is not None:
        return next((word for word in _words(command) if is_file(word)), None), ""
    place, name = place_and_class(target)
    if place.endswith(".py"):
        return place, name
    parts = place.split(".")
    if all(map(str.isidentifier, parts)) and len(parts) + bool(name) > 1:
        for folder in ("", "src"):
            path = Path(folder, *parts).with_suffix(".py")
            if is_file(path):
                return str(path), name
    return None, ""


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _line(path: Path, name: str) -> int:
    """The line on which the class or function begins; 1 if it is unknown."""
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read(_BYTES_MAX))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    definitions = [node for node in tree.body if isinstance(node, _DEFINITIONS)]
    if name:
        return next((node.lineno for node in definitions if node.name == name), 1)
    classes = [node for node in definitions if isinstance(node, ast.ClassDef)]
    return next((node.lineno for node in (*classes, *definitions)), 1)


RESULTS_MAX: Final = 5000
BYTES_MAX: Final = 9_000_000
"""The limits of code scanning: this many results, and 10 MB."""
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"


def render(certificates: Sequence[Certificate], missing: Sequence[facts.NotLoaded] = ()) -> str:
    """The document. A known finding is a suppressed result; targets without a file are left out.

    A missing target is an invocation that did not succeed, with the reason.
    """
    rules: dict[str, dict[str, Any]] = {}
    results = []
    for certificate in certificates:
        source = source_of(certificate.target)
        for result in certificate.claims:
            if result.verdict is Verdict.VIOLATED and source is not None:
                rule = rules.setdefault(result.id, _rule(certificate.kind, result))
                index = [*rules].index(result.id)
                results.append(_result(certificate.target, result, source, rule["id"], index))
    invocations = [_invocation(certificate) for certificate in certificates]
    invocations += [_not_loaded(each) for each in missing]
    kept = _fitting(results)
    if len(kept) < len(results) and invocations:
        left_out = (
            f"{len(results) - len(kept)} of {len(results)} results are left out: code scanning takes no more"
        )
        invocations[-1].setdefault("toolExecutionNotifications", []).append(_warning(left_out))
    driver = {"name": "kassay", "version": __version__, "rules": list(rules.values())}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": invocations,
        "results": kept,
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _fitting(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first of the results, as many as code scanning accepts."""
    sizes = accumulate(len(json_text(result, indent=1).encode()) for result in results)
    return [result for result, size in zip(results[:RESULTS_MAX], sizes) if size <= BYTES_MAX]


def _rule(kind: Kind, result: ClaimResult) -> dict[str, Any]:
    """The claim, in the words of the registry."""
    claim = claim_kind_of(kind, result.id)
    text = visible(result.sentence) + (f" Source: {visible(claim.source)}." if claim else "")
    more = f"`kassay explain {visible(result.id)}` explains it."
    return {
        "id": visible(result.id),
        "shortDescription": {"text": visible(result.sentence)},
        "fullDescription": {"text": text},
        "help": {"text": f"{text} {more}"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["kafka", kind.name], "precision": "very-high"},
    }


def _warning(text: str) -> dict[str, Any]:
    return {"level": "warning", "message": {"text": visible(text)}}


def _invocation(certificate: Certificate) -> dict[str, Any]:
    """The result of the run of one target, with everything that could make a pass meaningless.

    An interrupted run did not succeed, whatever its results.
    """
    document: dict[str, Any] = {
        "executionSuccessful": not certificate.interrupted,
        "exitCode": certificate.exit_code,
    }
    if doubts := facts.warnings(certificate):
        document["toolExecutionNotifications"] = [
            _warning(f"{certificate.target}: {each}") for each in doubts
        ]
    return document


def _not_loaded(missing: facts.NotLoaded) -> dict[str, Any]:
    notice: dict[str, Any] = {"level": "error", "message": {"text": visible(missing.why)}}
    source = source_of(missing.target)
    if source is not None:
        place = {"uri": source.uri} | ({"uriBaseId": _ROOT} if source.in_repository else {})
        notice["locations"] = [{"physicalLocation": {"artifactLocation": place}}]
    return {"executionSuccessful": False, "exitCode": 4, "toolExecutionNotifications": [notice]}


def _result(target: str, result: ClaimResult, source: SourcePlace, rule: str, index: int) -> dict[str, Any]:
    example = result.counterexample
    message = example.message if example else result.why
    if command := facts.replay_command(example):
        message += f" ({command})"
    place = {"uri": source.uri} | ({"uriBaseId": _ROOT} if source.in_repository else {})
    _, name = place_and_class(target)
    document: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": visible(message)},
        "locations": [
            {"physicalLocation": {"artifactLocation": place, "region": {"startLine": source.line}}}
        ],
        "partialFingerprints": {"kassay/claim": visible(f"{source.uri}:{name}:{result.id}")},
    }
    if result.known is not None:
        document["suppressions"] = [{"kind": "external", "justification": visible(result.known)}]
    return document
