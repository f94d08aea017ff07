"""Which libraries can be in a group together, and whether that depends on who leads: values and results.

Of a pair the first joins a classic group and leads it; it stays the leader until it leaves. Then the second
joins; the first leaves, so that the second leads, and comes back. The claims of live histories judge what the
members own with either leader. In consumer groups the broker assigns, and the first is only the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any, Final, Literal

from kassay.engines.live.claims.rulings import LiveVerdict, Word
from kassay.engines.live.clients import LIBRARIES, ClientPrograms
from kassay.engines.live.owners import owned_at
from kassay.engines.live.program import Failed, Protocol, Timeouts
from kassay.engines.live.recording import Life, LiveStep, Recording
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.model.errors import InputError
from kassay.reading.documents import Count, Positive, Size, read_json
from kassay.reading.values import read_as

SCHEMA: Final = "kassay/interop/1"
PARTITIONS: Final = 10
FIRST: Final = "first"
SECOND: Final = "second"
TIMEOUTS: Final = Timeouts(session_ms=5000, heartbeat_ms=500, max_poll_ms=6000, metadata_ms=1000)
"""Shorter than those of live histories: a group that does not settle is known for it after 18 s."""
STEPS: Final = (2, 4)
"""After these steps the first leads, and the second."""
CONSUMER_STRATEGIES: Final = ("uniform", "range")
_NAMES: Final = re.compile(r"kassay-[0-9a-f]{6}-\d+-?|-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
"""What differs from play to play: the names of groups and topics, and the end of member ids."""
_SHOWN: Final = 200
_ORDINARY: Final = re.compile("rebalanc", re.IGNORECASE)
"""Errors that a client reports in every rebalance, such as REBALANCE_IN_PROGRESS."""
OutcomeWord = Literal["agrees", "recovers", "fails", "unknown"]


@dataclass(frozen=True)
class PairOutcome:
    """What the two owned with one leader: `loads` are those of first and second; `text` says what is wrong.

    A pair `recovers` if it agrees after a client had reported errors, as when a leader that cannot read a
    subscription is put out of the group.
    """

    word: OutcomeWord
    loads: tuple[int, int]
    text: str = ""

    @property
    def cell(self) -> str:
        """The outcome in a table: the loads say more than that it fails."""
        return "/".join(map(str, self.loads)) if self.word == "fails" else self.word


@dataclass(frozen=True)
class PairPlay:
    """One play: `together` with the first as leader, `handed` with the second after the first came back.

    `jobs` groups at most shared the broker; `versions` are those of first and second.
    """

    date: str
    jobs: int
    versions: tuple[str, str]
    together: PairOutcome
    handed: PairOutcome
    seconds: float

    @property
    def decided(self) -> bool:
        """Whether both outcomes are known."""
        return "unknown" not in (self.together.word, self.handed.word)

    def cells(self) -> tuple[str, str]:
        """Both outcomes as a table has them."""
        return self.together.cell, self.handed.cell


@dataclass(frozen=True)
class LibraryPair:
    """Two libraries in order: the first leads. `strategy` is that of both."""

    strategy: str
    protocol: Protocol
    first: str
    second: str

    def script(self) -> LiveScript:
        """The script that is played."""
        seats = tuple(
            LiveSeat(name, client, (self.strategy,), self.protocol)
            for name, client in ((FIRST, self.first), (SECOND, self.second))
        )
        actions = [("join", FIRST), ("join", SECOND), ("leave", FIRST), ("join", FIRST)]
        return LiveScript(
            {"orders": PARTITIONS},
            seats,
            tuple(LiveAction(do, name) for do, name in actions),  # type: ignore[arg-type]  # words of actions
            TIMEOUTS,
            title=f"{self.first} and {self.second}, {self.protocol} {self.strategy}",
        )


@dataclass(frozen=True)
class PairResult:
    """A pair with its plays, in order."""

    pair: LibraryPair
    plays: tuple[PairPlay, ...]

    @property
    def decided(self) -> tuple[PairPlay, ...]:
        """The plays whose outcomes are known."""
        return tuple(each for each in self.plays if each.decided)

    @property
    def unstable(self) -> bool:
        """Whether plays differ."""
        return len({each.cells() for each in self.decided}) > 1

    def cell(self, *, handed: bool = False) -> str:
        """The outcome of all plays with the first as leader, or the second after the first came back."""
        known = {each.cells()[handed] for each in self.decided}
        return known.pop() if len(known) == 1 else "unstable" if known else "unknown"

    @property
    def text(self) -> str:
        """What is wrong, of the first play that says it."""
        texts = (outcome.text for play in self.decided for outcome in (play.together, play.handed))
        return _NAMES.sub("", next(filter(None, texts), ""))


def _plain(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The fields with lists for tuples."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


@dataclass(frozen=True)
class InteropResult:
    """All pairs that were played on a broker of one release."""

    release: str
    pairs: tuple[PairResult, ...] = ()

    def plays(self, pair: LibraryPair) -> tuple[PairPlay, ...]:
        """What was played of a pair."""
        return next((each.plays for each in self.pairs if each.pair == pair), ())

    def with_play(self, pair: LibraryPair, play: PairPlay) -> InteropResult:
        """The result with one more play."""
        more = PairResult(pair, (*self.plays(pair), play))
        if any(each.pair == pair for each in self.pairs):
            return replace(self, pairs=tuple(more if each.pair == pair else each for each in self.pairs))
        return replace(self, pairs=(*self.pairs, more))

    def of(self, pairs: Iterable[LibraryPair]) -> InteropResult:
        """The result for these pairs alone."""
        wanted = {*pairs}
        return replace(self, pairs=tuple(each for each in self.pairs if each.pair in wanted))

    @property
    def word(self) -> str:
        """`agrees` if every pair does with either leader; `unknown` if none could be judged."""
        cells = {cell for each in self.pairs for cell in (each.cell(), each.cell(handed=True))}
        if cells <= {"unknown"}:
            return "unknown"
        return "agrees" if cells <= {"agrees", "unknown"} else "differs"

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return {"agrees": 0, "differs": 1, "unknown": 3}[self.word]

    def versions(self) -> dict[str, str]:
        """The versions that the clients reported."""
        return {
            client: version
            for each in self.pairs
            for play in each.plays
            for client, version in zip((each.pair.first, each.pair.second), play.versions)
            if version
        }

    def to_json(self) -> dict[str, Any]:
        """The result as JSON, which `read_results` reads back."""
        return {
            "schema": SCHEMA,
            "release": self.release,
            "partitions": PARTITIONS,
            "verdict": self.word,
            "versions": self.versions(),
            "pairs": [
                {
                    **asdict(each.pair),
                    "cell": each.cell(),
                    "handed": each.cell(handed=True),
                    "plays": [asdict(play, dict_factory=_plain) for play in each.plays],
                }
                for each in self.pairs
            ],
        }


def pairs_of(
    libraries: Sequence[str], strategies: Sequence[str], protocol: Protocol, programs: ClientPrograms
) -> list[LibraryPair]:
    """The ordered pairs that have a strategy in common; raises `InputError` if there is none."""
    for name in libraries:
        programs.library(name.partition("@")[0], "library")
    if len({*libraries}) < 2 or len({*libraries}) < len(libraries):
        raise InputError(f"{','.join(libraries) or 'libraries'}: expected at least two libraries, each once")
    pairs = []
    for strategy in strategies:
        able = [name for name in libraries if _has(name, strategy, protocol)]
        if len(able) < 2:
            raise InputError(
                f"--strategy {strategy}: {', '.join(able) or 'none'} of {', '.join(libraries)} has it in "
                f"{protocol} groups, expected at least two"
            )
        pairs += [LibraryPair(strategy, protocol, first, second) for first, second in permutations(able, 2)]
    return pairs


def _has(name: str, strategy: str, protocol: Protocol) -> bool:
    library = LIBRARIES[name.partition("@")[0]]
    if protocol == "consumer":
        return library.consumer and strategy in CONSUMER_STRATEGIES
    return strategy in library.strategies


def outcomes(recording: Recording, verdict: LiveVerdict) -> Iterator[PairOutcome]:
    """With the first as leader, and with the second."""
    for number in STEPS:
        step = recording.steps[number - 1]
        lives = [life for life in recording.lives if life.started <= step.ended]
        owned = {life.seat.name: len(owned_at(life, step.ended)) for life in lives}
        loads = (owned.get(FIRST, 0), owned.get(SECOND, 0))
        rulings = [each for each in verdict.rulings if each.step == number]
        broken = [each for each in rulings if each.word is Word.VIOLATED]
        unknown = [each.text for each in rulings if each.word is Word.UNKNOWN]
        said = _errors(lives, step)
        if broken:
            texts = said or [f"{each.claim}: {each.text}" for each in broken]
            yield PairOutcome("fails", loads, _NAMES.sub("", "; ".join(texts)))
        elif unknown:
            yield PairOutcome("unknown", loads, unknown[0])
        elif said:
            yield PairOutcome("recovers", loads, _NAMES.sub("", "; ".join(said)))
        else:
            yield PairOutcome("agrees", loads)


def _errors(lives: Iterable[Life], step: LiveStep) -> list[str]:
    """The last error of each client in a step, but for those of every rebalance."""
    errors = {
        life.seat.client: " ".join(event.text.split())
        for life in lives
        for event in life.events
        if isinstance(event, Failed)
        and step.began <= event.t <= step.ended
        and not _ORDINARY.search(event.text)
    }
    return [f"{client}: {text[:_SHOWN]}" for client, text in errors.items()]


@dataclass(frozen=True)
class _Outcome:
    word: OutcomeWord
    loads: tuple[Count, Count]
    text: str


@dataclass(frozen=True)
class _Play:
    date: str
    jobs: Positive
    versions: tuple[str, str]
    together: _Outcome
    handed: _Outcome
    seconds: float


@dataclass(frozen=True)
class _Pair:
    strategy: str
    protocol: Protocol
    first: str
    second: str
    plays: list[_Play]
    cell: str = ""
    handed: str = ""


@dataclass(frozen=True)
class _Results:
    schema: str
    release: str
    pairs: list[_Pair]
    partitions: Size = PARTITIONS
    verdict: str = ""
    versions: Mapping[str, str] | None = None


def read_results(path: str, release: str | None = None) -> InteropResult:
    """The results of a file, of this release if one is given; raises `InputError`."""
    raw = read_as(_Results, read_json(path), path, closed=True)
    if raw.schema != SCHEMA:
        raise InputError(f"{path}: schema: found {raw.schema!r}, expected {SCHEMA}")
    if release not in (None, raw.release):
        raise InputError(f"{path}: of release {raw.release}, expected {release}, or another file")
    pairs = tuple(
        PairResult(
            LibraryPair(each.strategy, each.protocol, each.first, each.second),
            tuple(
                PairPlay(
                    play.date,
                    play.jobs,
                    play.versions,
                    PairOutcome(**asdict(play.together)),
                    PairOutcome(**asdict(play.handed)),
                    play.seconds,
                )
                for play in each.plays
            ),
        )
        for each in raw.pairs
    )
    return InteropResult(raw.release, pairs)
