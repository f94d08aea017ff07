"""Histories on one cluster: drawn or from a script, played, judged, and played again where a claim breaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kassay.engines.genuine.jars import NEWEST_RELEASE, broker_jars
from kassay.engines.live.brokers import (
    ONE,
    BrokerShape,
    OwnCluster,
    assignors_of,
    own_cluster,
    with_assignor,
)
from kassay.engines.live.claims.rulings import LiveVerdict
from kassay.engines.live.clients import LIBRARIES, ClientPrograms
from kassay.engines.live.cluster import Helper
from kassay.engines.live.folder import RUNS, RunFolder
from kassay.engines.live.group_types import EARLY, one_type, type_of
from kassay.engines.live.judge import judge
from kassay.engines.live.play import LiveStage, Play
from kassay.engines.live.program import TIMEOUTS, Timeouts
from kassay.engines.live.recording import Recording
from kassay.engines.live.replays import Replays
from kassay.engines.live.result import LiveResult, PlayedScript
from kassay.engines.live.running import LiveFailed, Pump
from kassay.engines.live.schedule import draw_script
from kassay.engines.live.script import OF_BROKERS, LiveScript, LiveSeat, script_toml
from kassay.engines.live.upgrade import broker_steps
from kassay.model.errors import InputError
from kassay.writing.files import json_text
from kassay.writing.text import shell_command

AGAIN: Final = 4
Progress = Callable[[int, str], object]


@dataclass(frozen=True)
class LiveOptions:
    """What to play, and on what: members, or scripts; a number of histories, a time, or both.

    `more` are scripts that are played after `script`, each on brokers as they were for the first.
    """

    seats: tuple[LiveSeat, ...] = ()
    script: LiveScript | None = None
    more: tuple[LiveScript, ...] = ()
    histories: int = 3
    seconds: float | None = None
    seed: int = 0
    again: int = AGAIN
    shrink: bool = True
    bootstrap: str | None = None
    timeouts: Timeouts = TIMEOUTS
    base: Path = RUNS
    cluster: BrokerShape = ONE
    assignor: Path | None = None

    @property
    def members(self) -> tuple[LiveSeat, ...]:
        """The members: those of the scripts if there are any."""
        return tuple(seat for group in self.groups for seat in group)

    @property
    def groups(self) -> tuple[tuple[LiveSeat, ...], ...]:
        """The members of each group that is played."""
        return tuple(each.seats for each in self.given) or (self.seats,)

    @property
    def given(self) -> tuple[LiveScript, ...]:
        """The scripts that are given."""
        return () if self.script is None else (self.script, *self.more)

    @property
    def shape(self) -> BrokerShape:
        """The brokers that are wanted: the script's if there is one, with the settings of the options."""
        if self.script is None:
            return self.cluster
        own = self.script.cluster
        return replace(own, settings={**own.settings, **self.cluster.settings})

    def scripts(self) -> Iterator[LiveScript]:
        """The scripts in order, each from a seed of its own."""
        if self.script is not None:
            yield from self.given
            return
        for index in range(self.histories):
            own = f"{self.seed}-{index}"
            drawn = draw_script(
                hash_of(own),
                self.seats,
                timeouts=self.timeouts,
                restarts=self.bootstrap is None,
                cluster=self.cluster,
            )
            yield replace(drawn, title=f"seed {self.seed}, history {index}")


def hash_of(text: str) -> int:
    """A number for a text, the same in every process."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


@dataclass
class _Runner:
    """Plays scripts one after another on one cluster."""

    options: LiveOptions
    folder: RunFolder
    programs: ClientPrograms
    stage: LiveStage
    progress: Progress
    keep: Callable[[Recording], object]
    count: int = 0
    done: int = 0
    interrupted: bool = False

    def play(self, script: LiveScript, name: str, words: str = "") -> tuple[Recording, LiveVerdict]:
        """One play, which is recorded in the folder of the run; the words go before each action's."""
        self.count += 1
        prefix = f"kassay-{self.folder.run}-{self.count}"
        self.stage.renew(script.cluster.settings)
        self.stage.helper = helper = Helper(self.stage.pump, prefix)
        shown = f"{words}: " if words else ""
        try:
            helper.start(self.programs.jars, self.stage.bootstrap, self.folder.note)
            recording = Play(script, self.stage, lambda each: self.show(shown + each)).record()
        finally:
            helper.close()
        self.folder.write(f"{name}.recording.json", json_text(recording.document()))
        self.keep(recording)
        return recording, judge(recording)

    def show(self, words: str) -> None:
        """Show what is done, after so many histories."""
        self.progress(self.done, words)

    def history(self, script: LiveScript) -> PlayedScript:
        """A script played, and again as often as it takes to count and to shrink what it breaks."""
        name = str(self.done + 1)
        path = self.folder.write(f"{name}.toml", script_toml(script))
        recording, verdict = self.play(script, name)
        options = self.options
        replay = replay_options(options, self.programs)
        replays = Replays(name, script, self.play, self.folder.write, options.again, options.shrink, replay)
        findings = replays.findings(path, recording, verdict)
        self.interrupted = replays.interrupted
        self.done += 1
        versions = recording.versions
        count, acts = len(recording.steps), broker_steps(recording)
        return PlayedScript(script.title, str(path), verdict, versions, count, findings, acts)


