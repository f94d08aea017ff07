"""The inputs of one coordinator step, and the outputs that it collects, in order."""

from __future__ import annotations

from kassay.model.protocols.values.background import NOTHING_BEGUN, Background
from kassay.model.protocols.values.choices import Choices
from kassay.model.protocols.values.groups import NO_CLOCK, Continuation, Group, Persist
from kassay.model.protocols.values.marks import Generation, RequestId
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.requests import (
    CancelTimer,
    Config,
    Image,
    Payload,
    Reply,
    ReplyBody,
    SetTimer,
    Timer,
)


class Effects:
    """One step in progress; `refreshed` is the new value of that field of a consumer group.

    `background` becomes the state's, whether or not the step's write fails.
    """

    __slots__ = ("background", "choices", "config", "image", "now", "out", "refreshed")

    def __init__(
        self,
        config: Config,
        image: Image,
        choices: Choices,
        now: int = NO_CLOCK,
        background: Background = NOTHING_BEGUN,
    ) -> None:
        self.config = config
        self.image = image
        self.choices = choices
        self.now = now
        self.background = background
        self.refreshed: tuple[Generation, ...] | None = None
        self.out: list[Reply | SetTimer | CancelTimer | Persist] = []

    def has(self, switch: str) -> bool:
        """Whether a deliberate bug is on."""
        return switch in self.config.switches

    def looked_up(self, epoch: Generation) -> None:
        """Record, if tracked, that a group's topics have been looked up since it reached this epoch."""
        if self.now != NO_CLOCK or self.background.image:
            self.refreshed = (epoch,)

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
        """Append records; see `Persist`."""
        self.out.append(Persist(records, then, undo))
