"""Conformance and live histories, each described once for a terminal, a page and a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kassay.engines.conform.run import ConformCause, ConformResult
from kassay.engines.genuine.coordinator import KAFKAS
from kassay.engines.live.result import LiveFinding, LiveResult, PlayedScript
from kassay.engines.live.upgrade import BrokerStep
from kassay.report.blocks import (
    Block,
    BreakBlock,
    CommandBlock,
    Described,
    HeadingBlock,
    RowsBlock,
    TextBlock,
    VerdictBlock,
)
from kassay.writing.text import counted, shell_command

_LOOKS: Final = {"holds": "ok", "unknown": "warn", "violated": "bad"}
_CLAIMS: Final = ("claim", "judged", "unknown", "violated", "why not judged")
_BROKERS: Final = ("brokers", "coordinator", "rebalances", "changes of owner", "in")


def conform_described(result: ConformResult) -> Described:
    """The coordinator model compared with Kafka's own: differences, broken invariants, what is not driven."""
    new = sum(cause.known is None for cause in result.broken)
    word = "Same"
    if result.differences:
        word = "Different"
    elif new:
        word = "Kafka breaks an invariant"
    settings = result.settings
    said = f"{counted(len(result.differences), 'difference')}, {new} new about Kafka"
    subject = f"the model and Kafka {settings.release}"
    look = "ok" if result.holds else "bad"
    runtime = " in Kafka's own runtime" if settings.runtime == KAFKAS else ""
    steps = tuple((kind, f"{count:,}") for kind, count in sorted(result.steps.items()))
    histories = counted(result.histories, "history")
    rate = f"{result.seconds:.0f} s, {result.rate:.0f} steps/s"
    blocks = (
        VerdictBlock(word, look, subject, said, f"(seed {settings.seed})"),
        TextBlock(f"{sum(result.steps.values()):,} steps of {histories}{runtime}, {rate}", "dim", depth=2),
        BreakBlock(),
        RowsBlock(("histories", "steps"), steps, ("steps",)),
        BreakBlock(),
        HeadingBlock("Differences between the model and Kafka"),
        *_causes(result.differences),
        BreakBlock(),
        HeadingBlock("Invariants that Kafka breaks"),
        *_causes(result.broken),
        BreakBlock(),
        HeadingBlock("Not driven"),
        *(TextBlock(each, depth=2) for each in settings.not_driven),
    )
    return Described("the coordinator model compared with Kafka's own", (blocks,))


def _causes(causes: Sequence[ConformCause]) -> Iterator[Block]:
    if not causes:
        yield TextBlock("none", depth=2)
    for cause in causes:
        known = cause.known
        word = f"known as {known.letter}: {known.words}" if known else f"new: {cause.text}"
        many = counted(cause.histories, "history")
        yield TextBlock(f"{cause.cause} ({many}, {word})", "plain" if known else "bad", depth=2)
        if known is None:
            yield CommandBlock("script", "\n".join(cause.script))


def live_described(result: LiveResult) -> Described:
    """Real clients on a genuine broker: the verdict, a row for each claim, figures, and each finding."""
    clients = ", ".join(f"{name} {version}" for name, version in sorted(result.clients.items()))
    steps = counted(sum(each.steps for each in result.played), "step")
    histories = counted(len(result.played), "history")
    rows = tuple(
        (each.claim, f"{each.judged:,}", f"{each.unknown:,}", f"{each.violated:,}", "; ".join(each.why))
        for each in result.counts()
    )
    blocks = (
        live_verdict(result),
        TextBlock(f"{histories} of {steps}, {_resources(result)}", "dim", depth=2),
        *_ended(result),
        *(block for each in result.findings for block in finding_blocks(result, each)),
        BreakBlock(),
        RowsBlock(_CLAIMS, rows, _CLAIMS[1:4]),
        BreakBlock(),
        *_figures(result),
        *(block for each in result.played if each.brokers for block in _upgraded(result, each)),
        BreakBlock(),
        TextBlock(f"clients: {clients or 'none'}"),
        TextBlock(f"scripts and recordings: {result.folder}"),
    )
    return Described("live histories", (blocks,))


