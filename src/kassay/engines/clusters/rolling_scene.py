"""What restarts one by one: the settings of clients, the group that they are of, and what a restart does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.choices import Target, TargetAsk, WithoutStreams
from kassay.model.protocols.values.requests import Partitions

TOPIC: Final = "t"
_PARTITIONS: Final = 6


class ClientSetting(NamedTuple):
    """A client's configuration: its assignors in order, or the remote assignor of the consumer protocol."""

    strategies: tuple[str, ...] = ()
    remote: str = ""

    @property
    def is_consumer(self) -> bool:
        """Whether the client uses the consumer protocol (`group.protocol=consumer`)."""
        return bool(self.remote)

    def __str__(self) -> str:
        if self.is_consumer:
            return f"group.protocol=consumer, group.remote.assignor={self.remote}"
        return f"partition.assignment.strategy={','.join(self.strategies)}"


class RestartTotals(NamedTuple):
    """What a restart does to partitions, counted in partitions.

    `moved` leave a member who stays, by the end of the restart; `orphaned` are those of the member that
    restarts; `revoked` counts each revocation of a member who stays, even if it gets the partition back.
    """

    moved: int = 0
    orphaned: int = 0
    revoked: int = 0


class Restarted(NamedTuple):
    """The result of a restart: rebalances until the group is stable, the assignor in force, the error.

    `is_settled` is False if rebalance follows rebalance without end; `rebalances` are then those played.
    `left_by` is the assignor in force while the client is away.
    """

    rebalances: int
    rule: str
    error: str
    is_settled: bool = True
    left_by: str = ""
    totals: RestartTotals = RestartTotals()


class RollingShare(NamedTuple):
    """A member as the assignor sees it: `owned` is what the assignor knows that it has."""

    member_id: str
    client: str
    topics: tuple[str, ...]
    owned: Partitions
    generation: int


Answer = Mapping[str, Partitions]


def deal_in_turn(rule: str, shares: Sequence[RollingShare]) -> Answer:  # noqa: ARG001 - any rule, the same answer
    """Partitions of the plain topic in turn: for groups of which only the number of members is known."""
    ids = [each.member_id for each in shares]
    return {
        member_id: tuple(TopicPartition(TOPIC, number) for number in range(at, _PARTITIONS, len(ids)))
        for at, member_id in enumerate(ids)
    }


class RollingSeat(NamedTuple):
    """A client of a real group: its name, its instance id or "", its topics, and what it owns today."""

    name: str
    instance: str
    topics: tuple[str, ...]
    owned: Partitions


@dataclass(frozen=True)
class RollingScene:
    """What a group reads and by which rules: the topics, the clients, what an assignor answers, of the
    leader's (`assign`) and of the brokers' (`assign_remote`).

    `is_eager` says whether a client with these assignors revokes all partitions at each rebalance; `uuid`
    makes the id of a member of the consumer protocol from its client's name and a number. Without `seats`
    only the number of clients is known.
    """

    topics: tuple[tuple[str, int], ...] = ((TOPIC, _PARTITIONS),)
    seats: tuple[RollingSeat, ...] = ()
    assign: Callable[[str, Sequence[RollingShare]], Answer] = deal_in_turn
    assign_remote: Callable[[str, Sequence[RollingShare]], Answer] = deal_in_turn
    is_eager: Callable[[tuple[str, ...]], bool] = lambda _: True
    uuid: Callable[[str, int], str] = lambda name, number: f"{name}-{number}"


PLAIN: Final = RollingScene()


class RollingChoices(WithoutStreams):
    """Always takes the first option; numbers ids in sequence; the scene's assignor makes the targets."""

    def __init__(self, scene: RollingScene) -> None:
        self.scene = scene
        self.count = 0
        self.today: Answer | None = {}
        self.names: dict[str, str] = {}

    def pick(self, kind: str, options: Sequence[str]) -> str:  # noqa: ARG002 - whatever is chosen
        """The first option."""
        return options[0]

    def member_id(self, prefix: str) -> str:
        """The id of a member of the classic protocol."""
        self.count += 1
        return f"{prefix}-{self.count}"

    def uuid(self, name: str) -> str:
        """The id of a member of the consumer protocol."""
        self.count += 1
        member_id = self.scene.uuid(name, self.count)
        self.names[member_id] = name
        return member_id

    def target(self, ask: TargetAsk) -> Target:
        """What members own today while the group is set up, then what the brokers' assignor answers."""
        ids = [member.member_id for member in ask.members]
        if self.today:  # the group is being set up as it is today
            return tuple((member_id, self.today.get(member_id, ())) for member_id in ids)
        shares = [
            RollingShare(
                each.member_id,
                self.names.get(each.member_id, each.member_id),
                each.subscribed,
                each.target,
                1,
            )
            for each in ask.members
        ]
        answer = self.scene.assign_remote(ask.assignor, shares)
        return tuple((member_id, tuple(sorted(answer.get(member_id, ())))) for member_id in ids)
