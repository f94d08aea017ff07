"""Instances of consumer groups (family "A") and of share groups (family "D") by shape and seed.

Consumer assignment instances by shape and seed, as documents of family "A".

Shapes: `uniform` (every member reads everything, no previous owners), `join` and `leave` (balanced previous
owners, then members added or removed), `shuffle` (random previous owners), `groups` (a few subscriptions),
`random` (each subscription drawn by itself), `nested` (member i reads the first topics only: many load
levels), `racks` (`join` with racks), `weighted`, `copart` (pairs of co-partitioned topics). A document
depends on its arguments alone, on every machine.

Share group instances by shape and seed, as documents of family "D".

Shapes: `fresh` (no previous copies), `join` and `leave` (evenly shared, then members join or leave),
`scattered` (random copies), `groups` (each member reads some of the topics, with random copies of those),
`missing` (scattered, and a part of the partitions is not assignable).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.solver.algorithms.splitmix import SplitMix

CONSUMER_SHAPES: Final = (
    "uniform",
    "join",
    "leave",
    "shuffle",
    "groups",
    "random",
    "nested",
    "racks",
    "weighted",
    "copart",
)
_DEALT: Final = frozenset({"join", "racks", "leave", "weighted", "copart"})
_RACKED: Final = frozenset({"racks", "random", "groups"})
_DRAWN: Final = frozenset({"shuffle", "groups", "random", "nested"})
_OWNED_PERCENT: Final = 85

Document = dict[str, Any]
_Owners = dict[tuple[str, int], str]


def consumer(
    shape: str = "join",
    seed: int = 0,
    *,
    members: int = 10,
    partitions: int = 40,
    topics: int | None = None,
    racks: int = 3,
    change: int | None = None,
    density: int = 50,
    groups: int = 4,
    rf: int = 3,
) -> Document:
    """One instance; `change` members join or leave, `density` is the share of topics read in percent."""
    if shape not in CONSUMER_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(CONSUMER_SHAPES)}")
    rng = SplitMix("A", shape, seed, members, partitions)
    counts = _uneven(rng, partitions, topics or max(1, min(partitions, 1 + partitions // 10)))
    ids = [f"m{i:04d}" for i in range(members)]
    subscribed = _subscriptions(rng, shape, ids, list(counts), density, groups)
    newcomers = max(1, members // 10) if change is None else change
    owners = _previous_owners(rng, shape, subscribed, counts, newcomers)
    owned: dict[str, list[list[Any]]] = {member: [] for member in ids}
    for topic, count in counts.items():
        for partition in range(count):
            if (topic, partition) in owners:
                owned[owners[topic, partition]].append([topic, partition])
    rack_names = [f"r{i}" for i in range(racks)]
    racked = shape in _RACKED
    document: Document = {
        "family": "A",
        "shape": shape,
        "seed": seed,
        "name": f"A-{shape}-{members}x{partitions}-s{seed}",
        "members": [
            {
                "id": member,
                "rack": rng.pick(rack_names) if racked else None,
                "topics": subscribed[member],
                "owned": owned[member],
            }
            for member in ids
        ],
        "topics": [
            {
                "name": topic,
                "partitions": count,
                "racks": _replica_racks(rng, rack_names, rf, count) if racked else None,
                "weights": [1 + rng.below(10) ** 3 for _ in range(count)] if shape == "weighted" else None,
            }
            for topic, count in counts.items()
        ],
        "copartition": [],
    }
    return _pair_topics(document) if shape == "copart" else document


def _uneven(rng: SplitMix, total: int, parts: int) -> dict[str, int]:
    """Topics with uneven positive partition counts that sum to the total."""
    parts = max(1, min(parts, total))
    cuts = sorted(rng.sample(range(1, total), parts - 1)) if total > 1 else []
    edges = [0, *cuts, total]
    return {f"t{i:04d}": edges[i + 1] - edges[i] for i in range(len(edges) - 1)}


def _subscriptions(
    rng: SplitMix, shape: str, ids: list[str], topics: list[str], density: int, groups: int
) -> dict[str, list[str]]:
    """Each member's topics; a topic that no member drew goes to a random member."""
    subscribed = {member: list(topics) for member in ids}
    if shape == "groups":
        kinds = [sorted(rng.sample(topics, rng.between(1, len(topics)))) for _ in range(groups)]
        subscribed = {member: list(rng.pick(kinds)) for member in ids}
    elif shape == "random":
        subscribed = {member: [topic for topic in topics if rng.chance(density)] for member in ids}
    elif shape == "nested":
        subscribed = {member: topics[: 1 + i * len(topics) // len(ids)] for i, member in enumerate(ids)}
    read = {topic for names in subscribed.values() for topic in names}
    for topic in topics:
        if topic not in read:
            member = rng.pick(ids)
            subscribed[member] = sorted([*subscribed[member], topic])
    return subscribed


def _previous_owners(
    rng: SplitMix, shape: str, subscribed: Mapping[str, list[str]], counts: Mapping[str, int], change: int
) -> _Owners:
    """Each partition's previous owner, if that member still exists."""
    tps = [(topic, partition) for topic, count in counts.items() for partition in range(count)]
    if shape in _DEALT:
        ids = list(subscribed)
        old = [*ids, *([""] * change)] if shape == "leave" else ids[: len(ids) - change]
        assigned = {tp: old[i % len(old)] for i, tp in enumerate(rng.shuffled(tps))}
        return {tp: member for tp, member in assigned.items() if member}
    if shape not in _DRAWN:
        return {}
    readers: dict[str, list[str]] = {topic: [] for topic in counts}
    for member, topics in subscribed.items():
        for topic in topics:
            readers[topic].append(member)
    return {tp: rng.pick(readers[tp[0]]) for tp in tps if rng.chance(_OWNED_PERCENT)}


def _replica_racks(rng: SplitMix, racks: list[str], rf: int, count: int) -> list[list[str]]:
    """The racks of each partition's replicas, never all of several."""
    if len(racks) == 1:
        return [list(racks) for _ in range(count)]
    return [sorted(rng.sample(racks, min(len(racks) - 1, rf))) for _ in range(count)]


def _pair_topics(document: Document) -> Document:
    """Neighbouring topics made co-partitioned, the longer cut to the length of the shorter."""
    topics = document["topics"]
    for left, right in zip(topics[::2], topics[1::2], strict=False):
        left["partitions"] = right["partitions"] = min(left["partitions"], right["partitions"])
        document["copartition"].append([left["name"], right["name"]])
    kept = {topic["name"]: topic["partitions"] for topic in topics}
    for member in document["members"]:
        member["owned"] = [tp for tp in member["owned"] if tp[1] < kept[tp[0]]]
    return document


SHARE_SHAPES: Final = ("fresh", "join", "leave", "scattered", "groups", "missing")
_MISSING_PERCENT: Final = 25


def share_group(
    shape: str = "join",
    seed: int = 0,
    *,
    members: int = 10,
    partitions: int = 4,
    topics: int = 2,
    change: int = 1,
) -> Document:
    """Members that share these partitions of each topic; `change` of the members are new or removed."""
    if shape not in SHARE_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(SHARE_SHAPES)}")
    rng = SplitMix("D", shape, seed, members, partitions, topics)
    names = [f"t{i:03d}" for i in range(topics)]
    ids = [f"m{i:04d}" for i in range(members)]
    tps = [(name, number) for name in names for number in range(partitions)]
    read = {id_: list(names) for id_ in ids}
    if shape == "groups":
        read = {id_: sorted(rng.sample(names, rng.between(1, topics))) for id_ in ids}
    if shape in ("join", "leave"):
        old = ids[: members - change] if shape == "join" else [*ids, *(f"x{i:04d}" for i in range(change))]
        owned = _dealt(rng, old, tps)
    else:
        percent = 0 if shape == "fresh" else min(100, 100 * 2 // (1 + min(members, len(tps))) + 10)
        owned = {id_: [tp for tp in tps if tp[0] in read[id_] and rng.chance(percent)] for id_ in ids}
    return {
        "family": "D",
        "shape": shape,
        "seed": seed,
        "name": f"D-{shape}-{members}x{topics}x{partitions}-s{seed}",
        "members": [
            {"id": id_, "topics": read[id_], "owned": [list(tp) for tp in sorted(owned.get(id_, ()))]}
            for id_ in ids
        ],
        "topics": [
            {
                "name": name,
                "partitions": partitions,
                "assignable": [p for p in range(partitions) if not rng.chance(_MISSING_PERCENT)]
                if shape == "missing"
                else None,
            }
            for name in names
        ],
    }


def _dealt(rng: SplitMix, members: list[str], tps: list[tuple[str, int]]) -> dict[str, list[tuple[str, int]]]:
    """The partitions evenly shared by the members, in random order."""
    sharing = -(-len(members) // len(tps))
    owned: dict[str, list[tuple[str, int]]] = {member: [] for member in members}
    order = rng.shuffled(members)
    # In the second lap no member gets the partition of its first lap: where it could, the first lap suffices.
    for turn in range(sharing * len(tps)):
        owned[order[turn % len(order)]].append(tps[turn % len(tps)])
    return owned
