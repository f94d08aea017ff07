"""The live claims, judged on a recording: a pure function, with a word for each claim and step.

An event that a client cannot report, or a stall, makes what rests on it `unknown`, never `violated`. No word
rests on a duration but that of `settles`, whose limit comes from the clients' own timeouts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from kassay.certify.live.owners import (
    Overlap,
    covered,
    overlaps,
    owned_at,
    starved_spans,
    touches,
    zombie_spans,
)
from kassay.certify.live.program import Called, Failed
from kassay.certify.live.progress import records_read
from kassay.certify.live.recording import MS, Life, LiveStep, Recording
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member
from kassay.writing.text import counted

CLAIMS: Final = ("exclusive", "complete", "settles", "no-stuck-member", "balanced", "moves", "progress")
KEEPS: Final = frozenset({"sticky", "cooperative-sticky", "uniform"})
"""Strategies that promise the best balance, and not to move what can stay."""
PROMISES_BALANCE: Final = KEEPS | {"streams"}
"""Those that promise the best balance; Streams' own assignor does not remember tasks without state."""
_DEFAULTS: Final = {"consumer": ("uniform",), "streams": ("sticky",)}
"""The brokers' own assignors, by protocol."""
_SHOWN: Final = 4


class Word(StrEnum):
    """What became of a claim at a step; `vacuous` where it could not have failed."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"


@dataclass(frozen=True)
class Ruling:
    """A claim at a step (from 1 on; 0: the whole recording), and the evidence or the reason.

    `clients` are the libraries on which it rests.
    """

    claim: str
    step: int
    word: Word
    text: str = ""
    clients: tuple[str, ...] = ()


@dataclass(frozen=True)
class LiveFigures:
    """Sums over the steps; `moved` and `least` count where the strategy keeps what it can."""

    moved: int = 0
    least: int = 0
    changed_owner: int = 0
    read: int = 0
    read_twice: int = 0
    seconds: float = 0.0
    rounds: int = 0

    def __add__(self, other: LiveFigures) -> LiveFigures:
        return LiveFigures(
            self.moved + other.moved,
            self.least + other.least,
            self.changed_owner + other.changed_owner,
            self.read + other.read,
            self.read_twice + other.read_twice,
            self.seconds + other.seconds,
            self.rounds + other.rounds,
        )


@dataclass(frozen=True)
class LiveVerdict:
    """The rulings of a recording, by step and claim, with its figures and what zombies believed."""

    rulings: tuple[Ruling, ...]
    figures: LiveFigures
    beliefs: tuple[str, ...] = ()

    @property
    def violated(self) -> tuple[Ruling, ...]:
        """The rulings that break a claim."""
        return tuple(each for each in self.rulings if each.word is Word.VIOLATED)


def judge(recording: Recording) -> LiveVerdict:
    """The verdict on a recording."""
    rulings: list[Ruling] = []
    figures = LiveFigures()
    shared = overlaps(recording.lives, recording.script.timeouts)
    before: dict[TopicPartition, str] = {}
    for number, step in enumerate(recording.steps, start=1):
        seen = _Seen.of(recording, step)
        rulings.append(_exclusive(recording, number, step, seen, shared))
        rulings += [each(number, step, seen, recording) for each in (_complete, _settles, _stuck)]
        rulings.append(_balanced(number, step, seen))
        ruling, more = _moves(number, step, seen, _remembered(recording, step, seen, before))
        rulings.append(ruling)
        figures = figures + replace(more, seconds=step.seconds, rounds=_rounds(recording, step))
        if step.settled:
            before = dict(seen.owner)
    ruling, read, twice = _progress(recording)
    rulings.append(ruling)
    beliefs = tuple(_overlap_words(each) for each in shared if each.believed)
    return LiveVerdict(tuple(rulings), replace(figures, read=read, read_twice=twice), beliefs)


@dataclass(frozen=True)
class _Seen:
    """What the members had reported when a step ended; `unable` says who cannot, or is empty."""

    lives: Mapping[str, Life]
    owned: Mapping[str, frozenset[TopicPartition]]
    owner: Mapping[TopicPartition, str]
    unable: str

    @classmethod
    def of(cls, recording: Recording, step: LiveStep) -> _Seen:
        lives = {
            life.seat.name: life
            for life in recording.lives
            if life.seat.name in step.present
            and life.started <= step.ended
            and (life.ended is None or life.ended > step.ended)
        }
        owned = {name: owned_at(life, step.ended) for name, life in lives.items()}
        mute = [life.name for life in lives.values() if not life.reports("assigned")]
        unable = f"{', '.join(mute)} cannot report assigned partitions" if mute else ""
        return cls(lives, owned, {each: name for name in owned for each in owned[name]}, unable)

    @property
    def clients(self) -> tuple[str, ...]:
        """The libraries of the members."""
        return tuple(sorted({life.seat.client for life in self.lives.values()}))


def _exclusive(
    recording: Recording, number: int, step: LiveStep, seen: _Seen, shared: Iterable[Overlap]
) -> Ruling:
    """No two members own a partition at a time; each overlap belongs to the step in which it begins."""
    ruling = Ruling("exclusive", number, Word.HOLDS, clients=seen.clients)
    later = [each.began for each in recording.steps if each.began > step.began]
    end = min(later, default=None)
    mine = [
        each
        for each in shared
        if not each.believed and (each.since >= step.began and (end is None or each.since < end))
    ]
    unclear = {_unclear(recording, each) for each in mine} - {""}
    broken = [each for each in mine if not _unclear(recording, each)]
    if broken:
        clients = {side.life.seat.client for each in broken for side in (each.first, each.second)}
        return replace(
            ruling,
            word=Word.VIOLATED,
            text=_listed(map(_overlap_words, broken)),
            clients=tuple(sorted(clients)),
        )
    if unclear:
        return replace(ruling, word=Word.UNKNOWN, text="; ".join(sorted(unclear)))
    if seen.unable:
        return replace(ruling, word=Word.UNKNOWN, text=seen.unable)
    return ruling if len(step.present) > 1 else replace(ruling, word=Word.VACUOUS)


def _unclear(recording: Recording, overlap: Overlap) -> str:
    """Why an overlap decides nothing; empty if it does.

    A stall anywhere on the machine may have ended the session of a member that then lost its partitions: the
    broker has no canary.
    """
    for tenure in (overlap.first, overlap.second):
        life = tenure.life
        starved = starved_spans(life, recording.script.timeouts)
        if touches(overlap.since, [*life.stalls, *starved]):
            return f"{life.name} stalled"
        for kind in ("revoked", "lost"):
            if tenure is overlap.first and not life.reports(kind):
                return f"{life.name} cannot report {kind} partitions"
    if touches(overlap.since, recording.stalls):
        return "kassay stalled"
    first = overlap.first
    if any(isinstance(e, Called) and (e.kind, e.t) == ("lost", first.until) for e in first.life.events):
        began = overlap.since - recording.script.timeouts.session_ms * MS
        spans = [*recording.stalls, *(span for life in recording.lives for span in life.stalls)]
        if any(end >= began and begin <= overlap.since for begin, end in spans):
            return f"{first.life.name} lost its session after a stall"
    return ""


def _overlap_words(overlap: Overlap) -> str:
    first, second = overlap.first.life.name, overlap.second.life.name
    ms = "to the end" if overlap.until >= 2**62 else f"for {(overlap.until - overlap.since) / MS:,.1f} ms"
    return f"{overlap.first.partition} owned by {first} and {second} {ms}"


def _listed(texts: Iterable[str]) -> str:
    """The first texts, and how many more there are."""
    every = [*texts]
    more = len(every) - _SHOWN
    return "; ".join(every[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _stalled(step: LiveStep, seen: _Seen, recording: Recording) -> str:
    """Who stalled in a step that reached its limit; empty if the time without stalls reached it too."""
    spans = {"kassay": recording.stalls} | {life.name: tuple(life.stalls) for life in seen.lives.values()}
    late = [name for name, each in spans.items() if any(e >= step.began and b <= step.ended for b, e in each)]
    stalled = covered((each for some in spans.values() for each in some), step.began, step.ended)
    if step.ended - step.began - stalled >= recording.script.timeouts.settle_ms * MS:
        return ""
    return f"{', '.join(late)} stalled" if late else ""


def _complete(number: int, step: LiveStep, seen: _Seen, recording: Recording) -> Ruling:
    """Every partition of a topic that a member reads has an owner."""
    ruling = Ruling("complete", number, Word.HOLDS, clients=seen.clients)
    read = set().union(*step.present.values()) if step.present else set()
    wanted = {TopicPartition(topic, p) for topic in read for p in range(step.topics.get(topic, 0))}
    lacking = sorted(wanted - seen.owner.keys())
    if not wanted:
        return replace(ruling, word=Word.VACUOUS)
    if seen.unable:
        return replace(ruling, word=Word.UNKNOWN, text=seen.unable)
    if not lacking:
        return ruling
    if why := _stalled(step, seen, recording):
        return replace(ruling, word=Word.UNKNOWN, text=why)
    return replace(ruling, word=Word.VIOLATED, text=f"without an owner: {_listed(map(str, lacking))}")


def _settles(number: int, step: LiveStep, seen: _Seen, recording: Recording) -> Ruling:
    """The group is stable, and every member has what the coordinator assigned to it, before the limit."""
    ruling = Ruling("settles", number, Word.HOLDS, clients=seen.clients)
    if not step.present:
        return replace(ruling, word=Word.VACUOUS)
    if step.settled:
        return ruling
    if why := _stalled(step, seen, recording):
        return replace(ruling, word=Word.UNKNOWN, text=why)
    rounds = counted(_rounds(recording, step), "round")
    text = f"{step.group.state or 'no group'} after {step.seconds:.0f} s and {rounds}"
    return replace(ruling, word=Word.VIOLATED, text="; ".join([text, *_unread(step)]))


def _unread(step: LiveStep) -> list[str]:
    """What members were assigned of topics that they do not read."""
    every = {
        name: [each for each in assigned if each.topic not in step.present[name]]
        for name, assigned in sorted(step.group.members.items())
        if name in step.present
    }
    return [
        f"{name} was assigned {_names(some)} and does not read it" for name, some in every.items() if some
    ]


def _rounds(recording: Recording, step: LiveStep) -> int:
    """The most assignments that one member learned of in the step."""
    counts = [
        sum(
            isinstance(event, Called)
            and (event.kind, event.phase) == ("assigned", "end")
            and step.began <= event.t <= step.ended
            for event in life.events
        )
        for life in recording.lives
    ]
    return max(counts, default=0)


def _stuck(number: int, step: LiveStep, seen: _Seen, recording: Recording) -> Ruling:
    """Every member that runs is in the group, and owns what the coordinator assigned to it."""
    ruling = Ruling("no-stuck-member", number, Word.HOLDS, clients=seen.clients)
    if not step.present:
        return replace(ruling, word=Word.VACUOUS)
    if step.settled:
        return ruling
    if seen.unable:
        return replace(ruling, word=Word.UNKNOWN, text=seen.unable)
    stuck: dict[str, str] = {}
    for name in sorted(step.present):
        assigned, owned = step.group.members.get(name), seen.owned.get(name)
        if owned is None:
            stuck[name] = f"{name} ended by itself{_last_error(recording, name)}"
        elif assigned is None:
            stuck[name] = f"{name} is not in the group{_last_error(recording, name)}"
        elif assigned != owned and step.group.state.upper() == "STABLE":
            only = f"was assigned {_names(assigned)} and owns {_names(owned)}"
            stuck[name] = f"{name} {only}{_last_error(recording, name)}"
    if not stuck:
        return ruling
    if why := _stalled(step, seen, recording):
        return replace(ruling, word=Word.UNKNOWN, text=why)
    clients = {life.seat.client for life in recording.lives if life.seat.name in stuck}
    return replace(ruling, word=Word.VIOLATED, text=_listed(stuck.values()), clients=tuple(sorted(clients)))


def _last_error(recording: Recording, name: str) -> str:
    errors = [
        event.text
        for life in recording.lives
        if life.seat.name == name
        for event in life.events
        if isinstance(event, Failed)
    ]
    return f" (its last error: {errors[-1][:120]})" if errors else ""


def _names(partitions: Iterable[TopicPartition]) -> str:
    return ", ".join(map(str, sorted(partitions))) or "nothing"


def _strategy(seen: _Seen) -> str:
    """The one strategy of the group; empty if it depends on a vote."""
    first = {life.seat.strategies or _DEFAULTS.get(life.seat.protocol, ()) for life in seen.lives.values()}
    protocols = {life.seat.protocol for life in seen.lives.values()}
    names = first.pop() if len(first) == len(protocols) == 1 else ()
    return names[0] if len(names) == 1 else ""


def _balanced(number: int, step: LiveStep, seen: _Seen) -> Ruling:
    """The loads are what the strategy promises: the certified best, or for `range` equal by topic."""
    ruling = Ruling("balanced", number, Word.HOLDS, clients=seen.clients)
    strategy = _strategy(seen)
    equal = len(set(step.present.values())) == 1
    known = strategy in PROMISES_BALANCE or strategy == "range" or (strategy == "roundrobin" and equal)
    if not (step.settled and known and len(step.present) > 1 and equal | (strategy != "range")):
        return replace(ruling, word=Word.VACUOUS)
    if seen.unable:
        return replace(ruling, word=Word.UNKNOWN, text=seen.unable)
    if strategy == "range":
        for topic in sorted(step.topics):
            of_topic = Counter(owner for each, owner in seen.owner.items() if each.topic == topic)
            readers = [of_topic[name] for name, topics in step.present.items() if topic in topics]
            if readers and max(readers) - min(readers) > 1:
                return replace(ruling, word=Word.VIOLATED, text=f"{topic}: loads {sorted(readers)}")
        return ruling
    loads = sorted(map(len, seen.owned.values()))
    best, _ = _best(step, {})
    if loads == best:
        return ruling
    return replace(ruling, word=Word.VIOLATED, text=f"loads {loads}, the certified best is {best}")


def _best(step: LiveStep, before: Mapping[TopicPartition, str]) -> tuple[list[int], int]:
    """The certified loads, least first, and the least moves with them."""
    from kassay.solver.groups.optimum import best_assignment
    from kassay.solver.groups.problem import Problem

    owned: dict[str, list[TopicPartition]] = {name: [] for name in step.present}
    for partition, name in before.items():
        if name in owned:
            owned[name].append(partition)
    members = tuple(
        Member(name, tuple(sorted(topics)), tuple(sorted(owned[name])), 1)
        for name, topics in sorted(step.present.items())
    )
    best = best_assignment(Problem.of(Cluster.of(dict(step.topics)), Group(members)))
    return list(best.loads), best.moved


def _remembered(
    recording: Recording, step: LiveStep, seen: _Seen, before: Mapping[TopicPartition, str]
) -> dict[TopicPartition, str]:
    """The owners before the step, without those that lost what they owned, or were cut off, in the step."""
    forgetful = {
        name
        for name, life in seen.lives.items()
        if any(
            begin <= step.ended and end >= step.began
            for begin, end in zombie_spans(life, recording.script.timeouts)
        )
        or any(
            isinstance(event, Called) and event.kind == "lost" and step.began <= event.t <= step.ended
            for event in life.events
        )
    }
    return {each: name for each, name in before.items() if name not in forgetful}


def _moves(
    number: int, step: LiveStep, seen: _Seen, before: Mapping[TopicPartition, str]
) -> tuple[Ruling, LiveFigures]:
    """A sticky strategy moves nothing where nothing has to move; sums compare with the certified least."""
    ruling = Ruling("moves", number, Word.HOLDS, clients=seen.clients)
    changed = sum(seen.owner.get(each, name) != name for each, name in before.items())
    if not step.settled or not before or len(step.present) < 2:
        return replace(ruling, word=Word.VACUOUS), LiveFigures(changed_owner=changed)
    kept = {
        each: name
        for each, name in before.items()
        if name in step.present and each.topic in step.present[name]
    }
    moved = [each for each, name in kept.items() if seen.owner.get(each) != name]
    in_racks = any(life.seat.rack for life in seen.lives.values())  # for which it may move more
    if _strategy(seen) not in KEEPS or in_racks:
        return replace(ruling, word=Word.VACUOUS), LiveFigures(changed_owner=changed)
    if seen.unable:
        return replace(ruling, word=Word.UNKNOWN, text=seen.unable), LiveFigures(changed_owner=changed)
    _, least = _best(step, kept)
    figures = LiveFigures(moved=len(moved), least=least, changed_owner=changed)
    if moved and not least:
        text = f"moved {_listed(map(str, sorted(moved)))} where the certified least is 0"
        return replace(ruling, word=Word.VIOLATED, text=text), figures
    return ruling, figures


def _progress(recording: Recording) -> tuple[Ruling, int, int]:
    """No record is lost, and no commit goes backwards, or the step of the first one that does.

    And how many records were read, and how many of them again.
    """
    clients = tuple(sorted({life.seat.client for life in recording.lives}))
    ruling = Ruling("progress", 0, Word.HOLDS, clients=clients)
    outcome = records_read(recording)
    if outcome.problems:
        problems = sorted(outcome.problems)
        step = sum(each.began <= problems[0][0] for each in recording.steps)
        text = _listed(text for _, text in problems)
        ruling = replace(ruling, step=step, word=Word.VIOLATED, text=text)
    elif outcome.unclear:
        ruling = replace(ruling, word=Word.UNKNOWN, text=outcome.unclear)
    elif not recording.produced:
        ruling = replace(ruling, word=Word.VACUOUS)
    return ruling, outcome.read, outcome.twice
