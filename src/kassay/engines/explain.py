"""Explains a claim, a trace or a rule in words; a rule also with figures from a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from kassay.assignors import registry
from kassay.engines.causes.as_python import trace_as_python
from kassay.engines.causes.cause import (
    Cause,
    Remedy,
    cause_of,
    cause_of_difference,
    difference_as_python,
    paragraph,
    paragraph_of_difference,
    remedy,
)
from kassay.engines.diff.document import TargetDifference, is_difference
from kassay.engines.diff.replay import read_difference
from kassay.engines.runs.replay import load_trace, read_trace
from kassay.kinds.broken import Guilt
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.measures import Growth, Leaving, RuleFigures
from kassay.kinds.registry import driver_for
from kassay.kinds.views import frames_of
from kassay.model.errors import InputError, KassayError
from kassay.model.kinds import Kind, every_kind
from kassay.model.trace import CONDITIONS, Trace
from kassay.properties.claims import claim_kind_of, parse_claim, require_claims
from kassay.properties.registry import ClaimKind, Situation, is_sentence, load_claims, situations_of
from kassay.reading.documents import is_file, read_json, suggestion

SCHEMA: Final = "kassay/explain/7"


@dataclass(frozen=True)
class ClaimReading:
    """A claim as some kinds of targets read it: in words, with what a verdict requires.

    `argument` is the default argument of the claim, None for a claim without one.
    """

    kinds: tuple[Kind, ...]
    sentence: str
    more: str
    source: str
    fix: str
    held_against: str
    looks_at: str
    minimum: int
    argument: str | None
    argument_expected: str | None
    situations: tuple[Situation, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The reading as an explanation has it."""
        situations = [{"id": each.id, "sentence": each.sentence} for each in self.situations]
        return {**vars(self), "kinds": [kind.name for kind in self.kinds], "situations": situations}


@dataclass(frozen=True)
class ClaimExplanation:
    """A claim explained; `declared_by` are the references that declare it."""

    id: str
    readings: tuple[ClaimReading, ...]
    declared_by: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explain/7`."""
        return {
            "schema": SCHEMA,
            "what": "claim",
            "id": self.id,
            "readings": [reading.to_json() for reading in self.readings],
            "declared_by": list(self.declared_by),
        }


@dataclass(frozen=True)
class TraceExplanation:
    """A trace explained: `cause` comes from replaying it now, or is None with the reason for that.

    `broken` and `could_be` are those of the replay, or the recorded ones.
    """

    path: str
    trace: Trace
    claim: ClaimKind | None
    paragraph: str
    cause: Cause | None
    why_not: str

    @property
    def _played(self) -> Cause | None:
        return self.cause if self.cause is not None and self.cause.breaks else None

    @property
    def broken(self) -> tuple[Mapping[str, Any], ...]:
        """Where the claim is violated, as in a trace."""
        return self.trace.broken if self._played is None else self._played.broken

    @property
    def remedy(self) -> Remedy | None:
        """What a fix must do; None for an unknown claim."""
        return None if self.claim is None else remedy(self.claim, next(iter(self.broken), None))

    @property
    def could_be(self) -> Mapping[str, Any] | None:
        """The answer that could have been, as in a trace."""
        return self.trace.could_be if self._played is None else self._played.could_be

    @property
    def happened(self) -> list[tuple[str, ...]]:
        """The events of each change of the history, in words."""
        return _sentences(self.trace.kind, self.trace.case)

    @property
    def frames(self) -> list[Frame]:
        """The steps."""
        trace = self.trace
        return frames_of(
            trace.kind, trace.narration, trace.case, trace.violations, self.broken, self.could_be
        )

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explain/7`."""
        trace = self.trace
        return {
            "schema": SCHEMA,
            "what": "trace",
            "path": self.path,
            "target": trace.target,
            "protocol": trace.protocol,
            "claim": trace.claim,
            "sentence": None if self.claim is None else self.claim.sentence,
            "input": "contradictory" if trace.contradictory else "ordinary",
            "digest": trace.digest,
            "conditions": CONDITIONS.write(trace.conditions),
            "versions": dict(trace.versions),
            "seed": trace.seed,
            "index": trace.index,
            "violations": list(trace.violations),
            "happened": _happened(trace.kind, trace.case, self.path),
            "narration": list(trace.narration),
            "paragraph": self.paragraph,
            "cause": None if self.cause is None else self.cause.to_json(),
            "not_played": self.why_not or None,
            "fix": None if self.remedy is None else self.remedy.text,
            "fix_is_derived": self.remedy is not None and self.remedy.is_derived,
            "broken": list(self.broken),
            "could_be": self.could_be,
            "repeated": None if trace.repeated is None else trace.repeated._asdict(),
        }


@dataclass(frozen=True)
class DifferenceExplanation:
    """A difference explained: `cause` comes from replaying it now, or is None with the reason for that."""

    path: str
    difference: TargetDifference
    paragraph: str
    cause: Cause | None
    why_not: str

    @property
    def happened(self) -> list[tuple[str, ...]]:
        """The events of each change of the history, in words."""
        return _sentences(self.difference.kind, self.difference.case)

    @property
    def frames(self) -> list[Frame]:
        """The steps of the leading target."""
        difference = self.difference
        return frames_of(difference.kind, difference.narration, difference.case)

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explain/7`."""
        difference = self.difference
        document = difference.to_json()
        return {
            "schema": SCHEMA,
            "what": "difference",
            "path": self.path,
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
            "happened": _happened(difference.kind, difference.case, self.path),
            "narration": list(difference.narration),
            "paragraph": self.paragraph,
            "cause": None if self.cause is None else self.cause.to_json(),
            "not_played": self.why_not or None,
        }


