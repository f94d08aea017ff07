"""What `kassay certify` keeps while it goes through its targets, and its events, `kassay/events/1`.

Each line has the event (`event`) and the seconds since the start of the command (`elapsed_s`).
`run-started`, `target-loaded`, `target-not-loaded`, `progress`, `claim-violated`, `shrunk`, `verdict`
and `run-ended`. Lines of one target are contiguous, in the order of the targets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, Final

from kassay import __version__
from kassay.api.certify import Certification, certified, words_of
from kassay.cli.options import complain, fault, gravest, write_json, write_line
from kassay.cli.output import reader_gone
from kassay.engines.runs import baseline as baselines
from kassay.engines.runs.baseline import Baseline
from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.engines.runs.options import RunOptions, claims_of, conditions, require_heeded
from kassay.engines.runs.run import Report, RunProgress
from kassay.engines.targets.given import loaded
from kassay.engines.targets.resolve import Target
from kassay.model.errors import InputError, TargetError
from kassay.model.kinds import Verdict
from kassay.report import facts
from kassay.report.files.formats import reports
from kassay.report.screen.console import bar, console
from kassay.report.screen.terminal import Detail, certificate_view, verdict_line
from kassay.writing.files import json_text, make_folder, write_text
from kassay.writing.text import counted

EVENTS_SCHEMA: Final = "kassay/events/1"
_SIZES: Final = ("input", "members", "partitions", "events", "message")
"""The fields reported of a counterexample; its file has the rest."""


@dataclass
class Events:
    """The event stream of one run, to a file or, for `-`, to standard output; lines are flushed at once."""

    path: str
    _started: float = field(default_factory=time.monotonic)
    _file: FileIO | None = None
    _violated: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path != "-":
            try:
                make_folder(Path(self.path).parent)
                self._file = Path(self.path).open("wb", buffering=0)  # noqa: SIM115  # for the whole call
            except OSError as error:
                raise self._unwritable(error) from None

    def run_started(self, specs: Sequence[str], options: RunOptions) -> None:
        """The run starts."""
        budget = asdict(options.budget)
        about = {"kassay": __version__, "seed": options.seed, "profile": options.profile, "budget": budget}
        self._tell("run-started", schema=EVENTS_SCHEMA, **about, targets=[*specs])

    def target_loaded(self, target: Target) -> None:
        """The target can be called."""
        about = {"kind": target.kind.name, "protocol": target.protocol.value, "digest": target.digest}
        self._tell("target-loaded", target=target.spec, **about, claims=[*target.claims])

    def target_not_loaded(self, spec: str, message: str) -> None:
        """The target could not be loaded or started."""
        self._tell("target-not-loaded", target=spec, message=message)

    def progress(self, target: str, now: RunProgress) -> None:
        """A block of histories was played, a counterexample shrunk, or a control caught.

        Raises `KeyboardInterrupt` if the reader of the events has gone: the run ends with its results so far.
        """
        for claim in now.broken:
            self._violation(target, claim)
        if now.shrunk is not None:
            self._shrunk(target, now.shrunk)
        else:
            about = {"phase": now.phase, "histories": now.histories, "findings": now.findings}
            self._tell("progress", target=target, **about)
        if self._file is None and reader_gone():
            raise KeyboardInterrupt

    def verdict(self, certificate: Certificate) -> None:
        """The target's verdicts, with the files of its counterexamples."""
        for result in certificate.claims:
            if result.verdict is Verdict.VIOLATED:
                self._violation(certificate.target, result.id)
        claims = [
            {"id": result.id, "verdict": facts.mark(result), "trace": _trace(result)}
            for result in certificate.claims
        ]
        about = {"verdict": certificate.verdict, "exit_code": certificate.exit_code, "claims": claims}
        self._tell("verdict", target=certificate.target, **about, warnings=facts.warnings(certificate))

    def run_ended(self, exit_code: int) -> None:
        """The run has ended."""
        self._tell("run-ended", exit_code=exit_code)
        if self._file is not None:
            self._file.close()

    def _violation(self, target: str, claim: str) -> None:
        """The claim is violated; reported once per target."""
        known = self._violated.setdefault(target, set())
        if claim not in known:
            known.add(claim)
            self._tell("claim-violated", target=target, claim=claim)

    def _shrunk(self, target: str, result: ClaimResult) -> None:
        if (example := result.counterexample) is not None:
            document = example.to_json()
            about = {key: document[key] for key in _SIZES}
            self._tell("shrunk", target=target, claim=result.id, **about)

    def _tell(self, event: str, **about: Any) -> None:
        document = {"event": event, "elapsed_s": round(time.monotonic() - self._started, 3), **about}
        if self._file is None:
            write_line(document)
            return
        try:
            self._file.write(f"{json_text(document, compact=True)}\n".encode())
        except OSError as error:
            self._file.close()
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"--progress {self.path}: cannot be written ({error.strerror})")


def _trace(result: ClaimResult) -> str | None:
    return None if result.counterexample is None else result.counterexample.path


PAGE: Final = "html"
TESTS_MAX: Final = 12
"""Counterexamples per target that a page shows as a test; each costs one more call of the target."""