def replay_options(options: LiveOptions, programs: ClientPrograms) -> tuple[str, ...]:
    """The options with which a script is played again on such a cluster with such programs."""
    words = [*("--fetch",) * (options.bootstrap is None)]
    if programs.release != NEWEST_RELEASE:
        words += ["--release", programs.release]
    if options.bootstrap is not None:
        words += ["--bootstrap-server", options.bootstrap]
    for key, value in options.cluster.settings.items():
        words += ["--config", f"{key}={value}"]
    if options.assignor is not None:
        words += ["--config", f"group.consumer.assignors={options.assignor}"]
    for name, command in programs.own.items():
        words += ["--program", f"{name}={shell_command(command)}"]
    return tuple(words)


def require_programs(programs: ClientPrograms, seats: Sequence[LiveSeat]) -> None:
    """Raise `InputError` for the first client that cannot be started here."""
    for seat in {(seat.client, seat.strategies, seat.protocol): seat for seat in seats}.values():
        if seat.client.partition("@")[0] in LIBRARIES:
            type_of(seat).require(programs.release_of(seat), f"{seat.name} ({seat.client})")
        programs.command(seat)
        programs.loaded(seat)


def require_own(options: LiveOptions) -> None:
    """Raise `InputError` if brokers that are not kassay's own would have to be started, stopped or set up."""
    wanted = options.shape != ONE or options.assignor is not None
    acts = any(each.do in OF_BROKERS for script in options.given for each in script.actions)
    if options.bootstrap is not None and (wanted or acts):
        raise InputError("--bootstrap-server: its brokers are never stopped or configured; leave it out")


def fetch_releases(options: LiveOptions, *, fetch: bool) -> None:
    """Have the jars of the releases to which a script upgrades; raises `InputError`."""
    actions = [each for script in options.given for each in script.actions]
    for release in {each.release for each in actions if each.do == "upgrade-broker"}:
        broker_jars(release, fetch=fetch)


def live(
    options: LiveOptions,
    programs: ClientPrograms,
    progress: Progress = lambda _, __: None,
    keep: Callable[[Recording], object] = lambda _: None,
) -> LiveResult:
    """Play the histories; whatever was started has ended. `keep` gets each recording.

    Raises `InputError` and `LiveFailed`.
    """
    seats = options.members
    if not seats:
        raise InputError("expected --clients, such as java:range*2,librdkafka:range, or a SCRIPT")
    require_programs(programs, seats)
    for group in options.groups:
        one_type(group)
    began = time.monotonic()
    folder, pump = RunFolder(options.base), Pump()
    played: list[PlayedScript] = []
    failed = ""
    with _stage(options, programs, folder, pump) as stage:
        runner = _Runner(options, folder, programs, stage, progress, keep)
        try:
            for script in options.scripts():
                late = options.seconds is not None and time.monotonic() - began > options.seconds
                if runner.interrupted or (late and played):
                    break
                played.append(runner.history(script))
        except KeyboardInterrupt:
            if not played:
                raise
            runner.interrupted = True
        except LiveFailed as failure:
            if not played:
                raise
            failed = str(failure)
    seconds = time.monotonic() - began
    return LiveResult(
        folder.run,
        programs.release,
        options.seed,
        tuple(played),
        seconds,
        stage.peak_mib,
        str(folder.path),
        replay_options(options, programs),
        runner.interrupted,
        failed,
    )


@contextmanager
def _stage(
    options: LiveOptions, programs: ClientPrograms, folder: RunFolder, pump: Pump
) -> Iterator[LiveStage]:
    """The cluster: the one that is named, or brokers of our own, whose data are removed at the end."""
    if options.bootstrap is not None:
        yield LiveStage(programs, options.bootstrap, Helper(pump, ""), pump, folder.note, None)
        return
    shape, jars = options.shape, programs.jars
    if options.assignor is not None:
        shape, jars = with_assignor(shape, assignors_of(options.assignor)), (*jars, options.assignor)
    kinds = [one_type(group) for group in options.groups]
    for kind in kinds:
        kind.require(programs.release, "--release")
    features = [feature for kind in kinds for feature in kind.features_in(programs.release)]
    if features:
        shape = replace(shape, settings={**EARLY, **shape.settings})
    base = folder.path / "broker"
    own = OwnCluster(
        shape, jars, programs.release, base, options.timeouts, pump, folder.note, features=features
    )
    own.more_settings = (options.given[0].cluster if options.given else options.cluster).settings
    own.more_jars = jars[len(programs.jars) :]
    with own_cluster(own) as cluster:
        folder.write("bootstrap", cluster.bootstrap)
        yield LiveStage(programs, cluster.bootstrap, Helper(pump, ""), pump, folder.note, cluster)