@dataclass(frozen=True)
class RuleExplanation:
    """A rule explained: its header, the claims that it declares, and figures from a run if there are any."""

    rule: registry.Reference
    growth: tuple[Growth, ...] = ()
    leaving: tuple[Leaving, ...] = ()

    @property
    def header(self) -> str:
        """The module docstring of its file."""
        return (sys.modules[self.rule.factory.__module__].__doc__ or "").strip()

    @property
    def declares(self) -> tuple[tuple[str, str], ...]:
        """The declared claims, as they are spelled, each with its sentence."""
        return tuple(
            (spelled, parse_claim(spelled, self.rule.kind).kind.sentence) for spelled in self.rule.claims
        )

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/explain/7`."""
        rule = self.rule
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "what": "rule",
            "id": rule.spec,
            "kind": rule.kind.name,
            "protocol": rule.protocol.value,
            "summary": rule.summary,
            "header": self.header,
            "source": rule.source,
            "declares": [{"id": spelled, "sentence": sentence} for spelled, sentence in self.declares],
        }
        if self.growth:
            document["growth"] = [{**asdict(row), "loads": list(row.loads)} for row in self.growth]
            document["leaving"] = [asdict(row) for row in self.leaving]
        return document


Explanation: TypeAlias = ClaimExplanation | TraceExplanation | DifferenceExplanation | RuleExplanation


def explain(what: str) -> Explanation:
    """The explanation of a claim by its id, of a trace by its path, or of a reference by its name.

    Raises `InputError` for anything else.
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
    known = [*registry.load_all(), *(name for _, name in load_claims())]
    raise InputError(
        f"found {what!r}, expected a claim (kassay list claims), a reference (kassay list assignors), "
        f"or a file with a trace{suggestion(claim_id, known)}"
    )


def as_python(path: Path) -> str:
    """The counterexample or the difference in the file as a test; raises `InputError` for any other file."""
    if is_difference(read_json(path, "a trace")):
        return difference_as_python(path)
    return trace_as_python(path)


def _claims_of(claim_id: str) -> Iterator[tuple[Kind, ClaimKind]]:
    """The claim as each kind has it; a sentence as each kind reads it."""
    if not is_sentence(claim_id):
        yield from ((kind, claim) for (kind, name), claim in load_claims().items() if name == claim_id)
        return
    for kind in every_kind():
        claim = claim_kind_of(kind, claim_id)
        if claim is not None:
            yield kind, claim


def _claim(claim_id: str) -> ClaimExplanation:
    """Every reading of the claim, with what a verdict on it requires."""
    readings: dict[str, ClaimReading] = {}
    for kind, claim in _claims_of(claim_id):
        key = f"{claim.sentence} {claim.source} {claim.fix}"
        reading = readings.get(key) or _reading(claim)
        required = (each for each in situations_of(kind) if claim_id in each.required_by)
        situations = {each.id: each for each in (*reading.situations, *required)}
        readings[key] = replace(reading, kinds=(*reading.kinds, kind), situations=tuple(situations.values()))
    declared = tuple(
        spec
        for spec, rule in registry.load_all().items()
        if any(spelled.partition(":")[0] == claim_id for spelled in rule.claims)
    )
    return ClaimExplanation(claim_id, tuple(readings.values()), declared)


def _reading(claim: ClaimKind) -> ClaimReading:
    """The claim in words, before any kind reads it."""
    return ClaimReading(
        kinds=(),
        sentence=claim.sentence,
        more="\n".join((claim.predicate.__doc__ or "").strip().splitlines()[1:]).strip(),
        source=claim.source,
        fix=claim.fix,
        held_against="every target" if claim.validity else "who declares it",
        looks_at=claim.scope.value,
        minimum=claim.minimum,
        argument=None if claim.parameter is None else claim.parameter.default,
        argument_expected=None if claim.parameter is None else claim.parameter.expected,
    )


def _trace(path: Path) -> TraceExplanation | DifferenceExplanation:
    """The recorded trace with its conditions and the violated claim, or the difference."""
    if is_difference(read_json(path, "a trace")):
        return _difference(path)
    trace = read_trace(path)
    driver_for(trace.kind).form.read(trace.case, f"{path}: case")
    claim = claim_kind_of(trace.kind, trace.claim)
    cause, why_not = None, ""
    try:
        cause = cause_of(load_trace(path))
    except KassayError as error:
        why_not = str(error)
    return TraceExplanation(str(path), trace, claim, paragraph(trace, claim, cause, why_not), cause, why_not)


def _difference(path: Path) -> DifferenceExplanation:
    """The recorded difference with what matters in it, or why one of the two targets cannot be called."""
    difference = read_difference(path)
    driver_for(difference.kind).form.read(difference.case, f"{path}: case")
    cause, why_not = None, ""
    try:
        cause = cause_of_difference(difference, path)
    except KassayError as error:
        why_not = str(error)
    words = paragraph_of_difference(difference, cause, why_not)
    return DifferenceExplanation(str(path), difference, words, cause, why_not)


def _happened(kind: Kind, case: Mapping[str, Any], path: str) -> list[list[Mapping[str, Any]]]:
    """The events of a history as its document has them, change by change; empty for a case without events.

    Raises `InputError` for a case that its kind does not accept.
    """
    form = driver_for(kind).form
    changes = form.write(form.read(case, f"{path}: case")).get("changes") or ()
    return [list(change["events"] if isinstance(change, Mapping) else change) for change in changes]


def _sentences(kind: Kind, case: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return Reported((), case, Guilt()).happened(driver_for(kind).event_sentence)


def _rule(rule: registry.Reference) -> RuleExplanation:
    """The rule, with the figures of its kind."""
    figures = driver_for(rule.kind).figures(rule) if rule.kind.certified else RuleFigures()
    return RuleExplanation(rule, figures.growth, figures.leaving)
