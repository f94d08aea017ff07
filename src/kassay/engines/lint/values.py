"""What a rule about settings reads, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from kassay.engines.clusters.clients.rules import ClientLibrary
from kassay.engines.replicas.lint import LintSeverity
from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.settings import SettingsFile

EVERY: Final = "every release"
_RELEASE: Final = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2}){1,2}")


class SettingsOf(StrEnum):
    """Whose settings a file has, by its keys."""

    CONSUMER = "consumer"
    STREAMS = "Streams application"
    BROKER = "broker"
    OTHER = "other"


@dataclass(frozen=True)
class SettingFinding:
    """A problem of one setting: its outcome, where it holds, who says so, and the command that shows it."""

    place: Place
    field: str
    severity: LintSeverity
    rule: str
    outcome: str
    holds_in: str
    source: str
    command: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.field}: {self.severity}: {self.outcome} [{self.rule}]"

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the finding."""
        return {
            "file": self.place.file,
            "line": self.place.line,
            "field": self.field,
            "severity": str(self.severity),
            "rule": self.rule,
            "outcome": self.outcome,
            "holds_in": self.holds_in,
            "source": self.source,
            "command": self.command,
        }


@dataclass(frozen=True)
class LintedFile:
    """A file, whose settings it has, and the library that reads them: java unless its keys say otherwise."""

    settings: SettingsFile
    whose: SettingsOf
    library: ClientLibrary

    def get(self, key: str, default: str | None = None) -> str | None:
        """The value of a key."""
        return self.settings.get(key, default)

    def number(self, key: str, default: int) -> int:
        """The value of a key as a whole number, else the default."""
        value = self.settings.number(key, default)
        return default if value is None else value

    def names(self, key: str, default: str = "") -> tuple[str, ...]:
        """The values of a list."""
        value = self.get(key, default) or ""
        return tuple(name.strip() for name in value.split(",") if name.strip())

    @property
    def is_java(self) -> bool:
        """Whether Kafka's own Java client reads the file."""
        return self.library.name == "java"

    @property
    def protocol(self) -> str:
        """`group.protocol` in small letters."""
        return (self.get("group.protocol") or "classic").lower()

    def finding(
        self,
        key: str,
        severity: LintSeverity,
        rule: str,
        outcome: str,
        source: str,
        holds_in: str = EVERY,
        command: str | None = None,
    ) -> SettingFinding:
        """A finding at the line of the key."""
        line = self.settings.by_key.get(key)
        place = Place(self.settings.file, 1) if line is None else line.place
        return SettingFinding(place, key, severity, rule, outcome, holds_in, source, command)


@dataclass(frozen=True)
class LintWorld:
    """All files together, and the release of the brokers, None if it is not known."""

    files: tuple[LintedFile, ...]
    release: tuple[int, ...] | None = None

    @property
    def brokers(self) -> tuple[LintedFile, ...]:
        """The files of brokers."""
        return tuple(each for each in self.files if each.whose is SettingsOf.BROKER)

    def is_before(self, *release: int) -> bool:
        """Whether the brokers may be older than the release: they are, or it is not known."""
        return self.release is None or self.release < release

    def may_be(self, *release: int) -> bool:
        """Whether the brokers may be of the release or later."""
        return self.release is None or self.release >= release


Rule = Callable[[LintedFile, LintWorld], Iterator[SettingFinding]]
ERROR, WARNING = LintSeverity.ERROR, LintSeverity.WARNING


def release_of(text: str) -> tuple[int, ...]:
    """The numbers of a release such as 4.3 or 4.3.1; raises `InputError`."""
    if not _RELEASE.fullmatch(text):
        raise InputError(f"--release: found {text!r}, expected a release of Kafka such as 4.3")
    return tuple(int(part) for part in text.split("."))
