"""Sequences in which the model once differed from Kafka, and how their outcomes are recorded.

`python -m tests.engines.conform.sequences` plays them on Kafka's own coordinator and writes
`tests/data/conform`. In an event, `#1` is the first member id that the coordinator made, and so on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kassay.engines.genuine import events as e
from kassay.engines.genuine.coordinator import CONFIG, STREAMS_CONFIG, GenuineProcess
from kassay.engines.genuine.jars import NEWEST_RELEASE, coordinator_jars
from tests.paths import DATA

FOLDER = DATA / "conform"
SEED = 1


class Recorded(NamedTuple):
    """Settings that are not the usual ones, topics, events, and the release."""

    config: Mapping[str, Any]
    topics: Mapping[str, int]
    events: Sequence[e.GenuineEvent]
    release: str = NEWEST_RELEASE


def modern(member: str, epoch: int, **more: Any) -> e.ConsumerHeartbeatEvent:
    """A heartbeat; one at epoch 0 is complete."""
    if epoch == 0:
        more = {"rebalance_timeout": 30_000, "owned": {}} | more
    return e.ConsumerHeartbeatEvent(member, epoch, **more)


def joins(member: str, *protocols: str, topics: Sequence[str] = ("foo",), **more: Any) -> e.JoinEvent:
    """A JoinGroup of a client with these protocols."""
    metadata = {"topics": list(topics), "version": 0}
    return e.JoinEvent("c", member, [(name, metadata) for name in protocols], **more)


def thread(member: str, epoch: int = 0, **more: Any) -> e.StreamsHeartbeatEvent:
    """A heartbeat of a Streams thread; one at epoch 0 is complete."""
    tasks: dict[str, Any] = {"active": {}, "standby": {}, "warmup": {}}
    if epoch == 0:
        topology = {"epoch": 1, "subtopologies": [SUBTOPOLOGY]}
        more = tasks | {"rebalance_timeout": 30_000, "process": "p", "topology": topology} | more
    return e.StreamsHeartbeatEvent(member, epoch, **more)


def streams(**settings: Any) -> dict[str, Any]:
    """The configuration of a coordinator with streams groups, without an initial delay."""
    named = {f"group.streams.{name.replace('_', '.')}": value for name, value in settings.items()}
    return AT_ONCE | {"streams": STREAMS_CONFIG | {"group.streams.initial.rebalance.delay.ms": 0} | named}


def expression_left(*between: e.GenuineEvent) -> list[e.GenuineEvent]:
    """A consumer with an expression leaves, and a static instance goes on, first by the classic protocol."""
    return [
        modern("m", 0, regex="f.*"),
        e.ResolveEvent(),
        modern("m", 1),
        joins("", "range", instance="j", topics=["bar"]),
        modern("m", -1),
        *between,
        modern("n", 0, subscribed=["bar"], instance="j"),
        modern("n", 3),
        e.TopicsEvent({"bar": 1}),
    ]


SUBTOPOLOGY = {
    "id": "0",
    "sources": ["foo"],
    "changelogs": [],
    "repartition_sinks": [],
    "repartition_sources": [],
    "copartition": [],
}
THROUGH = {
    "epoch": 1,
    "subtopologies": [
        SUBTOPOLOGY | {"repartition_sinks": ["app-through-repartition"]},
        SUBTOPOLOGY
        | {
            "id": "1",
            "sources": [],
            "changelogs": ["app-state-changelog"],
            "repartition_sources": [["app-through-repartition", 0]],
        },
    ],
}
AT_ONCE = {"classic_initial_rebalance_delay_ms": 0, "consumer_assignment_interval_ms": 0}
LATER = AT_ONCE | {"consumer_assignment_interval_ms": 5000}
UNREAD = e.JoinEvent("c", "", [("range", {"raw": "no subscription"})], instance="i")
GIVEN_UP = [
    modern("m", 0, subscribed=["foo"], instance="i1"),
    modern("m", 0, subscribed=["foo"], instance="i2"),
    modern("n", 0, subscribed=["foo"], instance="i1"),
    modern("m", -1, instance="i2"),
    modern("n", 0, subscribed=["foo"], instance="i1"),
]
TAKEN_OVER = [
    modern("m", 0, subscribed=["foo"], instance="i"),
    joins("m", "range"),
    modern("n", 0, subscribed=["bar"], instance="i"),
]
VANISHED = [
    thread("m", topology={"epoch": 1, "subtopologies": [SUBTOPOLOGY | {"sources": ["bar"]}]}),
    thread("m", -1),
    joins("x", "range"),
]
BAR = modern("m", 0, subscribed=["bar"], instance="i")
UPGRADED = [modern("n", 0, subscribed=["foo"], instance="i"), modern("n", 2)]
KEEPS = SUBTOPOLOGY | {"changelogs": ["changes"]}
THREW = [
    thread("m", topology={"epoch": 1, "subtopologies": [KEEPS]}, endpoint="h:1"),
    e.TopicsEvent({"foo": 2, "changes": 5}),
    thread("m", -1),
    thread("n", topology={"epoch": 1, "subtopologies": [KEEPS]}, endpoint="h:1"),
]
SEQUENCES = {
    "expression-that-is-dropped": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"], regex="f.*"),
            modern("m", 1, subscribed=["foo"], regex="", owned={}),
            modern("n", 0, subscribed=["foo"], regex="b.*"),
            joins("n", "range"),
        ],
        "4.0.2",
    ),
    "expression-that-is-resolved-once": Recorded(
        AT_ONCE | {"consumer_regex_refresh_interval_ms": 30_000},
        {"foo": 1},
        [
            modern("m", 0, regex="f.*"),
            e.ResolveEvent(),
            modern("m", 1),
            e.AdvanceEvent(31_000),
            modern("m", 2),
            e.ResolveEvent(),
        ],
        "4.0.2",
    ),
    "downgrade-without-a-target": Recorded(
        AT_ONCE | {"consumer_session_timeout_ms": 10_000},
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"]),
            joins("", "range", topics=()),
            joins("#1", "range", topics=()),
            modern("m", -1),
            e.LeaveEvent([{"member": "m", "instance": None}]),
            e.AdvanceEvent(10_000),
            e.AdvanceEvent(500),
        ],
        "4.2.1",
    ),
    "refused-although-the-log-does-not-load": Recorded(
        streams(),
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("m", -1),
            joins("x", "range"),
            thread("s"),
            e.FailoverEvent(),
            thread("", 1),
            thread("s", 1),
            modern("n", -3),
            modern("n", 0, subscribed=["foo"]),
        ],
    ),
    "join-phase-with-an-unreadable-subscription": Recorded(
        AT_ONCE, {}, [UNREAD, e.AdvanceEvent(1000), e.HeartbeatEvent("#1", 1, instance="i")], "4.3.1"
    ),
    "instance-id-that-was-given-up": Recorded(AT_ONCE, {"foo": 2}, GIVEN_UP, "4.3.1"),
    "instance-id-that-was-given-up-after-an-upgrade": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            joins("", "range", instance="i"),
            e.AdvanceEvent(1000),
            modern("m", 0, subscribed=["foo"], instance="i1"),
            modern("m", 0, subscribed=["foo"], instance="i2"),
            modern("n", 1, instance="i1"),
        ],
        "4.3.1",
    ),
    "replacement-by-a-former-instance-id": Recorded(
        AT_ONCE | {"migration_policy": "UPGRADE"},
        {"foo": 1},
        [*GIVEN_UP[:2], joins("", "range", instance="i1")],
        "4.3.1",
    ),
    "downgrade-by-a-former-instance-id": Recorded(
        AT_ONCE, {"foo": 1}, [*GIVEN_UP[:2], joins("", "range", instance="i1")], "4.3.1"
    ),
    "downgrade-with-an-outdated-target": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"], instance="i"),
            modern("n", 0, subscribed=["foo"]),
            modern("n", -1),
            joins("", "range", instance="i"),
        ],
        "4.2.1",
    ),
    "expression-that-replaces-an-unresolved-one": Recorded(
        AT_ONCE, {"foo": 1}, [modern("m", 0, regex="ba?r"), modern("m", 1, regex="f.*")], "4.2.1"
    ),
    "expression-that-starts-a-group": Recorded(
        AT_ONCE, {"foo": 1}, [modern("m", 0, regex="f.*"), e.ResolveEvent(), modern("m", 1)], "4.2.1"
    ),
    "upgrade-that-records-its-topics": Recorded(
        AT_ONCE,
        {"foo": 1},
        [joins("", "range", instance="i"), e.AdvanceEvent(1000), modern("m", 0, subscribed=["foo"])],
        "4.0.2",
    ),
    "failover-before-a-creation-is-stored": Recorded(
        AT_ONCE, {}, [e.DeferEvent(), joins("", "range", instance="i"), e.FailoverEvent()]
    ),
    "failover-before-two-joins-of-one-member-are-stored": Recorded(
        AT_ONCE,
        {},
        [e.DeferEvent(), joins("", "range"), joins("#1", "range"), joins("#1", "range"), e.FailoverEvent()],
    ),
    "failover-after-the-join-phase-of-a-creation": Recorded(
        AT_ONCE,
        {},
        [e.DeferEvent(), joins("", "range", instance="i"), e.AdvanceEvent(1000), e.FailoverEvent()],
    ),
    "sessions-due-together-with-streams": Recorded(
        streams(),
        {"foo": 2},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("n", 0, subscribed=["foo"]),
            e.FailoverEvent(),
            e.AdvanceEvent(60_000),
        ],
    ),
    "names-of-no-topic": Recorded(
        LATER, {}, [modern("m", 0, subscribed=["foo"]), modern("m", 2, subscribed=["bar"])]
    ),
    "expression-for-no-topic": Recorded(
        LATER, {}, [modern("m", 0, subscribed=["foo"]), modern("m", 2, regex="ba?r"), e.ResolveEvent()]
    ),
    "join-for-no-topic": Recorded(
        LATER, {}, [modern("m", 0, subscribed=["foo"]), joins("m", "range", topics=["bar"])]
    ),
    "commit-of-a-deleted-topic": Recorded(
        AT_ONCE,
        {"foo": 1, "bar": 1},
        [
            modern("m", 0, subscribed=["bar"]),
            modern("n", 0, subscribed=["foo"]),
            modern("m", 2, owned={"bar": [0]}),
            e.TopicsEvent({"foo": 1}),
            e.CommitEvent("m", 2, [("bar", 0, 5)]),
        ],
    ),
    "upgrade-without-the-protocol": Recorded(
        AT_ONCE | {"migration_policy": "UPGRADE"},
        {"foo": 1},
        [
            joins("", "sticky", "range"),
            joins("#1", "sticky", "range"),
            joins("", "range"),
            e.AdvanceEvent(1),
            joins("#1", "range"),
            modern("m", 0, subscribed=["foo"]),
        ],
    ),
    "pending-member-with-an-instance-id": Recorded(
        AT_ONCE, {}, [joins("", "range"), joins("#1", "range", instance="i")]
    ),
    "upgrade-at-generation-0": Recorded(
        AT_ONCE | {"migration_policy": "UPGRADE"},
        {"foo": 1},
        [
            joins("", "range", instance="i"),
            e.LeaveEvent([{"member": "#1", "instance": "i"}]),
            modern("m", 0, regex="f.*"),
            modern("m", 0, regex="f.*"),
            e.FailoverEvent(),
            modern("m", 0, regex="f.*"),
            e.ResolveEvent(),
            modern("m", 0, regex="f.*"),
        ],
    ),
    "joins-at-generation-0": Recorded(
        AT_ONCE | {"migration_policy": "UPGRADE"},
        {"foo": 1},
        [
            joins("", "range", instance="i"),
            e.LeaveEvent([{"member": "#1", "instance": "i"}]),
            modern("m", 0, subscribed=[]),
            joins("m", "range", topics=(), api_version=3),
            joins("", "range", topics=(), api_version=3),
        ],
    ),
    "epochs-of-a-group-that-was-removed": Recorded(
        AT_ONCE,
        {},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("m", -1),
            joins("x", "range"),
            joins("", "range"),
            e.FailoverEvent(),
            modern("m", 0, subscribed=[]),
        ],
    ),
    "join-that-turns-a-tie": Recorded(
        AT_ONCE,
        {"foo": 2},
        [
            modern("a", 0, subscribed=["foo"], assignor="range"),
            modern("b", 0, subscribed=["foo"], assignor="uniform"),
            modern("a", 2, owned={"foo": [0]}),
            modern("b", 3, owned={}),
            joins("b", "range"),
            joins("a", "range"),
        ],
    ),
    "failed-write-after-a-removal": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("m", -1),
            joins("x", "range"),
            modern("m", 0, subscribed=["foo"], write_fails="MESSAGE_TOO_LARGE"),
            modern("m", 0, subscribed=["foo"]),
        ],
    ),
    "join-whose-write-fails-after-a-removal": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("m", -1),
            joins("x", "range"),
            joins("", "range", write_fails="NOT_ENOUGH_REPLICAS"),
            joins("", "range"),
        ],
    ),
    "leave-of-a-streams-thread": Recorded(
        streams(), {"foo": 1}, [thread("m"), e.LeaveEvent([{"member": "m", "instance": None}])]
    ),
    "thread-that-joins-without-lists-of-tasks": Recorded(
        streams(), {"foo": 1}, [thread("m", active=None, standby=None, warmup=None), thread("m")]
    ),
    "thread-whose-topology-names-an-expression": Recorded(
        streams(),
        {"foo": 1},
        [thread("m", topology={"epoch": 1, "subtopologies": [SUBTOPOLOGY | {"regex": ["f.*"]}]})],
    ),
    "streams-delay-whose-write-fails": Recorded(
        streams(initial_rebalance_delay_ms=1000),
        {"foo": 1},
        [
            thread("m"),
            e.AdvanceEvent(1000, write_fails="NOT_ENOUGH_REPLICAS"),
            e.AdvanceEvent(1000),
            thread("m", 1),
        ],
    ),
    "streams-delay-that-a-refused-thread-left": Recorded(
        streams(),
        {"foo": 2, "bar": 2, "app-through-repartition": 2, "app-state-changelog": 5},
        [
            e.GroupConfigEvent({"streams.initial.rebalance.delay.ms": "1000"}),
            thread("m", instance="i", topology=THROUGH, endpoint="h:1"),
            e.GroupConfigEvent({"streams.num.standby.replicas": "1"}),
            e.TopicsEvent({"foo": 2}),
            thread("m", instance="i", topology=THROUGH, endpoint="h:1"),
            e.AdvanceEvent(1000),
            thread("m", 1),
        ],
    ),
    "session-that-a-streams-thread-takes-over": Recorded(
        streams(session_timeout_ms=10_000),
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"], write_fails="NOT_ENOUGH_REPLICAS"),
            thread("m"),
            e.AdvanceEvent(10_000),
        ],
    ),
    "join-of-a-stranger-to-an-empty-streams-group": Recorded(
        streams(),
        {"foo": 1},
        [thread("m"), thread("m", -1), joins("x", "range"), thread("m"), e.FailoverEvent()],
    ),
    "log-that-does-not-load": Recorded(
        streams(),
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("m", -1),
            joins("x", "range"),
            thread("m"),
            e.FailoverEvent(),
            thread("m", 2),
            joins("", "range"),
            e.AdvanceEvent(5000),
            e.FailoverEvent(),
        ],
    ),
    "sessions-that-end-at-once-in-a-group-of-another-kind": Recorded(
        streams(session_timeout_ms=10_000) | {"consumer_session_timeout_ms": 10_000},
        {"foo": 1},
        [
            modern("z", 0, subscribed=["foo"]),
            modern("a", 0, subscribed=["foo"]),
            modern("m", 0, subscribed=["foo"]),
            e.AdvanceEvent(10_000),
        ],
    ),
    "creation-that-waits-when-the-broker-moves": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            e.DeferEvent(),
            joins("", "range", api_version=3),
            e.AdvanceEvent(1000),
            e.SyncEvent("#1", 1, {"#1": {"foo": [0]}}),
            joins("", "range", instance="i"),
            e.FailoverEvent(),
        ],
    ),
    "writes-that-wait-when-the-broker-moves": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            e.DeferEvent(),
            joins("", "range"),
            joins("", "range", instance="i"),
            e.CommitEvent("", -1, [("foo", 0, 5)]),
            e.FailoverEvent(),
            modern("m", 0, subscribed=["foo"]),
            e.DeferEvent(),
            modern("m", 2, subscribed=["bar"], owned={"foo": [0]}),
            joins("#2", "range", instance="j"),
            e.FailoverEvent(),
        ],
    ),
    "topics-of-a-removed-streams-group": Recorded(
        streams(),
        {"foo": 1, "bar": 1},
        [*VANISHED, modern("m", 0, subscribed=["foo"]), modern("m", 2), e.TopicsEvent({"foo": 1})],
    ),
    "topics-of-a-removed-streams-group-in-the-log": Recorded(
        streams(),
        {"foo": 1, "bar": 1},
        [
            *VANISHED[:2],
            joins("", "range"),
            e.FailoverEvent(),
            modern("m", 0, subscribed=["foo"]),
            modern("m", 2),
            e.TopicsEvent({"foo": 1}),
        ],
    ),
    "expression-of-a-downgraded-group": Recorded(AT_ONCE, {"foo": 1, "bar": 1}, expression_left()),
    "expression-of-a-downgraded-group-in-the-log": Recorded(
        AT_ONCE, {"foo": 1, "bar": 1}, expression_left(e.FailoverEvent())
    ),
    "topics-of-a-streams-group-that-comes-back": Recorded(
        streams(),
        {"foo": 1, "bar": 1},
        [
            *VANISHED,
            modern("m", 0, subscribed=["foo"], write_fails="NOT_ENOUGH_REPLICAS"),
            joins("x", "range"),
            thread("m"),
            thread("m", 2),
            e.TopicsEvent({"foo": 1}),
        ],
    ),
    "topics-of-a-group-that-was-downgraded": Recorded(
        AT_ONCE,
        {"foo": 1, "bar": 1},
        [BAR, joins("", "range", instance="i"), *UPGRADED, e.TopicsEvent({"foo": 1})],
    ),
    "topics-of-a-group-that-was-downgraded-before-a-failover": Recorded(
        AT_ONCE,
        {"foo": 1, "bar": 1},
        [BAR, joins("", "range", instance="i"), e.FailoverEvent(), *UPGRADED, e.TopicsEvent({"foo": 1})],
    ),
    "topics-that-an-upgrade-takes-and-drops": Recorded(
        AT_ONCE,
        {"foo": 1, "bar": 1},
        [
            BAR,
            joins("", "range", instance="i", topics=["bar"]),
            *UPGRADED,
            modern("n", 3),
            e.TopicsEvent({"foo": 1}),
        ],
    ),
    "topics-that-a-failed-upgrade-takes-and-drops": Recorded(
        AT_ONCE,
        {"foo": 1, "bar": 1},
        [
            BAR,
            joins("", "range", instance="i", topics=["bar"]),
            modern("n", 0, subscribed=["foo"], instance="i", write_fails="NOT_ENOUGH_REPLICAS"),
            joins("", "range", instance="i"),
            *UPGRADED,
            e.TopicsEvent({"foo": 1}),
        ],
    ),
    "member-that-takes-an-instance-id-over": Recorded(
        AT_ONCE,
        {"foo": 1},
        [modern("n", 0, subscribed=["foo"]), *TAKEN_OVER, modern("n", 4)],
    ),
    "target-of-a-member-that-takes-an-instance-id-over": Recorded(
        AT_ONCE | {"server_assignors": ["range", "uniform"]},
        {"foo": 1, "bar": 1},
        [modern("n", 0, subscribed=["bar"]), *TAKEN_OVER],
        "4.3.1",
    ),
    "topics-after-a-replacement-by-a-former-instance-id": Recorded(
        AT_ONCE | {"migration_policy": "UPGRADE"},
        {"foo": 1, "bar": 1},
        [*GIVEN_UP[:2], joins("", "range", instance="i1", topics=["bar"])],
        "4.3.1",
    ),
    "join-whose-write-fails-in-the-initial-delay": Recorded(
        streams(initial_rebalance_delay_ms=1000),
        {"foo": 1},
        [
            thread("m"),
            thread("m", -1),
            joins("", "range", write_fails="NOT_ENOUGH_REPLICAS"),
            e.GroupConfigEvent({"streams.initial.rebalance.delay.ms": "0"}),
            thread("m"),
        ],
    ),
    "sync-acknowledged-after-its-topic-is-deleted": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            modern("m", 0, subscribed=["foo"]),
            e.DeferEvent(),
            joins("m", "range"),
            e.SyncEvent("m", 2, {}),
            e.TopicsEvent({"bar": 1}),
            e.FlushEvent(),
        ],
    ),
    "join-whose-write-fails-after-a-heartbeat-that-threw": Recorded(
        streams(num_standby_replicas=1, num_warmup_replicas=0),
        {"foo": 2, "changes": 2},
        [*THREW, joins("", "range", write_fails="MESSAGE_TOO_LARGE")],
    ),
    "commit-whose-write-fails-after-a-heartbeat-that-threw": Recorded(
        streams(num_standby_replicas=1, num_warmup_replicas=0),
        {"foo": 2, "changes": 2},
        [
            *THREW,
            joins("m", "range"),
            e.CommitEvent("", -1, [("foo", 0, 1)], write_fails="NOT_ENOUGH_REPLICAS"),
        ],
    ),
    "target-without-a-member-that-had-another-instance-id": Recorded(
        AT_ONCE | {"server_assignors": ["range", "uniform"], "consumer_assignment_interval_ms": 1000},
        {"foo": 2},
        [
            modern("m", 0, subscribed=["foo"]),
            modern("n", 0, subscribed=["foo"], instance="i2"),
            modern("n", 0, subscribed=["foo"], instance="i1"),
            modern("n", 2, instance="i2", owned={}),
            modern("n", -2, instance="i2", owned={}),
            e.AdvanceEvent(1000),
            modern("o", 0, subscribed=["foo"], instance="i1"),
        ],
        "4.3.1",
    ),
    "static-member-that-waits-when-the-broker-moves": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            joins("", "range", instance="i"),
            e.AdvanceEvent(1),
            e.SyncEvent("#1", 1, {"#1": {"foo": [0]}}, instance="i"),
            e.DeferEvent(),
            joins("", "range", instance="i"),
            e.FailoverEvent(),
        ],
    ),
    "session-that-leaves-another-thread-at-an-earlier-target": Recorded(
        streams(initial_rebalance_delay_ms=1_000),
        {"foo": 1},
        [
            *(thread(member) for member in "mn"),
            *(thread(member, -1) for member in "mn"),
            joins("x", "range"),
            thread("a"),
            e.FailoverEvent(),
            e.AdvanceEvent(20_000),
            thread("b"),
            e.AdvanceEvent(60_000),
        ],
    ),
    "pause-without-a-member-id": Recorded(
        AT_ONCE,
        {"foo": 1},
        [
            modern("", -2, instance="i"),
            modern("m", 0, subscribed=["foo"], instance="i"),
            modern("", -2, instance="i"),
        ],
    ),
}


def of_release(release: str) -> dict[str, Recorded]:
    """The sequences of a release."""
    return {name: sequence for name, sequence in SEQUENCES.items() if sequence.release == release}


def record(process: GenuineProcess, sequence: Recorded) -> dict[str, Any]:
    """The sequence as a trace with Kafka's outcome, in the form of the vectors."""
    config = dict(CONFIG) | sequence.config
    process.start(config, sequence.topics, SEED)
    made: list[str] = []
    steps = []
    for event in sequence.events:
        text = json.dumps(event.document())
        for place, name in enumerate(made, 1):
            text = text.replace(f"#{place}", name)
        step = process.send(json.loads(text))
        members = [member["id"] for member in step.state.get("members", [])]
        pending = step.state.get("pending_join", [])
        ids = [*(answer.get("member") for answer in step.answers), *pending, *members]
        made += [name for name in dict.fromkeys(ids) if name and len(name) > 20 and name not in made]
        steps.append(dict(step.document))
    return {"config": config, "topics": sequence.topics, "steps": steps}


def main() -> None:
    """Write what Kafka does."""
    for release in dict.fromkeys(sequence.release for sequence in SEQUENCES.values()):
        with GenuineProcess(coordinator_jars(release, fetch=True)) as process:
            for name, sequence in of_release(release).items():
                trace = record(process, sequence)
                (FOLDER / f"{name}.json").write_text(json.dumps(trace, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
