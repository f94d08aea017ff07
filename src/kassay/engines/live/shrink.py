"""A script that breaks a claim, made smaller by leaving out actions and members, and played each time.

Real clients do not do the same twice, so a candidate counts by its plays: it is accepted if it breaks the
claim twice before it does not break it twice. The smallest one is then played as often as the finding itself;
if it breaks the claim too rarely, the one before it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from kassay.engines.live.script import ALL, LiveScript

CANDIDATES: Final = 30
"""The most candidates of one shrinking."""
_TWICE: Final = 2

Breaks = Callable[[LiveScript, str], bool]
"""Whether a play of the script breaks the claim; the text says which play it is."""
Keep = Callable[[LiveScript], object]


@dataclass(frozen=True)
class ShrunkScript:
    """The smallest script that was found, and in how many of its plays it broke the claim.

    `minimal`: whether no single action can be left out of it, as far as its plays show.
    """

    script: LiveScript
    seen: int
    plays: int
    candidates: int
    minimal: bool


@dataclass(frozen=True)
class Accepted:
    """A candidate that broke the claim in so many plays of its trial."""

    script: LiveScript
    seen: int
    plays: int


def tidy(script: LiveScript) -> LiveScript:
    """The script without members that never join, and without what is done to them."""
    joined = {each.member for each in script.actions if each.do == "join"}
    if ALL in joined:
        return script
    return replace(
        script,
        seats=tuple(each for each in script.seats if each.name in joined),
        actions=tuple(each for each in script.actions if not each.member or each.member in joined),
    )


def smaller(script: LiveScript) -> Iterator[LiveScript]:
    """Candidates, the boldest first: without a member, without half of the actions, down to single ones."""
    if len(script.seats) > 1:
        for seat in script.seats:
            kept = tuple(each for each in script.actions if each.member != seat.name)
            yield tidy(replace(script, actions=kept))
    count = len(script.actions)
    width = count // 2
    while width:
        for start in range(count - width, -width, -width):  # from the end: what comes last decides the least
            first, end = max(0, start), start + width
            yield tidy(replace(script, actions=script.actions[:first] + script.actions[end:]))
        width //= 2


class ScriptShrinking:
    """One shrinking, whose best script so far is there at any time, also when it is interrupted.

    `step` is the step that broke the claim, from 1 on; 0 if it is not known. `keep` gets each better script.
    """

    def __init__(self, script: LiveScript, step: int, breaks: Breaks, keep: Keep = lambda _: None) -> None:
        self.candidates = 0
        self.minimal = False
        self._accepted = [Accepted(script, 0, 0)]
        self._step, self._breaks, self._keep = step, breaks, keep

    @property
    def best(self) -> LiveScript:
        """The smallest script that was accepted."""
        return self._accepted[-1].script

    def run(self, most: int = CANDIDATES) -> None:
        """Try candidates until none is left or `most` were played."""
        tried = {self.best.actions}
        while True:
            for candidate in self._candidates():
                if candidate.actions in tried or not candidate.seats:
                    continue
                if self.candidates >= most:
                    return
                tried.add(candidate.actions)
                self.candidates += 1
                if (accepted := self._tried(candidate)) is not None:
                    self._accepted.append(accepted)
                    self._keep(candidate)
                    break
            else:
                self.minimal = True
                return

    def _candidates(self) -> Iterator[LiveScript]:
        if len(self._accepted) == 1 and 0 < self._step < len(self.best.actions):
            yield tidy(replace(self.best, actions=self.best.actions[: self._step]))
        yield from smaller(self.best)

    def _tried(self, candidate: LiveScript) -> Accepted | None:
        """The candidate if it breaks the claim twice before it does not break it twice."""
        outcomes: list[bool] = []
        while max(outcomes.count(True), outcomes.count(False)) < _TWICE:
            size = f"{len(candidate.actions)} actions, play {len(outcomes) + 1}"
            outcomes.append(self._breaks(candidate, f"candidate {self.candidates}, {size}"))
        return Accepted(candidate, _TWICE, len(outcomes)) if outcomes[-1] else None

    def confirmed(self, plays: int, least: float) -> ShrunkScript | None:
        """The smallest accepted script that breaks the claim in at least this share of so many plays.

        None if only the original script is left, which was played before.
        """
        while len(self._accepted) > 1:
            words = (f"the smallest script, play {number} of {plays}" for number in range(1, plays + 1))
            seen = sum(self._breaks(self.best, each) for each in words)
            if seen >= least * plays:
                return ShrunkScript(self.best, seen, plays, self.candidates, self.minimal)
            self._accepted.pop()
            self.minimal = False
            self._keep(self.best)
        return None

    def so_far(self, seen: int, plays: int) -> ShrunkScript:
        """The smallest accepted script with the plays of its trial; the original one was seen so often."""
        best = self._accepted[-1]
        counts = (seen, plays) if len(self._accepted) == 1 else (best.seen, best.plays)
        return ShrunkScript(best.script, *counts, self.candidates, self.minimal)
