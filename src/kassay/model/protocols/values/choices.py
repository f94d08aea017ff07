"""What one step of the coordinator works with: the choices that the protocol leaves free, and its effects.

The choices that the protocol leaves open, made outside the machine. A conformance check answers from a
genuine trace, a simulation from a seed, and `outcomes` runs the step once for every combination of
answers, so that an explorer sees all of them. `Effects` gathers the outputs of a step in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeVar

from kassay.model.protocols.values.groups import NO_CLOCK, Continuation, Group, Persist
from kassay.model.protocols.values.marks import Generation, RequestId
from kassay.model.protocols.values.records import NOTHING_BEGUN, Background, LogRecord
from kassay.model.protocols.values.requests import (
    CancelTimer,
    Config,
    Image,
    Partitions,
    Payload,
    Reply,
    ReplyBody,
    SetTimer,
    Timer,
)
from kassay.model.protocols.values.streams import TaskTarget
from kassay.model.streams.group import StreamsGroup

T = TypeVar("T")

Target: TypeAlias = tuple[tuple[str, Partitions], ...]
"""The target of each member: (member id, partitions), by member id."""

LEADER: Final = "leader"
PROTOCOL: Final = "protocol"
LAST_RESOLVED: Final = "last resolved"
TARGET: Final = "target"


class TargetMember(NamedTuple):
    """One member as a server-side assignor sees it; `target` is its previous target."""

    member_id: str
    group_instance_id: str
    subscribed: tuple[str, ...]
    target: Partitions


class TargetAsk(NamedTuple):
    """The input of a server-side assignor: its name, the members by id, and the subscribed topics."""

    assignor: str
    members: tuple[TargetMember, ...]
    topics: Image


class Choices(Protocol):
    """Makes the choices that the protocol leaves open."""

    def pick(self, kind: str, options: Sequence[str]) -> str:
        """One of `options`, which are non-empty, sorted and distinct.

        `kind` is LEADER (the next leader after the leader left), PROTOCOL (a tied vote) or LAST_RESOLVED
        (which resolution counts as the last if those of a group's expressions differ).
        """

    def member_id(self, prefix: str) -> str:
        """A member id never used before; Kafka prefixes a random UUID with the client or instance id."""

    def target(self, ask: TargetAsk) -> Target:
        """A target assignment for these members."""

    def tasks(self, ask: StreamsGroup) -> TaskTarget:
        """The tasks of every member of a Streams group, by id."""


class WithoutStreams:
    """The part of `Choices` for worlds without Streams groups."""

    def tasks(self, ask: StreamsGroup) -> TaskTarget:
        """Raises `LookupError`."""
        return nobody_assigns(ask)[0]


def nobody_assigns(ask: StreamsGroup) -> Sequence[TaskTarget]:
    """The targets in worlds without Streams groups: raises `LookupError`."""
    raise LookupError(f"{len(ask.members)} members need tasks in a world without Streams groups")


class Scripted:
    """Choices that follow a script and record the alternatives.

    `targets` yields every target worth considering, `tasks` those of Streams groups; `member_id` makes a new
    id from a prefix.
    """

    def __init__(
        self,
        targets: Callable[[TargetAsk], Sequence[Target]],
        member_id: Callable[[str], str],
        script: tuple[int, ...] = (),
        tasks: Callable[[StreamsGroup], Sequence[TaskTarget]] = nobody_assigns,
    ) -> None:
        self._targets = targets
        self._member_id = member_id
        self._script = script
        self._tasks = tasks
        self.widths: list[int] = []

    def _choose(self, options: Sequence[T]) -> T:
        turn = len(self.widths)
        self.widths.append(len(options))
        return options[self._script[turn] if turn < len(self._script) else 0]

    def pick(self, kind: str, options: Sequence[str]) -> str:  # noqa: ARG002 - the kind does not matter here
        """The scripted option, or the first."""
        return self._choose(options) if len(options) > 1 else options[0]

    def member_id(self, prefix: str) -> str:
        """The id from the caller's rule; ids are not branched over here."""
        return self._member_id(prefix)

    def target(self, ask: TargetAsk) -> Target:
        """The scripted candidate, or the first."""
        options = self._targets(ask)
        return self._choose(options) if len(options) > 1 else options[0]

    def tasks(self, ask: StreamsGroup) -> TaskTarget:
        """The scripted candidate, or the first."""
        options = self._tasks(ask)
        return self._choose(options) if len(options) > 1 else options[0]


def outcomes(
    run: Callable[[Choices], T],
    targets: Callable[[TargetAsk], Sequence[Target]],
    member_id: Callable[[str], str],
    tasks: Callable[[StreamsGroup], Sequence[TaskTarget]] = nobody_assigns,
) -> Iterator[T]:
    """The result of `run` for every combination of choices, in the order of the options.

    `run` must be deterministic except for its choices. Equal results are not merged.
    """
    script: tuple[int, ...] | None = ()
    while script is not None:
        choices = Scripted(targets, member_id, script, tasks)
        yield run(choices)
        taken = [script[turn] if turn < len(script) else 0 for turn in range(len(choices.widths))]
        while taken and taken[-1] + 1 >= choices.widths[len(taken) - 1]:
            taken.pop()
        script = (*taken[:-1], taken[-1] + 1) if taken else None


class Effects:
    """One step in progress; `refreshed` is the new value of that field of a consumer group.

    `background`, `removed` and `left_topics` become the state's; a failed write undoes the last alone.
    """

    __slots__ = (
        "background",
        "choices",
        "config",
        "image",
        "left_topics",
        "now",
        "out",
        "refreshed",
        "removed",
    )

    def __init__(
        self,
        config: Config,
        image: Image,
        choices: Choices,
        now: int = NO_CLOCK,
        background: Background = NOTHING_BEGUN,
        removed: tuple[Group, ...] = (),
        left_topics: tuple[str, ...] = (),
    ) -> None:
        self.config = config
        self.image = image
        self.choices = choices
        self.now = now
        self.background = background
        self.removed = removed
        self.left_topics = left_topics
        self.refreshed: tuple[Generation, ...] | None = None
        self.out: list[Reply | SetTimer | CancelTimer | Persist] = []

    def has(self, switch: str) -> bool:
        """Whether a deliberate bug is on."""
        return switch in self.config.switches

    def looked_up(self, epoch: Generation) -> None:
        """Record, if tracked, that a group's topics have been looked up since it reached this epoch."""
        if self.now != NO_CLOCK or self.background.image:
            self.refreshed = (epoch,)

    def remove_unwritten(self, group: Group) -> None:
        """Remove a group, if there is one, from memory without a record.

        It comes back with the next failed write: the snapshot is that of the last append. Walks without a
        clock track it where writes may fail.
        """
        if group is not None and (self.now != NO_CLOCK or self.config.writes_fail):
            self.removed = (group,)

    def reply(self, request: RequestId, body: ReplyBody) -> None:
        """Answer at once."""
        self.out.append(Reply(request, body))

    def reply_when_durable(self, request: RequestId, body: ReplyBody) -> None:
        """Answer once everything appended so far is acknowledged."""
        self.out.append(Reply(request, body, when_durable=True))

    def arm(self, kind: str, member: str, delay: int, payload: Payload = ()) -> None:
        """Arm a timer; an armed one is replaced."""
        self.out.append(SetTimer(Timer(kind, member), delay, payload))

    def arm_if_absent(self, kind: str, member: str, delay: int) -> None:
        """Arm a timer unless it is armed."""
        self.out.append(SetTimer(Timer(kind, member), delay, if_absent=True))

    def disarm(self, kind: str, member: str = "") -> None:
        """Disarm a timer."""
        self.out.append(CancelTimer(Timer(kind, member)))

    def persist(
        self,
        records: tuple[LogRecord, ...],
        then: Continuation | None = None,
        undo: tuple[Group, ...] = (),
    ) -> None:
        """Append records; see `Persist`.

        Kafka returns to the snapshot of the last append, not to the state before the request whose write
        fails: what was removed from memory alone comes back with it.
        """
        if records and self.removed:
            undo, self.removed = self.removed, ()
        self.out.append(Persist(records, then, undo, self.left_topics))
