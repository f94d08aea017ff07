"""Rules about the settings of a consumer or a Streams application.

What a client refuses was measured with the library of the table of client libraries, or with kafka-clients
4.4.0 and librdkafka 2.16.0 in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kassay.engines.clusters.clients.rules import COOPERATIVE, NOT_MEASURED
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.engines.lint.values import (
    ERROR,
    WARNING,
    LintedFile,
    LintWorld,
    Rule,
    SettingFinding,
    SettingsOf,
)
from kassay.reading.documents import suggestion

STRATEGY: Final = "partition.assignment.strategy"
SESSION: Final = "session.timeout.ms"
HEARTBEAT: Final = "heartbeat.interval.ms"
POLL: Final = "max.poll.interval.ms"
INSTANCE: Final = "group.instance.id"
PROTOCOL: Final = "group.protocol"
REMOTE: Final = "group.remote.assignor"
RESET: Final = "auto.offset.reset"
LONG_POLL_MS: Final = 30 * 60 * 1000
"""A rebalance of the classic protocol waits for a member up to its max.poll.interval.ms."""
_PACKAGE: Final = "org.apache.kafka.clients.consumer."
_STOPS: Final = "the client does not start"
_RESETS: Final = {
    "java": r"latest|earliest|none|by_duration:-?P.+",
    "librdkafka": r"smallest|earliest|beginning|largest|latest|end|error",
}
KNOWN: Final = frozenset(
    {
        *(STRATEGY, SESSION, HEARTBEAT, POLL, INSTANCE, PROTOCOL, REMOTE, RESET),
        *("group.id", "bootstrap.servers", "client.id", "client.rack", "max.poll.records"),
        *("enable.auto.commit", "auto.commit.interval.ms", "metadata.max.age.ms", "isolation.level"),
        *("request.timeout.ms", "fetch.max.wait.ms", "fetch.min.bytes", "application.id"),
        *("num.stream.threads", "num.standby.replicas", "allow.auto.create.topics", "group.protocol.type"),
    }
)
"""The settings of groups, for suggestions."""


def refused_with_the_consumer_protocol(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Settings with which a client of the consumer protocol does not start."""
    rules = file.library.rules
    if file.protocol != "consumer":
        return
    if not rules.consumer.setting:
        yield file.finding(
            PROTOCOL,
            ERROR,
            "no-consumer-protocol",
            f"{_STOPS}: {rules.consumer.refusal}",
            file.library.origin,
        )
    for key in rules.consumer.refuses:
        if file.get(key) is not None:
            yield file.finding(
                key,
                ERROR,
                "refused-with-consumer",
                f"{_STOPS} with group.protocol=consumer: remove it, the brokers have its value",
                f"KIP-848; {file.library.origin}",
                rules.version,
                f"kassay what-if FILE... --to uniform --library {file.library.name}",
            )


