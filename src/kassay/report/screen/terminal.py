"""Certificates and traces as text for a terminal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.report.screen.stories import other_story

WIDTH_WITHOUT_TERMINAL: Final = 110
_STYLES: Final = {Verdict.HOLDS: "green", Verdict.VIOLATED: "bold red", Verdict.UNKNOWN: "yellow"}
_MARKS: Final = {Verdict.HOLDS: "holds", Verdict.VIOLATED: "VIOLATED", Verdict.UNKNOWN: "unknown"}


def console(*, stderr: bool = False) -> Console:
    """A console that honours NO_COLOR and keeps its lines whole when it is not a terminal."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made = Console(stderr=stderr, highlight=False, width=WIDTH_WITHOUT_TERMINAL)
    return made


def certificate_view(certificate: Certificate) -> RenderableType:
    """A certificate as a person reads it: verdicts, counterexamples, what was seen, the verdict."""
    parts: list[RenderableType] = [
        Text.assemble(
            ("target ", "dim"),
            (certificate.target, "bold"),
            (
                f"  {certificate.protocol}, profile {certificate.profile}, seed {certificate.seed}, "
                f"{certificate.histories} histories, {certificate.rebalances} rebalances, "
                f"{certificate.elapsed_s:.1f} s",
                "dim",
            ),
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
    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for result in results:
        mark = "known" if result.known is not None else _MARKS[result.verdict]
        style = "yellow" if result.known is not None else _STYLES[result.verdict]
        why = result.why + (f"; accepted: {result.known}" if result.known is not None else "")
        table.add_row(Text(f"  {result.id}"), Text(mark, style=style), Text(why, style="dim"))
    return table


def _counterexample(result: ClaimResult) -> RenderableType:
    found = result.counterexample
    if found is None:
        return Text("")
    lines = Text()
    lines.append(f"\n{result.id}", style="bold")
    lines.append(f": {result.sentence}\n")
    lines.append(
        f"  smallest found: {counted(found.members, 'member')}, {counted(found.partitions, 'partition')}, "
        f"{counted(found.events, 'event')} after the start; "
        f"{'contradictory' if found.trace.contradictory else 'ordinary'} input\n"
    )
    for message in found.trace.violations[:4]:
        lines.append(f"  {message}\n", style="red")
    if len(found.trace.violations) > 4:
        lines.append(f"  and {len(found.trace.violations) - 4} more\n")
    parts: list[RenderableType] = [lines, story(found.trace.told)]
    if found.path is not None:
        parts.append(Text(f"  replay: kassay replay {shlex.quote(found.path)}", style="cyan"))
    return Group(*parts)


def counted(number: int, noun: str) -> str:
    """The number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def story(told: Sequence[Mapping[str, Any]], rounds_max: int = 8) -> RenderableType:
    """The rounds of a trace as tables: what each member read, claimed and was given.

    For other kinds what was asked and answered: see `stories`.
    """
    rounds = [r for rebalance in told for r in rebalance.get("rounds", [])]
    if not rounds:
        return other_story(told, rounds_max)
    parts: list[RenderableType] = []
    for number, round_ in enumerate(rounds[:rounds_max], start=1):
        topics = " ".join(f"{name}[{count}]" for name, count in round_.get("topics", {}).items())
        parts.append(Text(f"  round {number}, generation {round_.get('generation')}, topics {topics or '-'}"))
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("    member", "reads", "claims", "is given"):
            table.add_column(name, overflow="fold")
        answer = round_.get("answer")
        for member in round_.get("members", []):
            given = "no answer" if answer is None else tiles(answer.get(member["id"]))
            claims = tiles(member["owned"])
            if member["owned"]:
                claims += f" @{member['generation']}"
            table.add_row(f"    {_who(member)}", " ".join(member["topics"]) or "-", claims, given)
        parts.append(table)
        if "failure" in round_:
            failure = round_["failure"]
            parts.append(Text(f"    {failure['kind']}: {failure['message']}", style="red"))
    if len(rounds) > rounds_max:
        parts.append(Text(f"  and {len(rounds) - rounds_max} more rounds", style="dim"))
    return Group(*parts)


def _who(member: Mapping[str, Any]) -> str:
    extras = [f"static {member['instance_id']}"] if member.get("instance_id") else []
    extras += [f"rack {member['rack']}"] if member.get("rack") else []
    return f"{member['id']} ({', '.join(extras)})" if extras else f"{member['id']}"


def tiles(tps: Sequence[Sequence[Any]] | None) -> str:
    """Partitions as `t0-0 t0-1`; an entry that is missing is said to be."""
    if tps is None:
        return "no entry"
    return " ".join(f"{topic}-{partition}" for topic, partition in tps) or "-"


def _seen(certificate: Certificate) -> list[RenderableType]:
    unreached = [name for name, count in certificate.reached.items() if not count]
    reached = ", ".join(f"{name} {count}" for name, count in certificate.reached.items() if count)
    parts: list[RenderableType] = []
    if reached:
        parts.append(Text(f"\nreached: {reached}", style="dim"))
    if unreached:
        parts.append(Text(f"not reached: {', '.join(unreached)}", style="dim"))
    controls = certificate.controls
    if controls.get("of") or controls.get("unknown"):
        text = f"controls: {controls['caught']} of {controls['of']} built-in faulty assignors caught"
        if controls.get("unknown"):
            text += f", {controls['unknown']} not run for lack of budget"
        if controls.get("missed"):
            text += f"; missed: {', '.join(controls['missed'])}"
        parts.append(Text(text, style="dim" if not controls.get("missed") else "yellow"))
    return parts


def _verdict(certificate: Certificate) -> Text:
    style = {"certified": "bold green", "not-certified": "bold red", "unknown": "bold yellow"}
    counts = {v: sum(1 for c in certificate.claims if c.verdict is v and c.known is None) for v in Verdict}
    known = sum(1 for c in certificate.claims if c.known is not None)
    text = ", ".join(f"{counts[v]} {word}" for v, word in zip(Verdict, ("hold", "violated", "unknown")))
    if known:
        text += f", {known} known"
    verdict = certificate.verdict
    return Text.assemble(
        (f"{verdict.upper().replace('-', ' ')}", style[verdict]), f"  {certificate.target}: {text}\n"
    )
