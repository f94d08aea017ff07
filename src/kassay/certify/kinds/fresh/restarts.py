"""Histories that begin where another one has got to: whatever led there is their past.

So a member's claim is one that it joins with, whether it came of a crash, a late sync or the rounds before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kassay.model.groups.history import Change, History, Join, Withhold
from kassay.model.groups.step import Step


def restarted_histories(case: History, rounds: Iterable[tuple[int, Step]]) -> Iterator[History]:
    """Histories that begin where this one has got to in some round, with nothing behind it or with the rest.

    What members own there is what they claim when they join; what a share group may not give out there is
    withheld from the start. Each round comes with the index of its change.
    """
    for index, step in rounds:
        joins = tuple(
            Join(member._replace(user_data=None), tuple(step.configs.get(member.member_id, {}).items()))
            for member in step.group.members
        )
        start: Change = (*joins, *_withheld(step))
        rest = case.changes[index + 1 :]
        if joins:
            yield replace(case, cluster=step.cluster, changes=(start,))
            if rest:
                yield replace(case, cluster=step.cluster, changes=(start, *rest))


def _withheld(step: Step) -> Iterator[Withhold]:
    """What may not be given out, topic by topic."""
    assignable = step.group.assignable
    if assignable is not None:
        for topic, tps in step.cluster.partitions.items():
            numbers = tuple(tp.partition for tp in tps if tp not in assignable)
            if numbers:
                yield Withhold(topic, numbers)
