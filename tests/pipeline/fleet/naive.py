"""What happened to a group, by walking its snapshots in plain Python."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from kassay.pipeline.fleet.generate import Moment


def events_of(seen: list[Moment]) -> Iterator[tuple[Any, ...]]:
    """Joins, leaves, moves and unowned partitions, each with its time."""
    for moment in seen:
        owned = moment.given.owners()
        for topic in moment.cluster.topics:
            for tp in topic.tps():
                if tp not in owned:
                    yield moment.at * 1000, "unowned", None, *tp
    for before, after in pairwise(seen):
        at = after.at * 1000
        for member_id in after.given.keys() - before.given.keys():
            yield at, "join", member_id, None, None
        for member_id in before.given.keys() - after.given.keys():
            yield at, "leave", member_id, None, None
        had = before.given.owners()
        for tp, owner in after.given.owners().items():
            if tp in had and had[tp] != owner:
                yield at, "move", owner, *tp
