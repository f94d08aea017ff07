"""No two members own a partition at a time; and what zombies believed, which does not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kassay.engines.live.claims.rulings import Ruling, Word
from kassay.engines.live.claims.scene import Scene, begun, listed
from kassay.engines.live.group_types import type_of
from kassay.engines.live.owners import Overlap, overlaps, starved_spans, touches
from kassay.engines.live.program import Called
from kassay.engines.live.recording import MS, Recording


def exclusive(recording: Recording, scenes: Sequence[Scene]) -> Iterator[Ruling]:
    """No two members own a partition at a time; each overlap belongs to the step in which it begins."""
    shared = overlaps(recording.lives, recording.script.timeouts)
    counted = [(max(1, begun(scenes, each.since)), each) for each in shared if not each.believed]
    for scene in scenes:
        yield _ruling(scene, [each for number, each in counted if number == scene.number])


def beliefs(recording: Recording) -> Iterator[str]:
    """What members believed that they owned while they were zombies."""
    for each in overlaps(recording.lives, recording.script.timeouts):
        if each.believed:
            yield _words(each)


def _ruling(scene: Scene, mine: Sequence[Overlap]) -> Ruling:
    recording = scene.recording
    unclear = {_unclear(recording, each) for each in mine} - {""}
    broken = [each for each in mine if not _unclear(recording, each)]
    if broken:
        clients = {side.life.seat.client for each in broken for side in (each.first, each.second)}
        return scene.ruling("exclusive", Word.VIOLATED, listed(map(_words, broken)), clients)
    if unclear or scene.unable:
        return scene.ruling("exclusive", Word.UNKNOWN, "; ".join(sorted(unclear)) or scene.unable)
    return scene.ruling("exclusive", Word.HOLDS if len(scene.step.present) > 1 else Word.VACUOUS)


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
    losses = ("lost", "revoked") if type_of(first.life.seat).one_by_one else ("lost",)
    if any(isinstance(e, Called) and e.kind in losses and e.t == first.until for e in first.life.events):
        began = overlap.since - recording.script.timeouts.session_ms * MS
        spans = [*recording.stalls, *(span for life in recording.lives for span in life.stalls)]
        if any(end >= began and begin <= overlap.since for begin, end in spans):
            return f"{first.life.name} lost its session after a stall"
    return ""


def _words(overlap: Overlap) -> str:
    first, second = overlap.first.life.name, overlap.second.life.name
    ms = "to the end" if overlap.until >= 2**62 else f"for {(overlap.until - overlap.since) / MS:,.1f} ms"
    return f"{overlap.first.partition} owned by {first} and {second} {ms}"
