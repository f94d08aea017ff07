"""Traces: a history with what happened, as JSON that replays on another machine and with another version.

A trace holds domain words only, never a pickle or a seed alone. `SCHEMA` changes when a reader of
the old form would misread the new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from kassay.model import codec
from kassay.model.calls import Failure, answer_to_json
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.errors import InputError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.groups.group import Member
from kassay.model.groups.history import EVENTS, Change, CreateTopic, Event, History, Reports
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import Kind

SCHEMA: Final = "kassay/trace/2"
_READ: Final = ("kassay/trace/1", SCHEMA)
"""Version 1 has the letter of a kind for its word."""
_FAMILY: Final = "kassay/trace/"


@dataclass(frozen=True)
class Trace:
    """A counterexample: what was played, against what, and which claim it broke.

    `case` is the history (or request) in JSON form, `told` the rounds as they went, `violations` one
    line each. `digest` is that of the target's source, so that a replay can say when it changed.
    """

    kind: Kind
    target: str
    digest: str | None
    protocol: RebalanceProtocol
    claim: str
    contradictory: bool
    case: Mapping[str, Any]
    violations: tuple[str, ...]
    told: tuple[Mapping[str, Any], ...] = ()
    seed: int | None = None
    index: int | None = None
    version: str = ""

    def to_json(self) -> dict[str, Any]:
        """The document of the trace."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"schema": SCHEMA, **plain, "kind": self.kind.value}

    def save(self, path: Path) -> None:
        """Write the trace; its folder is made if need be."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_trace(path: Path) -> Trace:
    """The trace in the file; raises `InputError` for anything that is not one."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file, expected a trace") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text, expected a JSON trace") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    return trace_of(document, str(path))


def trace_of(document: object, path: str) -> Trace:
    """The trace that a document holds; `path` is where it came from, for messages."""
    found = codec.mapping(document, path)
    schema = codec.text(codec.field(found, "schema", path), f"{path}: schema")
    if not schema.startswith(_FAMILY):
        raise InputError(f"{path}: schema: expected {SCHEMA!r}, got {schema!r}")
    if schema not in _READ:
        raise InputError(
            f"{path}: schema: {schema!r} is of another version of kassay; this one reads {SCHEMA!r}"
        )
    where = f"{path}: "
    index, seed = found.get("index"), found.get("seed")
    codec.mapping(found, path, ["schema", *(f.name for f in fields(Trace))])
    return Trace(
        kind=codec.member(Kind, codec.field(found, "kind", path), where + "kind"),
        target=codec.text(codec.field(found, "target", path), where + "target"),
        digest=codec.text_or_none(found.get("digest"), where + "digest"),
        protocol=codec.member(RebalanceProtocol, codec.field(found, "protocol", path), where + "protocol"),
        claim=codec.text(codec.field(found, "claim", path), where + "claim"),
        contradictory=codec.field(found, "contradictory", path) is True,
        case=codec.mapping(codec.field(found, "case", path), where + "case"),
        violations=codec.items(found.get("violations", []), where + "violations", codec.text),
        told=codec.items(found.get("told", []), where + "told", codec.mapping),
        seed=None if seed is None else codec.whole(seed, where + "seed"),
        index=None if index is None else codec.whole(index, where + "index"),
        version=codec.text(found.get("version", ""), where + "version"),
    )


def history_to_json(history: History) -> dict[str, Any]:
    """The history as a document."""
    return {
        "cluster": cluster_to_json(history.cluster),
        "reports": history.reports.value,
        "changes": [[_event_to_json(event) for event in change] for change in history.changes],
    }


def history_of(document: object, path: str = "case") -> History:
    """The history that a document holds; raises `InputError` naming the field that is wrong."""
    found = codec.mapping(document, path, ("cluster", "reports", "changes"))
    reports = codec.member(Reports, found.get("reports", Reports.JOINED.value), f"{path}.reports")
    changes = codec.items(codec.field(found, "changes", path), f"{path}.changes", _change_of)
    if not changes:
        raise InputError(f"{path}.changes: empty, expected at least the change that brings the first members")
    return History(cluster_of(codec.field(found, "cluster", path), f"{path}.cluster"), changes, reports)


def cluster_to_json(cluster: Cluster) -> dict[str, Any]:
    """The cluster as a document."""
    return {
        "brokers": [{"id": b.broker_id, "rack": b.rack, "fenced": b.fenced} for b in cluster.brokers],
        "topics": [_topic_to_json(topic) for topic in cluster.topics],
    }


def cluster_of(document: object, path: str) -> Cluster:
    """The cluster that a document holds."""
    found = codec.mapping(document, path, ("brokers", "topics"))

    def broker(value: object, where: str) -> Broker:
        entry = codec.mapping(value, where, ("id", "rack", "fenced"))
        return Broker(
            codec.whole(codec.field(entry, "id", where), f"{where}.id"),
            codec.text_or_none(entry.get("rack"), f"{where}.rack"),
            entry.get("fenced", False) is True,
        )

    topics = codec.items(codec.field(found, "topics", path), f"{path}.topics", _topic_of)
    names = [topic.name for topic in topics]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}.topics: {twice!r} is there twice")
    return Cluster(topics, codec.items(found.get("brokers", []), f"{path}.brokers", broker))


