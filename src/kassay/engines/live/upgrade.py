"""Rolling upgrades of the brokers: the script of one, and what each action on brokers did to the group.

Predicted of every action on brokers: no rebalance, and no change of owner. A broker that ends hands its
groups to another one, which loads them from the log; members find it and go on in their generation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kassay.engines.live.brokers import BrokerShape
from kassay.engines.live.claims.loads import lost_place
from kassay.engines.live.group_types import type_of
from kassay.engines.live.recording import LiveStep, Recording
from kassay.engines.live.script import OF_BROKERS, LiveAction, LiveScript, LiveSeat

TOPICS = {"orders": 6, "bills": 4}


@dataclass(frozen=True)
class BrokerStep:
    """An action on brokers: which one coordinated the group before and after, rebalances, changes of owner.

    A broker of -1, or `rebalances` of None: not known. `why` it is not as predicted, empty if it is.
    """

    action: str
    before: int
    after: int
    rebalances: int | None
    changed_owner: int
    settled: bool
    seconds: float
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the action."""
        return {
            "action": self.action,
            "coordinator_before": self.before,
            "coordinator_after": self.after,
            "rebalances": self.rebalances,
            "changed_owner": self.changed_owner,
            "settled": self.settled,
            "seconds": round(self.seconds, 1),
            "why": self.why,
        }


def broker_steps(recording: Recording) -> tuple[BrokerStep, ...]:
    """The actions on brokers, each against the group as it was before."""
    pairs = zip(recording.steps, recording.steps[1:])
    return tuple(_step(recording, was, step) for was, step in pairs if step.action.do in OF_BROKERS)


def _step(recording: Recording, was: LiveStep, step: LiveStep) -> BrokerStep:
    owner = {each: name for name, owned in was.group.members.items() for each in owned}
    now = {each: name for name, owned in step.group.members.items() for each in owned}
    known = was.group.epoch >= 0 and step.group.epoch >= 0
    rebalances = step.group.epoch - was.group.epoch if known else None
    changed = sum(now.get(each) != name for each, name in owner.items())
    return BrokerStep(
        step.action.words,
        was.group.coordinator,
        step.group.coordinator,
        rebalances,
        changed,
        step.settled,
        step.seconds,
        _why(recording, step) if rebalances or changed else "",
    )


def _why(recording: Recording, step: LiveStep) -> str:
    """Why there was a rebalance: members that lost their place in the step, and what stalled in it."""
    lost = [life.name for life in recording.lives if lost_place(life, step)]
    spans = {"kassay": recording.stalls} | {life.name: tuple(life.stalls) for life in recording.lives}
    stalled = [
        name for name, own in spans.items() if any(e >= step.began and b <= step.ended for b, e in own)
    ]
    reasons = [f"{', '.join(lost)} lost their place in the group"] if lost else []
    reasons += [f"{', '.join(stalled)} stalled"] if stalled else []
    return "; ".join(reasons) or "not explained"


def upgrade_scripts(
    seats: Sequence[LiveSeat], shape: BrokerShape, old: str, new: str
) -> tuple[LiveScript, ...]:
    """A script for each type of group, as members of one type share a group."""
    groups: dict[str, list[LiveSeat]] = {}
    for seat in seats:
        groups.setdefault(type_of(seat).name, []).append(seat)
    return tuple(upgrade_script(each, shape, old, new) for each in groups.values())


def upgrade_script(seats: Sequence[LiveSeat], shape: BrokerShape, old: str, new: str) -> LiveScript:
    """The brokers go to the new release one by one and back; then there again, and its features are set.

    At the end the last member leaves and joins, on the new features.
    """
    nodes = range(1, shape.count + 1)

    def to(release: str, order: Sequence[int]) -> list[LiveAction]:
        return [LiveAction("upgrade-broker", broker=node, release=release) for node in order]

    actions = [LiveAction("join", seat.name) for seat in seats]
    actions += [*to(new, nodes), *to(old, nodes[::-1]), *to(new, nodes)]
    actions.append(LiveAction("finalize", release=new))
    actions += [LiveAction("leave", seats[-1].name), LiveAction("join", seats[-1].name)]
    title = f"{old} to {new}, {type_of(seats[0]).name} group"
    return LiveScript(dict(TOPICS), tuple(seats), tuple(actions), title=title, cluster=shape)
