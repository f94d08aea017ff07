"""Explanations as text for a terminal: a claim, a trace, or a rule with its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kassay.report import facts
from kassay.report.screen.cases.rounds import story
from kassay.report.screen.console import View, line, lines, plain_table, stack

Document = Mapping[str, Any]


def explanation_view(document: Document) -> View:
    """The explanation as a person reads it."""
    return {"claim": _claim, "trace": _trace, "difference": _difference, "rule": _rule}[document["what"]](
        document
    )


_KINDS = {
    "client": "client-side assignors",
    "server": "server-side assignors",
    "share": "share groups",
    "streams": "Streams tasks",
    "placer": "placers",
    "planner": "plans",
    "partitioner": "partitioners",
    "connect": "Kafka Connect",
}


def _claim(document: Document) -> View:
    parts: list[View] = [line(document["id"], style="bold")]
    for reading in document["readings"]:
        kinds = ", ".join(_KINDS.get(kind, kind) for kind in reading["kinds"])
        parts += [line(), line(f"{kinds}: {reading['sentence']}")]
        if reading["more"]:
            parts.append(line(f"  {' '.join(reading['more'].split())}", style="dim"))
        rows = [
            ("  source", reading["source"]),
            ("  a fix must", reading["fix"]),
            ("  held against", reading["held_against"]),
            ("  holds after", f"{reading['minimum']} judgements or more, none of them broken"),
        ]
        if (argument := reading["argument"]) is not None:
            default = f", {argument} unless given" if argument else ""
            expected = reading["argument_expected"]
            rows.append(("  argument", f"{document['id']}:VALUE, {expected}{default}"))
        rows += [("  once reached", f"{each['id']}: {each['sentence']}") for each in reading["situations"]]
        parts.append(plain_table(("", ""), rows, header=False))
    declared = ", ".join(document["declared_by"]) or "no reference"
    parts += [line(), line(f"declared by {declared}")]
    return stack(*parts)


def _trace(document: Document) -> View:
    parts: list[View] = [
        line(f"{document['target']} breaks {document['claim']}", style="bold"),
        line(f"{document['sentence'] or 'a claim that this version does not know'}"),
        line(),
        line(document["paragraph"]),
        line(),
        line(f"on {document['input']} input, {document['protocol']}", style="dim"),
        *(line(f"  {condition}", style="dim") for condition in facts.conditions(document)),
        line(),
        *_happened(document),
        story(
            document["told"],
            rounds_max=100,
            broken=document["broken"],
            possible=facts.could_be_of(document["could_be"]),
        ),
    ]
    parts += [line(f"  {message}", style="red") for message in document["violations"]]
    return stack(*parts)


def _difference(document: Document) -> View:
    return stack(
        line(f"{document['left']} and {document['right']} differ by {document['by']}", style="bold"),
        line(),
        line(document["paragraph"]),
        line(),
        line(f"on {document['input']} input, as {document[document['lead']]} answers", style="dim"),
        *(line(f"  {condition}", style="dim") for condition in facts.conditions_of_both(document)),
        line(),
        *_happened(document),
        story(document["told"], rounds_max=100),
        *(line(f"  {each}", style="red") for each in document["lines"]),
    )


def _happened(document: Document) -> list[View]:
    """What happened before each rebalance, those that nothing happened before left out."""
    changes = [(number, events) for number, events in enumerate(document["happened"], 1) if events]
    rows = [(f"    {number}", "; ".join(map(facts.event_words, events))) for number, events in changes]
    return (
        [line("  before each rebalance"), plain_table(("", ""), rows, header=False), line()] if rows else []
    )


def _rule(document: Document) -> View:
    parts: list[View] = [
        line(document["id"], style="bold"),
        lines(document["header"]),
        line(),
        line(f"{document['source']}, {document['protocol']}", style="dim"),
    ]
    if document["declares"]:
        rows = [(f"  {claim['id']}", claim["sentence"]) for claim in document["declares"]]
        parts += [line(), plain_table(("declares", ""), rows)]
    if "growth" in document:
        parts += [line(), *_growth(document["id"], document["growth"])]
        parts += [line(), *_leaving(document["leaving"])]
    return stack(*parts)


def _growth(name: str, rows: Sequence[Document]) -> list[View]:
    others = list(rows[0]["others"])
    columns = ("  topics", "C0", "C1", "C2", f"{name}: most - least", *others)
    table = plain_table(
        columns,
        [
            (f"  {row['topics']}", *row["loads"], row["spread"], *(row["others"][other] for other in others))
            for row in rows
        ],
    )
    return [line("three members, topics of four partitions: how far apart the members are"), table]


def _leaving(rows: Sequence[Document]) -> list[View]:
    rules = list(rows[0]["moved"])
    cells = [
        (
            f"  {row['topics']}",
            row["partitions"],
            *(f"{row['moved'][rule]} ({row['needed'][rule]})" for rule in rules),
        )
        for row in rows
    ]
    table = plain_table(("  topics", "partitions", *rules), cells)
    return [line("C1 of three members leaves: partitions that move (those that had to)"), table]
