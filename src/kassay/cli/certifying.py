"""What `kassay certify` keeps while it goes through its targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from kassay.certify.runs import baseline as baselines
from kassay.certify.runs.baseline import Known
from kassay.certify.runs.certificate import Certificate
from kassay.certify.runs.options import RunOptions, promises_of, require_heeded
from kassay.certify.runs.run import Report, certify
from kassay.certify.targets.resolve import Target, resolve
from kassay.cli.options import complain, fault, gravest, write_json
from kassay.model.errors import InputError, TargetError
from kassay.report.files.formats import reports
from kassay.report.files.traces import with_saved_traces
from kassay.report.screen.console import bar, console
from kassay.report.screen.terminal import certificate_view
from kassay.writing.files import write_text


@dataclass
class Session:
    """One call of the command: options, where things go, and the certificates so far."""

    options: RunOptions
    out: Path
    quiet: bool
    baseline: tuple[Known, ...] | None
    formats: Sequence[str]
    certificates: list[Certificate] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.screen = console(stderr=self.quiet)
        self.errors = console(stderr=True)

    def certify(self, *specs: str) -> int:
        """Certify the targets, each once, and show their certificates; the gravest exit code.

        All are loaded first: raises `InputError` before any is played. An interrupt ends the call; what was
        found by then is told.
        """
        targets, outcomes = self._loaded(specs)
        for target in targets:
            outcomes.append(self._certified(target))
            if self.certificates and self.certificates[-1].interrupted:
                outcomes.append(130)
                break
        return gravest(outcomes)

    def _loaded(self, specs: Sequence[str]) -> tuple[list[Target], list[int]]:
        """The targets that load, each of them to be asked about what the options say; 4 for each other.

        What does not load is told, a line each, once nothing is wrong with the options.
        """
        targets, errors = [], []
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
                errors.append(error)
            else:
                promises_of(target.kind, target.claims, self.options)
                targets.append(target)
        require_heeded(targets, self.options)
        for complaint in errors:
            complain(complaint)
        return targets, [4] * len(errors)

    def _certified(self, target: Target) -> int:
        """Certify one target; its exit code. What goes wrong with it is said and ends it alone."""
        try:
            certificate = self._run(lambda report: certify(target, self.options, report), target.spec)
        except TargetError as error:
            complain(error)
            return 4
        except InputError:
            raise
        except Exception as error:
            return fault(error)
        if any(result.counterexample for result in certificate.claims):
            certificate = with_saved_traces(certificate, self.out)
        if self.baseline is not None:
            certificate = baselines.apply(certificate, self.baseline, date.today())
        self.certificates.append(certificate)
        if not self.quiet:
            self.screen.show(certificate_view(certificate))
        return certificate.exit_code

    def _run(self, work: Callable[[Report], Certificate], spec: str) -> Certificate:
        """Run with a progress bar on a terminal."""
        if not self.errors.is_terminal:
            return work(lambda _: None)
        with bar(spec, 1.0) as show:
            words = "{0.phase}: {0.histories} histories, {0.findings} findings"
            return work(lambda now: show(now.share, words.format(now)))

    def write_reports(self) -> None:
        """Write the reports that were asked for."""
        for file, text in reports(self.certificates, self.formats):
            path = str(self.out / file)
            write_text(text, path)
            self.errors.say(f"report: {path}")

    def update_baseline(self, path: Path) -> None:
        """Write the findings of this run into the baseline, and say what that changed."""
        before = self.baseline or ()
        after = baselines.updated(before, self.certificates)
        write_json(baselines.document_of(after), str(path))
        for change in baselines.changes(before, after, date.today()):
            self.errors.say(f"baseline {path}: {change}")
