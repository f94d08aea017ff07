"""Hunts, proofs and differences, each described once for a terminal, a page and a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from kassay.engines.diff.compare import Lead
from kassay.engines.diff.document import TargetDifference
from kassay.engines.diff.run import DiffReport, SmallestDifference
from kassay.engines.hunts.document import answer
from kassay.engines.hunts.hunt import HuntOutcome, SentenceHunt
from kassay.engines.hunts.worst import WorstCase
from kassay.engines.runs.verdicts import without
from kassay.kinds.views import frames_of, frames_of_trace
from kassay.report import facts
from kassay.report.blocks import (
    Block,
    BreakBlock,
    CommandBlock,
    Described,
    RowsBlock,
    StoryBlock,
    TextBlock,
    VerdictBlock,
)
from kassay.solver.proofs.obligation import ProofVerdict
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
_LINES_MAX: Final = 8
_PREFIX: Final = "different: "
"""How each line of a difference begins in a trace, like a violation of a claim."""


def hunts_described(hunts: Sequence[SentenceHunt]) -> Described:
    """Each hunt: the counterexample round by round, and what is known of the claim."""
    return Described("hunt for a counterexample", tuple(tuple(hunt_blocks(each)) for each in hunts))


def hunt_blocks(hunt: SentenceHunt) -> Iterator[Block]:
    """One hunt: its verdict, and what the claim says of the counterexample round by round."""
    seed = f"(seed {hunt.seed})" if hunt.histories else ""
    word, look = _HUNTS[hunt.outcome]
    yield VerdictBlock(word, look, hunt.target.spec, f"{hunt.claim.id}: {answer(hunt)}", seed)
    if narrowed := facts.narrowed_by(hunt.narrowed_by):
        yield TextBlock(narrowed, "warn", depth=2)
    example = hunt.example
    if example is None:
        return
    trace = example.trace
    yield TextBlock(hunt.claim.kind.sentence, depth=2)
    for message in trace.violations[:_MESSAGES_MAX]:
        yield TextBlock(message, "bad", depth=2)
    yield BreakBlock()
    yield StoryBlock(tuple(frames_of_trace(trace)))
    if command := facts.replay_command(example):
        yield CommandBlock("replay", command)


def worst_described(cases: Sequence[WorstCase]) -> Described:
    """Each worst case round by round, with its value and its bound."""
    return Described("worst cases", tuple(tuple(_worst_blocks(each)) for each in cases))


def _worst_blocks(worst: WorstCase) -> Iterator[Block]:
    nouns, (members, partitions) = worst.target.kind.nouns, worst.size
    where = f"{counted(members, nouns.who)} x {counted(partitions, nouns.what)}"
    bound = "no proven bound" if worst.bound is None else f"proven: at most {worst.bound}"
    yield VerdictBlock(
        "Worst case",
        "warn" if worst.value else "ok",
        worst.target.spec,
        f"worst {worst.badness} found at {where}: {worst.value} ({worst.meaning}); {bound}; "
        f"{worst.looked_at} {nouns.worlds} looked at",
    )
    if worst.example is not None:
        yield StoryBlock(tuple(frames_of_trace(worst.example.trace)))
        if command := facts.replay_command(worst.example):
            yield CommandBlock("replay", command)


def proofs_described(proofs: Sequence[Proof]) -> Described:
    """The proofs with their counterexamples."""
    good = all(each.as_expected for each in proofs)
    rows = tuple(
        (
            each.obligation.name,
            str(each.verdict),
            f"{each.elapsed_s:.2f}",
            each.obligation.sentence + _except(each),
        )
        for each in proofs
    )
    said = ", ".join(f"{count} {outcome}" for outcome, count in Counter(map(_outcome, proofs)).items())
    verdict = VerdictBlock(
        "As expected" if good else "Not as expected",
        "ok" if good else "bad",
        counted(len(proofs), "claim"),
        f"{said}, for all sizes",
    )
    columns = ("claim", "verdict", "s", "statement")
    return Described("proofs for all sizes", ((verdict, BreakBlock(), RowsBlock(columns, rows, ("s",))),))


def _outcome(proof: Proof) -> str:
    if not proof.as_expected:
        return f"{proof.verdict} but expected to be {proof.obligation.expected}"
    return "refuted as expected" if proof.verdict is ProofVerdict.REFUTED else str(proof.verdict)


def _except(proof: Proof) -> str:
    if proof.vacuous:
        return "; vacuous: nothing meets its assumptions"
    values = ", ".join(f"{name} = {value}" for name, value in (proof.counterexample or {}).items())
    return f"; not for {values}" if values else ""


def diff_described(report: DiffReport, path: str | None) -> Described:
    """On how many inputs two targets were compared, and the smallest difference with its two answers."""
    inputs = counted(report.inputs, "input")
    word, look, said = {
        "differ": ("Different", "bad", f"in {report.differing} of {counted(report.cases, 'history')}"),
        "alike": ("Same", "ok", f"on {inputs}"),
    }.get(report.verdict, ("Unknown", "warn", f"the same on {inputs}: {_ended(report)}"))
    targets = f"{report.left} and {report.right}"
    blocks: list[Block] = [VerdictBlock(word, look, targets, said)]
    blocks += [TextBlock(text, look, depth=2) for text, look in _compared(report) if text]
    if report.smallest is not None:
        blocks += _smallest_difference(report.smallest, path)
    return Described("two targets compared", (tuple(blocks),))


def _ended(report: DiffReport) -> str:
    if report.interrupted:
        return "interrupted"
    return "the time was over" if report.inputs else "nothing to compare"


def _compared(report: DiffReport) -> Iterator[tuple[str, str]]:
    """What was compared, and what weakens the verdict, each with its look."""
    # The comparison of groups up to a size ends some cases after the first difference.
    groups = "groups" if report.differing else "every group"
    place = f"{groups} up to {report.scope}" if report.scope else f"seed {report.seed}"
    cases, inputs = counted(report.cases, "history"), counted(report.inputs, "input")
    yield f"{cases}, {inputs}, by {report.by}, {place}", "dim"
    yield facts.narrowed_by(report.narrowed_by), "warn"
    if report.left == report.right:
        yield f"both are {report.left}", "warn"
    if cut := without(report.left_out):
        yield f"{report.scope} is {cut}", "dim"
    if report.unanswered:
        unanswered = counted(report.unanswered, "input")
        yield f"to {unanswered} neither had an answer; both failed the same way", "warn"


def _smallest_difference(smallest: SmallestDifference, path: str | None) -> Iterator[Block]:
    difference = smallest.difference
    counts = ", ".join(counted(number, noun[:-1]) for noun, number in smallest.counts.items())
    kind, leads = input_word(difference.contradictory), leading(difference)
    yield TextBlock(f"smallest case: {counts}; {kind}; as {leads} answers:", depth=2)
    yield from difference_lines(difference.lines)
    yield BreakBlock()
    yield StoryBlock(tuple(frames_of(difference.kind, difference.narration, difference.case)))
    if path:
        yield CommandBlock("replay", shell_command(("kassay", "replay", path)))


def input_word(contradictory: bool) -> str:
    """What kind of input it is."""
    return f"{'conflicting' if contradictory else 'ordinary'} input"


def difference_lines(lines: Sequence[str]) -> Iterator[Block]:
    """The differences between the answers, one line each."""
    for each in lines[:_LINES_MAX]:
        yield TextBlock(each.removeprefix(_PREFIX), "bad", depth=2)
    if (more := len(lines) - _LINES_MAX) > 0:
        yield TextBlock(f"and {more} more", "dim", depth=2)


def leading(difference: TargetDifference) -> str:
    """The target whose answers the history follows."""
    return (difference.left if difference.lead is Lead.LEFT else difference.right).target
