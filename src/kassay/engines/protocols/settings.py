"""The settings of an exploration as one value: model, sizes, faults, network and clock."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.model.groups.assignor import Assignor
from kassay.model.protocols.faults import NO_FAULTS, Faults, check_faults
from kassay.model.protocols.values.releases import NEWEST, RELEASES
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.context import ClockLevel, NetworkLevel
from kassay.model.protocols.world.streams.threads import NO_STREAMS, StreamsOptions
from kassay.model.streams.tasks import GroupTaskAssignor
from kassay.reading.documents import one_of

MODELS: Final[dict[str, str]] = {
    "zookeeper": "self-coordinating consumers of Kafka 0.8",
    "draft": "the coordinator as it was proposed in 2014, never shipped",
    "classic": "JoinGroup, SyncGroup, Heartbeat, LeaveGroup",
    "kip848": "consumer groups by ConsumerGroupHeartbeat",
    "migration": "a group on its way from the classic protocol to KIP-848, or back",
    "streams": "Streams groups by StreamsGroupHeartbeat (KIP-1071)",
}
BEFORE_0_9: Final = ("zookeeper", "draft")
WHOLE: Final = "whole"
COMPACTED: Final = "compacted"
LOGS: Final = (WHOLE, COMPACTED)
WITH_LOGS: Final = ("classic", "kip848", "migration", "streams")
ON_THE_CLOCK: Final = ("classic", "kip848")
WITH_MODES: Final = ("classic", "migration")
WITH_TARGETS: Final = ("kip848", "migration")
WITH_INTERVALS: Final = (*WITH_TARGETS, "streams")
POLICIES: Final = ("disabled", "upgrade", "downgrade", "bidirectional")
_MEMBERS_MAX, _PARTITIONS_MAX, _TOPICS_MAX, _RECORDS_MAX = 4, 6, 3, 3
PROTOCOLS: Final = ("classic", "consumer")
INTERVAL: Final = "group.consumer.assignment.interval.ms"
STREAMS_NAMES: Final = {
    "standby": "num.standby.replicas",
    "processes": "process.id",
    "endpoints": "application.server",
    "delayed": "group.streams.initial.rebalance.delay.ms",
    "fresh": "fresh_topics",
    "offsets": "group.streams.task.offset.interval.ms",
    "warmup": "num.warmup.replicas",
}
"""What the fields of `StreamsOptions` are called outside: properties, and a variant."""


class ClientRule(NamedTuple):
    """What Kafka's own client does and the corrected one does not: the switch, where, and in words.

    `source` is the class, method and lines of 4.4.0; no ticket is known that says when it began.
    """

    switch: str
    models: tuple[str, ...]
    source: str
    words: str


_COMMITS: Final = (
    "CommitRequestManager.onMemberEpochUpdated, 695-703; OffsetCommitRequestState.toUnsentRequest, 809-852"
)
_HEARTBEATS: Final = "HeartbeatRequestManager$HeartbeatState.buildRequestData"
KAFKAS_CLIENT: Final = (
    ClientRule(
        "commits_out_of_group",
        ("kip848", "migration"),
        _COMMITS,
        "a fenced member commits without an epoch",
    ),
    ClientRule(
        "full_names_completed",
        ("kip848", "migration"),
        f"Consumer{_HEARTBEATS}, 258-322",
        "a full heartbeat names the last completed assignment, not what is about to be owned",
    ),
    ClientRule(
        "streams_names_reconciled",
        ("streams",),
        f"StreamsGroup{_HEARTBEATS}, 126-203",
        "a heartbeat names the tasks of the last completed callback, initially none",
    ),
    ClientRule(
        "streams_commits_out_of_group",
        ("streams",),
        _COMMITS,
        "a fenced thread commits without an epoch",
    ),
)
"""The rules of Java's client 4.4.0 that have a corrected form."""
CLIENT_OF: Final = "client"
"""The name of the setting."""
KAFKA: Final = "kafka"
CORRECTED: Final = "corrected"
CLIENTS: Final = (KAFKA, CORRECTED)
WITH_CLIENTS: Final = ("kip848", "migration", "streams")
"""The models whose clients differ."""


