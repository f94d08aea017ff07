"""A claim, a trace or a rule explained: in words, and a rule in numbers from a run as well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from kassay.assignors import registry
from kassay.certify.causes.as_python import trace_as_python
from kassay.certify.causes.cause import Cause, cause_of
from kassay.certify.causes.difference import (
    cause_of_difference,
    difference_as_python,
    paragraph_of_difference,
)
from kassay.certify.causes.paragraph import paragraph
from kassay.certify.diff.document import TargetDifference, is_difference
from kassay.certify.diff.replay import read_difference
from kassay.certify.processes.host import START
from kassay.certify.runs.replay import load_trace, read_trace
from kassay.certify.targets.local import OwnClass
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.marks import Guilt
from kassay.kinds.registry import driver_for
from kassay.kinds.views import frames_of
from kassay.model.cluster import Cluster, Topic
from kassay.model.errors import InputError, KassayError
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.model.groups.metrics import moved
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced
from kassay.model.kinds import Kind, every_kind
from kassay.model.trace import CONDITIONS, Trace
from kassay.properties.registry import (
    Claim,
    Situation,
    claim_of,
    is_sentence,
    load_claims,
    promise,
    require_claims,
    situations_of,
)
from kassay.reading.documents import read_json
from kassay.reading.paths import is_file

SCHEMA: Final = "kassay/explain/7"
MEMBERS: Final = ("C0", "C1", "C2")
COMPARED: Final = ("range", "roundrobin", "sticky", "cooperative-sticky", "optimal-sticky")
"""The rules beside which a rule is shown."""

TOPICS_MAX: Final = 12
PARTITIONS: Final = 4


@dataclass(frozen=True)
class Growth:
    """What each member has once so many topics of four partitions are read, and how far apart they are."""

    topics: int
    loads: tuple[int, ...]
    spread: int
    others: Mapping[str, int]


@dataclass(frozen=True)
class Leaving:
    """What moves by each rule when the second of three members leaves.

    `needed` are the partitions that it leaves behind, `moved` all that have another owner afterwards.
    """

    topics: int
    partitions: int
    needed: Mapping[str, int]
    moved: Mapping[str, int]


@dataclass(frozen=True)
class ClaimReading:
    """A claim as kinds of targets read it: in words, with what a verdict takes, and what must have come up.

    `argument` is what it is checked with unless another is given, None for a claim that takes none.
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
        """As it stands in an explanation."""
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
    """A trace explained: `cause` from playing it now, None with the reason where that cannot be done.

    `broken` and `could_be` are those of the play, or the recorded ones.
    """

    path: str
    trace: Trace
    claim: Claim | None
    paragraph: str
    cause: Cause | None
    why_not: str

    @property
    def _played(self) -> Cause | None:
        return self.cause if self.cause is not None and self.cause.breaks else None

    @property
    def broken(self) -> tuple[Mapping[str, Any], ...]:
        """Where the claim is broken, as in a trace."""
        return self.trace.broken if self._played is None else self._played.broken

    @property
    def could_be(self) -> Mapping[str, Any] | None:
        """What the answer could have been, as in a trace."""
        return self.trace.could_be if self._played is None else self._played.could_be

    @property
    def happened(self) -> list[tuple[str, ...]]:
        """The events of each change of the history, in words."""
        return _sentences(self.trace.kind, self.trace.case)

    @property
    def frames(self) -> list[Frame]:
        """What happened, step by step."""
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
            "conditions": None if trace.conditions is None else CONDITIONS.write(trace.conditions),
            "versions": dict(trace.versions),
            "seed": trace.seed,
            "index": trace.index,
            "violations": list(trace.violations),
            "happened": _happened(trace.kind, trace.case, self.path),
            "told": list(trace.narration),
            "paragraph": self.paragraph,
            "cause": None if self.cause is None else self.cause.to_json(),
            "not_played": self.why_not or None,
            "fix": None if self.claim is None else self.claim.fix,
            "broken": list(self.broken),
            "could_be": self.could_be,
        }


@dataclass(frozen=True)
class DifferenceExplanation:
    """A difference explained: `cause` from playing it now, None with the reason where that cannot be done."""

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
        """What happened to the target that leads, step by step."""
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
            "told": list(difference.narration),
            "paragraph": self.paragraph,
            "cause": None if self.cause is None else self.cause.to_json(),
            "not_played": self.why_not or None,
        }


