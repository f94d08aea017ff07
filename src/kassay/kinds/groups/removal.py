"""The events of a group's history in words, and histories with one thing less.

The events of a group's history in words.

Histories of groups with one thing less, for counterfactuals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kassay.kinds.words import Event, EventForm, noun_of
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal
from kassay.writing.text import counted, series


def event_words(event: Event) -> str:
    """What happens, as a noun: `m1 leaving`."""
    return noun_of(EVENT_FORMS, event)


def tiles(owned: Iterable[Sequence[Any]]) -> str:
    """Partitions as one part of a sentence.

    >>> tiles([["t0", 1], ["t1", 0]]), tiles([])
    ('t0-1 and t1-0', 'nothing')
    """
    return series(f"{topic}-{number}" for topic, number in owned)


def _join(event: Event) -> str:
    member = event["member"]
    details = [f"subscribes to {series(member['topics'])}"]
    if member.get("owned"):
        owned = f"owns {tiles(member['owned'])}"
        generation = member.get("generation", -1)
        details.append(owned + (f" since generation {generation}" if generation >= 0 else ""))
    details += [f"rack {member['rack']}"] if member.get("rack") else []
    details += [f"group.instance.id {member['instance_id']}"] if member.get("instance_id") else []
    details += [f"{key}={value}" for key, value in (event.get("config") or {}).items()]
    return f"{member['id']} joins ({', '.join(details)})"


def _rack(event: Event) -> str:
    return f"rack {event['rack']}" if event["rack"] else "no rack"


def _withheld(event: Event) -> str:
    topic = event["topic"]
    numbers = [f"{topic}-{number}" for number in event["numbers"]]
    are = "is" if len(numbers) == 1 else "are"
    return f"{series(numbers, f'no partitions of {topic}')} {are} not assignable"


def _subscription(event: Event) -> str:
    return series(event["topics"])


EVENT_FORMS: Final[Mapping[str, EventForm]] = {
    "Join": EventForm(lambda e: f"{e['member']['id']} joining", _join),
    "Leave": EventForm(
        lambda e: f"{e['member_id']} leaving",
        lambda e: f"{e['member_id']} leaves",
    ),
    "Crash": EventForm(
        lambda e: f"{e['member_id']} crashing",
        lambda e: f"{e['member_id']} crashes",
    ),
    "Return": EventForm(
        lambda e: f"{e['member_id']} returning with what it owned",
        lambda e: f"{e['member_id']} returns with what it owned",
    ),
    "StaticReturn": EventForm(
        lambda e: f"the static member {e['member_id']} returning as {e['new_member_id']}",
        lambda e: f"{e['member_id']} returns as {e['new_member_id']} with what it owned",
    ),
    "FailedSync": EventForm(
        lambda e: f"the failed sync of {e['member_id']}",
        lambda e: f"{e['member_id']} misses the next assignment",
    ),
    "NewLeader": EventForm(
        lambda e: f"{e['member_id']} becoming the leader",
        lambda e: f"{e['member_id']} becomes the leader",
    ),
    "Resubscribe": EventForm(
        lambda e: f"{e['member_id']} subscribing to {_subscription(e)}",
        lambda e: f"{e['member_id']} subscribes to {_subscription(e)}",
    ),
    "AddPartitions": EventForm(
        lambda e: f"{e['topic']} growing to {e['partitions']} partitions",
        lambda e: f"{e['topic']} grows to {e['partitions']} partitions",
    ),
    "CreateTopic": EventForm(
        lambda e: f"{e['topic']['name']} being created",
        lambda e: f"{e['topic']['name']} is created with {counted(e['topic']['partitions'], 'partition')}",
    ),
    "DeleteTopic": EventForm(
        lambda e: f"{e['topic']} being deleted",
        lambda e: f"{e['topic']} is deleted",
    ),
    "ChangeRack": EventForm(
        lambda e: f"{e['member_id']} moving to rack {e['rack']}",
        lambda e: f"{e['member_id']} moves to {_rack(e)}",
    ),
    "RackBroker": EventForm(
        lambda e: f"broker {e['broker_id']} moving to rack {e['rack']}",
        lambda e: f"broker {e['broker_id']} moves to {_rack(e)}",
    ),
    "Reweigh": EventForm(
        lambda e: f"the new weights of {e['topic']}",
        lambda e: f"the weights of {e['topic']} change to {series(e['weights'])}",
    ),
    "Withhold": EventForm(
        lambda e: f"the partitions of {e['topic']} that are not assignable",
        _withheld,
    ),
    "ReportOwned": EventForm(
        lambda e: f"{e['member_id']} reporting {tiles(e['owned'])} of generation {e['generation']} as owned",
        lambda e: f"{e['member_id']} reports {tiles(e['owned'])} of generation {e['generation']} as owned",
    ),
    "Rebalance": EventForm(lambda _: "the rebalance without a reason", lambda _: "the group rebalances"),
}
"""Each event of a group by its name."""


def group_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Without each event, owned partition, property of a member or topic, and member or topic."""
    yield from _events(case)
    yield from _generations(case)
    yield from _properties(case)
    yield from _cluster(case)
    yield from _extents(case)


