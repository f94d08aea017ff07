"""Histories on one cluster: drawn or from a script, played, judged, and played again where a claim breaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kassay.certify.live.clients import ClientPrograms
from kassay.certify.live.cluster import Helper, own_broker
from kassay.certify.live.folder import RUNS, RunFolder
from kassay.certify.live.judge import CLAIMS, LiveFigures, LiveVerdict, Ruling, Word, judge
from kassay.certify.live.play import LiveStage, Play
from kassay.certify.live.program import TIMEOUTS, Timeouts
from kassay.certify.live.recording import Recording
from kassay.certify.live.running import Pump
from kassay.certify.live.schedule import draw_script
from kassay.certify.live.script import LiveScript, LiveSeat, script_toml
from kassay.model.errors import InputError
from kassay.writing.files import json_text

STABLE_SHARE: Final = 3 / 5
"""A finding that fewer of its plays show is unstable."""
AGAIN: Final = 4
Progress = Callable[[int, str], object]


@dataclass(frozen=True)
class LiveOptions:
    """What to play, and on what: members, or a script; a number of histories, a time, or both."""

    seats: tuple[LiveSeat, ...] = ()
    script: LiveScript | None = None
    histories: int = 3
    seconds: float | None = None
    seed: int = 0
    again: int = AGAIN
    bootstrap: str | None = None
    timeouts: Timeouts = TIMEOUTS
    base: Path = RUNS

    def scripts(self) -> Iterator[LiveScript]:
        """The scripts in order, each from a seed of its own."""
        if self.script is not None:
            yield self.script
            return
        for index in range(self.histories):
            own = f"{self.seed}-{index}"
            drawn = draw_script(
                hash_of(own), self.seats, timeouts=self.timeouts, restarts=self.bootstrap is None
            )
            yield replace(drawn, title=f"seed {self.seed}, history {index}")


def hash_of(text: str) -> int:
    """A number for a text, the same in every process."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class LiveFinding:
    """A claim that a history breaks, and in how many plays of its script it was seen."""

    ruling: Ruling
    action: str
    script: str
    seen: int
    plays: int

    @property
    def unstable(self) -> bool:
        """Whether too few plays show it."""
        return self.seen < STABLE_SHARE * self.plays

    def document(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "claim": self.ruling.claim,
            "step": self.ruling.step,
            "action": self.action,
            "text": self.ruling.text,
            "clients": list(self.ruling.clients),
            "script": self.script,
            "seen": self.seen,
            "plays": self.plays,
            "unstable": self.unstable,
        }


@dataclass(frozen=True)
class PlayedScript:
    """A script that was played, with its verdict and the versions that the clients reported."""

    title: str
    script: str
    verdict: LiveVerdict
    versions: Mapping[str, str]
    steps: int
    findings: tuple[LiveFinding, ...] = ()


@dataclass(frozen=True)
class LiveClaimCount:
    """How often a claim was judged, was unknown and was violated; `why` has the reasons of unknown ones."""

    claim: str
    judged: int
    unknown: int
    violated: int
    why: tuple[str, ...]


@dataclass(frozen=True)
class LiveResult:
    """A run: what it played and found. `peak_mib`: the most memory that broker and clients had at a time."""

    run: str
    release: str
    seed: int
    played: tuple[PlayedScript, ...]
    seconds: float
    peak_mib: float
    folder: str

    @property
    def findings(self) -> tuple[LiveFinding, ...]:
        """All findings."""
        return tuple(each for played in self.played for each in played.findings)

    @property
    def figures(self) -> LiveFigures:
        """The sums over all histories."""
        return sum((each.verdict.figures for each in self.played), LiveFigures())

    @property
    def word(self) -> str:
        """`violated`, `unknown` if a claim was never judged although it could have failed, or `holds`."""
        if self.findings:
            return "violated"
        counts = self.counts()
        return "unknown" if not self.played or any(c.unknown and not c.judged for c in counts) else "holds"

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return {"violated": 1, "unknown": 3, "holds": 0}[self.word]

    def counts(self, client: str | None = None) -> list[LiveClaimCount]:
        """The counts of each claim, over all histories or those that rest on one client."""
        rulings = [
            ruling
            for played in self.played
            for ruling in played.verdict.rulings
            if client is None or client in ruling.clients
        ]
        counts = []
        for claim in CLAIMS:
            mine = [each for each in rulings if each.claim == claim and each.word is not Word.VACUOUS]
            unknown = [each for each in mine if each.word is Word.UNKNOWN]
            violated = sum(each.word is Word.VIOLATED for each in mine)
            why = tuple(sorted({each.text for each in unknown}))
            counts.append(LiveClaimCount(claim, len(mine) - len(unknown), len(unknown), violated, why))
        return counts

    @property
    def clients(self) -> dict[str, str]:
        """The versions of the clients."""
        return {name: version for each in self.played for name, version in each.versions.items()}

    def to_json(self) -> dict[str, Any]:
        """The result as JSON."""
        figures = self.figures
        return {
            "schema": "kassay/live/1",
            "verdict": self.word,
            "run": self.run,
            "release": self.release,
            "seed": self.seed,
            "clients": self.clients,
            "histories": [
                {
                    "title": each.title,
                    "script": each.script,
                    "steps": each.steps,
                    "beliefs": list(each.verdict.beliefs),
                }
                for each in self.played
            ],
            "claims": [_count_document(each) for each in self.counts()],
            "by_client": {
                name: [_count_document(each) for each in self.counts(name)] for name in sorted(self.clients)
            },
            "findings": [each.document() for each in self.findings],
            "moved": figures.moved,
            "least": figures.least,
            "changed_owner": figures.changed_owner,
            "records_read": figures.read,
            "records_read_twice": figures.read_twice,
            "seconds": round(self.seconds, 1),
            "peak_mib": round(self.peak_mib),
            "folder": self.folder,
        }


