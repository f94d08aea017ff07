"""Explanations as text for a terminal: a claim, a trace, or a rule with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from kassay.engines.explain import (
    ClaimExplanation,
    ClaimReading,
    DifferenceExplanation,
    Explanation,
    RuleExplanation,
    TraceExplanation,
)
from kassay.kinds.frames import Frame
from kassay.kinds.measures import Growth, Leaving
from kassay.report import facts
from kassay.report.described import leading
from kassay.report.screen.console import View, line, lines, plain_table, stack
from kassay.report.screen.terminal import story

FRAMES_MAX: Final = 100
APART: Final = "three members, topics of four partitions: how far apart the members are"
MOVED: Final = "C1 of three members leaves: partitions that move (those that had to)"
Table: TypeAlias = tuple[tuple[str, ...], list[tuple[object, ...]]]
"""The names of the columns, and the rows."""


def explanation_view(explanation: Explanation) -> View:
    """The explanation as readable text."""
    match explanation:
        case ClaimExplanation():
            return _claim(explanation)
        case TraceExplanation():
            return _trace(explanation)
        case DifferenceExplanation():
            return _difference(explanation)
        case RuleExplanation():
            return _rule(explanation)


def _claim(claim: ClaimExplanation) -> View:
    parts: list[View] = [line(claim.id, style="bold")]
    for reading in claim.readings:
        kinds = ", ".join(kind.title for kind in reading.kinds)
        parts += [line(), line(f"{kinds}: {reading.sentence}")]
        if reading.more:
            parts.append(line(f"  {' '.join(reading.more.split())}", style="dim"))
        parts.append(
            plain_table(
                ("", ""), [(f"  {name}", text) for name, text in claim_rows(claim.id, reading)], header=False
            )
        )
    declared = ", ".join(claim.declared_by) or "no reference"
    parts += [line(), line(f"declared by {declared}")]
    return stack(*parts)


def claim_rows(claim_id: str, reading: ClaimReading) -> list[tuple[str, str]]:
    """What a verdict requires."""
    rows = [
        ("source", reading.source),
        ("common fix", reading.fix),
        ("held against", reading.held_against),
        ("holds after", f"{reading.minimum} judgements or more, none of them broken"),
    ]
    if reading.argument is not None:
        default = f", {reading.argument} unless given" if reading.argument else ""
        rows.append(("argument", f"{claim_id}:VALUE, {reading.argument_expected}{default}"))
    return rows + [("once reached", f"{each.id}: {each.sentence}") for each in reading.situations]


def _trace(explanation: TraceExplanation) -> View:
    trace, claim = explanation.trace, explanation.claim
    parts: list[View] = [
        line(f"{trace.target} breaks {trace.claim}", style="bold"),
        line(claim.sentence if claim is not None else "a claim that this version does not know"),
        line(),
        line(explanation.paragraph),
        line(),
        line(f"on {_input(trace.contradictory)} input, {trace.protocol}", style="dim"),
        *(line(f"  {condition}", style="dim") for condition in facts.conditions(trace)),
        line(),
        *_left_over(explanation.happened, explanation.frames),
        story(explanation.frames, FRAMES_MAX),
    ]
    parts += [line(f"  {message}", style="red") for message in trace.violations]
    return stack(*parts)


def _difference(explanation: DifferenceExplanation) -> View:
    difference = explanation.difference
    left, right = difference.left.target, difference.right.target
    answering = f"on {_input(difference.contradictory)} input, as {leading(difference)} answers"
    return stack(
        line(f"{left} and {right} differ by {difference.by.value}", style="bold"),
        line(),
        line(explanation.paragraph),
        line(),
        line(answering, style="dim"),
        *(line(f"  {condition}", style="dim") for condition in facts.conditions_of_both(difference)),
        line(),
        *_left_over(explanation.happened, explanation.frames),
        story(explanation.frames, FRAMES_MAX),
        *(line(f"  {each}", style="red") for each in difference.lines),
    )


def _left_over(happened: Sequence[tuple[str, ...]], frames: Sequence[Frame]) -> list[View]:
    """The events without a frame, by the number of their change."""
    shown = Counter(event.partition(" ms: ")[2] or event for frame in frames for event in frame.events)
    rows = []
    for number, events in enumerate(happened, 1):
        left = Counter(events) - shown
        shown -= Counter(events)
        if left:
            rows.append((f"    {number}", "; ".join(left.elements())))
    if not rows:
        return []
    return [line("  changes without a rebalance here"), plain_table(("", ""), rows, header=False), line()]


def _input(contradictory: bool) -> str:
    return "contradictory" if contradictory else "ordinary"


def _rule(explanation: RuleExplanation) -> View:
    rule = explanation.rule
    parts: list[View] = [
        line(rule.spec, style="bold"),
        lines(explanation.header),
        line(),
        line(f"{rule.source}, {rule.protocol.value}", style="dim"),
    ]
    if explanation.declares:
        rows = [(f"  {spelled}", sentence) for spelled, sentence in explanation.declares]
        parts += [line(), plain_table(("declares", ""), rows)]
    if explanation.growth:
        parts += [line(), line(APART), _indented(growth_rows(rule.spec, explanation.growth))]
        parts += [line(), line(MOVED), _indented(leaving_rows(explanation.leaving))]
    return stack(*parts)


def growth_rows(name: str, rows: Sequence[Growth]) -> Table:
    """The loads of three members, and how far apart they are, next to those of other rules."""
    others = list(rows[0].others)
    cells: list[tuple[object, ...]] = [
        (row.topics, *row.loads, row.spread, *(row.others[other] for other in others)) for row in rows
    ]
    return ("topics", "C0", "C1", "C2", f"{name}: most - least", *others), cells


def leaving_rows(rows: Sequence[Leaving]) -> Table:
    """The partitions that move when a member leaves, by rule."""
    rules = list(rows[0].moved)
    cells = [
        (row.topics, row.partitions, *(f"{row.moved[rule]} ({row.needed[rule]})" for rule in rules))
        for row in rows
    ]
    return ("topics", "partitions", *rules), cells


def _indented(table: Table) -> View:
    (first, *columns), rows = table
    return plain_table((f"  {first}", *columns), [(f"  {cells[0]}", *cells[1:]) for cells in rows])


def row_view(row: Mapping[str, str]) -> View:
    """What a list says of one item: a column a line."""
    name, *others = row.items()
    cells = [(column, value) for column, value in others if value]
    return stack(line((name[1], "bold"), f"  ({name[0]})"), plain_table(("", ""), cells, header=False))
