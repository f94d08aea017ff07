"""Certificates and traces as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.report import facts
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.report.screen.stories import other_story

_STYLES: Final = {"holds": "green", "violated": "bold red", "unknown": "yellow", "known": "yellow"}
_MARKS: Final = {"violated": "VIOLATED"}


def certificate_view(certificate: Certificate) -> View:
    """A certificate as a person reads it: verdicts, counterexamples, what was seen, the verdict."""
    parts: list[View] = [
        line(("target ", "dim"), (certificate.target, "bold"), (f"  {facts.played(certificate)}", "dim"))
    ]
    if certificate.assume:
        parts.append(line(f"assuming {', '.join(certificate.assume)}", style="dim"))
    parts.append(_claims_table(certificate.claims))
    parts += [_counterexample(result) for result in certificate.claims if result.counterexample]
    parts += _seen(certificate)
    doubts = (facts.interrupted(certificate), *certificate.notes)
    parts += [line(doubt, style="yellow") for doubt in doubts if doubt]
    return stack(*parts, _verdict(certificate), line())


def _claims_table(results: Sequence[ClaimResult]) -> View:
    rows = [
        (f"  {result.id}", (_MARKS.get(mark, mark), _STYLES[mark]), (reason, "dim"))
        for result, mark, reason in facts.judged(results)
    ]
    return plain_table(("claim", "verdict", "why"), rows, header=False)


def _counterexample(result: ClaimResult) -> View:
    example = result.counterexample
    if example is None:
        return line()
    violations = example.trace.violations
    parts: list[View] = [
        line(),
        line((result.id, "bold"), f": {result.sentence}"),
        line(f"  smallest found: {facts.size(example)}"),
        *(line(f"  {message}", style="red") for message in violations[:4]),
    ]
    if len(violations) > 4:
        parts.append(line(f"  and {len(violations) - 4} more"))
    parts += [line(), story(example.trace.narration)]
    if command := facts.replay_command(example):
        parts.append(whole_line(f"  replay: {command}", style="cyan"))
    return stack(*parts)


def story(steps: Sequence[Mapping[str, Any]], rounds_max: int = 8) -> View:
    """The rounds of a trace as tables: what each member subscribed to, claimed and was given.

    For other kinds what was asked and answered: see `stories`.
    """
    rounds = facts.rounds_of(steps)
    if not rounds:
        return other_story(steps, rounds_max)
    parts: list[View] = []
    columns = [f"    {facts.STORY_COLUMNS[0]}", *facts.STORY_COLUMNS[1:]]
    for number, each in enumerate(rounds[:rounds_max], start=1):
        topics = " ".join(f"{name}[{count}]" for name, count in each.topics.items())
        withheld = f"; not to be given out: {each.withheld}" if each.withheld else ""
        parts.append(
            line(f"  round {number}, generation {each.generation}, topics {topics or '-'}{withheld}")
        )
        parts.append(
            plain_table(
                columns, [("    " + who, *rest) for who, *rest in (member.row() for member in each.members)]
            )
        )
        if each.failure:
            parts.append(line(f"    {each.failure}", style="red"))
    if len(rounds) > rounds_max:
        parts.append(line(f"  and {len(rounds) - rounds_max} more rounds", style="dim"))
    return stack(*parts)


def _seen(certificate: Certificate) -> list[View]:
    reached = ", ".join(f"{name} {count}" for name, count in certificate.reached.items() if count)
    unreached = facts.unreached(certificate)
    caught, missed = facts.controls(certificate), certificate.controls.get("missed")
    said = (
        (f"reached: {reached}" if reached else "", "dim"),
        (f"not reached: {unreached}" if unreached else "", "dim"),
        (f"controls: {caught}" if caught else "", "yellow" if missed else "dim"),
    )
    return [*([line()] if reached else []), *(line(words, style=style) for words, style in said if words)]


def _verdict(certificate: Certificate) -> View:
    style = {"certified": "bold green", "not-certified": "bold red", "unknown": "bold yellow"}
    counts = {v: sum(1 for c in certificate.claims if c.verdict is v and c.known is None) for v in Verdict}
    text = ", ".join(f"{counts[v]} {word}" for v, word in zip(Verdict, ("hold", "violated", "unknown")))
    if known := sum(1 for c in certificate.claims if c.known is not None):
        text += f", {known} known violation{'s' if known > 1 else ''}"
    verdict = certificate.verdict
    return line((verdict.upper().replace("-", " "), style[verdict]), f"  {certificate.target}: {text}")
