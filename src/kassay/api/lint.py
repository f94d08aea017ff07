"""What is wrong with settings and reassignments."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from kassay.report.result import DescribedResult
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.lint.run import LintReport
    from kassay.engines.lint.values import SettingFinding
    from kassay.report.blocks import Described


@dataclass(frozen=True, repr=False)
class Linted(DescribedResult):
    """The findings of all files together, by file and line."""

    report: LintReport

    @property
    def findings(self) -> tuple[SettingFinding, ...]:
        """Each finding: its place, the setting, severity, outcome, the releases in which it holds, source."""
        return self.report.findings

    @property
    def errors(self) -> int:
        """The number of errors; the other findings are warnings."""
        return self.report.errors

    def summary(self) -> str:
        """How many errors and warnings there are."""
        warnings = counted(len(self.findings) - self.errors, "warning")
        return f"{counted(self.errors, 'error')}, {warnings} in {counted(len(self.report.files), 'file')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/lint/1`."""
        return self.report.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each finding."""
        return [each.to_json() for each in self.findings]

    def described(self) -> Described:
        """The findings as blocks."""
        from kassay.report.checked import lint_described

        return lint_described(self.report)


def lint(*files: str | PathLike[str], library: str | None = None, release: str | None = None) -> Linted:
    """Check settings of clients, Streams applications and brokers, and reassignments, with each other.

    `files` are paths; their content says what they are. `library` reads the settings of clients (Kafka's Java
    client, unless they are librdkafka's), `release` is the brokers', any by default. Returns the findings by
    file and line. Raises `InputError` for a file that is neither, an unknown library or release.

    >>> import kassay
    >>> checked = kassay.lint("examples/settings/librdkafka.properties")
    >>> checked
    <Linted: 2 errors, 0 warnings in 1 file>
    >>> checked.findings[0].rule
    'mixed-protocols'
    """
    from kassay.engines.clusters.clients.rules import client_named
    from kassay.engines.lint.run import lint_files
    from kassay.engines.lint.values import release_of
    from kassay.model.errors import InputError
    from kassay.model.protocols.values.releases import require_released

    if not files:
        raise InputError("files: found none, expected at least one")
    if release is not None:
        require_released(release, "--release")
    client = None if library is None else client_named(library)
    return Linted(lint_files([*map(str, files)], client, None if release is None else release_of(release)))
