"""Replays a saved trace against its target under its own conditions, unless the user overrides them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from kassay.assignors.registry import recorded
from kassay.engines.findings import broken_and_could_be
from kassay.engines.processes.host import Host, Limits, Start
from kassay.engines.runs.blocks import Bench, Job, of_environments, open_bench
from kassay.engines.runs.counterexamples import versions_of
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.shrink import REPEATS_MAX, STEADY_S, BrokenPlay, frequency, violations_of
from kassay.engines.targets.resolve import Target, resolve
from kassay.kinds.frames import Frame
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.recorded import examined
from kassay.kinds.registry import driver_for
from kassay.kinds.views import frames_of
from kassay.model.calls import Failure
from kassay.model.errors import InputError, KassayError, TargetNotFound, TargetNotLoadable
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.shape.codec import listed
from kassay.model.surroundings import CALLED
from kassay.model.trace import Conditions, Repeated, Trace, trace_of
from kassay.properties.answers import OF_UNANSWERED
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim
from kassay.reading.documents import read_json
from kassay.reading.others import also_is
from kassay.writing.text import counted

SCHEMA: Final = "kassay/replay/3"
EXIT_CODES: Final = {Verdict.HOLDS: 0, Verdict.VIOLATED: 1, Verdict.UNKNOWN: 3}
NO_TARGET: Final = 4
"""The exit code where the target is not at hand, whatever its recorded answers say."""
_UNCHANGED: Final = (
    "nothing that the trace keeps is another now, so what no trace keeps decided: "
    "time, chance, the machine, or what the source imports"
)
AGAIN_S: Final = 3.0
"""How long to play a case again that kept the claim, though its recorded answers violate it."""
_LIKELY: Final = 0.05
"""A fault that kept out of all plays was likely there no more if chance explains that less often."""


@dataclass(frozen=True)
class Instead:
    """The user's overrides of the trace's values: None keeps the value; `config` is set key by key."""

    target: str | None = None
    protocol: RebalanceProtocol | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    in_process: bool | None = None
    call_timeout_s: float | None = None
    memory_mib: int | None = None


@dataclass(frozen=True)
class Playback:
    """A trace with the target to replay it against, and the conditions.

    `overridden` lists the differences that the user requested, one line each; `path` is the trace's file.
    `missing` says why the target is not at hand; empty if it is.
    """

    path: Path
    trace: Trace
    target: Target
    conditions: Conditions
    overridden: tuple[str, ...]
    missing: str = ""

    @property
    def elsewhere(self) -> bool:
        """Whether the target is not the trace's own."""
        return self.target.spec != self.trace.target

    @property
    def restored(self) -> tuple[str, ...]:
        """The trace's non-default conditions that are in force, in words."""
        now, usual = self.conditions, Conditions()
        then = self.trace.conditions
        own = {key: value for key, value in then.config.items() if now.config[key] == value}
        words = [f"config {key}={value}" for key, value in sorted(own.items())]
        if now.call_timeout_s == then.call_timeout_s != usual.call_timeout_s:
            words.append(f"call timeout {now.call_timeout_s:g} s")
        if now.memory_mib == then.memory_mib != usual.memory_mib:
            words.append(f"memory {now.memory_mib} MiB")
        if now.surroundings:
            fields = dict.fromkeys(name for each in now.surroundings for name in each.changed)
            words.append(f"two processes with their own {', '.join(CALLED[name] for name in fields)}")
        if now.before is not None:
            words.append(f"one object for all calls, after {counted(len(now.before), 'other case')}")
        if now.in_process and then.in_process:
            words.append("in kassay's own process")
        if now.assume:
            words.append(f"assuming {', '.join(now.assume)}")
        if now.also_checked:
            words.append(f"also checked: {', '.join(now.also_checked)}")
        return tuple(words)

    @property
    def changes(self) -> tuple[str, ...]:
        """What changed in the target's parts since the trace; empty for another target, or a missing one."""
        if self.elsewhere or self.missing:
            return ()
        trace, target = self.trace, self.target
        source = trace.digest is not None and trace.digest != target.digest
        ours = trace.digest is None or target.digest is None
        made_of = {*dict(target.versions), *(("kassay",) if ours else ())} - {"python"}
        return (*(("its source",) if source else ()), *self._versions(made_of))

    @property
    def not_restored(self) -> tuple[str, ...]:
        """What a replay cannot restore from the trace; empty if it restores everything."""
        if self.elsewhere or self.missing:
            return ()
        python = self._versions({"python"} & dict(self.target.versions).keys())
        unknown = self.conditions.hash_seed is None
        return (*python, *(("the hash seed of kassay's own process",) if unknown else ()))

    def _versions(self, names: set[str]) -> Iterator[str]:
        """The names whose version differs from the trace's; for Python, whose minor version differs."""
        recorded, here = self.trace.versions, versions_of(self.target)
        for name in sorted(names & recorded.keys()):
            then, now = recorded[name], here[name]
            if name == "python":
                then, now = (text.rpartition(".")[0] for text in (then, now))
            if then != now:
                yield f"{name} {recorded[name]}"


