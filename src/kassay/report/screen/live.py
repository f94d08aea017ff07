"""Real clients on a genuine broker: verdict, claims, findings, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kassay.engines.live.result import LiveClaimCount, LiveFinding, LiveResult
from kassay.engines.live.upgrade import BrokerStep
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted, shell_command

_BROKERS = ("brokers", "coordinator", "rebalances", "changes of owner", "in")
_STYLES = {"holds": "bold green", "unknown": "bold yellow", "violated": "bold red"}


def live_view(result: LiveResult) -> View:
    """The verdict, a line for each claim, figures, and each finding with its script."""
    steps = sum(each.steps for each in result.played)
    histories = counted(len(result.played), "history")
    clients = ", ".join(f"{name} {version}" for name, version in sorted(result.clients.items()))
    parts: list[View] = [
        word_line(result),
        line(),
        line(f"Kafka {result.release} with {clients or 'no client'}"),
        line(f"{histories} of {counted(steps, 'step')}, seed {result.seed}"),
        line(),
        plain_table(("claim", "judged", "unknown", "violated", "why not judged"), map(_row, result.counts())),
        line(),
        *_figures(result),
    ]
    for played in result.played:
        if played.brokers:
            parts += [line(), *([line(played.title)] if len(result.played) > 1 else [])]
            parts += [plain_table(_BROKERS, broker_rows(played.brokers), _BROKERS[1:])]
            parts += [line(f"{each.action}: {each.why}") for each in played.brokers if each.why]
    for finding in result.findings:
        parts += [line(), *finding_lines(result, finding)]
    if result.interrupted:
        parts += [line(), line("interrupted: these are the results so far")]
    if result.failed:
        parts += [line(), whole_line(f"ended early: {result.failed}")]
    parts += [line(), line(f"scripts and recordings: {result.folder}")]
    return stack(*parts)


def word_line(result: LiveResult) -> View:
    """The verdict in a line."""
    return whole_line((result.word.upper(), _STYLES[result.word]), f"  {_summary(result)}")


def broker_rows(steps: Sequence[BrokerStep]) -> Iterator[tuple[str, ...]]:
    """What is predicted of an action on brokers, then what each did."""
    yield "predicted", "-", "0", "0", "-"
    for each in steps:
        before, after = ("?" if node < 0 else str(node) for node in (each.before, each.after))
        rebalances = "-" if each.rebalances is None else f"{each.rebalances:,}"
        took = f"{each.seconds:.0f} s" + ("" if each.settled else ", not settled")
        yield each.action, f"{before} to {after}", rebalances, f"{each.changed_owner:,}", took


def _summary(result: LiveResult) -> str:
    findings = result.findings
    if findings:
        unstable = sum(each.unstable for each in findings)
        return counted(len(findings), "finding") + (f", {unstable} unstable" if unstable else "")
    judged = sum(each.judged for each in result.counts())
    unknown = sum(each.unknown for each in result.counts())
    return f"{judged:,} of {judged + unknown:,} rulings decided, none violated"


def _row(count: LiveClaimCount) -> tuple[str, ...]:
    return (
        count.claim,
        f"{count.judged:,}",
        f"{count.unknown:,}",
        f"{count.violated:,}",
        "; ".join(count.why),
    )


def _figures(result: LiveResult) -> list[View]:
    figures = result.figures
    parts = [
        line(f"{figures.changed_owner:,} changes of owner between settled groups"),
        line(f"{figures.read:,} records read, {figures.read_twice:,} of them again"),
    ]
    if figures.moved or figures.least:
        parts.append(line(f"{figures.moved:,} moves by sticky strategies, certified least {figures.least:,}"))
    beliefs = sum(len(each.verdict.beliefs) for each in result.played)
    if beliefs:
        words = "by a member that was stopped or cut off for longer than its session, which does not count"
        parts.append(line(f"{counted(beliefs, 'partition')} still believed owned {words}"))
    parts.append(line(f"{result.seconds:.0f} s, at most {result.peak_mib:,.0f} MiB of memory"))
    return list(parts)


def finding_lines(result: LiveResult, finding: LiveFinding) -> list[View]:
    """A finding: where, what, whose, and how to replay it."""
    ruling = finding.ruling
    where = f"step {ruling.step}, {finding.action}" if ruling.step else finding.action
    seen = f"seen in {finding.seen} of {finding.plays}" + (", unstable" if finding.unstable else "")
    parts = [
        line((ruling.claim, "bold red"), f": {where} ({seen})"),
        line(f"  {ruling.text}"),
        line(f"  clients: {', '.join(ruling.clients)}"),
    ]
    if (shrunk := finding.shrunk) is not None:
        size = counted(len(shrunk.script.actions), "action")
        tried = f"{shrunk.seen} of {shrunk.plays}, after {counted(shrunk.candidates, 'candidate')}"
        parts.append(line(f"  shrunk to {size}, seen in {tried}{'' if shrunk.minimal else ', not minimal'}"))
    command = shell_command(result.replay_of(finding))
    return [*parts, line(f"  report: {finding.report}"), whole_line(f"  replay: {command}")]
