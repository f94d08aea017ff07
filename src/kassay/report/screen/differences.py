"""The differences between two targets, for a terminal."""

from __future__ import annotations

from kassay.engines.diff.replay import ReplayedDifference
from kassay.engines.diff.run import DiffReport
from kassay.engines.diff.upgrade import Upgrade, header_of
from kassay.kinds.views import frames_of
from kassay.report.described import difference_lines, input_word, leading
from kassay.report.screen.blocks import blocks_view
from kassay.report.screen.console import View, line, lines, stack
from kassay.report.screen.terminal import story
from kassay.writing.text import counted


def replayed_view(replayed: ReplayedDifference) -> View:
    """The answers of both in a replay of a difference."""
    difference = replayed.difference
    left, right = difference.left.target, difference.right.target
    return stack(
        line(f"replaying {left} and {right}, as {leading(difference)} answers"),
        *(line(f"  another than recorded: {change}", style="yellow") for change in replayed.changes),
        story(frames_of(difference.kind, replayed.narration, difference.case)),
        blocks_view(difference_lines(replayed.lines)),
        replayed_verdict(replayed),
    )


def replayed_verdict(replayed: ReplayedDifference) -> View:
    """Whether the two still differ, in one line."""
    left, right = replayed.difference.left.target, replayed.difference.right.target
    words = {"violated": "still differ", "holds": "no longer differ", "unknown": "may still differ"}
    return line(
        f"{left} and {right} {words[replayed.verdict]}" + (f": {replayed.why}" if replayed.why else "")
    )


def upgrade_view(changed: Upgrade) -> View:
    """What changed in a rule since a release, in words and by the smallest example."""
    before = changed.before
    parts: list[View] = [line((before.rule, "bold"), f" since {changed.since}")]
    if not changed.changes:
        parts.append(line(f"  unchanged; releases with this rule: {before.releases or 'all'}"))
    for release, rule in changed.changes:
        parts += [line(), line((f"since {release}", "bold"), f"  {rule.spec}: {rule.summary}")]
        header = "\n".join(f"  {row}" for row in header_of(rule).splitlines())
        parts.append(lines(header, style="dim"))
    for example in changed.examples:
        parts += [line(), *_example(example)]
    return stack(*parts, line())


def _example(report: DiffReport) -> list[View]:
    played = f"{_histories(report.cases)}, {counted(report.inputs, 'input')}, seed {report.seed}"
    by = report.by.value
    if report.smallest is None:
        return [line(f"by {by}: no difference", style="green"), line(f"  {played}", style="dim")]
    difference = report.smallest.difference
    leads = leading(difference)
    return [
        line(f"by {by}: different in {report.differing} of {played}", style="bold"),
        line(f"  the smallest input found, {input_word(difference.contradictory)}, as {leads} answers:"),
        story(frames_of(difference.kind, difference.narration, difference.case)),
        blocks_view(difference_lines(difference.lines)),
    ]


def _histories(number: int) -> str:
    return "1 history" if number == 1 else f"{number} histories"
