"""Share group instances by shape and seed, as documents of family "D".

Shapes: `fresh` (no previous copies), `join` and `leave` (evenly shared, then members join or leave),
`scattered` (random copies), `groups` (each member reads some of the topics, with random copies of those),
`missing` (scattered, and a part of the partitions is not assignable).
"""

from __future__ import annotations

from typing import Any, Final

from kassay.model.errors import InputError
from kassay.solver.algorithms.splitmix import SplitMix

SHARE_SHAPES: Final = ("fresh", "join", "leave", "scattered", "groups", "missing")
_MISSING_PERCENT: Final = 25

Document = dict[str, Any]


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
