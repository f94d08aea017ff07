"""Timing of an assignor: groups of doubling sizes, at the first assignment and when one member leaves."""

from __future__ import annotations

import time
from itertools import pairwise

from kassay.kinds.judging import Subject
from kassay.kinds.words import TimedSizes
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join, Leave
from kassay.model.groups.player import Player
from kassay.model.kinds import Verdict
from kassay.properties.groups.scaling import DEFAULT, Scale, ScaleTiming, exponent, parse_scale
from kassay.properties.registry import Claim

TRIES = 3
DOUBLINGS = 3
TOPICS = 10


def sized(members: int, partitions: int) -> History:
    """A group that starts without owned partitions and then loses a member; all members read all topics."""
    per_topic = max(1, partitions // TOPICS)
    topics = tuple(Topic(f"t{i}", per_topic) for i in range(min(TOPICS, partitions)))
    names = tuple(topic.name for topic in topics)
    joins = tuple(Join(Member(f"m{i:05d}", names)) for i in range(members))
    return History(Cluster(topics), (joins, (Leave("m00000"),)))


def sizes(scale: Scale) -> list[tuple[int, int]]:
    """The size of the claim and its halves, smallest first."""
    steps = range(DOUBLINGS - 1, -1, -1)
    return [(max(2, scale.members >> k), max(1, scale.partitions >> k)) for k in steps]


def measure(subject: Subject, members: int, partitions: int, deadline: float) -> ScaleTiming | Failure | None:
    """The least time of one such play in seconds; or the failure; None if the time ran out."""
    history = sized(members, partitions)
    best = float("inf")
    for _ in range(TRIES):
        if time.monotonic() > deadline:
            break
        before = time.perf_counter()
        for rebalanced in Player(subject.new, subject.protocol).play(history):
            answer = rebalanced.steps[-1].answer
            if isinstance(answer, Failure):
                return answer
        best = min(best, time.perf_counter() - before)
    return ScaleTiming(members, partitions, best) if best < float("inf") else None


def timed_group(claim: Claim, subject: Subject, seconds: float) -> TimedSizes:
    """The verdict on a claim about time; unknown where the time ran out."""
    argument = claim.value or DEFAULT
    deadline = time.monotonic() + seconds
    timings: list[ScaleTiming] = []
    verdict, why = Verdict.UNKNOWN, "the time ran out"
    for members, partitions in sizes(parse_scale(argument)):
        measured = measure(subject, members, partitions, deadline)
        if isinstance(measured, Failure):
            verdict, why = Verdict.VIOLATED, f"at {members}x{partitions}: {measured.message}"
        if not isinstance(measured, ScaleTiming):
            return TimedSizes(verdict, why, len(timings))
        timings.append(measured)
    evidence = list(claim.kind.predicate(tuple(timings), argument))
    summary = ", ".join(f"{t.members}x{t.partitions} {t.seconds:.4f} s" for t in timings)
    grown = [exponent(a, b) for a, b in pairwise(timings)]
    summary += "; exponents " + " ".join("-" if e is None else f"{e:.2f}" for e in grown)
    return TimedSizes(Verdict.VIOLATED if evidence else Verdict.HOLDS, summary, len(timings))
