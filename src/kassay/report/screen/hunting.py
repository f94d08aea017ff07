"""The worst cases of a target as text for a terminal."""

from __future__ import annotations

from kassay.engines.hunts.worst import WorstCase
from kassay.kinds.views import frames_of_trace
from kassay.report import facts
from kassay.report.screen.console import View, line, stack, whole_line
from kassay.report.screen.terminal import story
from kassay.writing.text import counted


def worst_view(worst: WorstCase) -> View:
    """The group with the worst value, round by round, and the line with the value and its bound."""
    parts: list[View] = []
    if worst.example is not None:
        trace = worst.example.trace
        parts.append(story(frames_of_trace(trace)))
        if command := facts.replay_command(worst.example):
            parts.append(whole_line(f"  replay: {command}", style="cyan"))
    members, partitions = worst.size
    nouns = worst.target.kind.nouns
    words = (
        f"worst {worst.badness} found at {counted(members, nouns.who)} x {counted(partitions, nouns.what)}: "
        f"{worst.value} ({worst.meaning})"
    )
    looked = nouns.worlds
    bound = "no proven bound" if worst.bound is None else f"proven: at most {worst.bound}"
    parts.append(
        line((worst.target.spec, "bold"), f": {words}; {bound}; {worst.looked_at} {looked} looked at")
    )
    return stack(*parts)
