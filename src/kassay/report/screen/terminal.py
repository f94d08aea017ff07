"""Certificates and traces as text for a terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.report import facts
from kassay.report.screen.stories import other_story
from kassay.report.screen.tables import plain_table

WIDTH_WITHOUT_TERMINAL: Final = 110
_STYLES: Final = {"holds": "green", "violated": "bold red", "unknown": "yellow", "known": "yellow"}
_MARKS: Final = {"violated": "VIOLATED"}


def console(*, stderr: bool = False) -> Console:
    """A console that honours NO_COLOR and keeps its lines whole when it is not a terminal."""
    screen = Console(stderr=stderr, highlight=False)
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen = Console(stderr=stderr, highlight=False, width=WIDTH_WITHOUT_TERMINAL)
    return screen


def certificate_view(certificate: Certificate) -> RenderableType:
    """A certificate as a person reads it: verdicts, counterexamples, what was seen, the verdict."""
    parts: list[RenderableType] = [
        Text.assemble(
            ("target ", "dim"), (certificate.target, "bold"), (f"  {facts.played(certificate)}", "dim")
        )
    ]
    if certificate.assume:
        parts.append(Text(f"assuming {', '.join(certificate.assume)}", style="dim"))
    parts.append(_claims_table(certificate.claims))
    parts += [_counterexample(result) for result in certificate.claims if result.counterexample]
    parts += _seen(certificate)
    parts += [Text(note, style="yellow") for note in certificate.notes]
    parts.append(_verdict(certificate))
    return Group(*parts)


def _claims_table(results: Sequence[ClaimResult]) -> Table:
    marks = map(facts.mark, results)
    rows = [
        (f"  {result.id}", Text(_MARKS.get(mark, mark), _STYLES[mark]), Text(facts.reason(result), "dim"))
        for result, mark in zip(results, marks)
    ]
    return plain_table(("claim", "verdict", "why"), rows, header=False)


def _counterexample(result: ClaimResult) -> RenderableType:
    example = result.counterexample
    if example is None:
        return Text("")
    lines = Text.assemble(
        (f"\n{result.id}", "bold"), f": {result.sentence}\n", f"  smallest found: {facts.size(example)}\n"
    )
    for message in example.trace.violations[:4]:
        lines.append(f"  {message}\n", style="red")
    if len(example.trace.violations) > 4:
        lines.append(f"  and {len(example.trace.violations) - 4} more\n")
    parts: list[RenderableType] = [lines, story(example.trace.narration)]
    if command := facts.replay_command(example):
        parts.append(Text(f"  replay: {command}", style="cyan"))
    return Group(*parts)


def story(steps: Sequence[Mapping[str, Any]], rounds_max: int = 8) -> RenderableType:
    """The rounds of a trace as tables: what each member subscribed to, claimed and was given.

    For other kinds what was asked and answered: see `stories`.
    """
    rounds = facts.rounds_of(steps)
    if not rounds:
        return other_story(steps, rounds_max)
    parts: list[RenderableType] = []
    columns = [f"    {facts.STORY_COLUMNS[0]}", *facts.STORY_COLUMNS[1:]]
    for number, each in enumerate(rounds[:rounds_max], start=1):
        topics = " ".join(f"{name}[{count}]" for name, count in each.topics.items())
        parts.append(Text(f"  round {number}, generation {each.generation}, topics {topics or '-'}"))
        parts.append(
            plain_table(
                columns, [("    " + who, *rest) for who, *rest in (member.row() for member in each.members)]
            )
        )
        if each.failure:
            parts.append(Text(f"    {each.failure}", style="red"))
    if len(rounds) > rounds_max:
        parts.append(Text(f"  and {len(rounds) - rounds_max} more rounds", style="dim"))
    return Group(*parts)


def _seen(certificate: Certificate) -> list[RenderableType]:
    reached = ", ".join(f"{name} {count}" for name, count in certificate.reached.items() if count)
    caught, missed = facts.controls(certificate), certificate.controls.get("missed")
    lines = (
        (f"\nreached: {reached}" if reached else "", "dim"),
        (f"not reached: {facts.unreached(certificate)}" if facts.unreached(certificate) else "", "dim"),
        (f"controls: {caught}" if caught else "", "yellow" if missed else "dim"),
    )
    return [Text(line, style=style) for line, style in lines if line]


def _verdict(certificate: Certificate) -> Text:
    style = {"certified": "bold green", "not-certified": "bold red", "unknown": "bold yellow"}
    counts = {v: sum(1 for c in certificate.claims if c.verdict is v and c.known is None) for v in Verdict}
    text = ", ".join(f"{counts[v]} {word}" for v, word in zip(Verdict, ("hold", "violated", "unknown")))
    if known := sum(1 for c in certificate.claims if c.known is not None):
        text += f", {known} known"
    verdict = certificate.verdict
    return Text.assemble(
        (f"{verdict.upper().replace('-', ' ')}", style[verdict]), f"  {certificate.target}: {text}\n"
    )
