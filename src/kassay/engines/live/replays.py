"""What becomes of a history that breaks a claim: played again and counted, shrunk, and reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

from kassay.engines.live.claims.rulings import LiveVerdict, Ruling
from kassay.engines.live.recording import Recording
from kassay.engines.live.report import finding_report
from kassay.engines.live.result import STABLE_SHARE, LiveFinding
from kassay.engines.live.running import LiveFailed
from kassay.engines.live.script import LiveScript, script_toml
from kassay.engines.live.shrink import ScriptShrinking, ShrunkScript

SHRINK_SEEN: Final = 3
"""A finding that was seen less often is not shrunk."""
MOST_TELLING: Final = ("exclusive", "no-stuck-member", "complete", "progress", "balanced", "moves", "settles")
"""Of the claims that a step breaks, the first of these is shrunk."""


class PlayOnce(Protocol):
    """Plays a script; the name is that of the recording, the words say what is played."""

    def __call__(self, script: LiveScript, name: str, words: str) -> tuple[Recording, LiveVerdict]:
        """The recording and the verdict on it."""


@dataclass
class Replays:
    """The replays of one history, named `name`; Ctrl-C sets `interrupted` and keeps what was found."""

    name: str
    script: LiveScript
    play: PlayOnce
    write: Callable[[str, str], Path]
    again: int
    shrink: bool
    replay: tuple[str, ...]
    interrupted: bool = False
    _count: int = 0
    _broken: dict[object, list[dict[str, Ruling]]] = field(default_factory=dict)
    _shown: dict[tuple[object, str], Recording] = field(default_factory=dict)

    def findings(self, path: Path, recording: Recording, verdict: LiveVerdict) -> tuple[LiveFinding, ...]:
        """The claims that the first play broke, with how often they were seen."""
        first = {(each.claim, each.step): each for each in verdict.violated}
        if not first:
            return ()
        verdicts = [verdict]
        try:
            for number in range(1, self.again + 1):
                words = f"again, play {number} of {self.again}"
                verdicts.append(self.play(self.script, f"{self.name}-again-{number}", words)[1])
        except KeyboardInterrupt:
            self.interrupted = True
        seen = {key: sum(key in _keys(each) for each in verdicts) for key in first}
        counted = [
            LiveFinding(ruling, self._action(ruling), str(path), seen[key], len(verdicts))
            for key, ruling in first.items()
        ]
        shrunk = self._all_shrunk(counted)
        ready = [self._with(each, shrunk.get(_key(each.ruling)), recording) for each in counted]
        return tuple(ready)

    def _action(self, ruling: Ruling) -> str:
        return self.script.actions[ruling.step - 1].words if ruling.step else "the whole history"

    def _all_shrunk(self, findings: list[LiveFinding]) -> Mapping[tuple[str, int], ShrunkScript]:
        """The shrunk scripts by finding: of each claim the first step that breaks it, if it is seen often."""
        if not self.shrink:
            return {}
        order = sorted(findings, key=lambda each: (each.ruling.step, MOST_TELLING.index(each.ruling.claim)))
        done: dict[str, tuple[tuple[str, int], ShrunkScript]] = {}
        for each in order:
            claim = each.ruling.claim
            often = each.seen >= SHRINK_SEEN and not each.unstable
            if often and claim not in done and not self.interrupted:
                shrunk = self._shrunk(each)
                done[claim] = (_key(each.ruling), shrunk)
                for other in order:
                    if other.ruling.claim not in done and (too := self._also(other, shrunk)) is not None:
                        done[other.ruling.claim] = (_key(other.ruling), too)
        return dict(done.values())

    def _also(self, other: LiveFinding, shrunk: ShrunkScript) -> ShrunkScript | None:
        """The shrunk script as that of another claim, which the same plays broke as often as needed."""
        plays = self._broken.get(shrunk.script.actions, [])[-shrunk.plays :]
        seen = sum(other.ruling.claim in each for each in plays)
        often = len(plays) == shrunk.plays and seen >= STABLE_SHARE * shrunk.plays
        return replace(shrunk, seen=seen) if often else None

    def _shrunk(self, finding: LiveFinding) -> ShrunkScript:
        claim = finding.ruling.claim

        def breaks(script: LiveScript, words: str) -> bool:
            self._count += 1
            name = f"{self.name}-shrink-{self._count}"
            recording, verdict = self.play(script, name, f"shrinking {claim}: {words}")
            broken = {each.claim: each for each in reversed(verdict.violated)}
            self._broken.setdefault(script.actions, []).append(broken)
            for each in broken:
                self._shown[script.actions, each] = recording
            return claim in broken

        def keep(script: LiveScript) -> None:
            self.write(self._file(claim), script_toml(script))

        shrinking = ScriptShrinking(self.script, finding.ruling.step, breaks, keep)
        try:
            shrinking.run()
            if (shrunk := shrinking.confirmed(finding.plays, STABLE_SHARE)) is not None:
                return shrunk
        except KeyboardInterrupt:
            self.interrupted = True
        except LiveFailed:
            pass  # what was found so far stands; if the cluster is gone, the next history says so
        return shrinking.so_far(finding.seen, finding.plays)

    def _file(self, claim: str) -> str:
        return f"{self.name}-{claim}.toml"

    def _with(self, finding: LiveFinding, shrunk: ShrunkScript | None, recording: Recording) -> LiveFinding:
        """The finding with its shrunk script and its report, both saved."""
        claim, ruling = finding.ruling.claim, finding.ruling
        name = f"{self.name}-{claim}" if shrunk is not None else f"{self.name}-{claim}-{ruling.step}"
        script, path = self.script, finding.script
        if shrunk is not None:
            script = shrunk.script
            path = str(self.write(self._file(claim), script_toml(script)))
            if (shown := self._shown.get((script.actions, claim))) is not None:
                recording, ruling = shown, self._broken_ruling(script, claim)
        finding = replace(finding, shrunk=shrunk, shrunk_script=path if shrunk is not None else "")
        command = ("kassay", "live", *self.replay, Path(path).name)
        text = finding_report(finding, ruling, script, recording, command)
        return replace(finding, report=str(self.write(f"{name}.md", text)))

    def _broken_ruling(self, script: LiveScript, claim: str) -> Ruling:
        """The ruling of the last play of a script that broke the claim."""
        return next(each[claim] for each in reversed(self._broken[script.actions]) if claim in each)


def _key(ruling: Ruling) -> tuple[str, int]:
    return ruling.claim, ruling.step


def _keys(verdict: LiveVerdict) -> set[tuple[str, int]]:
    return {_key(each) for each in verdict.violated}
