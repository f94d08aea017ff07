"""The facts of a certificate in the words that all reports share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kassay.engines.causes.cause import remedy
from kassay.engines.diff.document import TargetDifference
from kassay.engines.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.surroundings import CALLED, Surroundings, clock_words
from kassay.model.trace import Conditions, Trace
from kassay.properties.claims import claim_kind_of
from kassay.properties.registry import situations_of
from kassay.writing.text import counted, series, shell_command, shortened


def played(certificate: Certificate) -> str:
    """What was played, and for how long."""
    nouns = certificate.kind.nouns
    cases, calls = certificate.histories, certificate.rebalances
    counts = [f"{cases:,} {nouns.case if cases == 1 else nouns.cases}"]
    counts += [f"{calls:,} {nouns.call if calls == 1 else nouns.calls}"] if nouns.call else []
    return (
        f"{certificate.protocol}, profile {certificate.profile}, seed {certificate.seed}, "
        f"{', '.join(counts)}, {certificate.elapsed_s:.1f} s"
    )


def run_facts(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    """The same as names with their values, and how many of the built-in faulty targets were caught."""
    nouns, counts = certificate.kind.nouns, certificate.controls
    rows = [(nouns.cases, f"{certificate.histories:,}")]
    rows += [(nouns.calls, f"{certificate.rebalances:,}")] if nouns.call else []
    rows += [
        ("seed", str(certificate.seed)),
        ("protocol", str(certificate.protocol)),
        ("profile", certificate.profile),
        ("time", f"{certificate.elapsed_s:.1f} s"),
    ]
    if counts.get("of") or counts.get("unknown"):
        rows.append(("faulty targets caught", f"{counts['caught']} of {counts['of']}"))
    return tuple(rows)


def mark(result: ClaimResult) -> str:
    """The verdict in a word; `known` for an accepted finding."""
    return result.verdict.value if result.known is None else "known"


def reason(result: ClaimResult) -> str:
    """Why the verdict is what it is, and why the finding was accepted."""
    return result.why + (f"; accepted: {result.known}" if result.known is not None else "")


def judged(results: Iterable[ClaimResult]) -> list[tuple[ClaimResult, str, str]]:
    """Every claim with its mark and its reason."""
    return [(result, mark(result), reason(result)) for result in results]


def findings(certificate: Certificate) -> list[ClaimResult]:
    """The claims with a counterexample: those on ordinary input first, then the most frequent."""
    pairs = [(each, each.counterexample) for each in certificate.claims]
    shown = [(each, example) for each, example in pairs if example is not None]
    shown.sort(key=lambda pair: (pair[1].trace.contradictory, -pair[0].failed))
    return [each for each, _ in shown]


def sentence(certificate: Certificate) -> str:
    """What the target violates, with the sizes of the counterexamples, or what is unknown, in one line."""
    target = shortened(certificate.target)
    shown = findings(certificate)
    rest = [each for each in certificate.claims if each.verdict is Verdict.VIOLATED and each not in shown]
    violated = [each.id + _short_size(each) for each in (*shown, *rest) if each.known is None]
    if violated:
        return f"{target} breaks {', '.join(violated)}"
    unknown = [each.id for each in certificate.claims if each.verdict is Verdict.UNKNOWN]
    why = series(unknown) if unknown else coverage(certificate)
    return f"{target} is {certificate.verdict}" + (f": {why}" if why else "")


def _short_size(result: ClaimResult) -> str:
    return "" if result.counterexample is None else f" ({size(result.counterexample).partition(';')[0]})"


def size(example: Counterexample) -> str:
    """How small the smallest case is, in the words of its kind, and on what input it violates the claim."""
    nouns = example.trace.kind.nouns
    counts = [(example.members, nouns.who), (example.partitions, nouns.what)]
    counts += [(example.events, nouns.event)] if example.events else []
    return (
        f"{', '.join(counted(number, noun) for number, noun in counts if noun)}; "
        f"{'conflicting' if example.trace.contradictory else 'ordinary'} input{_again(example.trace)}"
    )


EVENTS_SHOWN: Final = 32


def happened(events: Sequence[str]) -> str:
    """What happened before a round; of very many events the first ones, and how many more there are."""
    more = [f"and {len(events) - EVENTS_SHOWN} more"] if len(events) > EVENTS_SHOWN else []
    return f"before it: {'; '.join([*events[:EVENTS_SHOWN], *more])}"


def evidence_of(trace: Trace) -> str:
    """The sentence of the first piece of evidence; without one, of the first violation."""
    if trace.broken:
        return str(trace.broken[0]["words"])
    return next(iter(trace.violations), "").partition(": ")[2]


def remedy_of(trace: Trace, claim_id: str) -> str:
    """What a fix of a target that violates the claim must do, as a sentence; empty for an unknown claim."""
    claim = claim_kind_of(trace.kind, claim_id)
    return "" if claim is None else remedy(claim, next(iter(trace.broken), None)).sentence


def _again(trace: Trace) -> str:
    """How often the claim was violated when the case was played again, unless it always was."""
    return "" if trace.repeated is None else f"; replayed, violated {trace.repeated}"


def replay_command(example: Counterexample | None) -> str:
    """The command that replays the history; empty if it was not saved."""
    return (
        "" if example is None or example.path is None else shell_command(("kassay", "replay", example.path))
    )


def conditions(trace: Trace) -> list[str]:
    """The conditions under which the trace was recorded and is replayed, one line each."""
    lines = [_recorded(trace.target, trace.protocol, trace.digest), *_kept(trace.conditions)]
    return [*lines, *_history(trace.seed, trace.index), *_versions(trace.versions)]


def conditions_of_both(difference: TargetDifference) -> list[str]:
    """The conditions under which the difference was recorded, one line each, with those of each side."""
    lines = []
    for side in (difference.left, difference.right):
        lines += [_recorded(side.target, side.protocol, side.digest), *_versions(side.versions)]
    return [*lines, *_kept(difference.conditions), *_history(difference.seed, difference.index)]


def _recorded(target: str, protocol: RebalanceProtocol, digest: str | None) -> str:
    source = "" if digest is None else f", source SHA-256 {digest}"
    return f"recorded against {target}, {protocol}{source}"


def _kept(conditions: Conditions) -> Iterator[str]:
    config = ", ".join(f"{key}={value}" for key, value in sorted(conditions.config.items()))
    place = "kassay's own process" if conditions.in_process else "a child process"
    seed = "unknown" if conditions.hash_seed is None else conditions.hash_seed
    yield f"configuration: {config or 'none'}"
    yield f"limits: {conditions.call_timeout_s:g} s per call, {conditions.memory_mib} MiB"
    yield f"the target's code runs in {place}, hash seed {seed}"
    yield f"assumptions about inputs: {', '.join(conditions.assume) or 'none'}"
    for surroundings in conditions.surroundings:
        yield f"in a process with: {_process_facts(surroundings)}"
    if conditions.before is not None:
        yield f"one object for all calls, after {counted(len(conditions.before), 'other case')}"
    if conditions.also_checked:
        yield f"also checked: {', '.join(conditions.also_checked)}"


def _process_facts(surroundings: Surroundings) -> str:
    """The surroundings of a process, as far as they differ from kassay's own."""
    facts = surroundings.to_json()
    if surroundings.variables is not None:
        facts["variables"] = f"{len(surroundings.variables)} of its own"
    for name in ("clock", "modified"):
        if name in facts:
            facts[name] = clock_words(facts[name])
    return ", ".join(f"{CALLED[name]} {value}" for name, value in facts.items()) or "kassay's own"