def _every(case: Mapping[str, Any]) -> Iterator[tuple[int, int, Event]]:
    for change, events in enumerate(case["changes"]):
        for number, event in enumerate(events):
            yield change, number, event


def _joins(case: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    """Each joining member with its path."""
    for change, number, event in _every(case):
        if event["event"] == "Join":
            yield ("changes", change, number, "member"), event["member"]


def _events(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Without each event after the first members have joined; an empty change is removed."""
    for change, number, event in _every(case):
        if change == 0 and event["event"] == "Join":
            continue
        less = without_item(case, ("changes", change), number)
        less["changes"] = [events for events in less["changes"] if events]
        yield Removal(event_words(event), less, event=True)


def _generations(case: Mapping[str, Any]) -> Iterator[Removal]:
    """With every generation one lower, and without the owned partitions of each member that has any."""
    known = [member["generation"] for _, member in _joins(case)]
    known += [event["generation"] for *_, event in _every(case) if event["event"] == "ReportOwned"]
    latest = max(known, default=-1)
    if latest > 0:
        less: dict[str, Any] = dict(case)
        for path, member in _joins(case):
            less = put(less, (*path, "generation"), max(-1, member["generation"] - 1))
        for change, number, event in _every(case):
            if event["event"] == "ReportOwned":
                at = ("changes", change, number, "generation")
                less = put(less, at, max(-1, event["generation"] - 1))
        yield Removal(f"generation {latest} as the newest", less)
    for path, member in _joins(case):
        bare = put(case, path, {**member, "owned": [], "generation": -1})
        if member["owned"]:
            stale = f" since generation {member['generation']}" if member["generation"] < latest else ""
            yield Removal(f"{member['id']} owning {tiles(member['owned'])}{stale}", bare)
        elif member["generation"] >= 0 and (member["generation"] < latest or latest == 0):
            yield Removal(f"generation {member['generation']} of {member['id']}", bare)


def _topics(case: Mapping[str, Any]) -> frozenset[str]:
    """The topics of the start and the later ones."""
    later = (event["topic"]["name"] for *_, event in _every(case) if event["event"] == "CreateTopic")
    return frozenset((*(topic["name"] for topic in case["cluster"]["topics"]), *later))


def _properties(case: Mapping[str, Any]) -> Iterator[Removal]:
    for path, member in _joins(case):
        who = member["id"]
        if member.get("instance_id") is not None:
            yield Removal(f"the group.instance.id of {who}", put(case, (*path, "instance_id"), None))
        if member.get("rack") is not None:
            yield Removal(f"the rack of {who}", put(case, (*path, "rack"), None))
    there = _topics(case)
    for path, member in _joins(case):
        for place, topic in enumerate(member["topics"]):
            if topic not in there:
                words = f"{member['id']} subscribing to {topic}, which does not exist"
                yield Removal(words, without_item(case, (*path, "topics"), place))
    for change, number, event in _every(case):
        for key in event.get("config") or {}:
            config = {name: value for name, value in event["config"].items() if name != key}
            at = ("changes", change, number, "config")
            yield Removal(f"the configuration {key} of {event['member']['id']}", put(case, at, config))


def _cluster(case: Mapping[str, Any]) -> Iterator[Removal]:
    for number, topic in enumerate(case["cluster"]["topics"]):
        at = ("cluster", "topics", number)
        for field, noun in (("weights", "weights"), ("replicas", "replicas")):
            if topic.get(field) is not None:
                yield Removal(f"the {noun} of {topic['name']}", put(case, (*at, field), None))
    brokers = case["cluster"].get("brokers") or []
    if any(broker.get("rack") is not None for broker in brokers):
        bare = [{**broker, "rack": None} for broker in brokers]
        yield Removal("the racks of the brokers", put(case, ("cluster", "brokers"), bare))


def _extents(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Without each member of the start, each topic, and one partition of each."""
    there = _topics(case)
    for change, number, event in _every(case):
        if change == 0 and event["event"] == "Join":
            words = f"member {event['member']['id']}"
            yield Removal(words, without_item(case, ("changes", 0), number), extent=(1, "member"))
            topics = event["member"]["topics"]
            for place, topic in enumerate(topics if len(topics) > 1 else ()):
                if topic not in there:
                    continue
                path = ("changes", 0, number, "member", "topics")
                words = f"{event['member']['id']} subscribing to {topic}"
                yield Removal(words, without_item(case, path, place), extent=(1, "subscription"))
    for number, topic in enumerate(case["cluster"]["topics"]):
        if len(case["cluster"]["topics"]) > 1:
            less = without_item(case, ("cluster", "topics"), number)
            yield Removal(f"topic {topic['name']}", less, extent=(1, "topic"))
        if topic["partitions"] > 1:
            fewer = {**topic, "partitions": topic["partitions"] - 1}
            for field in ("replicas", "weights"):
                if fewer.get(field) is not None:
                    fewer[field] = fewer[field][:-1]
            less = put(case, ("cluster", "topics", number), fewer)
            extent = topic["partitions"], f"partition of {topic['name']}"
            yield Removal(f"one partition of {topic['name']}", less, extent=extent)