def _topic_to_json(topic: Topic) -> dict[str, Any]:
    document: dict[str, Any] = {"name": topic.name, "partitions": topic.partitions}
    if topic.replicas is not None:
        document["replicas"] = [list(replicas) for replicas in topic.replicas]
    if topic.weights is not None:
        document["weights"] = list(topic.weights)
    if topic.topic_id is not None:
        document["topic_id"] = topic.topic_id
    return document


def _topic_of(value: object, path: str) -> Topic:
    entry = codec.mapping(value, path, ("name", "partitions", "replicas", "weights", "topic_id"))
    count = codec.whole(codec.field(entry, "partitions", path), f"{path}.partitions", 0)

    def numbers(inner: object, where: str) -> tuple[int, ...]:
        return codec.items(inner, where, lambda v, w: codec.whole(v, w, 0))

    replicas = entry.get("replicas")
    weights = entry.get("weights")
    topic = Topic(
        codec.text(codec.field(entry, "name", path), f"{path}.name"),
        count,
        None if replicas is None else codec.items(replicas, f"{path}.replicas", numbers),
        None if weights is None else numbers(weights, f"{path}.weights"),
        codec.text_or_none(entry.get("topic_id"), f"{path}.topic_id"),
    )
    for name, found in (("replicas", topic.replicas), ("weights", topic.weights)):
        if found is not None and len(found) != count:
            raise InputError(f"{path}.{name}: expected {count} entries, one a partition, got {len(found)}")
    return topic


def member_to_json(member: Member) -> dict[str, Any]:
    """The member as a document; user data is made by the target and not part of it."""
    return {
        "id": member.member_id,
        "topics": list(member.topics),
        "owned": codec.pairs(member.owned),
        "generation": member.generation,
        "rack": member.rack,
        "instance_id": member.instance_id,
    }


def member_of(value: object, path: str) -> Member:
    """The member that a document holds."""
    entry = codec.mapping(value, path, ("id", "topics", "owned", "generation", "rack", "instance_id"))
    owned = codec.tps(entry.get("owned", []), f"{path}.owned")
    if len(set(owned)) < len(owned):
        raise InputError(f"{path}.owned: a partition is there twice")
    return Member(
        codec.text(codec.field(entry, "id", path), f"{path}.id"),
        codec.items(codec.field(entry, "topics", path), f"{path}.topics", codec.text),
        owned,
        codec.whole(entry.get("generation", -1), f"{path}.generation", -1),
        codec.text_or_none(entry.get("rack"), f"{path}.rack"),
        codec.text_or_none(entry.get("instance_id"), f"{path}.instance_id"),
    )


def _event_to_json(event: Event) -> dict[str, Any]:
    document: dict[str, Any] = {"event": type(event).__name__}
    for f in fields(event):
        document[f.name] = _WRITERS.get(f.name, lambda value: value)(getattr(event, f.name))
    return document


def _event_of(value: object, path: str) -> Event:
    entry = codec.mapping(value, path)
    name = codec.text(codec.field(entry, "event", path), f"{path}.event")
    kind = EVENTS.get(name)
    if kind is None:
        raise InputError(f"{path}.event: unknown event {name!r}, expected one of {', '.join(EVENTS)}")
    names = [f.name for f in fields(kind)]
    codec.mapping(value, path, ["event", *names])
    readers = _READERS | {"topic": _topic_of} if kind is CreateTopic else _READERS
    return kind(**{n: readers[n](codec.field(entry, n, path), f"{path}.{n}") for n in names})


def _change_of(value: object, path: str) -> Change:
    return codec.items(value, path, _event_of)


def _config_of(value: object, path: str) -> tuple[tuple[str, str], ...]:
    return tuple((k, codec.text(v, f"{path}.{k}")) for k, v in codec.mapping(value, path).items())


_WRITERS: Final[dict[str, Any]] = {
    "member": member_to_json,
    "config": dict,
    "topics": list,
    "topic": lambda topic: _topic_to_json(topic) if isinstance(topic, Topic) else topic,
    "weights": list,
    "owned": codec.pairs,
}
_READERS: Final[dict[str, Any]] = {
    "member": member_of,
    "config": _config_of,
    "member_id": codec.text,
    "new_member_id": codec.text,
    "topics": lambda value, path: codec.items(value, path, codec.text),
    "topic": codec.text,
    "partitions": lambda value, path: codec.whole(value, path, 1),
    "rack": codec.text_or_none,
    "broker_id": codec.whole,
    "weights": lambda value, path: codec.items(value, path, lambda v, w: codec.whole(v, w, 0)),
    "owned": codec.tps,
    "generation": lambda value, path: codec.whole(value, path, -1),
}


def rebalanced_to_json(rebalanced: Rebalanced) -> dict[str, Any]:
    """What one change led to, for the reader of a trace."""
    return {
        "change": rebalanced.index,
        "settled": rebalanced.settled,
        "rounds": [step_to_json(step) for step in rebalanced.steps],
    }


def step_to_json(step: Step) -> dict[str, Any]:
    """One round: what each member claimed and what it was given."""
    document: dict[str, Any] = {
        "generation": step.generation,
        "topics": dict(step.cluster.counts),
        "members": [member_to_json(member) for member in step.group.members],
    }
    if isinstance(step.answer, Failure):
        document |= answer_to_json(step.answer)
    else:
        document["answer"] = {member_id: codec.pairs(tps) for member_id, tps in step.answer.items()}
    return document
