"""State of `kassay certify` while it processes its targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kassay.certify.runs import baseline as baselines
from kassay.certify.runs.baseline import Baseline
from kassay.certify.runs.certificate import Certificate
from kassay.certify.runs.options import RunOptions, promises_of, require_heeded
from kassay.certify.runs.run import Report, RunProgress, certify
from kassay.certify.targets.resolve import Target, resolve
from kassay.cli.options import complain, fault, gravest, write_json
from kassay.cli.output import reader_gone
from kassay.model.errors import InputError, TargetError
from kassay.report import facts
from kassay.report.files.formats import reports
from kassay.report.files.traces import with_saved_traces
from kassay.report.screen.console import bar, console
from kassay.report.screen.terminal import Detail, body_view, verdict_line
from kassay.writing.files import write_text
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.cli.events import Events

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
            if reader_gone():  # nobody waits for the others
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
        targets = []
        errors = dict[str, TargetError]()
        for spec in dict.fromkeys(specs):
            try:
                target = resolve(
                    spec,
                    in_process=self.options.in_process,
                    limits=self.options.limits,
                    config=self.options.config,
                    protocol=self.options.protocol,
                )
            except TargetError as error:
                errors[spec] = error
            else:
                promises_of(target.kind, target.protocol, target.claims, self.options)
                targets.append(target)
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
            certificate = self._run(lambda report: certify(target, self.options, report), target.spec)
        except TargetError as error:
            return self._lost(target.spec, error)
        except (InputError, BrokenPipeError):
            raise
        except Exception as error:
            return fault(error)
        certificate = replace(certificate, narrowed_by=self.narrowed_by)
        if any(result.counterexample for result in certificate.claims):
            certificate = with_saved_traces(certificate, self.out)
            if PAGE in self.formats:
                certificate = _with_code(certificate)
        if self.baseline is not None:
            certificate = self.baseline.applied(certificate, date.today())
        self.certificates.append(certificate)
        if self.events is not None:
            self.events.verdict(certificate)
        if self.detail not in (None, Detail.QUIET):
            self.screen.show(body_view(certificate, self.detail))
        return certificate.exit_code

    def _run(self, work: Callable[[Report], Certificate], spec: str) -> Certificate:
        """Run with a progress bar on a terminal, and with the requested events."""
        if not self.errors.is_terminal:
            return work(self._heard(spec))
        with bar(spec, 1.0) as show:
            words = "{0.phase}: {0.histories} histories, {0.findings} findings"
            hear = self._heard(spec)

            def report(now: RunProgress) -> None:
                show(now.share, words.format(now))
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
            self.errors.say(f"baseline {baseline.path}: not written, as not every target was put to the test")
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
        """Print the results, one line per target, as the last output."""
        if self.detail is not None:
            for certificate in self.certificates:
                self.screen.show(verdict_line(certificate))
            for each in (
                self.missing if self.certificates else ()
            ):  # for a single target, its error was the last line already
                self.screen.say(("NOT LOADED", "bold red"), f"  {each.target}")
        if self.events is not None:
            self.events.run_ended(exit_code)


def _with_code(certificate: Certificate) -> Certificate:
    from kassay.certify.causes.as_python import with_code

    return with_code(certificate, TESTS_MAX)