def _history(seed: int | None, index: int | None) -> list[str]:
    return [] if seed is None else [f"history {index} of the run with seed {seed}"]


def _versions(versions: Mapping[str, str]) -> list[str]:
    named = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    return [f"versions: {named}"] if named else []


def interrupted(certificate: Certificate) -> str:
    """That the run was interrupted, and when; empty for a complete run."""
    if not certificate.interrupted:
        return ""
    return f"interrupted after {counted(certificate.histories, certificate.kind.nouns.case)}"


def narrowed_by(settings: Sequence[str]) -> str:
    """The settings of a file that narrowed the run; empty if none did."""
    return f"narrowed by pyproject.toml: {', '.join(settings)}" if settings else ""


def unreached(certificate: Certificate) -> str:
    """The situations that were never reached; empty if all were."""
    return ", ".join(name for name, count in certificate.reached.items() if not count)


DIMENSIONS_SHOWN: Final = 4
CLASSES_SHOWN: Final = 3
"""The largest number of missing classes that a line lists of one dimension."""


def coverage(certificate: Certificate) -> str:
    """How much of the wide input was checked, in one line; empty where nothing is to be covered."""
    dimensions = certificate.coverage
    if not dimensions:
        return ""
    done = sum(len(each.covered) for each in dimensions)
    missing = sum(len(each.missing) for each in dimensions)
    silent = sum(len(each.silent) for each in dimensions)
    unsaid = f"; no claim of the run applies to {silent} more" if silent else ""
    return f"{done} of {done + missing} classes of input in {counted(len(dimensions), 'dimension')}{unsaid}"


