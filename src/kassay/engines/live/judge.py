"""The live claims, judged on a recording: a pure function, with a word for each claim and step.

An event that a client cannot report, or a stall, makes what rests on it `unknown`, never `violated`. No word
rests on a duration but that of `settles`, whose limit comes from the clients' own timeouts. What a claim
says depends on the type of the group; a table has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from kassay.engines.live.claims.exclusive import beliefs, exclusive
from kassay.engines.live.claims.loads import balanced, move_figures, moves
from kassay.engines.live.claims.progress import progress, times_read
from kassay.engines.live.claims.rulings import CLAIMS, LiveFigures, LiveVerdict, Ruling
from kassay.engines.live.claims.scene import Scene
from kassay.engines.live.claims.settled import complete, no_stuck_member, rounds, settles
from kassay.engines.live.claims.shared import (
    NO_MOVES,
    acknowledged_once,
    held_by_one,
    not_applicable,
    shared_evenly,
)
from kassay.engines.live.group_types import SHARE, one_type
from kassay.engines.live.recording import Recording

Judge = Callable[[Recording, Sequence[Scene]], Iterable[Ruling]]
OWNED: Final[Mapping[str, Judge]] = {
    "exclusive": exclusive,
    "complete": complete,
    "settles": settles,
    "no-stuck-member": no_stuck_member,
    "balanced": balanced,
    "moves": moves,
    "progress": progress,
}
"""The claims where a partition has one owner."""
SHARED: Final[Mapping[str, Judge]] = {
    **OWNED,
    "exclusive": held_by_one,
    "balanced": shared_evenly,
    "moves": not_applicable("moves", NO_MOVES),
    "progress": acknowledged_once,
}
BY_TYPE: Final[Mapping[str, Mapping[str, Judge]]] = {SHARE: SHARED}
"""The claims by type of group, where they differ from those of most groups."""


def judge(recording: Recording) -> LiveVerdict:
    """The verdict on a recording."""
    scenes = [Scene.of(recording, number, step) for number, step in enumerate(recording.steps, start=1)]
    claims = BY_TYPE.get(one_type(recording.script.seats).name, OWNED)
    rulings = [ruling for name in CLAIMS for ruling in claims[name](recording, scenes)]
    order = {name: place for place, name in enumerate(CLAIMS)}
    rulings.sort(key=lambda each: (each.claim == CLAIMS[-1], each.step, order[each.claim]))
    read, twice = times_read(recording)
    seconds = sum(step.seconds for step in recording.steps)
    times = sum(rounds(recording, step) for step in recording.steps)
    more = LiveFigures(read=read, read_twice=twice, seconds=seconds, rounds=times)
    changes = move_figures(scenes) if claims is OWNED else LiveFigures()
    return LiveVerdict(tuple(rulings), changes + more, tuple(beliefs(recording)))
