"""A step as the claims see it: who was in the group, what they owned, and what cannot be known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kassay.engines.live.claims.rulings import Ruling, Word
from kassay.engines.live.group_types import type_of
from kassay.engines.live.owners import covered, owned_at
from kassay.engines.live.recording import MS, Life, LiveStep, Recording
from kassay.model.cluster import TopicPartition

SHOWN: Final = 4


@dataclass(frozen=True)
class Scene:
    """What the members had reported when a step ended; `unable` says who cannot, or is empty.

    Of members that have no callbacks, `owned` is what the coordinator assigned.
    """

    recording: Recording
    number: int
    step: LiveStep
    lives: Mapping[str, Life]
    owned: Mapping[str, frozenset[TopicPartition]]
    owner: Mapping[TopicPartition, str]
    unable: str

    @classmethod
    def of(cls, recording: Recording, number: int, step: LiveStep) -> Scene:
        """The scene of a step, which is the recording's of this number, from 1 on."""
        lives = {
            life.seat.name: life
            for life in recording.lives
            if life.seat.name in step.present
            and life.started <= step.ended
            and (life.ended is None or life.ended > step.ended)
        }
        owned, mute = {}, []
        for name, life in lives.items():
            if type_of(life.seat).callbacks:
                owned[name] = owned_at(life, step.ended)
                mute += [] if life.reports("assigned") else [life.name]
            elif (assigned := step.group.members.get(name)) is not None:
                owned[name] = assigned
        unable = f"{', '.join(mute)} cannot report assigned partitions" if mute else ""
        owner = {each: name for name in owned for each in owned[name]}
        return cls(recording, number, step, lives, owned, owner, unable)

    def ruling(
        self, claim: str, word: Word = Word.HOLDS, text: str = "", clients: Iterable[str] = ()
    ) -> Ruling:
        """A ruling on the step; it rests on all members unless clients are named."""
        return Ruling(claim, self.number, word, text, tuple(sorted({*clients})) or self.clients)

    @property
    def clients(self) -> tuple[str, ...]:
        """The libraries of the members."""
        return tuple(sorted({life.seat.client for life in self.lives.values()}))

    def unless_stalled(self, ruling: Ruling) -> Ruling:
        """The ruling, or `unknown` with who stalled if the time without stalls did not reach the limit."""
        step, recording = self.step, self.recording
        spans = {"kassay": recording.stalls}
        spans |= {life.name: tuple(life.stalls) for life in self.lives.values()}
        late = [
            name for name, own in spans.items() if any(e >= step.began and b <= step.ended for b, e in own)
        ]
        stalled = covered((each for some in spans.values() for each in some), step.began, step.ended)
        limit = recording.script.timeouts.settle_ms * MS
        if not late or step.ended - step.began - stalled >= limit:
            return ruling
        return replace(ruling, word=Word.UNKNOWN, text=f"{', '.join(late)} stalled", clients=self.clients)

    @property
    def is_even(self) -> bool:
        """Whether all members read the same topics."""
        return len(set(self.step.present.values())) == 1


def listed(texts: Iterable[str]) -> str:
    """The first texts, and how many more there are."""
    every = [*texts]
    more = len(every) - SHOWN
    return "; ".join(every[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


def begun(scenes: Sequence[Scene], t: int) -> int:
    """The number of the step in which the time is: the last one that had begun, 0 before the first."""
    return sum(scene.step.began <= t for scene in scenes)
