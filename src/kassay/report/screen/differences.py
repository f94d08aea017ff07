"""The differences between two targets, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.engines.diff.compare import Lead
from kassay.engines.diff.document import TargetDifference
from kassay.engines.diff.replay import ReplayedDifference
from kassay.engines.diff.run import DiffReport, SmallestDifference
from kassay.engines.diff.upgrade import Upgrade, header_of
from kassay.engines.runs.verdicts import without
from kassay.kinds.views import frames_of
from kassay.report import facts
from kassay.report.screen.console import View, line, lines, stack, whole_line
from kassay.report.screen.terminal import story
from kassay.writing.text import counted, shell_command

_SHOWN_MAX = 8
_PREFIX = "different: "
"""How each line of a difference begins in a trace, like a violation of a claim."""


def diff_view(report: DiffReport, path: str | None) -> View:
    """On how many inputs the two were compared, and the smallest difference with its replay command."""
    place = f"{_tried(report)} up to {report.scope}" if report.scope else f"seed {report.seed}"
    cut = without(report.left_out)
    played = f"{_histories(report.cases)}, {counted(report.inputs, 'input')}, by {report.by}, {place}"
    parts: list[View] = [
        diff_verdict(report),
        line((report.left, "bold"), " and ", (report.right, "bold"), (f"  {played}", "dim")),
    ]
    if report.left == report.right:
        parts.append(line(f"  both are {report.left}"))
    if cut:
        parts.append(line(f"  {report.scope} is {cut}", style="dim"))
    if report.unanswered:
        failed = f"  to {counted(report.unanswered, 'input')} neither had an answer; both failed the same way"
        parts.append(line(failed, style="yellow"))
    if report.smallest is not None:
        parts += _difference(report.smallest, path)
    return stack(*parts)


def _tried(report: DiffReport) -> str:
    """Every group, or the groups up to the first differences: the comparison ends some cases after one."""
    return "groups" if report.differing else "every group"


def _difference(smallest: SmallestDifference, path: str | None) -> list[View]:
    difference = smallest.difference
    leads = leading(difference)
    counts = ", ".join(counted(number, noun[:-1]) for noun, number in smallest.counts.items())
    return [
        line(f"  smallest case: {counts}; {_input(difference.contradictory)}; as {leads} answers:"),
        line(),
        story(frames_of(difference.kind, difference.narration, difference.case)),
        *lines_view(difference.lines),
        *(
            [whole_line(f"  replay: {shell_command(('kassay', 'replay', path))}", style="cyan")]
            if path
            else []
        ),
        line(),
    ]


def replayed_view(replayed: ReplayedDifference) -> View:
    """The answers of both in a replay of a difference."""
    difference = replayed.difference
    left, right = difference.left.target, difference.right.target
    return stack(
        line(f"replaying {left} and {right}, as {leading(difference)} answers"),
        *(line(f"  another than recorded: {change}", style="yellow") for change in replayed.changes),
        story(frames_of(difference.kind, replayed.narration, difference.case)),
        *lines_view(replayed.lines),
        replayed_verdict(replayed),
    )


def replayed_verdict(replayed: ReplayedDifference) -> View:
    """Whether the two still differ, in one line."""
    left, right = replayed.difference.left.target, replayed.difference.right.target
    words = {"violated": "still differ", "holds": "no longer differ", "unknown": "may still differ"}
    return line(
        f"{left} and {right} {words[replayed.verdict]}" + (f": {replayed.why}" if replayed.why else "")
    )


def leading(difference: TargetDifference) -> str:
    """The target whose answers the history follows."""
    return (difference.left if difference.lead is Lead.LEFT else difference.right).target


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
        return [line(f"by {by}: alike", style="green"), line(f"  {played}", style="dim")]
    difference = report.smallest.difference
    leads = leading(difference)
    return [
        line(f"by {by}: different in {report.differing} of {played}", style="bold"),
        line(f"  the smallest input found, {_input(difference.contradictory)}, as {leads} answers:"),
        story(frames_of(difference.kind, difference.narration, difference.case)),
        *lines_view(difference.lines),
    ]


def _input(contradictory: bool) -> str:
    return f"{'conflicting' if contradictory else 'ordinary'} input"


def lines_view(differences: Sequence[str]) -> list[View]:
    """The differences between the answers, one line each."""
    more = len(differences) - _SHOWN_MAX
    return [
        *(line(f"  {each.removeprefix(_PREFIX)}", style="red") for each in differences[:_SHOWN_MAX]),
        *([line(f"  and {more} more", style="dim")] if more > 0 else []),
    ]


def diff_verdict(report: DiffReport) -> View:
    """Whether the two differ, in one line, and the settings that narrowed the comparison in another."""
    narrowed = facts.narrowed_by(report.narrowed_by)
    return stack(_verdict(report), *([line(f"  {narrowed}", style="yellow")] if narrowed else []))


def _verdict(report: DiffReport) -> View:
    inputs = counted(report.inputs, "input")
    if report.verdict == "differ":
        return line(("DIFFERENT", "bold red"), f"  in {report.differing} of {_histories(report.cases)}")
    if report.verdict == "alike":
        return line(("ALIKE", "bold green"), f"  on {inputs}")
    why = (
        "interrupted"
        if report.interrupted
        else "the time was over"
        if report.inputs
        else "nothing to compare"
    )
    return line(("UNKNOWN", "bold yellow"), f"  alike on {inputs}: {why}")


def _histories(number: int) -> str:
    return "1 history" if number == 1 else f"{number} histories"
