"""Rules about the settings of a broker, and about clients and brokers together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.engines.clusters.rollout import POLICIES, POLICY
from kassay.engines.lint.clients import PROTOCOL, REMOTE, SESSION, spelling
from kassay.engines.lint.values import (
    ERROR,
    WARNING,
    LintedFile,
    LintWorld,
    Rule,
    SettingFinding,
    SettingsOf,
)

SESSION_MIN: Final = ("group.min.session.timeout.ms", 6_000)
SESSION_MAX: Final = ("group.max.session.timeout.ms", 1_800_000)
ASSIGNORS: Final = "group.consumer.assignors"
PROTOCOLS: Final = "group.coordinator.rebalance.protocols"
_CONFIG: Final = "Kafka `GroupCoordinatorConfig`"
_NO_START: Final = "the broker does not start"


def migration(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    """The policy by which members of both protocols may share a group."""
    policy = file.get(POLICY)
    if policy is None:
        if world.release is not None and world.release < (4, 0):
            text = "disabled by default: no rolling restart between the protocols"
            yield file.finding(POLICY, WARNING, "migration-policy", text, f"KIP-848; {_CONFIG}", "before 4.0")
        return
    policy = policy.lower()
    if policy not in POLICIES:
        text = f"{_NO_START}: found {policy!r}, expected one of {', '.join(POLICIES)}"
        yield file.finding(POLICY, ERROR, "migration-policy", text, _CONFIG)
    elif policy != "bidirectional":
        lost = {
            "disabled": "no rolling restart between the protocols, there or back: all members stop first",
            "upgrade": "there is no rolling restart back to the classic protocol",
            "downgrade": "there is no rolling restart to the consumer protocol, only back",
        }[policy]
        yield file.finding(
            POLICY,
            WARNING,
            "migration-policy",
            lost,
            f"KIP-848; {_CONFIG}",
            "3.7 and later",
            f"kassay explore migration --config group.consumer.migration.policy={policy}",
        )


def bounds(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Bounds that contradict each other."""
    for low, high, default_low, default_high in (
        (SESSION_MIN[0], SESSION_MAX[0], SESSION_MIN[1], SESSION_MAX[1]),
        ("group.consumer.heartbeat.interval.ms", "group.consumer.session.timeout.ms", 5_000, 45_000),
        ("group.share.heartbeat.interval.ms", "group.share.session.timeout.ms", 5_000, 45_000),
        ("group.streams.heartbeat.interval.ms", "group.streams.session.timeout.ms", 5_000, 45_000),
    ):
        least, most = file.number(low, default_low), file.number(high, default_high)
        at = low if file.get(low) is not None else high
        if least > most or (least == most and "heartbeat" in low):
            text = f"{_NO_START}: {low}={least} is not below {high}={most}"
            yield file.finding(at, ERROR, "bounds", text, _CONFIG)
        elif "heartbeat" in low and least * 3 > most:
            text = f"{low}={least} is more than a third of {high}={most}: a late heartbeat ends the session"
            yield file.finding(at, WARNING, "heartbeat-of-session", text, _CONFIG)


def durability(file: LintedFile, _: LintWorld) -> Iterator[SettingFinding]:
    """Replication with which the loss of one broker ends groups or writes."""
    key = "offsets.topic.replication.factor"
    if file.get(key) == "1":
        text = "the loss of one broker loses the offsets and the members of its groups"
        yield file.finding(key, WARNING, "offsets-replicas", text, "KIP-101, `__consumer_offsets`")
    least, factor = "min.insync.replicas", file.number("default.replication.factor", 1)
    if file.get(least) is not None and file.number(least, 1) >= factor > 1:
        text = f"equals default.replication.factor={factor}: one broker down stops writes with acks=all"
        yield file.finding(least, WARNING, "min-isr-of-replicas", text, "KIP-966")


def removed(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    """Settings that a release has no more."""
    if file.get("zookeeper.connect") is not None and world.may_be(4, 0):
        text = f"{_NO_START}: ZooKeeper is gone, migrate to KRaft with 3.9 first"
        severity = ERROR if world.release is not None else WARNING
        yield file.finding("zookeeper.connect", severity, "no-zookeeper", text, "KIP-500", "4.0 and later")
    delay = "group.initial.rebalance.delay.ms"
    if file.number(delay, 3_000) == 0:
        text = "a group that starts rebalances for every member that joins"
        yield file.finding(delay, WARNING, "no-initial-delay", text, "KIP-134")


def protocols(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    """Protocols of groups that the brokers do not have."""
    listed = tuple(name.lower() for name in file.names(PROTOCOLS))
    if not listed:
        return
    wanted = {each.protocol for each in world.files if each.whose is not SettingsOf.BROKER} - {"classic"}
    for name in sorted(wanted - {*listed}):
        text = f"lacks {name}, which a client here has: it is refused with UNSUPPORTED_VERSION"
        yield file.finding(PROTOCOLS, ERROR, "protocol-missing", text, _CONFIG)
    if world.release is None or world.release >= (4, 0):
        text = "a list of its own stays behind the protocols that later releases add"
        yield file.finding(PROTOCOLS, WARNING, "protocols-listed", text, _CONFIG, "4.0 and later")


def client_of_brokers(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    """What a client needs and the brokers do not have."""
    yield from _session_of_brokers(file, world)
    remote = file.get(REMOTE)
    for broker in world.brokers:
        taken = broker.names(ASSIGNORS, "uniform,range")
        plain = {name.rpartition(".")[2].removesuffix("Assignor").lower() for name in taken} | {*taken}
        if remote and file.protocol == "consumer" and remote not in plain:
            text = (
                f"the brokers lack {remote!r} ({broker.settings.file}): UNSUPPORTED_ASSIGNOR, no member joins"
            )
            yield file.finding(REMOTE, ERROR, "assignor-missing", text, "KIP-848")
        if file.get("client.rack") is not None and broker.get("replica.selector.class") is None:
            text = f"read from the leader all the same: {broker.settings.file} has no replica.selector.class"
            yield file.finding("client.rack", WARNING, "no-rack-selector", text, "KIP-392")
    if file.protocol == "consumer" and world.release is not None and world.release < (4, 0):
        text = "brokers before 4.0 have the protocol as a preview at most, and not by default"
        yield file.finding(PROTOCOL, WARNING, "consumer-preview", text, "KIP-848", "brokers before 4.0")


def _session_of_brokers(file: LintedFile, world: LintWorld) -> Iterator[SettingFinding]:
    """A session that the brokers do not accept."""
    if file.protocol != "classic" or file.get(SESSION) is None:
        return
    session = file.number(SESSION, 45_000)
    known = world.brokers
    least = max((each.number(*SESSION_MIN) for each in known), default=SESSION_MIN[1])
    most = min((each.number(*SESSION_MAX) for each in known), default=SESSION_MAX[1])
    if not least <= session <= most:
        whose = "the brokers" if known else "brokers by default"
        text = f"INVALID_SESSION_TIMEOUT, no member joins: {whose} accept {least} to {most} ms"
        yield file.finding(SESSION, ERROR, "session-of-brokers", text, _CONFIG)


BROKER_RULES: Final[tuple[Rule, ...]] = (migration, bounds, durability, removed, protocols, spelling)
CLIENT_RULES: Final[tuple[Rule, ...]] = (client_of_brokers,)
