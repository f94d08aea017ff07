"""Markdown, as it fits a pull request or a step summary: verdicts first, then the counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.report import facts

BYTES_MAX: Final = 900_000
"""A step summary takes 1 MiB; what is longer is cut, and says so."""


def render(certificates: Sequence[Certificate]) -> str:
    """The document, cut to what a step summary takes."""
    text = "\n".join(_certificate(certificate) for certificate in certificates)
    raw = text.encode()
    if len(raw) <= BYTES_MAX:
        return text
    return raw[:BYTES_MAX].decode(errors="ignore") + "\n\n(cut here: the whole report is in the HTML file)\n"


def _certificate(certificate: Certificate) -> str:
    lines = [
        f"## {cell(certificate.target)}: {certificate.verdict}",
        "",
        f"{facts.played(certificate)}.",
        "",
        "| claim | verdict | why |",
        "| --- | --- | --- |",
    ]
    for result in certificate.claims:
        word = "**violated**" if facts.mark(result) == "violated" else facts.mark(result)
        lines.append(f"| `{result.id}` | {word} | {cell(facts.reason(result))} |")
    for result in certificate.claims:
        lines += _counterexample(result)
    if facts.unreached(certificate):
        lines += ["", f"Not reached: {facts.unreached(certificate)}."]
    if facts.controls(certificate):
        lines += ["", f"{facts.controls(certificate)}."]
    return "\n".join([*lines, *(f"\n{note}" for note in certificate.notes)]) + "\n"


def _counterexample(result: ClaimResult) -> list[str]:
    example = result.counterexample
    if example is None:
        return []
    lines = ["", f"### {result.id}", "", f"{result.sentence} Smallest found: {facts.size(example)}:", ""]
    lines += [f"* {cell(message)}" for message in example.trace.violations[:5]]
    head = f"| {' | '.join(facts.STORY_COLUMNS)} |"
    for number, each in enumerate(facts.rounds_of(example.trace.narration)[:6], start=1):
        lines += ["", f"Round {number}:", "", head, "| --- | --- | --- | --- |"]
        lines += [f"| {' | '.join(map(cell, member.row()))} |" for member in each.members]
    if command := facts.replay_command(example):
        lines += ["", f"    {command}"]
    return lines


def cell(text: str) -> str:
    """The text as it may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