@dataclass(frozen=True)
class ExploreSettings:
    """The settings of one exploration, checked on creation; raises InputError for invalid values.

    `reads` is the number of topics, counted from the first, to which each client subscribes; () means all.
    `assignor` is a name, or a user's; None is any-balanced. With a `timing` the model runs on an integer
    clock. `records` of each partition can be processed, and are committed by OffsetCommit. `release` is that
    of the brokers; its differences from the newest rules are added to the `switches` in `rules`. `streams`
    has the additional options of a Streams group. `log`, whole or compacted, determines what a new
    coordinator may find. `remote_assignors` are the clients' group.remote.assignor, "" for none.

    With `regex` clients subscribe by a regular expression that the coordinator resolves; with `late_targets`
    an interval separates two targets of a group, and with `offload`, which no release has, a target is
    computed in the background. The `client` is Kafka's, or the corrected one (`KAFKAS_CLIENT`).

    The fields after `offload` have no option of their own. `instances` (by default as many as `static`) are
    static members' instance ids, "" for dynamic ones; `pattern` is a prefix that clients subscribe by, and
    `new_topics` may be created; `assignment_strategies` are each client's partition.assignment.strategy, one
    for each step of a rollout, `kinds` the protocols that it uses; `version` is JoinGroup's; with `threads` a
    separate thread sends heartbeats; with `loading` a new coordinator takes time to read the log.
    """

    model: str
    assignor: str | Assignor | GroupTaskAssignor | None = None
    mode: str | None = None
    members: int = 2
    partitions: int = 2
    topics: int = 1
    reads: tuple[int, ...] = ()
    static: int = 0
    faults: Faults = NO_FAULTS
    switches: frozenset[str] = frozenset()
    release: str = NEWEST
    policy: str = "bidirectional"
    network: NetworkLevel = NetworkLevel.ATOMIC
    records: int = 0
    timing: Timing | None = None
    regex: bool = False
    late_targets: bool = False
    offload: bool = False
    streams: StreamsOptions = NO_STREAMS
    instances: tuple[str, ...] = ()
    pattern: str = ""
    new_topics: tuple[str, ...] = ()
    assignment_strategies: tuple[tuple[tuple[str, ...], ...], ...] = ()
    kinds: tuple[tuple[str, ...], ...] = ()
    version: int = 3
    threads: bool = False
    loading: bool = False
    log: str = WHOLE
    remote_assignors: tuple[str, ...] = ()
    client: str = KAFKA

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError(f"unknown model {self.model!r}; expected {one_of(MODELS, self.model)}")
        if self.mode is not None and self.model not in WITH_MODES:
            raise InputError(
                f"--protocol: {self.model} has no {self.mode} mode; expected {' or '.join(WITH_MODES)}"
            )
        self._check_release()
        if self.client not in CLIENTS:
            raise InputError(f"client: unknown {self.client!r}; expected {' or '.join(CLIENTS)}")
        check_faults(self.model, self.faults)
        self._check_sizes()
        self._check_faults()
        if self.policy not in POLICIES:
            raise InputError(
                f"group.consumer.migration.policy: unknown policy {self.policy!r}; "
                f"expected one of {', '.join(POLICIES)}"
            )
        self._check_network()
        self._check_log()
        self._check_timing()
        self._check_streams()
        self._check_targets()

    @property
    def rules(self) -> frozenset[str]:
        """The active switches: those of the release and of the client, and the chosen ones."""
        kafkas = self.client == KAFKA
        client = {rule.switch for rule in KAFKAS_CLIENT if kafkas and self.model in rule.models}
        return self.switches | RELEASES[self.release] | client

    def _check_release(self) -> None:
        if self.release not in RELEASES:
            raise InputError(
                f"--release: unknown release {self.release!r}; expected one of {', '.join(RELEASES)}"
            )
        if self.release != NEWEST and self.model in BEFORE_0_9:
            raise InputError(
                f"--release: {self.model} is older than all of them; "
                f"expected {', '.join(name for name in MODELS if name not in BEFORE_0_9)}"
            )
        if self.release != NEWEST and self.model == "streams":
            raise InputError(f"--release: the rules of streams are those of {NEWEST}; expected {NEWEST}")

    def _check_log(self) -> None:
        if self.log not in LOGS:
            raise InputError(f"log: unknown log {self.log!r}; expected one of {', '.join(LOGS)}")
        if self.log == WHOLE:
            return
        if self.model not in WITH_LOGS:
            raise InputError(
                f"compacted_log: {self.model} has no compacted log; expected {', '.join(WITH_LOGS)}"
            )
        if self.timing is not None:
            raise InputError("compacted_log: unsupported on the integer clock; expected no --clock ticks")
        if not self.faults.failover:
            raise InputError(
                "compacted_log: only a new coordinator reads the log; expected --faults failover=1"
            )

    def _check_sizes(self) -> None:
        for option, number, low, high in (
            ("--members", self.members, 1, _MEMBERS_MAX),
            ("--partitions", self.partitions, 1, _PARTITIONS_MAX),
            ("--topics", self.topics, 1, _TOPICS_MAX),
            ("group.instance.id", self.static, 0, self.members),
            ("--records", self.records, 0, _RECORDS_MAX),
        ):
            if not low <= number <= high:
                raise InputError(f"{option}: {number} is out of range; expected {low} to {high}")
        if self.static and self.model in BEFORE_0_9:
            raise InputError(f"group.instance.id: {self.model} has no static members")
        if self.reads:
            self._check_reads()
        if self.remote_assignors:
            self._check_remote_assignors()
        if self.kinds:
            self._check_kinds()

    def _check_faults(self) -> None:
        """Refuse a fault that cannot happen with these sizes and subscriptions."""
        if self.faults.subscribe and self.pattern:
            raise InputError(
                "--faults: subscribe leaves a topic that is read by name, and topic has clients read by a "
                "pattern; expected one of them, or --switch regex"
            )
        several = max(self.reads, default=self.topics) > 1
        if self.faults.subscribe and not several and not self.regex:
            raise InputError(
                "--faults: subscribe leaves one of several topics; expected --topics 2 or more, or "
                "--switch regex"
            )
        if self.faults.rollout and self.kinds and all(len(client) == 1 for client in self.kinds):
            raise InputError(
                "--faults: rollout restarts clients into another protocol; expected group.protocol with one"
            )

    def _check_kinds(self) -> None:
        if self.model != "migration":
            raise InputError(f"group.protocol: {self.model} has clients of one protocol; expected migration")
        if len(self.kinds) != self.members:
            raise InputError(
                f"group.protocol: {len(self.kinds)} lists for {self.members} clients; expected one for each"
            )
        for name in (name for client in self.kinds for name in client):
            if name not in PROTOCOLS:
                raise InputError(f"group.protocol: unknown {name!r}; expected one of {', '.join(PROTOCOLS)}")

    def _check_reads(self) -> None:
        if self.model in BEFORE_0_9:
            raise InputError(f"--topics: all clients of {self.model} read its one topic")
        if self.pattern:
            raise InputError("--topics: clients subscribe by a pattern where a topic may be created")
        if len(self.reads) != self.members:
            raise InputError(
                f"--topics: {len(self.reads)} numbers for {self.members} clients; expected one for each"
            )
        for number in self.reads:
            if not 1 <= number <= self.topics:
                raise InputError(f"--topics: {number} is out of range; expected 1 to {self.topics}")

    def _check_remote_assignors(self) -> None:
        if self.model not in ("kip848", "migration"):
            raise InputError(f"group.remote.assignor: {self.model} has none; expected kip848 or migration")
        if len(self.remote_assignors) != self.members:
            raise InputError(
                f"group.remote.assignor: {len(self.remote_assignors)} names for {self.members} clients; "
                f"expected one for each"
            )
        for name in self.remote_assignors:
            if name not in ("", *Config().assignors):
                known = " or ".join(Config().assignors)
                raise InputError(f"group.remote.assignor: unknown assignor {name!r}; expected {known}")

    def _check_network(self) -> None:
        atomic = self.network is NetworkLevel.ATOMIC
        if not atomic and self.model in BEFORE_0_9:
            raise InputError(
                f"--network: {self.model} supports only atomic; each of its steps is a single read or write"
            )
        if self.network is not NetworkLevel.ASTRAY and (self.faults.duplicate or self.faults.reorder):
            raise InputError(
                f"--faults: duplicate and reorder can happen on --network astray only, not on {self.network}"
            )
        if self.records and atomic:
            raise InputError(
                f"--records: commits are sent on --network steps and astray only, not on {self.network}"
            )

    def _check_timing(self) -> None:
        if self.timing is None:
            return
        if self.model not in ON_THE_CLOCK:
            raise InputError(
                f"--clock: {self.model} has no integer clock; expected timeless, or classic or kip848"
            )
        if self.network is not NetworkLevel.ATOMIC:
            raise InputError(
                f"--network: {self.network} has no integer clock; expected atomic with --clock ticks"
            )
        if self.faults.write:
            raise InputError("--faults: write is unsupported on the integer clock; expected no --clock ticks")
        self.timing.check()

    def _check_streams(self) -> None:
        if self.model != "streams":
            for field in _set(asdict(self.streams)):
                raise InputError(
                    f"{STREAMS_NAMES[field]}: {self.model} has no Streams group; expected streams"
                )
            return
        for option, number, low, high in (
            ("num.standby.replicas", self.streams.standby, 0, _MEMBERS_MAX - 1),
            ("process.id", self.streams.processes, 0, self.members),
            ("application.server", self.streams.endpoints, 0, self.members),
            ("num.warmup.replicas", self.streams.warmup, 0, _PARTITIONS_MAX),
        ):
            if not low <= number <= high:
                raise InputError(f"{option}: {number} is out of range; expected {low} to {high}")
        if self.topics > 1 or self.reads:
            raise InputError("--topics: the topology of streams reads one topic; expected --partitions")

    def _check_targets(self) -> None:
        interval = self.timing is not None and self.timing.interval > 0
        for option, chosen, older in (
            ("regex", self.regex, "regexes_refused"),
            ("late_targets", self.late_targets, "targets_at_once"),
            ("offload", self.offload, "targets_at_once"),
            (INTERVAL, interval, "targets_at_once"),
        ):
            if chosen and older in RELEASES[self.release]:
                raise InputError(f"{option}: {self.release} does not support it; expected --release {NEWEST}")
        if self.regex and self.model != "kip848":
            raise InputError(f"regex: {self.model} resolves no regular expressions; expected kip848")
        if self.regex and (self.reads or self.pattern):
            raise InputError("regex: all clients subscribe by one expression; expected --topics 1")
        for option, chosen in (
            ("late_targets", self.late_targets),
            ("offload", self.offload),
            (INTERVAL, interval),
        ):
            known = WITH_INTERVALS if option == "late_targets" else WITH_TARGETS
            if chosen and self.model not in known:
                raise InputError(f"{option}: {self.model} does not support it; expected {' or '.join(known)}")
        if self.timing is None:
            return
        if self.late_targets:
            raise InputError(f"late_targets: not supported on the clock; expected {INTERVAL}")
        if self.regex or self.offload:
            option = "regex" if self.regex else "offload"
            raise InputError(f"{option}: not supported on the integer clock; expected --clock timeless")

    def to_json(self) -> dict[str, Any]:
        """The settings with an option, and those of the others that are set, as JSON values."""
        assignor = self.assignor
        values: dict[str, Any] = {
            "assignor": assignor if assignor is None or isinstance(assignor, str) else assignor.name,
            "mode": self.mode,
            "members": self.members,
            "partitions": self.partitions,
            "topics": self.topics,
            "static": self.static,
            "faults": _set(self.faults._asdict()),
            "policy": self.policy,
            "network": self.network.value,
            "records": self.records,
            "clock": (ClockLevel.TIMELESS if self.timing is None else ClockLevel.TICKS).value,
        }
        if self.timing is not None:
            values["timing"] = _set(asdict(self.timing))
        if self.model == "streams":
            values |= asdict(self.streams)
        more = {
            name: getattr(self, name)
            for name in (
                "regex",
                "late_targets",
                "reads",
                "remote_assignors",
                "instances",
                "pattern",
                "new_topics",
                "assignment_strategies",
                "kinds",
            )
        }
        if self.log != WHOLE:
            values["log"] = self.log
        if self.model not in BEFORE_0_9:
            values["release"] = self.release
        if self.model in WITH_CLIENTS:
            values[CLIENT_OF] = self.client
        return values | _set(more) | {"switches": sorted(self.switches)}


def _set(values: dict[str, Any]) -> dict[str, Any]:
    """The values that are neither 0 nor empty."""
    return {name: value for name, value in values.items() if value}