@dataclass(frozen=True)
class RuleExplanation:
    """A rule explained: its header, what it declares, and numbers from a run where there are any."""

    rule: registry.Reference
    growth: tuple[Growth, ...] = ()
    leaving: tuple[Leaving, ...] = ()

    @property
    def header(self) -> str:
        """What its file says of it."""
        return (sys.modules[self.rule.factory.__module__].__doc__ or "").strip()

    @property
    def declares(self) -> tuple[tuple[str, str], ...]:
        """The claims that it declares, as they are spelled, each with its sentence."""
        return tuple(
            (spelled, promise(spelled, self.rule.kind).claim.sentence) for spelled in self.rule.claims
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
            document["growth"] = [asdict(row) for row in self.growth]
            document["leaving"] = [asdict(row) for row in self.leaving]
        return document


Explanation: TypeAlias = ClaimExplanation | TraceExplanation | DifferenceExplanation | RuleExplanation


def explain(what: str) -> Explanation:
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


def _claim(claim_id: str) -> ClaimExplanation:
    """Every reading of the claim, with what a verdict on it takes."""
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


def _reading(claim: Claim) -> ClaimReading:
    """The claim in words, as no kind reads it yet."""
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
    """The trace as it was recorded and under what, with the claim that it breaks, or the difference."""
    if is_difference(read_json(path, "a trace")):
        return _difference(path)
    trace = read_trace(path)
    driver_for(trace.kind).form.read(trace.case, f"{path}: case")
    claim = claim_of(trace.kind, trace.claim)
    cause, why_not = None, ""
    try:
        cause = cause_of(load_trace(path))
    except KassayError as error:
        why_not = str(error)
    return TraceExplanation(str(path), trace, claim, paragraph(trace, claim, cause, why_not), cause, why_not)


def _difference(path: Path) -> DifferenceExplanation:
    """The difference as it was recorded, with what matters in it; or why one of the two cannot be asked."""
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
    """The events of a history as its document has them, change by change; none of what is no history.

    Raises `InputError` for a case that is none of its kind.
    """
    form = driver_for(kind).form
    changes = form.write(form.read(case, f"{path}: case")).get("changes") or ()
    return [list(change["events"] if isinstance(change, Mapping) else change) for change in changes]


def _sentences(kind: Kind, case: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return Reported((), case, Guilt()).happened(driver_for(kind).event_sentence)


def _rule(rule: registry.Reference) -> RuleExplanation:
    """The rule, with numbers for rules of consumer groups."""
    if rule.kind in CONSUMER_GROUPS and "active-passive" not in rule.claims:
        return RuleExplanation(rule, tuple(growth(rule)), tuple(leaving(rule)))
    return RuleExplanation(rule)


def growth(subject: registry.Reference, topics_max: int = TOPICS_MAX) -> list[Growth]:
    """How far apart three members are with 1, 2, ... topics of four partitions, from a run of each rule."""
    rows = []
    for count in range(1, topics_max + 1):
        loads = _loads(subject, count)
        others = {rule.spec: _spread(_loads(rule, count)) for rule in _beside(subject)}
        rows.append(Growth(count, loads, _spread(loads), others))
    return rows


def _spread(loads: tuple[int, ...]) -> int:
    return max(loads) - min(loads)


def _beside(rule: registry.Reference) -> list[registry.Reference]:
    known = registry.load_all()
    return [known[name] for name in COMPARED if name != rule.spec]


def _start(topics: int, partitions: int) -> tuple[Cluster, tuple[Join, ...]]:
    """Three members that read all of so many topics."""
    names = [f"t{number:02d}" for number in range(topics)]
    cluster = Cluster(tuple(Topic(name, partitions) for name in names))
    return cluster, tuple(Join(Member(member_id, tuple(names))) for member_id in MEMBERS)


def _loads(rule: registry.Reference, topics: int) -> tuple[int, ...]:
    cluster, joins = _start(topics, PARTITIONS)
    (only,) = _played(rule, History(cluster, (joins,)))
    assignment = only.outcomes[-1].given
    return tuple(len(assignment[member_id]) for member_id in MEMBERS)


def _played(rule: registry.Reference, history: History) -> list[Rebalanced]:
    with OwnClass(rule.factory)(START, apart=False) as host:
        return list(Player(host.new, rule.protocol).play(history))


LEAVING_SIZES: Final = ((1, 3), (1, 9), (2, 2), (3, 4), (5, 7), (10, 10), (4, 100))


def leaving(rule: registry.Reference) -> list[Leaving]:
    """What moves when C1 leaves: topics and partitions as given, from a run of each rule."""
    return [_left(rule, topics, partitions) for topics, partitions in LEAVING_SIZES]


def _left(subject: registry.Reference, topics: int, partitions: int) -> Leaving:
    cluster, joins = _start(topics, partitions)
    history = History(cluster, (joins, (Leave(MEMBERS[1]),)))
    needed, all_moved = {}, {}
    for rule in (subject, *_beside(subject)):
        before, after = _played(rule, history)
        outcome = after.outcomes[-1]
        needed[rule.spec] = len(before.outcomes[-1].given[MEMBERS[1]])
        all_moved[rule.spec] = needed[rule.spec] + len(moved(outcome.given, outcome.previous))
    return Leaving(topics, topics * partitions, needed, all_moved)