def live_verdict(result: LiveResult) -> VerdictBlock:
    """The verdict of a run of live histories."""
    seed = f"(seed {result.seed})"
    subject = f"Kafka {result.release}"
    return VerdictBlock(result.word.capitalize(), _LOOKS[result.word], subject, _summary(result), seed)


def _summary(result: LiveResult) -> str:
    findings = result.findings
    if findings:
        unstable = sum(each.unstable for each in findings)
        return counted(len(findings), "finding") + (f", {unstable} unstable" if unstable else "")
    judged = sum(each.judged for each in result.counts())
    unknown = sum(each.unknown for each in result.counts())
    return f"{judged:,} of {judged + unknown:,} rulings decided, none violated"


def _resources(result: LiveResult) -> str:
    return f"{result.seconds:.0f} s, at most {result.peak_mib:,.0f} MiB of memory"


def _ended(result: LiveResult) -> Iterator[Block]:
    if result.interrupted:
        yield TextBlock("interrupted: these are the results so far", "warn", depth=2)
    if result.failed:
        yield TextBlock(f"ended early: {result.failed}", "warn", depth=2, whole=True)


def finding_blocks(result: LiveResult, finding: LiveFinding) -> Iterator[Block]:
    """A finding: what, where, whose, and how to replay it."""
    ruling = finding.ruling
    where = f"step {ruling.step}, {finding.action}" if ruling.step else finding.action
    seen = f"seen in {finding.seen} of {finding.plays}" + (", unstable" if finding.unstable else "")
    yield BreakBlock()
    yield TextBlock(f"{where} ({seen})", "bad", ruling.claim)
    yield TextBlock(ruling.text, depth=2)
    yield TextBlock(f"clients: {', '.join(ruling.clients)}", depth=2)
    if (shrunk := finding.shrunk) is not None:
        size = counted(len(shrunk.script.actions), "action")
        tried = f"{shrunk.seen} of {shrunk.plays}, after {counted(shrunk.candidates, 'candidate')}"
        minimal = "" if shrunk.minimal else ", not minimal"
        yield TextBlock(f"shrunk to {size}, seen in {tried}{minimal}", depth=2)
    if finding.report:
        yield TextBlock(f"report: {finding.report}", depth=2)
    yield CommandBlock("replay", shell_command(result.replay_of(finding)))


def _figures(result: LiveResult) -> Iterator[Block]:
    figures = result.figures
    yield TextBlock(f"{figures.changed_owner:,} changes of owner between settled groups")
    yield TextBlock(f"{figures.read:,} records read, {figures.read_twice:,} of them again")
    if figures.moved or figures.least:
        yield TextBlock(f"{figures.moved:,} moves by sticky strategies, certified least {figures.least:,}")
    beliefs = sum(len(each.verdict.beliefs) for each in result.played)
    if beliefs:
        words = "by a member that was stopped or cut off for longer than its session, which does not count"
        yield TextBlock(f"{counted(beliefs, 'partition')} still believed owned {words}")


def _upgraded(result: LiveResult, played: PlayedScript) -> Iterator[Block]:
    """What a rolling upgrade did to one group."""
    yield BreakBlock()
    if len(result.played) > 1:
        yield HeadingBlock(played.title)
    yield RowsBlock(_BROKERS, tuple(broker_rows(played.brokers)), _BROKERS[1:])
    yield from (TextBlock(f"{each.action}: {each.why}") for each in played.brokers if each.why)


def broker_rows(steps: Sequence[BrokerStep]) -> Iterator[tuple[str, ...]]:
    """What is predicted of an action on brokers, then what each did."""
    yield "predicted", "-", "0", "0", "-"
    for each in steps:
        before, after = ("?" if node < 0 else str(node) for node in (each.before, each.after))
        rebalances = "-" if each.rebalances is None else f"{each.rebalances:,}"
        took = f"{each.seconds:.0f} s" + ("" if each.settled else ", not settled")
        yield each.action, f"{before} to {after}", rebalances, f"{each.changed_owner:,}", took