def remote_without_the_consumer_protocol(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """A remote assignor that the classic protocol does not have."""
    if file.get(REMOTE) and file.protocol == "classic":
        refuses = file.is_java
        yield file.finding(
            REMOTE,
            ERROR if refuses else WARNING,
            "remote-assignor-unused",
            f"{_STOPS}: cannot be set with group.protocol=classic" if refuses else "it has no effect",
            "KIP-848; measured with kafka-clients 4.4.0 and librdkafka 2.16.0",
        )


def strategies(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Assignors that the library does not have, or that it does not take in one list."""
    listed = file.names(STRATEGY)
    if not listed or file.protocol == "consumer":
        return
    rules, origin = file.library.rules, file.library.origin
    if file.is_java:
        for name in (name for name in listed if "." not in name):
            full = rules.joins.get(name, f"{_PACKAGE}RangeAssignor")
            yield file.finding(
                STRATEGY,
                ERROR,
                "no-such-class",
                f"{_STOPS}: ClassNotFoundException of {name!r}, expected a class such as {full}",
                origin,
            )
        return
    for name in listed:
        reason = rules.objection(ClientSetting((name,)))
        if reason is not None and reason != NOT_MEASURED:
            yield file.finding(STRATEGY, ERROR, "no-such-assignor", f"{_STOPS}: {reason}", origin)
        elif reason is not None and "." in name:
            text = f"{_STOPS}: Unsupported {STRATEGY}: {name}"
            yield file.finding(STRATEGY, ERROR, "no-such-assignor", text, origin)
    known = tuple(name for name in listed if name in rules.joins)
    if len({name in COOPERATIVE for name in known}) > 1 and (reason := rules.objection(ClientSetting(known))):
        yield file.finding(
            STRATEGY,
            ERROR,
            "mixed-protocols",
            f"{_STOPS}: {reason}",
            origin,
            rules.version,
            f"kassay what-if FILE... --to cooperative-sticky --library {file.library.name}",
        )


def timeouts(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Heartbeat, session and poll intervals that contradict each other."""
    if file.protocol != "classic":
        return
    sent, source = file.library.rules.sent, file.library.rules.source
    session = file.number(SESSION, sent.session_ms)
    heartbeat = file.number(HEARTBEAT, source.heartbeat_ms)
    poll = file.number(POLL, sent.rebalance_ms)
    at = HEARTBEAT if file.get(HEARTBEAT) is not None else SESSION
    if heartbeat >= session and file.is_java:
        text = f"{_STOPS}: {heartbeat} ms, expected less than {SESSION}={session}"
        yield file.finding(at, ERROR, "heartbeat-of-session", text, "Kafka `Heartbeat`; measured")
    elif heartbeat * 3 > session:
        yield file.finding(
            at,
            WARNING,
            "heartbeat-of-session",
            f"{heartbeat} ms, more than a third of {SESSION}={session}: a late heartbeat ends the session",
            "Kafka `ConsumerConfig`",
        )
    at = POLL if file.get(POLL) is not None else SESSION
    if poll < session:
        refuses = file.library.name == "librdkafka"
        yield file.finding(
            at,
            ERROR if refuses else WARNING,
            "poll-below-session",
            f"{_STOPS}: {POLL} must not be below {SESSION}={session}"
            if refuses
            else f"rebalances wait {poll} ms for a member, less than its session of {session} ms: a member "
            "that lives but is slow is removed",
            "librdkafka, measured; Kafka `ConsumerCoordinator` (the rebalance timeout)",
        )
    elif poll > LONG_POLL_MS:
        yield file.finding(
            at,
            WARNING,
            "long-poll-interval",
            f"every rebalance may wait {poll / 60_000:.0f} min for a member that hangs in its processing",
            "KIP-62",
        )


def static_members(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    """An instance id that several processes share, or that the brokers do not take."""
    instance = file.get(INSTANCE)
    if instance is None:
        return
    if file.whose is SettingsOf.STREAMS and file.protocol == "streams" and world.is_before(4, 4):
        yield file.finding(
            INSTANCE,
            ERROR if world.release else WARNING,
            "static-streams",
            "brokers refuse static members of a Streams group (group.protocol=streams)",
            "KIP-1071, Kafka#23486",
            "brokers before 4.4",
        )
    if "${" not in instance and "%" not in instance:
        consumer = file.protocol != "classic"
        model = "streams" if file.protocol == "streams" else "kip848"
        ends = (
            "a second one is refused with UNRELEASED_INSTANCE_ID, as is a restart after a crash until the "
            "session times out"
            if consumer
            else "a second one takes its place, and the first ends with FENCED_INSTANCE_ID"
        )
        yield file.finding(
            INSTANCE,
            WARNING,
            "instance-shared",
            f"every process that reads this file is member {instance!r}: {ends}",
            "KIP-345, KIP-848",
            command=f"kassay explore {model} --config {INSTANCE}=1 --faults crash=1" if consumer else None,
        )


def values(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Values that the client refuses."""
    protocol = file.get(PROTOCOL)
    known = ("classic", "streams") if file.whose is SettingsOf.STREAMS else ("classic", "consumer")
    if protocol is not None and protocol.lower() not in known:
        text = f"{_STOPS}: found {protocol!r}, expected {' or '.join(known)}"
        yield file.finding(PROTOCOL, ERROR, "group-protocol", text, "Kafka `ConsumerConfig`, `StreamsConfig`")
    reset, pattern = file.get(RESET), _RESETS.get(file.library.name)
    if reset is not None and pattern is not None and not re.fullmatch(pattern, reset):
        text = f"{_STOPS}: {file.library.rules.version} does not accept {reset!r}"
        yield file.finding(RESET, ERROR, "offset-reset", text, file.library.origin)


def spelling(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Keys that stand twice, and keys that look like another."""
    seen: dict[str, int] = {}
    for line in file.settings.lines:
        if line.key in seen:
            text = f"stands in line {seen[line.key]} too: the last one counts"
            yield file.finding(line.key, WARNING, "twice", text, "`java.util.Properties`")
        seen[line.key] = line.place.line
        dotted = line.key.replace("_", ".")
        if line.key not in KNOWN and (dotted in KNOWN or f"{line.key}.ms" in KNOWN):
            right = dotted if dotted in KNOWN else f"{line.key}.ms"
            text = f"no setting of this name{suggestion(right, [right])}: a Java client ignores it"
            yield file.finding(line.key, WARNING, "unknown-setting", text, "Kafka `ConsumerConfig`")


RULES: Final[tuple[Rule, ...]] = (
    refused_with_the_consumer_protocol,
    remote_without_the_consumer_protocol,
    strategies,
    timeouts,
    static_members,
    values,
    spelling,
)
