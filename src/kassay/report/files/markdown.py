"""Markdown, as it fits a pull request or a step summary: verdicts first, then the counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.report.screen.terminal import counted, tiles

BYTES_MAX: Final = 900_000
"""A step summary takes 1 MiB; what is longer is cut, and says so."""

_MARKS: Final = {Verdict.HOLDS: "holds", Verdict.VIOLATED: "**violated**", Verdict.UNKNOWN: "unknown"}


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
        f"{certificate.histories} histories, {certificate.rebalances} rebalances, seed {certificate.seed}, "
        f"profile {certificate.profile}, {certificate.protocol}.",
        "",
        "| claim | verdict | why |",
        "| --- | --- | --- |",
    ]
    lines += [_row(result) for result in certificate.claims]
    for result in certificate.claims:
        lines += _counterexample(result)
    unreached = [name for name, count in certificate.reached.items() if not count]
    if unreached:
        lines += ["", f"Not reached: {', '.join(unreached)}."]
    controls = certificate.controls
    if controls.get("of"):
        lines += ["", f"Built-in faulty assignors caught: {controls['caught']} of {controls['of']}."]
    return "\n".join([*lines, *(f"\n{note}" for note in certificate.notes)]) + "\n"


def _row(result: ClaimResult) -> str:
    mark = "known" if result.known is not None else _MARKS[result.verdict]
    why = f"{result.why}; accepted: {result.known}" if result.known is not None else result.why
    return f"| `{result.id}` | {mark} | {cell(why)} |"


def _counterexample(result: ClaimResult) -> list[str]:
    found = result.counterexample
    if found is None:
        return []
    lines = [
        "",
        f"### {result.id}",
        "",
        f"{result.sentence} Broken by {counted(found.members, 'member')}, "
        f"{counted(found.partitions, 'partition')} and {counted(found.events, 'event')}, on "
        f"{'contradictory' if found.trace.contradictory else 'ordinary'} input:",
        "",
        *(f"* {cell(message)}" for message in found.trace.violations[:5]),
    ]
    rounds = [r for rebalance in found.trace.told for r in rebalance.get("rounds", [])]
    for number, round_ in enumerate(rounds[:6], start=1):
        if not isinstance(round_.get("members"), list):
            continue
        lines += [
            "",
            f"Round {number}:",
            "",
            "| member | reads | claims | is given |",
            "| --- | --- | --- | --- |",
        ]
        answer = round_.get("answer")
        for member in round_["members"]:
            given = "no answer" if answer is None else tiles(answer.get(member["id"]))
            reads = " ".join(member["topics"]) or "-"
            lines.append(f"| {cell(member['id'])} | {cell(reads)} | {tiles(member['owned'])} | {given} |")
    if found.path is not None:
        lines += ["", f"    kassay replay {found.path}"]
    return lines


def cell(text: str) -> str:
    """The text as it may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
