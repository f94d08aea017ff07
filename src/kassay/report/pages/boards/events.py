"""What happened before a round, as a sentence for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kassay.report.facts import event_words

Document = Mapping[str, Any]


def sentence(event: Document) -> str:
    """What the event's document says happened; in the words of its fields where it has no sentence here.

    >>> sentence({"event": "Leave", "member_id": "m1"}), sentence({"event": "SyncFailure"})
    ('m1 leaves', 'sync failure')
    """
    words = _SENTENCES.get(event["event"])
    return event_words(event) if words is None else words(event)


def _join(event: Document) -> str:
    member = event["member"]
    said = [f"reads {', '.join(member['topics']) or 'nothing'}"]
    if member.get("owned"):
        claims = f"claims {_partitions(member['owned'])}"
        generation = member.get("generation", -1)
        said.append(claims + (f" of generation {generation}" if generation >= 0 else ""))
    said += [f"rack {member['rack']}"] if member.get("rack") else []
    said += [f"static id {member['instance_id']}"] if member.get("instance_id") else []
    said += [f"{key}={value}" for key, value in (event.get("config") or {}).items()]
    return f"{member['id']} joins ({', '.join(said)})"


def _partitions(owned: Sequence[Sequence[Any]]) -> str:
    return " ".join(f"{topic}-{number}" for topic, number in owned) or "nothing"


def _claim(event: Document) -> str:
    owned = _partitions(event["owned"])
    return f"{event['member_id']} says that it owns {owned}, of generation {event['generation']}"


def _withhold(event: Document) -> str:
    numbers = " ".join(map(str, event["numbers"])) or "none"
    return f"of {event['topic']} may not be given out: {numbers}"


def _place(event: Document) -> str:
    tags = [f"{key}={value}" for key, value in dict(event.get("tags") or {}).items()]
    rack = [f"rack {event['rack']}"] if event.get("rack") else []
    return ", ".join([*rack, *tags])


def _process(event: Document) -> str:
    place = _place(event)
    return f"{event['process']} joins ({event['threads']} threads{', ' if place else ''}{place})"


_SENTENCES: Final[Mapping[str, Callable[[Document], str]]] = {
    "Join": _join,
    "Leave": lambda e: f"{e['member_id']} leaves",
    "Crash": lambda e: f"{e['member_id']} crashes",
    "Return": lambda e: f"{e['member_id']} comes back with its old claims",
    "StaticReturn": lambda e: f"{e['member_id']} is back as {e['new_member_id']}, with its claims",
    "FailedSync": lambda e: f"{e['member_id']} never learns the answer of the next round",
    "NewLeader": lambda e: f"{e['member_id']} leads the group from now on",
    "Resubscribe": lambda e: f"{e['member_id']} now reads {', '.join(e['topics']) or 'nothing'}",
    "AddPartitions": lambda e: f"{e['topic']} grows to {e['partitions']} partitions",
    "CreateTopic": lambda e: f"{e['topic']['name']} is created with {e['topic']['partitions']} partitions",
    "DeleteTopic": lambda e: f"{e['topic']} is deleted",
    "ChangeRack": lambda e: f"{e['member_id']} now runs in {_rack(e)}",
    "RackBroker": lambda e: f"broker {e['broker_id']} now stands in {_rack(e)}",
    "Reweigh": lambda e: f"the partitions of {e['topic']} now cost {' '.join(map(str, e['weights']))}",
    "Withhold": lambda e: (
        f"of {e['topic']} may not be given out: {' '.join(map(str, e['numbers'])) or 'none'}"
    ),
    "Claim": _claim,
    "Rebalance": lambda _: "the group rebalances",
    "ProcessJoin": _process,
    "ProcessLeave": lambda e: f"{e['process']} leaves",
    "ThreadsChange": lambda e: f"{e['process']} now runs {e['threads']} threads",
    "ProcessRestart": lambda e: f"{e['process']} restarts",
    "StateLost": lambda e: f"{e['process']} loses its state",
    "StandbysChange": lambda e: f"{e['replicas']} standby copies are wanted from now on",
    "WorkerJoin": lambda e: f"{e['worker']} joins",
    "WorkerLeave": lambda e: f"{e['worker']} leaves",
    "ConnectorCreate": lambda e: f"connector {e['connector']} is created with {e['tasks']} tasks",
    "ConnectorDelete": lambda e: f"connector {e['connector']} is deleted",
    "ConnectorResize": lambda e: f"connector {e['connector']} now has {e['tasks']} tasks",
    "MissedAssignment": lambda e: f"{e['worker']} never learns the answer",
}


def _rack(event: Document) -> str:
    return f"rack {event['rack']}" if event["rack"] else "no rack"
