"""Hunts, proofs, differences, conformance and live histories, each described once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kassay.engines.conform.run import ConformCause, ConformResult
from kassay.engines.diff.run import DiffReport
from kassay.engines.hunts.document import answer
from kassay.engines.hunts.hunt import HuntOutcome, SentenceHunt
from kassay.engines.live.result import LiveResult
from kassay.kinds.views import frames_of, frames_of_trace
from kassay.report import facts
from kassay.report.blocks import (
    Block,
    BreakBlock,
    CommandBlock,
    Described,
    HeadingBlock,
    RowsBlock,
    StoryBlock,
    TextBlock,
    VerdictBlock,
)
from kassay.solver.proofs.prove import Proof
from kassay.writing.text import counted, shell_command

_HUNTS: Final = {
    HuntOutcome.PROVED: ("Proved", "ok"),
    HuntOutcome.HOLDS: ("Holds", "ok"),
    HuntOutcome.NOT_REFUTED: ("Not refuted", "ok"),
    HuntOutcome.UNKNOWN: ("Unknown", "warn"),
    HuntOutcome.BROKEN: ("Broken", "bad"),
}
_MESSAGES_MAX: Final = 4


def hunts_described(hunts: Sequence[SentenceHunt]) -> Described:
    """Each hunt: the counterexample round by round, and what is known of the claim."""
    return Described("hunt for a counterexample", tuple(tuple(hunt_blocks(each)) for each in hunts))


def hunt_blocks(hunt: SentenceHunt) -> Iterator[Block]:
    """One hunt."""
    example = hunt.example
    if example is not None:
        trace = example.trace
        yield TextBlock(hunt.claim.kind.sentence, name=hunt.target.spec)
        for message in trace.violations[:_MESSAGES_MAX]:
            yield TextBlock(message, "bad", depth=2)
        yield BreakBlock()
        yield StoryBlock(tuple(frames_of_trace(trace)))
        if command := facts.replay_command(example):
            yield CommandBlock("replay", command)
    seed = f"(seed {hunt.seed})" if hunt.histories else ""
    word, look = _HUNTS[hunt.outcome]
    yield VerdictBlock(word, look, hunt.target.spec, f"{hunt.claim.id}: {answer(hunt)}", seed)
    if narrowed := facts.narrowed_by(hunt.narrowed_by):
        yield TextBlock(narrowed, "warn", depth=2)


def proofs_described(proofs: Sequence[Proof]) -> Described:
    """The proofs with their counterexamples."""
    expected = sum(each.as_expected for each in proofs)
    good = expected == len(proofs)
    rows = tuple(
        (
            each.obligation.name,
            str(each.verdict),
            f"{each.elapsed_s:.2f}",
            each.obligation.sentence,
            ", ".join(f"{name} = {value}" for name, value in (each.counterexample or {}).items()) or "-",
        )
        for each in proofs
    )
    verdict = VerdictBlock(
        "As expected" if good else "Not as expected",
        "ok" if good else "bad",
        counted(len(proofs), "claim"),
        ", ".join(
            f"{sum(str(each.verdict) == word for each in proofs)} {word}"
            for word in dict.fromkeys(str(each.verdict) for each in proofs)
        )
        + ", for all sizes.",
    )
    columns = ("claim", "verdict", "s", "statement", "not for")
    return Described("proofs for all sizes", ((verdict, RowsBlock(columns, rows, ("s",))),))


def diff_described(report: DiffReport, path: str | None) -> Described:
    """On how many inputs two targets were compared, and the smallest difference with its two answers."""
    words = {"differ": ("Different", "bad"), "alike": ("Same", "ok")}
    word, look = words.get(report.verdict, ("Unknown", "warn"))
    cases, inputs = counted(report.cases, "history"), counted(report.inputs, "input")
    said = f"in {report.differing} of {cases}." if report.differing else f"on {inputs} of {cases}."
    blocks: list[Block] = [VerdictBlock(word, look, f"{report.left} and {report.right}", said)]
    if report.smallest is not None:
        difference = report.smallest.difference
        blocks += [
            TextBlock(each.removeprefix("different: "), "bad") for each in difference.lines[:_MESSAGES_MAX]
        ]
        blocks.append(StoryBlock(tuple(frames_of(difference.kind, difference.narration, difference.case))))
        if path:
            blocks.append(CommandBlock("replay", shell_command(("kassay", "replay", path))))
    return Described("two targets compared", (tuple(blocks),))


def conform_described(result: ConformResult) -> Described:
    """The coordinator model compared with Kafka's own: differences, broken invariants, what is not driven."""
    new = sum(cause.known is None for cause in result.broken)
    word = "The model does what Kafka does"
    if result.differences:
        word = "The model differs from Kafka"
    elif new:
        word = "Kafka breaks an invariant in a new way"
    verdict = VerdictBlock(
        word,
        "ok" if result.holds else "bad",
        f"Kafka {result.settings.release}",
        f"{counted(len(result.differences), 'difference')}, {new} new about Kafka, in "
        f"{sum(result.steps.values()):,} steps of {counted(result.histories, 'history')}.",
        f"(seed {result.settings.seed})",
    )
    steps = tuple((kind, f"{count:,}") for kind, count in sorted(result.steps.items()))
    return Described(
        "the coordinator model compared with Kafka's own",
        (
            (
                verdict,
                RowsBlock(("histories", "steps"), steps, ("steps",)),
                HeadingBlock("Differences between the model and Kafka"),
                *_causes(result.differences),
                HeadingBlock("Invariants that Kafka breaks"),
                *_causes(result.broken),
                HeadingBlock("Not driven"),
                *(TextBlock(each) for each in result.settings.not_driven),
            ),
        ),
    )


def _causes(causes: Sequence[ConformCause]) -> Iterator[Block]:
    if not causes:
        yield TextBlock("none")
    for cause in causes:
        known = cause.known
        word = f"known as {known.letter}: {known.words}" if known else f"new: {cause.text}"
        many = counted(cause.histories, "history")
        yield TextBlock(f"{cause.cause} ({many}, {word})", "plain" if known else "bad")
        if known is None:
            yield CommandBlock("script", "\n".join(cause.script))


def live_described(result: LiveResult) -> Described:
    """Real clients on a genuine broker: the verdict, a row for each claim, and each finding."""
    looks = {"holds": "ok", "unknown": "warn", "violated": "bad"}
    clients = ", ".join(f"{name} {version}" for name, version in sorted(result.clients.items()))
    counts = result.counts()
    rows = tuple(
        (each.claim, f"{each.judged:,}", f"{each.unknown:,}", f"{each.violated:,}", "; ".join(each.why))
        for each in counts
    )
    violated = counted(len(result.findings), "finding") if result.findings else "no claim violated"
    said = f"{violated} in {counted(len(result.played), 'history')}."
    subject = f"Kafka {result.release} with {clients or 'no client'}"
    blocks: list[Block] = [
        VerdictBlock(result.word.capitalize(), looks[result.word], subject, said, f"(seed {result.seed})")
    ]
    for finding in result.findings:
        ruling = finding.ruling
        seen = f"seen in {finding.seen} of {finding.plays}"
        blocks += [
            TextBlock(f"{ruling.text} ({finding.action}, {seen})", "bad", ruling.claim),
            CommandBlock("replay", shell_command(result.replay_of(finding))),
        ]
    columns = ("claim", "judged", "unknown", "violated", "why unknown")
    blocks.append(RowsBlock(columns, rows, columns[1:4]))
    return Described("live histories", (tuple(blocks),))