def uncovered(certificate: Certificate) -> str:
    """The dimensions with missing classes, with the first of those; empty if all are covered."""
    missing = [
        f"{each.id} ({', '.join(each.missing[:CLASSES_SHOWN])}"
        + (f" and {more} more)" if (more := len(each.missing) - CLASSES_SHOWN) > 0 else ")")
        for each in certificate.uncovered
    ]
    if (more := len(missing) - DIMENSIONS_SHOWN) > 0:
        missing[DIMENSIONS_SHOWN:] = [f"and {counted(more, 'more dimension')}"]
    return "; ".join(missing)


def missed_environments(certificate: Certificate) -> str:
    """The parts of the environment that the run was too short to change; empty if there are none."""
    return ", ".join(certificate.environment.missed)


def lacking_environments(certificate: Certificate) -> str:
    """What this machine has no means to change in the environment; empty if nothing."""
    return ", ".join(certificate.environment.lacking)


def controls(certificate: Certificate) -> str:
    """How many of the built-in faulty assignors the same budget caught; empty if none was tried."""
    counts = certificate.controls
    if not (counts.get("of") or counts.get("unknown")):
        return ""
    text = f"{counts['caught']} of {counts['of']} built-in faulty assignors caught"
    if counts.get("unknown"):
        text += f", {counts['unknown']} not run for lack of time"
    if counts.get("missed"):
        text += f"; missed: {', '.join(counts['missed'])}"
    if counts.get("unproven"):
        text += f"; without a caught control: {', '.join(counts['unproven'])}"
    return text


def _lacking(certificate: Certificate) -> list[str]:
    """The situations that were never reached although a checked claim needs them."""
    never = {name for name, count in certificate.reached.items() if not count}
    judged, assume = [c.id.partition(":")[0] for c in certificate.claims], frozenset(certificate.assume)
    return [
        each.id
        for each in (situations_of(certificate.kind) if never else ())
        if each.id in never and any(each.is_required(claim, assume) for claim in judged)
    ]


def warnings(certificate: Certificate) -> list[str]:
    """What could make a pass mean less than it seems to, one line each; empty if nothing does."""
    counts = certificate.controls
    unknown = (
        [] if certificate.interrupted else [c.id for c in certificate.claims if c.verdict is Verdict.UNKNOWN]
    )
    undecided = f"{len(unknown)} claims" if len(unknown) > 5 else ", ".join(unknown)
    narrowed, never = ", ".join(certificate.assume), ", ".join(_lacking(certificate))
    holding = [c.id.partition(":")[0] for c in certificate.claims if c.verdict is Verdict.HOLDS]
    unproven = ", ".join(each for each in counts.get("unproven") or () if each in holding)
    missed = ", ".join(counts.get("missed") or ())
    scope = certificate.budget.get("exhaustive")
    templates = (
        (interrupted(certificate), "{}: nothing is certified"),
        (undecided, "unknown: {}" + ("" if scope else "; a larger --time or --histories may decide")),
        (
            uncovered(certificate)
            if certificate.verdict == "unknown" and not certificate.interrupted
            else "",
            "not covered: {}; a larger --time or --histories covers more, --assume excludes a dimension",
        ),
        (
            "" if certificate.interrupted else missed_environments(certificate),
            "environment not covered: {}; a larger --time or --histories covers more",
        ),
        (narrowed_by(certificate.narrowed_by), "{}; the rest was not checked"),
        (narrowed, "assumptions about inputs: {}; other inputs were not checked"),
        (never, "never reached: {}"),
        (missed, "built-in faulty assignors that were not caught: {}"),
        (unproven, "no built-in faulty assignor was caught that breaks: {}"),
        (counts.get("unknown"), "built-in faulty assignors not run for lack of time: {}"),
    )
    return [text.format(value) for value, text in templates if value] + list(certificate.notes)


class NotLoaded(NamedTuple):
    """A target that could not be loaded, and why: every report lists it."""

    target: str
    why: str
