"""Replays a saved trace against its target under its own conditions, unless the user overrides them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kassay.assignors.registry import recorded
from kassay.certify.findings.could_be import broken_and_could_be
from kassay.certify.processes.host import Limits
from kassay.certify.runs.blocks import Bench, Job, of_environments, open_bench
from kassay.certify.runs.conditions import versions_of
from kassay.certify.runs.options import RunOptions
from kassay.certify.targets.resolve import Target, resolve
from kassay.kinds.frames import Frame
from kassay.kinds.judging import Played, Subject
from kassay.kinds.registry import driver_for
from kassay.kinds.views import frames_of
from kassay.model.calls import Failure
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.shape.codec import listed
from kassay.model.surroundings import CALLED
from kassay.model.trace import Conditions, Trace, trace_of
from kassay.model.verdict import Verdict
from kassay.properties.answers import OF_UNANSWERED
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.promises import promise
from kassay.properties.registry import Promise, Violation
from kassay.reading.documents import read_json

SCHEMA: Final = "kassay/replay/3"
EXIT_CODES: Final = {Verdict.HOLDS: 0, Verdict.VIOLATED: 1, Verdict.UNKNOWN: 3}
_UNCHANGED: Final = (
    "nothing that the trace keeps is another now, so what no trace keeps decided: "
    "time, chance, the machine, or what the source imports"
)
_NOT_KEPT: Final = "traces of that version keep no configuration, limits and assumptions either"


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
    """

    path: Path
    trace: Trace
    target: Target
    conditions: Conditions
    overridden: tuple[str, ...]

    @property
    def elsewhere(self) -> bool:
        """Whether the target is not the trace's own."""
        return self.target.spec != self.trace.target

    @property
    def restored(self) -> tuple[str, ...]:
        """The trace's non-default conditions that are in force, in words."""
        now, usual = self.conditions, Conditions()
        then = self.trace.conditions or usual
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
            words.append(f"one object for all calls, {len(now.before)} other cases before")
        if now.in_process and then.in_process:
            words.append("in kassay's own process")
        if now.assume:
            words.append(f"assuming {', '.join(now.assume)}")
        if now.beside:
            words.append(f"judged beside {', '.join(now.beside)}")
        return tuple(words)

    @property
    def changes(self) -> tuple[str, ...]:
        """What changed in the target's parts since the trace; empty for another target."""
        if self.elsewhere:
            return ()
        trace, target = self.trace, self.target
        source = trace.digest is not None and trace.digest != target.digest
        ours = trace.digest is None or target.digest is None
        made_of = {*dict(target.versions), *(("kassay",) if ours else ())} - {"python"}
        return (*(("its source",) if source else ()), *self._versions(made_of))

    @property
    def not_restored(self) -> tuple[str, ...]:
        """What a replay cannot restore from the trace; empty if it restores everything."""
        if self.elsewhere or self.trace.conditions is None:
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
    """The result of replaying a trace; `why` explains an unknown verdict.

    `broken` and `could_be` are as in a trace, taken from this replay.
    """

    playback: Playback
    verdict: Verdict
    why: str
    violations: tuple[str, ...]
    narration: tuple[Mapping[str, Any], ...]
    broken: tuple[Mapping[str, Any], ...] = ()
    could_be: Mapping[str, Any] | None = None

    @property
    def exit_code(self) -> int:
        """1 while the claim is still violated, 0 when it no longer is, 3 when that is unknown."""
        return EXIT_CODES[self.verdict]

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
                "beside": list(conditions.beside),
            },
            "overridden": list(self.playback.overridden),
            "told": list(self.narration),
            "broken": list(self.broken),
            "could_be": self.could_be,
        }


def read_trace(path: Path) -> Trace:
    """The trace in the file, its target as the user wrote it; raises `InputError` for an invalid trace."""
    trace = trace_of(read_json(path, "a trace"), str(path))
    trace = replace(trace, target=recorded(trace.target))
    listed(driver_for(trace.kind).narration).read(list(trace.narration), f"{path}: told")
    try:
        parse_assumptions(list(trace.conditions.assume) if trace.conditions else [])
    except InputError as error:
        raise InputError(f"{path}: conditions.assume: {error}") from None
    return trace


def load_trace(path: Path, instead: Instead = Instead()) -> Playback:
    """The trace, the target to replay it against, and its conditions with the user's overrides.

    A trace without conditions is replayed under the defaults. Raises `InputError` for a file that is no
    trace, `TargetNotFound` and `TargetNotLoadable`.
    """
    return playback_of(read_trace(path), path, instead)


