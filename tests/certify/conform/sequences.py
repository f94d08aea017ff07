"""Sequences in which the model once differed from Kafka, and how their outcomes are recorded.

`python -m tests.certify.conform.sequences` plays them on Kafka's own coordinator and writes
`tests/data/conform`. In an event, `#1` is the first member id that the coordinator made, and so on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kassay.certify.genuine import events as e
from kassay.certify.genuine.coordinator import CONFIG, GenuineProcess
from kassay.certify.genuine.jars import coordinator_jars
from tests.paths import DATA

FOLDER = DATA / "conform"
SEED = 1


class Recorded(NamedTuple):
    """Settings that are not the usual ones, topics, and events."""

    config: Mapping[str, Any]
    topics: Mapping[str, int]
    events: Sequence[e.GenuineEvent]


def modern(member: str, epoch: int, **more: Any) -> e.ConsumerHeartbeatEvent:
    """A heartbeat; one at epoch 0 is complete."""
    if epoch == 0:
        more = {"rebalance_timeout": 30_000, "owned": {}} | more
    return e.ConsumerHeartbeatEvent(member, epoch, **more)


def joins(member: str, *protocols: str, topics: Sequence[str] = ("foo",), **more: Any) -> e.JoinEvent:
    """A JoinGroup of a client with these protocols."""
    metadata = {"topics": list(topics), "version": 0}
    return e.JoinEvent("c", member, [(name, metadata) for name in protocols], **more)


AT_ONCE = {"classic_initial_rebalance_delay_ms": 0, "consumer_assignment_interval_ms": 0}
LATER = AT_ONCE | {"consumer_assignment_interval_ms": 5000}
SEQUENCES = {
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
    with GenuineProcess(coordinator_jars()) as process:
        for name, sequence in SEQUENCES.items():
            trace = record(process, sequence)
            (FOLDER / f"{name}.json").write_text(json.dumps(trace, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