@dataclass
class Session:
    """One run of the command: options, outputs, and the certificates so far."""

    options: RunOptions
    out: Path
    detail: Detail | None
    baseline: Baseline | None = None
    formats: Sequence[str] = ()
    narrowed_by: tuple[str, ...] = ()
    events: Events | None = None
    certificates: list[Certificate] = field(default_factory=list)
    missing: list[facts.NotLoaded] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.screen = console()
        self.errors = console(stderr=True)

    def certify(self, *specs: str) -> int:
        """Certify each target once and show its certificate; returns the gravest exit code.

        All targets are loaded first: raises `InputError` before any history runs. An interrupt ends the
        command, and so does the reader of the output when it leaves; results so far are reported.
        """
        if self.events is not None:
            self.events.run_started([*dict.fromkeys(specs)], self.options)
        targets, outcomes = self._loaded(specs)
        for target in targets:
            if reader_gone():  # the output is closed: the other targets would run for no reader
                outcomes.append(130)
                break
            outcomes.append(self._certified(target))
            if self.certificates and self.certificates[-1].interrupted:
                outcomes.append(130)
                break
        return gravest(outcomes)

    def _loaded(self, specs: Sequence[str]) -> tuple[list[Target], list[int]]:
        """The targets that load, with the options checked against each; exit code 4 for each other one.

        A target that does not load is reported in one line, after the options are checked.
        """
        targets: list[Target] = []
        errors = dict[str, TargetError]()
        for spec in dict.fromkeys(specs):
            try:
                with loaded([spec], **conditions(self.options)) as ready:
                    targets += ready
            except TargetError as error:
                errors[spec] = error
        for target in targets:
            claims_of(target.kind, target.protocol, target.claims, self.options)
        require_heeded(targets, self.options)
        if self.events is not None:
            for target in targets:
                self.events.target_loaded(target)
        for spec, complaint in errors.items():
            self._lost(spec, complaint)
        return targets, [4] * len(errors)

    def _lost(self, spec: str, complaint: TargetError) -> int:
        """Report a target that cannot be called; returns its exit code."""
        complain(complaint)
        self.missing.append(facts.NotLoaded(spec, str(complaint)))
        if self.events is not None:
            self.events.target_not_loaded(spec, str(complaint))
        return 4

    def _certified(self, target: Target) -> int:
        """Certify one target; returns its exit code. Its errors are reported and end only that target."""
        try:
            result = self._run(lambda report: certified(target, self.options, self.out, report), target.spec)
        except TargetError as error:
            return self._lost(target.spec, error)
        except (InputError, BrokenPipeError):
            raise
        except Exception as error:
            return fault(error)
        certificate = replace(result.certificate, narrowed_by=self.narrowed_by)
        if PAGE in self.formats:
            certificate = _with_code(certificate)
        if self.baseline is not None:
            certificate = self.baseline.applied(certificate, date.today())
        self.certificates.append(certificate)
        if self.events is not None:
            self.events.verdict(certificate)
        if self.detail not in (None, Detail.QUIET):
            if len(self.certificates) > 1:
                self.screen.say()
            self.screen.show(certificate_view(certificate, self.detail))
        return certificate.exit_code

    def _run(self, work: Callable[[Report], Certification], spec: str) -> Certification:
        """Run with a progress bar on a terminal, and with the requested events."""
        if not self.errors.is_terminal:
            return work(self._heard(spec))
        with bar(spec, 1.0) as show:
            hear = self._heard(spec)

            def report(now: RunProgress) -> None:
                show(now.share, words_of(now))
                hear(now)

            return work(report)

    def _heard(self, spec: str) -> Report:
        return (lambda _: None) if self.events is None else partial(self.events.progress, spec)

    def write_reports(self) -> None:
        """Write the requested reports, and the baseline if this run writes it."""
        if self.formats:
            for file, text in reports(self.certificates, self.formats, self.missing):
                path = str(self.out / file)
                write_text(text, path)
                self._note(f"report: {path}")
        if self.baseline is not None and self.baseline.written:
            self._write_baseline(self.baseline)

    def _write_baseline(self, baseline: Baseline) -> None:
        """Write this run's findings into the baseline, and report the changes."""
        if baseline.first and (self.missing or any(c.interrupted for c in self.certificates)):
            self.errors.say(f"baseline {baseline.path}: not written, as not every target was tested")
            return
        after = baselines.updated(baseline.known, self.certificates)
        write_json(baselines.document_of(after), str(baseline.path))
        if baseline.first:
            number = counted(len(after), "finding")
            self.errors.say(f"baseline {baseline.path}: written, accepts {number}; keep it with the source")
            return
        for change in baselines.changes(baseline.known, after, date.today()):
            self.errors.say(f"baseline {baseline.path}: {change}")

    def _note(self, text: str) -> None:
        if self.detail is not Detail.QUIET:
            self.errors.say(text)

    def conclude(self, exit_code: int) -> None:
        """Print the results of several targets, a line each, as the last output."""
        several = len(self.certificates) + len(self.missing) > 1
        if self.detail is Detail.QUIET or (self.detail is not None and several):
            if self.detail is not Detail.QUIET:
                self.screen.say()
            for certificate in self.certificates:
                self.screen.show(verdict_line(certificate, names=True))
            for each in (
                self.missing if self.certificates else ()
            ):  # for a single target, its error was the last line already
                self.screen.say(("NOT LOADED", "bold red"), f"  {each.target}")
        if self.events is not None:
            self.events.run_ended(exit_code)


def _with_code(certificate: Certificate) -> Certificate:
    from kassay.engines.causes.as_python import with_code

    return with_code(certificate, TESTS_MAX)
