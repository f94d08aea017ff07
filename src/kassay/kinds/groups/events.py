"""The events of a group's history in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kassay.kinds.events import Event, EventForm, noun_of


def event_words(event: Event) -> str:
    """What happens, as a noun: `m1 leaving`."""
    return noun_of(EVENT_FORMS, event)


def tiles(owned: Iterable[Sequence[Any]]) -> str:
    """Partitions as they are shown, separated by blanks.

    >>> tiles([["t0", 1], ["t1", 0]]), tiles([])
    ('t0-1 t1-0', 'nothing')
    """
    return " ".join(f"{topic}-{number}" for topic, number in owned) or "nothing"


def _join(event: Event) -> str:
    member = event["member"]
    said = [f"reads {', '.join(member['topics']) or 'nothing'}"]
    if member.get("owned"):
        claims = f"claims {tiles(member['owned'])}"
        generation = member.get("generation", -1)
        said.append(claims + (f" of generation {generation}" if generation >= 0 else ""))
    said += [f"rack {member['rack']}"] if member.get("rack") else []
    said += [f"static id {member['instance_id']}"] if member.get("instance_id") else []
    said += [f"{key}={value}" for key, value in (event.get("config") or {}).items()]
    return f"{member['id']} joins ({', '.join(said)})"


def _rack(event: Event) -> str:
    return f"rack {event['rack']}" if event["rack"] else "no rack"


def _numbers(event: Event) -> str:
    return " ".join(map(str, event["numbers"])) or "none"


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
        lambda e: f"{e['member_id']} coming back with its old claim",
        lambda e: f"{e['member_id']} comes back with its old claims",
    ),
    "StaticReturn": EventForm(
        lambda e: f"the static member {e['member_id']} coming back as {e['new_member_id']}",
        lambda e: f"{e['member_id']} is back as {e['new_member_id']}, with its claims",
    ),
    "FailedSync": EventForm(
        lambda e: f"the failed sync of {e['member_id']}",
        lambda e: f"{e['member_id']} never learns the answer of the next round",
    ),
    "NewLeader": EventForm(
        lambda e: f"{e['member_id']} leading",
        lambda e: f"{e['member_id']} leads the group from now on",
    ),
    "Resubscribe": EventForm(
        lambda e: f"{e['member_id']} reading {' '.join(e['topics']) or 'nothing'} from then on",
        lambda e: f"{e['member_id']} now reads {', '.join(e['topics']) or 'nothing'}",
    ),
    "AddPartitions": EventForm(
        lambda e: f"{e['topic']} growing to {e['partitions']} partitions",
        lambda e: f"{e['topic']} grows to {e['partitions']} partitions",
    ),
    "CreateTopic": EventForm(
        lambda e: f"{e['topic']['name']} being created",
        lambda e: f"{e['topic']['name']} is created with {e['topic']['partitions']} partitions",
    ),
    "DeleteTopic": EventForm(
        lambda e: f"{e['topic']} being deleted",
        lambda e: f"{e['topic']} is deleted",
    ),
    "ChangeRack": EventForm(
        lambda e: f"{e['member_id']} moving to rack {e['rack']}",
        lambda e: f"{e['member_id']} now runs in {_rack(e)}",
    ),
    "RackBroker": EventForm(
        lambda e: f"broker {e['broker_id']} moving to rack {e['rack']}",
        lambda e: f"broker {e['broker_id']} now stands in {_rack(e)}",
    ),
    "Reweigh": EventForm(
        lambda e: f"the new weights of {e['topic']}",
        lambda e: f"the partitions of {e['topic']} now cost {' '.join(map(str, e['weights']))}",
    ),
    "Withhold": EventForm(
        lambda e: f"what of {e['topic']} may not be given out",
        lambda e: f"of {e['topic']} may not be given out: {_numbers(e)}",
    ),
    "Claim": EventForm(
        lambda e: f"{e['member_id']} claiming {tiles(e['owned'])} of generation {e['generation']}",
        lambda e: f"{e['member_id']} says that it owns {tiles(e['owned'])}, of generation {e['generation']}",
    ),
    "Rebalance": EventForm(lambda _: "the rebalance for no reason", lambda _: "the group rebalances"),
}
"""Each event of a group by its name."""