def _count_document(count: LiveClaimCount) -> dict[str, Any]:
    return {
        "claim": count.claim,
        "judged": count.judged,
        "unknown": count.unknown,
        "violated": count.violated,
        "why": list(count.why),
    }


@dataclass
class _Runner:
    """Plays scripts one after another on one cluster."""

    options: LiveOptions
    folder: RunFolder
    programs: ClientPrograms
    stage: LiveStage
    progress: Progress
    count: int = field(default=0)

    def play(self, script: LiveScript, name: str) -> tuple[Recording, LiveVerdict]:
        """One play, which is recorded in the folder of the run."""
        self.count += 1
        prefix = f"kassay-{self.folder.run}-{self.count}"
        self.stage.helper = helper = Helper(self.stage.pump, prefix)
        try:
            helper.start(self.programs.jars, self.stage.bootstrap, self.folder.note)
            recording = Play(script, self.stage, self._show).record()
        finally:
            helper.close()
        self.folder.write(f"{name}.recording.json", json_text(recording.document()))
        return recording, judge(recording)

    def _show(self, words: str) -> None:
        self.progress(self.count - 1, words)

    def history(self, index: int, script: LiveScript) -> PlayedScript:
        """A script played, and again as often as it takes to count what it breaks."""
        path = self.folder.write(f"{index + 1}.toml", script_toml(script))
        recording, verdict = self.play(script, str(index + 1))
        broken = {(each.claim, each.step): [each] for each in verdict.violated}
        again = self.options.again if broken else 0
        for number in range(again):
            _, second = self.play(script, f"{index + 1}-again-{number + 1}")
            for each in second.violated:
                if (each.claim, each.step) in broken:
                    broken[each.claim, each.step].append(each)
        findings = tuple(
            LiveFinding(
                seen[0],
                script.actions[step - 1].words if step else "the whole history",
                str(path),
                len(seen),
                again + 1,
            )
            for (_, step), seen in broken.items()
        )
        ready = [life.ready for life in recording.lives if life.ready is not None]
        versions = {each.library: each.version for each in ready}
        return PlayedScript(script.title, str(path), verdict, versions, len(recording.steps), findings)


def require_programs(programs: ClientPrograms, seats: Sequence[LiveSeat]) -> None:
    """Raise `InputError` for the first client that cannot be started here."""
    for client in {seat.client: None for seat in seats}:
        programs.command(client)


def live(
    options: LiveOptions, programs: ClientPrograms, progress: Progress = lambda _, __: None
) -> LiveResult:
    """Play the histories; whatever was started has ended. Raises `InputError` and `LiveFailed`."""
    seats = options.script.seats if options.script is not None else options.seats
    if not seats:
        raise InputError("expected --clients, such as java:range*2,librdkafka:range, or --script FILE")
    require_programs(programs, seats)
    began = time.monotonic()
    folder, pump = RunFolder(options.base), Pump()
    played: list[PlayedScript] = []
    with _stage(options, programs, folder, pump) as stage:
        runner = _Runner(options, folder, programs, stage, progress)
        for index, script in enumerate(options.scripts()):
            if options.seconds is not None and played and time.monotonic() - began > options.seconds:
                break
            played.append(runner.history(index, script))
    seconds = time.monotonic() - began
    return LiveResult(
        folder.run,
        programs.release,
        options.seed,
        tuple(played),
        seconds,
        stage.peak_mib,
        str(folder.path),
    )


@contextmanager
def _stage(
    options: LiveOptions, programs: ClientPrograms, folder: RunFolder, pump: Pump
) -> Iterator[LiveStage]:
    """The cluster: the one that is named, or a broker of our own, whose data are removed at the end."""
    with ExitStack() as stack:
        broker = None
        bootstrap = options.bootstrap
        if bootstrap is None:
            data = folder.path / "broker"
            stack.callback(_remove, data)
            broker = stack.enter_context(
                own_broker(programs.jars, programs.release, data, options.timeouts, pump, folder.note)
            )
            bootstrap = broker.bootstrap
            folder.write("bootstrap", bootstrap)
        yield LiveStage(programs, bootstrap, Helper(pump, ""), pump, folder.note, broker)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
