"""Scripts drawn from a seed: the members join one by one, then something happens to them again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from kassay.engines.live.brokers import ONE, BrokerShape
from kassay.engines.live.group_types import type_of
from kassay.engines.live.program import TIMEOUTS, Timeouts
from kassay.engines.live.script import Do, LiveAction, LiveScript, LiveSeat

ACTIONS: Final = (4, 7)
"""How many things happen after all members have joined."""
PARTITIONS: Final = (4, 9)
SLOW_MS: Final = 1500
WEIGHTS: Final[dict[str, int]] = {
    "leave": 5,
    "join": 6,
    "crash": 2,
    "return": 2,
    "pause": 2,
    "resume": 4,
    "subscribe": 2,
    "pace": 2,
    "grow": 3,
    "rolling": 1,
    "restart-broker": 1,
    "failover": 3,
    "rarely": 1,
}
"""How often each is chosen where it means something; `rolling` leaves and joins with each member in turn,
`rarely` has one poll so rarely that it loses its place. The last two are drawn on three brokers only.
"""


@dataclass
class _World:
    """Who is in the group while a script is drawn."""

    random: Random
    seats: Sequence[LiveSeat]
    topics: dict[str, int]
    restarts: bool
    timeouts: Timeouts
    brokers: int
    actions: list[LiveAction] = field(default_factory=list)
    up: set[str] = field(default_factory=set)
    paused: set[str] = field(default_factory=set)
    slow: set[str] = field(default_factory=set)
    part: set[str] = field(default_factory=set)
    rare: set[str] = field(default_factory=set)

    def possible(self) -> list[str]:
        """What means something now; at least one member stays in the group."""
        running = self.up - self.paused - self.rare
        spare, static = len(running) > 1, {seat.name for seat in self.seats if seat.instance} & running
        allowed = {
            "leave": spare,
            "crash": spare,
            "pause": spare and not self.paused,
            "resume": bool(self.paused or self.rare),
            "return": bool(static),
            "join": len(self.up) < len(self.seats),
            "subscribe": len(self.topics) > 1 and any(map(self.resubscribes, running)),
            "pace": bool(running),
            "grow": True,
            "rolling": spare and not any(each.do == "leave" for each in self.actions),
            "restart-broker": self.restarts,
            "failover": self.restarts and self.brokers > 1,
            "rarely": spare and self.brokers > 1 and not self.rare,
        }
        return [name for name, is_possible in allowed.items() if is_possible]

    def resubscribes(self, member: str) -> bool:
        """Whether the member can replace its subscription."""
        return any(seat.name == member and type_of(seat).resubscribes for seat in self.seats)

    def add(self, do: Do, member: str = "", **more: object) -> None:
        """One action."""
        self.actions.append(replace(LiveAction(do, member), **more))  # type: ignore[arg-type]  # fields of an action

    def draw(self) -> None:
        """Let one more thing happen."""
        names = self.possible()
        name = self.random.choices(names, [WEIGHTS[each] for each in names])[0]
        running = sorted(self.up - self.paused - self.rare)
        match name:
            case "leave" | "crash":
                self._out(self.random.choice(running), name)
            case "join":
                self._in(self.random.choice([s.name for s in self.seats if s.name not in self.up]))
            case "pause":
                member = self.random.choice(running)
                self.paused.add(member)
                self.add("pause", member)
            case "resume" if self.paused:
                self.add("resume", self.paused.pop())
            case "resume":
                self.add("pace", self.rare.pop(), wait_ms=0)
            case "return":
                static = [seat.name for seat in self.seats if seat.instance and seat.name in running]
                self.add("return", self.random.choice(static))
            case "subscribe":
                self._subscribe(self.random.choice([*filter(self.resubscribes, running)]))
            case "pace":
                member = self.random.choice(running)
                self.add("pace", member, wait_ms=0 if member in self.slow else SLOW_MS)
                self.slow ^= {member}
            case "grow":
                topic = self.random.choice(sorted(self.topics))
                self.topics[topic] += self.random.randint(1, 3)
                self.add("grow", topic=topic, partitions=self.topics[topic])
            case "rolling":
                for member in running:
                    self._out(member, "leave")
                    self._in(member)
            case "rarely":
                member = self.random.choice(running)
                self.rare.add(member)
                self.add("pace", member, wait_ms=self.timeouts.max_poll_ms + self.timeouts.session_ms)
            case "restart-broker" if self.brokers > 1:
                self.add("restart-broker", broker=self.random.randint(1, self.brokers))
            case _:
                self.add("failover" if name == "failover" else "restart-broker")

    def _in(self, member: str) -> None:
        self.up.add(member)
        self.add("join", member)

    def _out(self, member: str, how: Do) -> None:
        for group in (self.up, self.slow, self.part, self.rare):
            group.discard(member)
        self.add(how, member)

    def _subscribe(self, member: str) -> None:
        """All topics again, or all but one, which others still read."""
        names = sorted(self.topics)
        if member not in self.part and len(self.up) > 1 and not self.part:
            names.remove(self.random.choice(names))
            self.part.add(member)
        else:
            self.part.discard(member)
        self.add("subscribe", member, topics=tuple(names))


def draw_script(
    seed: int,
    seats: Sequence[LiveSeat],
    *,
    timeouts: Timeouts = TIMEOUTS,
    restarts: bool = True,
    cluster: BrokerShape = ONE,
) -> LiveScript:
    """The script of this seed for these members; `restarts`: whether brokers may be restarted.

    Members are in the brokers' racks in turn.
    """
    random = Random(seed)
    topics = {name: random.randint(*PARTITIONS) for name in ("orders", "bills")[: random.randint(1, 2)]}
    # Members of the consumer protocol that rejoin with their instance id need their first life to end first.
    named = [
        replace(seat, instance=f"i-{seat.name}")
        if seat.instance is None and seat.protocol == "classic" and random.random() < 0.25
        else seat
        for seat in seats
    ]
    if cluster.racks:
        named = [replace(seat, rack=cluster.racks[i % len(cluster.racks)]) for i, seat in enumerate(named)]
    world = _World(random, named, dict(topics), restarts, timeouts, cluster.count)
    for seat in named:
        world.up.add(seat.name)
        world.add("join", seat.name)
    for _ in range(random.randint(*ACTIONS)):
        world.draw()
    return LiveScript(topics, tuple(named), tuple(world.actions), timeouts, f"seed {seed}", cluster)