def playback_of(trace: Trace, path: Path, instead: Instead = Instead()) -> Playback:
    """As `load_trace`, for a trace that is already read; `path` is its file.

    Raises `InputError`, `TargetNotFound` and `TargetNotLoadable`.
    """
    recorded = trace.conditions or Conditions()
    conditions = Conditions(
        config={**recorded.config, **instead.config},
        call_timeout_s=instead.call_timeout_s or recorded.call_timeout_s,
        memory_mib=instead.memory_mib or recorded.memory_mib,
        in_process=recorded.in_process if instead.in_process is None else instead.in_process,
        assume=recorded.assume,
        beside=recorded.beside,
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
    if trace.conditions is not None and spec == trace.target:
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
class _Play:
    """One replay of the case: how often the claim was checked, how it was violated, which calls failed."""

    judged: int = 0
    violations: list[Violation] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def watch(self, played: Played) -> None:
        """Record the calls without an answer."""
        self.failures += [step.answer for step in played.steps if isinstance(step.answer, Failure)]


def replay(playback: Playback) -> Replayed:
    """Replay the trace's case against the target and check the trace's claim.

    If the target's objects live in this process and the first replay keeps the claim, the case is replayed in
    a process with the hash seed of the trace as well. Raises `InputError` for an invalid case or claim.
    """
    trace, conditions = playback.trace, playback.conditions
    driver = driver_for(trace.kind)
    case = driver.form.read(trace.case, f"{playback.path}: case")
    promised = promise(trace.claim, trace.kind)
    plays = []
    broken: tuple[Mapping[str, Any], ...] = ()
    possible: Mapping[str, Any] | None = None
    with open_bench(job_of(playback)) as bench:
        for subject in subjects_of(bench, promised, conditions):
            play = _Play()
            seen = driver.examine(case, replace(subject, watch=play.watch))
            play.judged = seen.judged.get(promised.id, 0)
            play.violations = [v for v in seen.violations if v.claim == promised.id]
            plays.append(play)
            if play.violations:
                broken, possible = broken_and_could_be(driver, case, subject, promised)
                break
        subject.renew()
        narration = driver.narrate(case, subject)
    verdict, why = _verdict(playback, plays)
    ordinary = [v for v in plays[-1].violations if not v.contradictory]
    lines = map(str, ordinary or plays[-1].violations)
    told_lines = tuple(dict.fromkeys(lines))
    return Replayed(playback, verdict, why, told_lines, tuple(narration), broken, possible)


def job_of(playback: Playback) -> Job:
    """The job that a replay opens: the target, the claims to check, and the assumptions."""
    conditions = playback.conditions
    options = RunOptions(
        claims=conditions.beside or (playback.trace.claim,),
        assume=frozenset(conditions.assume),
        config=conditions.config,
    )
    return Job(playback.target, options)


def subjects_of(bench: Bench, promised: Promise, conditions: Conditions) -> Iterator[Subject]:
    """The subjects to replay with: the claim alone, all of the trace's claims, and the known hash seed."""
    if len(conditions.surroundings) > 1 and of_environments(promised):
        first, then, *_ = conditions.surroundings
        bench.between[promised.id] = (first, then)
    if conditions.before is not None:
        cases = enumerate(conditions.before)
        bench.before[promised.id] = tuple(bench.driver.form.read(each, f"before[{i}]") for i, each in cases)
    yield from bench.subjects_of(promised)
    if not bench.job.target.opener.repeats and conditions.hash_seed is not None:
        yield replace(bench.subject_apart(promised), promises=bench.job.promises)


def _verdict(playback: Playback, plays: Sequence[_Play]) -> tuple[Verdict, str]:
    """Whether the claim is still violated; unknown if something other than the target may have changed it."""
    trace = playback.trace
    if plays[-1].violations:
        return Verdict.VIOLATED, ""
    failures = [failure for play in plays for failure in play.failures]
    if failures and trace.claim.partition(":")[0] not in OF_UNANSWERED:
        return Verdict.UNKNOWN, f"a call gave no answer: {failures[0].message}"
    if not all(play.judged for play in plays):
        return Verdict.UNKNOWN, "the claim was never judged"
    if lost := playback.not_restored:
        return Verdict.UNKNOWN, f"recorded with what cannot be had again here: {'; '.join(lost)}"
    if trace.violations and not (playback.changes or playback.overridden):
        return Verdict.UNKNOWN, _UNCHANGED if trace.conditions else f"{_UNCHANGED}; {_NOT_KEPT}"
    return Verdict.HOLDS, ""
