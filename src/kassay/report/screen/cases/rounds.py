"""What happened in a trace of a group's assignor, round by round, the broken round marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kassay.report import facts
from kassay.report.screen.cases.stories import other_story
from kassay.report.screen.console import Part, View, line, plain_table, stack
from kassay.writing.text import counted

Step = Mapping[str, Any]

BROKEN: Final = "<- broken here"
GUILTY: Final = "!"
"""What stands behind a partition or a member that the evidence names, with and without colours."""
_LISTED_MAX: Final = 8


def story(
    steps: Sequence[Step],
    rounds_max: int = 8,
    *,
    broken: Iterable[Mapping[str, Any]] = (),
    possible: facts.CouldBe | None = None,
) -> View:
    """The rounds of a trace as tables: what each member subscribed to, claimed and was given.

    Who leads, weights, the racks of replicas and generations of empty claims are told where they vary. The
    rounds at which the trace's claim is `broken` are marked with whom the evidence names, and what the answer
    could have been stands below. For other kinds what was asked and answered: see `stories`.
    """
    rounds = facts.rounds_of(steps, broken)
    if not rounds:
        return other_story(steps, rounds_max, broken=broken, possible=possible)
    notes = dict(_notes(steps))
    parts: list[View] = []
    before, shown = facts.window([each.guilty is not None for each in rounds], rounds_max)
    if before:
        parts.append(line(f"  {counted(before, 'round')} before", style="dim"))
    for number, each in enumerate(rounds[before : before + shown], start=before + 1):
        parts += _round(each, number, notes.get(each.place, ()))
        if possible is not None and possible.place == each.place:
            parts.append(line(f"    {possible.line}", style="green"))
    if rest := len(rounds) - before - shown:
        parts.append(line(f"  and {counted(rest, 'more round')}", style="dim"))
    return stack(*parts)


def _round(each: facts.RoundFacts, number: int, notes: Iterable[str]) -> Iterator[View]:
    topics = " ".join(f"{name}[{count}]" for name, count in each.topics.items())
    withheld = f"; not to be given out: {each.withheld}" if each.withheld else ""
    head = f"  round {number}, generation {each.generation}, topics {topics or '-'}{withheld}"
    mark: list[Part] = [] if each.guilty is None else [("  " + BROKEN, "bold red")]
    yield line(head, *mark)
    yield from (line(f"    {note}", style="dim") for note in notes)
    columns = [f"    {facts.STORY_COLUMNS[0]}", *facts.STORY_COLUMNS[1:]]
    yield plain_table(columns, [_row(member, each.guilty or frozenset()) for member in each.members])
    if each.failure:
        yield line(f"    {each.failure}", style="red")


def _row(member: facts.MemberFacts, guilty: frozenset[str]) -> tuple[object, ...]:
    who, *rest, given = member.row()
    parts: list[Part] = []
    for tp in member.given or ():
        tile = f"{tp[0]}-{tp[1]}"
        parts.append((tile + GUILTY, "bold red") if tile in guilty else tile)
        parts.append(" ")
    name: object = f"    {who}"
    if member.member_id in guilty:
        name = line("    ", (member.member_id + GUILTY, "bold red"), who.removeprefix(member.member_id))
    return name, *rest, line(*parts[:-1]) if parts and member.answered else given


def _notes(steps: Sequence[Step]) -> Iterator[tuple[tuple[int, int], list[str]]]:
    """What stands below the head of a round, by its place: each where it is not as in the round before."""
    leads = {
        (each["leader"], (each.get("members") or [{}])[0].get("id"))
        for step in steps
        for each in step.get("rounds", ())
        if each.get("leader") is not None
    }
    varies = any(leader != first for leader, first in leads)
    last: list[str] = []
    for number, step in enumerate(steps):
        for turn, each in enumerate(step.get("rounds", ())):
            notes = []
            if varies and each.get("leader") is not None:
                notes.append(f"{each['leader']} leads")
            if weights := each.get("weights"):
                notes.append(f"weights: {_listed(_of_topics(weights))}")
            if racks := each.get("racks"):
                notes.append(f"replicas in racks: {_listed(_of_partitions(racks))}")
            yield (number, turn), [note for note in notes if note not in last]
            last = notes


def _of_topics(weights: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for topic, row in weights.items():
        yield f"{topic} {' '.join(map(str, row[: 2 * _LISTED_MAX]))}"


def _of_partitions(racks: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    for topic, rows in racks.items():
        for number, held in enumerate(rows):
            yield f"{topic}-{number} {'+'.join(held) or 'none'}"


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    rest = len(every) - _LISTED_MAX
    return ", ".join(every[:_LISTED_MAX]) + (f" and {rest} more" if rest > 0 else "")