@dataclass(frozen=True)
class Replayed:
    """The result of replaying a trace; `why` explains a verdict that one play of the target does not give.

    `broken` and `could_be` are as in a trace. They, the narration and the violations are those of a play of
    the target that violates the claim; if none does, those of the recorded answers. `by_answers` says whether
    the recorded answers violate the claim, None if there are none. `repeated` is how often the target
    violated it in this replay, None if it did in every play, or is not at hand.
    """

    playback: Playback
    verdict: Verdict
    why: str
    violations: tuple[str, ...]
    narration: tuple[Mapping[str, Any], ...]
    broken: tuple[Mapping[str, Any], ...] = ()
    could_be: Mapping[str, Any] | None = None
    by_answers: bool | None = None
    repeated: Repeated | None = None

    @property
    def exit_code(self) -> int:
        """1 while the claim is violated, 0 when it is not, 3 when that is unknown, 4 without a target."""
        return NO_TARGET if self.playback.missing else EXIT_CODES[self.verdict]

    @property
    def frames(self) -> list[Frame]:
        """The steps of this replay."""
        trace = self.playback.trace
        return frames_of(trace.kind, self.narration, trace.case, self.violations, self.broken, self.could_be)

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/replay/3`."""
        conditions = self.playback.conditions
        return {
            "schema": SCHEMA,
            "target": self.playback.target.spec,
            "claim": self.playback.trace.claim,
            "verdict": self.verdict.value,
            "why": self.why,
            "violated": self.verdict is Verdict.VIOLATED,
            "violations": list(self.violations),
            "source_changed": "its source" in self.playback.changes,
            "changes": list(self.playback.changes),
            "conditions": {
                "protocol": self.playback.target.protocol.value,
                "config": dict(conditions.config),
                "call_timeout_s": conditions.call_timeout_s,
                "memory_mib": conditions.memory_mib,
                "in_process": conditions.in_process,
                "assume": list(conditions.assume),
                "also_checked": list(conditions.also_checked),
            },
            "overridden": list(self.playback.overridden),
            "narration": list(self.narration),
            "broken": list(self.broken),
            "could_be": self.could_be,
            "by_answers": self.by_answers,
            "repeated": None if self.repeated is None else self.repeated._asdict(),
            "missing": self.playback.missing or None,
        }


def read_trace(path: Path) -> Trace:
    """The trace in the file, its target as the user wrote it; raises `InputError` for an invalid trace."""
    return trace_from(read_json(path, "a trace"), path)


def trace_from(document: Any, path: Path) -> Trace:
    """As `read_trace`, for a document that is already read; `path` is its file."""
    try:
        trace = trace_of(document, str(path))
    except InputError as error:
        raise InputError(f"{error}{also_is(document)}") from None
    trace = replace(trace, target=recorded(trace.target))
    listed(driver_for(trace.kind).narration).read(list(trace.narration), f"{path}: narration")
    try:
        parse_assumptions(list(trace.conditions.assume))
    except InputError as error:
        raise InputError(f"{path}: conditions.assume: {error}") from None
    return trace


def load_trace(path: Path, instead: Instead = Instead()) -> Playback:
    """The trace, the target to replay it against, and its conditions with the user's overrides.

    A trace with answers is replayed by these where its own target is not at hand. Raises `InputError` for a
    file that is no trace, `TargetNotFound` and `TargetNotLoadable`.
    """
    return played_back(read_trace(path), path, instead)


def played_back(trace: Trace, path: Path, instead: Instead = Instead()) -> Playback:
    """As `load_trace`, for a trace that is already read; `path` is its file."""
    try:
        return playback_of(trace, path, instead)
    except (TargetNotFound, TargetNotLoadable) as error:
        if not trace.answers or instead != Instead():
            raise
        target = Target(trace.target, trace.target, trace.kind, _Missing(error), trace.protocol)
        return Playback(path, trace, target, trace.conditions, (), str(error))


@dataclass(frozen=True)
class _Missing:
    """Opens nothing: raises the error with which the target could not be loaded."""

    error: KassayError
    repeats: bool = True

    def __call__(self, start: Start, *, apart: bool) -> Host:  # noqa: ARG002 (the signature of an opener)
        """Raises the error."""
        raise self.error


def playback_of(trace: Trace, path: Path, instead: Instead = Instead()) -> Playback:
    """As `played_back`, but not by recorded answers alone.

    Raises `InputError`, `TargetNotFound` and `TargetNotLoadable`.
    """
    recorded = trace.conditions
    conditions = Conditions(
        config={**recorded.config, **instead.config},
        call_timeout_s=instead.call_timeout_s or recorded.call_timeout_s,
        memory_mib=instead.memory_mib or recorded.memory_mib,
        in_process=recorded.in_process if instead.in_process is None else instead.in_process,
        assume=recorded.assume,
        also_checked=recorded.also_checked,
        hash_seed=recorded.hash_seed,
        surroundings=recorded.surroundings,
        before=recorded.before,
    )
    spec = instead.target or trace.target
    own_protocol = trace.protocol if spec == trace.target and trace.kind.chosen else None
    target = resolve(
        spec,
        in_process=conditions.in_process,
        limits=Limits(conditions.call_timeout_s, conditions.memory_mib),
        config=conditions.config,
        protocol=instead.protocol or own_protocol,
    )
    if target.kind != trace.kind:
        raise InputError(f"{path}: recorded for kind {trace.kind}, {target.spec} is of kind {target.kind}")
    if spec == trace.target:
        target = replace(target, assumes=())
    overridden = tuple(_overridden(trace, recorded, target, conditions))
    return Playback(path, trace, target, conditions, overridden)


def _overridden(trace: Trace, then: Conditions, target: Target, now: Conditions) -> Iterator[str]:
    """The differences from the trace's conditions, one line each."""
    if target.spec != trace.target:
        yield f"target {target.spec} instead of {trace.target}"
    if target.protocol is not trace.protocol:
        yield f"protocol {target.protocol} instead of {trace.protocol}"
    for key in sorted(now.config):
        before = then.config.get(key)
        if now.config[key] != before:
            setting = f"{key}={now.config[key]}"
            yield f"config {setting} instead of " + ("none" if before is None else f"{key}={before}")
    if now.call_timeout_s != then.call_timeout_s:
        yield f"call timeout {now.call_timeout_s:g} s instead of {then.call_timeout_s:g} s"
    if now.memory_mib != then.memory_mib:
        yield f"memory {now.memory_mib} MiB instead of {then.memory_mib} MiB"
    if now.in_process is not then.in_process:
        places = ("in a child process", "in kassay's own process")
        yield f"{places[now.in_process]} instead of {places[then.in_process]}"


@dataclass
class _Plays:
    """Plays of the case by the target: the one that breaks the claim, if any, the last one, and all counted.

    `judged` says whether the claim was judged in each; `failures` are the calls without an answer.
    """

    broken: BrokenPlay | None = None
    subject: Subject | None = None
    last: Sequence[Any] = ()
    repeated: Repeated | None = None
    judged: bool = True
    failures: list[Failure] = field(default_factory=list)

    def add(self, seen: Examination, subject: Subject, claim: Claim, seconds: float) -> None:
        """Record one play."""
        if violations := violations_of(seen, claim):
            self.broken = BrokenPlay(violations, seen.plays, seconds=seconds)
        self.subject, self.last = subject, seen.plays
        self.judged = self.judged and bool(seen.judged.get(claim.id))
        steps = (step for played in seen.plays for step in played.steps)
        self.failures += [step.answer for step in steps if isinstance(step.answer, Failure)]


def replay(playback: Playback) -> Replayed:
    """Replay the trace's case against the target, and judge its recorded answers by the trace's claim.

    If the target's objects live in this process and the first replay keeps the claim, the case is replayed in
    a process with the hash seed of the trace as well. A case that breaks the claim, or should, is played
    several times. Raises `InputError` for a case, a claim or answers that are invalid.
    """
    trace = playback.trace
    driver = driver_for(trace.kind)
    case = driver.form.read(trace.case, f"{playback.path}: case")
    claim = parse_claim(trace.claim, trace.kind)
    kept = _recorded(playback, driver, case, claim)
    plays = _Plays()
    if not playback.missing:
        with open_bench(job_of(playback)) as bench:
            plays = _played(playback, bench, case, claim, kept)
    verdict, why = _verdict(playback, plays, kept)
    shown, subject, narrated = plays.broken, plays.subject, plays.last
    if shown is None and kept is not None and verdict is Verdict.VIOLATED:
        shown, subject, narrated = kept.play, kept.subject, kept.seen.plays
    broken: tuple[Mapping[str, Any], ...] = ()
    possible: Mapping[str, Any] | None = None
    if shown is not None and subject is not None:
        broken, possible = broken_and_could_be(driver, case, shown.plays, subject, claim)
    return Replayed(
        playback,
        verdict,
        why,
        tuple(dict.fromkeys(map(str, shown.violations if shown else ()))),
        tuple(driver.narrated(narrated)),
        broken,
        possible,
        None if kept is None else kept.play is not None,
        None if plays.repeated is None or plays.repeated.always else plays.repeated,
    )


class _Recorded(NamedTuple):
    """The recorded answers, examined: `play` is None if they keep the claim."""

    subject: Subject
    seen: Examination
    play: BrokenPlay | None


def _recorded(playback: Playback, driver: Driver[Any], case: Any, claim: Claim) -> _Recorded | None:
    """The trace's answers judged by its claims; None if it has none."""
    trace = playback.trace
    if not trace.answers:
        return None
    names = trace.conditions.also_checked or (trace.claim,)
    subject = Subject(
        new=lambda _: None,
        protocol=trace.protocol,
        claims=tuple(parse_claim(name, trace.kind) for name in names),
        assume=frozenset(trace.conditions.assume),
    )
    seen = examined(driver, case, subject, trace.answers, f"{playback.path}: answers")
    violations = violations_of(seen, claim)
    return _Recorded(subject, seen, BrokenPlay(violations, seen.plays) if violations else None)


def _played(playback: Playback, bench: Bench, case: Any, claim: Claim, kept: _Recorded | None) -> _Plays:
    """Plays of the case: of each subject until one breaks the claim, and more of that one.

    If none does, of the first subject: more if the answers of the target once differed, or nothing changed.
    """
    driver, plays, firsts = bench.driver, _Plays(), []
    for subject in subjects_of(bench, claim, playback.conditions):
        began = time.monotonic()
        plays.add(driver.examine(case, subject), subject, claim, time.monotonic() - began)
        if plays.broken is not None:
            plays.repeated = frequency(driver, case, subject, claim, plays.broken.seconds)
            return plays
        firsts.append((subject, time.monotonic() - began))
    same = kept is not None and not (playback.changes or playback.overridden)
    subject, seconds = firsts[0]
    if playback.trace.repeated is None and not (same and seconds < STEADY_S):
        return plays
    count, deadline = 1, time.monotonic() + AGAIN_S
    while plays.broken is None and count < REPEATS_MAX and time.monotonic() < deadline:
        plays.add(driver.examine(case, subject), subject, claim, seconds)
        count += 1
    plays.repeated = Repeated(count, int(plays.broken is not None))
    if plays.broken is not None:
        more = frequency(driver, case, subject, claim, seconds)
        plays.repeated = Repeated(count + more.plays, 1 + more.broken)
    return plays


def job_of(playback: Playback) -> Job:
    """The job that a replay opens: the target, the claims to check, and the assumptions."""
    conditions = playback.conditions
    options = RunOptions(
        claims=conditions.also_checked or (playback.trace.claim,),
        assume=frozenset(conditions.assume),
        config=conditions.config,
    )
    return Job(playback.target, options)


def subjects_of(bench: Bench, claim: Claim, conditions: Conditions) -> Iterator[Subject]:
    """The subjects to replay with: the claim alone, all of the trace's claims, and the known hash seed."""
    if len(conditions.surroundings) > 1 and of_environments(claim):
        first, then, *_ = conditions.surroundings
        bench.between[claim.id] = (first, then)
    if conditions.before is not None:
        cases = enumerate(conditions.before)
        bench.before[claim.id] = tuple(bench.driver.form.read(each, f"before[{i}]") for i, each in cases)
    yield from bench.subjects_of(claim)
    if not bench.job.target.opener.repeats and conditions.hash_seed is not None:
        yield replace(bench.subject_apart(claim), claims=bench.job.claims)


def _verdict(playback: Playback, plays: _Plays, kept: _Recorded | None) -> tuple[Verdict, str]:
    """Whether the claim is still violated; unknown if something other than the target may have changed it.

    The target that gave the recorded answers violates the claim as long as it is the same.
    """
    trace, count = playback.trace, plays.repeated
    same = not (playback.changes or playback.overridden)
    by_answers = kept is not None and kept.play is not None and same
    if plays.broken is not None or by_answers:
        again = playback.missing or f"played again, {count or _ONCE}"
        exactly = ("by its recorded answers",) if by_answers else ()
        steady = plays.broken is not None and (count is None or count.always)
        return Verdict.VIOLATED, "" if steady else "; ".join((*exactly, again))
    if playback.missing:
        return Verdict.UNKNOWN, f"the recorded answers keep the claim, and {playback.missing}"
    if plays.failures and trace.claim.partition(":")[0] not in OF_UNANSWERED:
        return Verdict.UNKNOWN, f"a call gave no answer: {plays.failures[0].message}"
    if not plays.judged:
        return Verdict.UNKNOWN, "the claim was never judged"
    if lost := playback.not_restored:
        return Verdict.UNKNOWN, f"recorded under conditions that cannot be restored here: {'; '.join(lost)}"
    if trace.violations and same:
        return Verdict.UNKNOWN, _UNCHANGED
    if trace.repeated is not None and not _tells(trace.repeated, (count or _ONCE).plays):
        return Verdict.UNKNOWN, f"recorded {trace.repeated}, now {count or _ONCE}, which chance may explain"
    return Verdict.HOLDS, ""


_ONCE: Final = Repeated(1, 0)


def _tells(recorded: Repeated, plays: int) -> bool:
    """Whether so many plays without a violation are unlikely for a target with the recorded frequency."""
    return (1 - recorded.broken / recorded.plays) ** plays <= _LIKELY
