"""A claim, a trace or a rule explained: in words, and a rule in numbers from a run as well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from kassay.assignors import registry
from kassay.certify.causes.as_python import trace_as_python
from kassay.certify.causes.cause import cause_of
from kassay.certify.causes.difference import (
    cause_of_difference,
    difference_as_python,
    paragraph_of_difference,
)
from kassay.certify.causes.paragraph import paragraph
from kassay.certify.diff.document import TargetDifference, is_difference
from kassay.certify.diff.replay import read_difference
from kassay.certify.runs.replay import load_trace, read_trace
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError, KassayError
from kassay.model.kinds import Kind, every_kind
from kassay.model.trace import CONDITIONS, Trace
from kassay.properties.promises import claim_of, promise, require_claims
from kassay.properties.registry import Claim, is_sentence, load_claims, situations_of
from kassay.reading.documents import read_json
from kassay.reading.paths import is_file

SCHEMA: Final = "kassay/explain/7"


def explain(what: str) -> dict[str, Any]:
    """The explanation of a claim by its id, of a trace by its path, or of a reference by its name.

    Raises `InputError` if it is none of these.
    """
    claim_id = what.partition(":")[0]
    if (rule := registry.find(what)) is not None:
        return _rule(rule)
    if is_sentence(what) and not is_file(what):
        require_claims((what,))
        return _claim(what)
    if any(name == claim_id for _, name in load_claims()):
        return _claim(claim_id)
    if is_file(what):
        return _trace(Path(what))
    raise InputError(
        f"{what!r} is no claim (kassay list claims), no reference (kassay list assignors), "
        "and no file with a trace"
    )


def as_python(path: Path) -> str:
    """The counterexample or the difference in the file as a test; raises `InputError` for what is neither."""
    if is_difference(read_json(path, "a trace")):
        return difference_as_python(path)
    return trace_as_python(path)


def _claims_of(claim_id: str) -> Iterator[tuple[Kind, Claim]]:
    """The claim as each kind has it; a sentence as each kind reads it."""
    if not is_sentence(claim_id):
        yield from ((kind, claim) for (kind, name), claim in load_claims().items() if name == claim_id)
        return
    for kind in every_kind():
        claim = claim_of(kind, claim_id)
        if claim is not None:
            yield kind, claim


def _claim(claim_id: str) -> dict[str, Any]:
    """Every reading of the claim, with what a verdict on it takes."""
    readings: dict[str, dict[str, Any]] = {}
    for kind, claim in _claims_of(claim_id):
        reading = readings.setdefault(
            f"{claim.sentence} {claim.source} {claim.fix}",
            {
                "kinds": [],
                "sentence": claim.sentence,
                "more": "\n".join((claim.predicate.__doc__ or "").strip().splitlines()[1:]).strip(),
                "source": claim.source,
                "fix": claim.fix,
                "held_against": "every target" if claim.validity else "who declares it",
                "looks_at": claim.scope.value,
                "minimum": claim.minimum,
                "argument": None if claim.parameter is None else claim.parameter.default,
                "argument_expected": None if claim.parameter is None else claim.parameter.expected,
                "situations": [],
            },
        )
        reading["kinds"].append(kind.name)
        reading["situations"] += [
            {"id": s.id, "sentence": s.sentence} for s in situations_of(kind) if claim_id in s.required_by
        ]
    declared = [
        spec
        for spec, rule in registry.load_all().items()
        if any(spelled.partition(":")[0] == claim_id for spelled in rule.claims)
    ]
    for reading in readings.values():
        reading["situations"] = list({s["id"]: s for s in reading["situations"]}.values())
    return {
        "schema": SCHEMA,
        "what": "claim",
        "id": claim_id,
        "readings": list(readings.values()),
        "declared_by": declared,
    }


def _trace(path: Path) -> dict[str, Any]:
    """The trace as it was recorded and under what, with the claim that it breaks, or the difference."""
    if is_difference(read_json(path, "a trace")):
        return _difference(path)
    trace = read_trace(path)
    claim = claim_of(trace.kind, trace.claim)
    return {
        "schema": SCHEMA,
        "what": "trace",
        "path": str(path),
        "target": trace.target,
        "protocol": trace.protocol,
        "claim": trace.claim,
        "sentence": None if claim is None else claim.sentence,
        "input": "contradictory" if trace.contradictory else "ordinary",
        "digest": trace.digest,
        "conditions": None if trace.conditions is None else CONDITIONS.write(trace.conditions),
        "versions": dict(trace.versions),
        "seed": trace.seed,
        "index": trace.index,
        "violations": list(trace.violations),
        "happened": _happened(trace.kind, trace.case, path),
        "told": list(trace.narration),
        **_why(trace, claim, path),
    }


def _why(trace: Trace, claim: Claim | None, path: Path) -> dict[str, Any]:
    """The cause in a paragraph and as data; where the target cannot be asked, what the trace says of it."""
    cause, why_not = None, ""
    try:
        cause = cause_of(load_trace(path))
    except KassayError as error:
        why_not = str(error)
    played = cause is not None and cause.breaks
    possible = cause.could_be if cause is not None and played else trace.could_be
    return {
        "paragraph": paragraph(trace, claim, cause, why_not),
        "cause": None if cause is None else cause.to_json(),
        "not_played": why_not or None,
        "fix": None if claim is None else claim.fix,
        "broken": list(cause.broken if cause is not None and played else trace.broken),
        "could_be": possible,
    }


def _difference(path: Path) -> dict[str, Any]:
    """The difference as it was recorded, and under what."""
    difference = read_difference(path)
    document = difference.to_json()
    return {
        "schema": SCHEMA,
        "what": "difference",
        "path": str(path),
        "left": difference.left.target,
        "right": difference.right.target,
        "sides": [document["left"], document["right"]],
        "conditions": document["conditions"],
        "seed": difference.seed,
        "index": difference.index,
        "by": difference.by.value,
        "lead": difference.lead.value,
        "input": "contradictory" if difference.contradictory else "ordinary",
        "lines": list(difference.lines),
        "happened": _happened(difference.kind, difference.case, path),
        "told": list(difference.narration),
        **_why_different(difference, path),
    }


def _why_different(difference: TargetDifference, path: Path) -> dict[str, Any]:
    """What matters in a paragraph and as data; where one of the two cannot be asked, why not."""
    cause, why_not = None, ""
    try:
        cause = cause_of_difference(difference, path)
    except KassayError as error:
        why_not = str(error)
    return {
        "paragraph": paragraph_of_difference(difference, cause, why_not),
        "cause": None if cause is None else cause.to_json(),
        "not_played": why_not or None,
    }


def _happened(kind: Kind, case: Mapping[str, Any], path: Path) -> list[list[Mapping[str, Any]]]:
    """The events of a history as its document has them, change by change; none of what is no history.

    Raises `InputError` for a case that is none of its kind.
    """
    form = driver_for(kind).form
    changes = form.write(form.read(case, f"{path}: case")).get("changes") or ()
    return [list(change["events"] if isinstance(change, Mapping) else change) for change in changes]


def _rule(rule: registry.Reference) -> dict[str, Any]:
    """The rule's header, what it declares, and numbers for the rules of consumer groups."""
    header = (sys.modules[rule.factory.__module__].__doc__ or "").strip()
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "what": "rule",
        "id": rule.spec,
        "kind": rule.kind.name,
        "protocol": rule.protocol.value,
        "summary": rule.summary,
        "header": header,
        "source": rule.source,
        "declares": [
            {"id": spelled, "sentence": promise(spelled, rule.kind).claim.sentence} for spelled in rule.claims
        ],
    }
    if rule.kind.certified:
        document.update(driver_for(rule.kind).figures(rule))
    return document
