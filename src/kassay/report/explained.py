"""Replays and explanations, each described once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.engines.diff.replay import ReplayedDifference
from kassay.engines.diff.upgrade import Upgrade, header_of
from kassay.engines.explain import (
    ClaimExplanation,
    DifferenceExplanation,
    Explanation,
    RuleExplanation,
    TraceExplanation,
)
from kassay.engines.listing import ListedItem
from kassay.engines.runs.replay import Replayed
from kassay.kinds.views import frames_of
from kassay.model.kinds import Verdict
from kassay.report import facts
from kassay.report.blocks import (
    Block,
    Described,
    HeadingBlock,
    RowsBlock,
    StoryBlock,
    TextBlock,
    VerdictBlock,
)
from kassay.report.described import diff_described
from kassay.report.screen.explaining import APART, MOVED, Table, claim_rows, growth_rows, leaving_rows

_LOOKS: Final = {Verdict.HOLDS: "ok", Verdict.VIOLATED: "bad", Verdict.UNKNOWN: "warn"}


def replay_described(replayed: Replayed | ReplayedDifference, summary: str) -> Described:
    """The verdict, the steps, and the violations or differences."""
    blocks: list[Block] = [
        VerdictBlock(str(replayed.verdict).capitalize(), _LOOKS[replayed.verdict], summary, replayed.why)
    ]
    if isinstance(replayed, Replayed):
        playback = replayed.playback
        blocks += [TextBlock(f"{each}, as recorded") for each in playback.restored]
        blocks += [TextBlock(each, "warn") for each in playback.overridden]
        frames, lines = replayed.frames, replayed.violations
    else:
        difference = replayed.difference
        blocks += [TextBlock(f"another than recorded: {each}", "warn") for each in replayed.changes]
        frames = frames_of(difference.kind, replayed.narration, difference.case)
        lines = replayed.lines
    blocks += [StoryBlock(tuple(frames)), *(TextBlock(each, "bad") for each in lines)]
    return Described("replay", (tuple(blocks),))


def explanation_described(explanation: Explanation | Upgrade | ListedItem) -> Described:
    """A claim with its readings, a trace or a difference step by step, a rule with its figures."""
    match explanation:
        case ClaimExplanation():
            return Described("claim", (tuple(_claim(explanation)),))
        case TraceExplanation():
            return Described("trace", (tuple(_trace(explanation)),))
        case DifferenceExplanation():
            return Described("difference", (tuple(_difference(explanation)),))
        case RuleExplanation():
            return Described("rule", (tuple(_rule(explanation)),))
        case Upgrade():
            return _upgrade(explanation)
        case ListedItem(thing, row):
            (_, name), *others = row.items()
            cells = tuple((column, value) for column, value in others if value)
            return Described(thing, ((HeadingBlock(name), RowsBlock(("", ""), cells)),))


def _claim(claim: ClaimExplanation) -> Iterator[Block]:
    yield HeadingBlock(claim.id)
    for reading in claim.readings:
        yield TextBlock(f"{', '.join(kind.title for kind in reading.kinds)}: {reading.sentence}")
        if reading.more:
            yield TextBlock(" ".join(reading.more.split()), "dim")
        yield RowsBlock(("", ""), tuple(claim_rows(claim.id, reading)))
    yield TextBlock(f"declared by {', '.join(claim.declared_by) or 'no reference'}")


def _trace(explanation: TraceExplanation) -> Iterator[Block]:
    trace, claim = explanation.trace, explanation.claim
    sentence = "a claim that this version does not know" if claim is None else claim.sentence
    yield VerdictBlock("Violated", "bad", trace.target, f"{trace.claim}: {sentence}")
    yield TextBlock(explanation.paragraph)
    yield from (TextBlock(each, "dim") for each in facts.conditions(trace))
    yield StoryBlock(tuple(explanation.frames))
    yield from (TextBlock(each, "bad") for each in trace.violations)


def _difference(explanation: DifferenceExplanation) -> Iterator[Block]:
    difference = explanation.difference
    names = f"{difference.left.target} and {difference.right.target}"
    yield VerdictBlock("Different", "bad", names, f"by {difference.by.value}")
    yield TextBlock(explanation.paragraph)
    yield from (TextBlock(each, "dim") for each in facts.conditions_of_both(difference))
    yield StoryBlock(tuple(explanation.frames))
    yield from (TextBlock(each, "bad") for each in difference.lines)


def _rule(explanation: RuleExplanation) -> Iterator[Block]:
    rule = explanation.rule
    yield HeadingBlock(rule.spec)
    yield from _paragraphs(explanation.header)
    yield TextBlock(f"{rule.source}, {rule.protocol.value}", "dim")
    if explanation.declares:
        yield RowsBlock(("declares", ""), explanation.declares)
    if explanation.growth:
        yield HeadingBlock(APART.capitalize())
        yield _numbers(growth_rows(rule.spec, explanation.growth))
        yield HeadingBlock(MOVED)
        yield _numbers(leaving_rows(explanation.leaving))


def _upgrade(changed: Upgrade) -> Described:
    before = changed.before
    blocks: list[Block] = [HeadingBlock(f"{before.rule} since {changed.since}")]
    if not changed.changes:
        blocks.append(TextBlock(f"unchanged; releases with this rule: {before.releases or 'all'}"))
    for release, rule in changed.changes:
        blocks += [HeadingBlock(f"Since {release}"), TextBlock(rule.summary, name=rule.spec)]
        blocks += _paragraphs(header_of(rule))
    examples = (diff_described(each, None).sections[0] for each in changed.examples)
    return Described("upgrade", (tuple(blocks), *examples))


def _paragraphs(text: str) -> Iterator[Block]:
    return (TextBlock(" ".join(each.split())) for each in text.split("\n\n"))


def _numbers(table: Table) -> RowsBlock:
    columns, rows = table
    return RowsBlock(columns, tuple(tuple(map(str, cells)) for cells in rows), columns)
