"""Lint of files that their content identifies: settings of clients and brokers, and reassignments.

Other outputs of Kafka's tools describe the cluster that a reassignment is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kassay.engines.clusters.clients.rules import ClientLibrary, client_named
from kassay.engines.lint import brokers, clients
from kassay.engines.lint.values import (
    EVERY,
    LintedFile,
    LintWorld,
    SettingFinding,
    SettingsOf,
)
from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.engines.replicas.lint import LintContext, LintSeverity, lint
from kassay.engines.replicas.sources import ClusterSources, to_be_linted
from kassay.model.errors import InputError
from kassay.reading.documents import read_text
from kassay.reading.kafka.reassignment import TopicsToMove
from kassay.reading.kafka.settings import SettingsFile, cut_line, is_settings, read_settings
from kassay.reading.others import what_is

SCHEMA: Final = "kassay/lint/1"
_PLANS: Final = "Kafka `ReassignPartitionsCommand`, `ReplicationControlManager`"
_BROKERS: Final = frozenset(
    {"broker.id", "node.id", "process.roles", "zookeeper.connect", "log.dirs", "log.dir", "listeners"}
)
_CONSUMERS: Final = frozenset(
    {
        *("group.id", "group.protocol", "group.instance.id", "partition.assignment.strategy"),
        *("auto.offset.reset", "session.timeout.ms", "max.poll.interval.ms", "enable.auto.commit"),
    }
)
_LIBRDKAFKA: Final = re.compile(
    r"metadata\.broker\.list|queued\.(min|max)\..*|enable\.partition\.eof|enable\.auto\.offset\.store|"
    r"statistics\.interval\.ms|sasl\.(username|password|mechanisms)|topic\.metadata\.refresh.*|debug"
)
"""Settings that only librdkafka has."""


@dataclass(frozen=True)
class LintReport:
    """The findings by file and line, and what the files are."""

    findings: tuple[SettingFinding, ...]
    files: tuple[tuple[str, str], ...]

    @property
    def errors(self) -> int:
        """The number of errors."""
        return sum(each.severity is LintSeverity.ERROR for each in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay lint --json`."""
        return {
            "schema": SCHEMA,
            "files": [list(each) for each in self.files],
            "errors": self.errors,
            "findings": [each.to_json() for each in self.findings],
        }


def lint_files(
    paths: Sequence[str], client: ClientLibrary | None = None, release: tuple[int, ...] | None = None
) -> LintReport:
    """The findings of all files together; raises `InputError` for a file that is none of those.

    `client`: the library that reads the settings of clients, by default the one whose settings they are.
    """
    settings, others = [], []
    for path in paths:
        text = read_text(path, "settings of a client or a broker, or a reassignment", also_latin=True)
        if (cut := cut_line(text)) is not None:
            raise InputError(f"{path}:{cut}: no value, expected key=value; is the file cut off here?")
        if is_settings(text):
            settings.append(_file_of(read_settings(text, path), client))
        else:
            others.append(path)
    world = LintWorld(tuple(settings), release)
    findings = [each for file in settings for each in _of_settings(file, world)]
    plans, names = _plans(others) if others else ([], [])
    files = tuple((each.settings.file, _what(each)) for each in settings)
    in_order = sorted([*findings, *plans], key=lambda each: (each.place, each.field, each.rule))
    return LintReport(tuple(dict.fromkeys(in_order)), (*files, *names))


def whose_settings(settings: SettingsFile) -> SettingsOf:
    """Whose settings these are, by their keys."""
    keys = settings.by_key.keys()
    if "application.id" in keys:
        return SettingsOf.STREAMS
    if keys & _BROKERS or any(key.startswith(("group.consumer.", "group.coordinator.")) for key in keys):
        return SettingsOf.BROKER
    return SettingsOf.CONSUMER if keys & _CONSUMERS else SettingsOf.OTHER


def _file_of(settings: SettingsFile, client: ClientLibrary | None) -> LintedFile:
    whose = whose_settings(settings)
    java = client_named("java")
    if whose in (SettingsOf.BROKER, SettingsOf.STREAMS):
        return LintedFile(settings, whose, java)
    return LintedFile(
        settings, whose, client or (client_named("librdkafka") if _is_rdkafka(settings) else java)
    )


def _is_rdkafka(settings: SettingsFile) -> bool:
    """Whether the file is librdkafka's: by a setting that only it has, or by short names of assignors."""
    if any(_LIBRDKAFKA.fullmatch(key) for key in settings.by_key):
        return True
    names = [name.strip() for name in (settings.get(clients.STRATEGY) or "").split(",") if name.strip()]
    return bool(names) and all(name in ("range", "roundrobin", "cooperative-sticky") for name in names)


def _what(file: LintedFile) -> str:
    who = f" ({file.library.rules.version})" if file.whose is SettingsOf.CONSUMER else ""
    return (
        f"settings of a {file.whose}{who}" if file.whose is not SettingsOf.OTHER else "settings, of no group"
    )


def _of_settings(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    rules = brokers.BROKER_RULES
    if file.whose is not SettingsOf.BROKER:
        rules = (*clients.RULES, *brokers.CLIENT_RULES)
    for rule in rules:
        yield from rule(file, world)


def _plans(paths: Sequence[str]) -> tuple[list[SettingFinding], list[tuple[str, str]]]:
    """The findings of reassignments, by the linter of replica placements."""
    sources = ClusterSources()
    blocks = to_be_linted(paths, sources, "settings as lines key=value, ")
    if not blocks:
        what = what_is(read_text(paths[0], also_latin=True))
        raise InputError(
            f"{paths[0]}: {f'is {what}, ' if what else ''}neither settings nor a reassignment, expected "
            "lines key=value, or JSON as kafka-reassign-partitions.sh takes it, as well"
        )
    has_topics, has_brokers = bool(sources.topics or sources.current), bool(sources.brokers)
    cluster: PlacedCluster | None = None
    if has_topics:
        cluster = sources.cluster(judged=True)
    elif has_brokers:
        cluster = PlacedCluster(tuple(sorted(broker for broker, _ in sources.brokers.values())), {})
    if cluster is not None:
        cluster = PlacementChange().apply(cluster)
    context = LintContext(cluster, has_topics, has_brokers)
    command = "kassay place " + " ".join(paths) + " --judge" if has_topics else None
    findings = [
        SettingFinding(each.place, each.field, each.severity, each.rule, each.message, EVERY, _PLANS, command)
        for block in blocks
        for each in lint(block, context)
    ]
    return findings, [
        (block.place.file, "topics for --generate" if isinstance(block, TopicsToMove) else "reassignment")
        for block in blocks
    ]
