"""Gap studies and hunts as HTML pages: the distance of each target to the certified optimum.

A gap study has a leaderboard, distributions and the worst case of each target; a hunt for the worst distance
has the smallest and the worst instances, and the staircases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kassay.engines.optimum.gaps import HUNTED, GapReport, Hunt, TargetGaps, WorstFound
from kassay.model.kinds import Kind
from kassay.report.pages.gap_views import (
    Case,
    GapView,
    TableView,
    case_of,
    fitting,
    gap_bars,
    gap_histograms,
    round_histograms,
)
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import LineChart, line_chart, plain
from kassay.writing.text import counted, percent, shell_command

_FAILED_SHOWN_MAX = 5


def render(report: GapReport, paths: Mapping[str, str], options: Sequence[str], again: str) -> str:
    """The whole page. `paths` are the files of the worst instances by target, as far as they are kept.

    `options` are the options of the targets, for the commands that reproduce a result; `again` is the command
    of the study.
    """
    return page("gaps", ("figures", "board", "findings"), view=view_of(report, paths, options, again))


def view_of(report: GapReport, paths: Mapping[str, str], options: Sequence[str], again: str) -> GapView:
    """The page's contents for a gap study."""
    targets = sorted(report.targets, key=by_distance)
    answered = max((each.instances for each in targets), default=0)
    word, look, subject, said = finding(targets)
    return GapView(
        kind="gap study",
        word=word,
        look=look,
        subject=subject,
        said=said,
        facts=(
            ("instances", f"{answered:,} ({report.source})"),
            ("goals", ", ".join(report.order)),
            ("solver", report.solver),
        ),
        doubts=tuple(_doubts(report)),
        failures=tuple(failures(report.targets)),
        leaderboard=_leaderboard(targets),
        bars=gap_bars(targets),
        histograms=gap_histograms(targets),
        rounds=round_histograms(targets),
        cases=fitting(_cases(targets, paths, options)),
        figures=_figures(targets),
        again=again,
    )


def by_distance(gaps: TargetGaps) -> tuple[bool, float, int, int]:
    """The order of a leaderboard: nothing answered last, then mean balance gap, failures, moves in all."""
    answered = len(gaps.gaps)
    mean = sum(each.balance or 0 for each in gaps.gaps) / answered if answered else 0.0
    return not answered, mean, len(gaps.failed), gaps.totals["moved"]


def finding(targets: Sequence[TargetGaps]) -> tuple[str, str, str, str]:
    """What a study found, in the order of the targets: a verdict, its style, its subject, and a sentence."""
    measured = [each for each in targets if each.distributions["balance"] is not None]
    if not measured:
        return "Nothing measured", "warn", ", ".join(each.target.spec for each in targets), ""
    first, last = measured[0], measured[-1]
    share = first.distributions["balance"]
    always = share is not None and share.at_zero == 1
    if len(measured) == 1:
        word = "Always at the optimal balance" if always else "Short of the optimal balance"
        return word, "ok" if always else "warn", first.target.spec, f"{_distance(first)}."
    equal = [each.target.spec for each in measured if by_distance(each) == by_distance(first)]
    if len(equal) == len(measured):
        return "All equal", "ok" if always else "warn", ", ".join(equal), f"{_distance(first)}."
    said = f"{_distance(first)}. Furthest: {last.target.spec}, {_distance(last)}."
    return "Closest to the optimum", "ok" if always else "warn", ", ".join(equal), said


def _distance(gaps: TargetGaps) -> str:
    """How often the balance is optimal, the worst gap, and the moves beyond the optimum's."""
    balance = gaps.distributions["balance"]
    if balance is None:
        return "not measured"
    more = gaps.totals["moved"] - gaps.totals["optimal_moved"]
    return (
        f"{percent(balance.at_zero)} of {counted(len(gaps.gaps), 'instance')} at the optimal balance, "
        f"worst gap {plain(balance.worst)}, {counted(abs(more), 'move')} {'more' if more >= 0 else 'fewer'} "
        "than the optimum's"
    )


def failures(targets: Sequence[TargetGaps]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A line for each target that failed on instances, with the first of them."""
    for each in targets:
        if each.failed:
            first = tuple(f"{missed.name}: {missed.reason}" for missed in each.failed[:_FAILED_SHOWN_MAX])
            yield f"{each.target.spec} failed on {len(each.failed):,} of {each.instances:,} instances", first


def _doubts(report: GapReport) -> Iterator[str]:
    for each in report.targets:
        if missing := each.totals["missing"]:
            yield f"{each.target.spec} left {missing:,} out in its answers: counted, and not judged."
    if report.unsolved:
        first = report.unsolved[0]
        yield f"{len(report.unsolved):,} optima not found; {first.name}: {first.reason}"
    if report.set_aside:
        yield f"{counted(report.set_aside, 'instance')} set aside: these targets do not answer them."
    if not report.measured:
        yield "A target was called on no instance: its gap is unknown."


def _leaderboard(targets: Sequence[TargetGaps]) -> TableView:
    rows = []
    for place, each in enumerate(targets, 1):
        balance = each.distributions["balance"]
        rows.append(
            (
                place,
                each.target.spec,
                f"{len(each.gaps):,} of {each.instances:,}",
                "-" if balance is None else percent(balance.at_zero),
                f"{sum(gap.balance or 0 for gap in each.gaps):,}",
                "-" if balance is None else plain(balance.worst),
                f"{each.totals['moved'] - each.totals['optimal_moved']:+,}",
                f"{each.rounds:,}",
                f"{each.seconds:.2f}",
            )
        )
    head = ("#", "target", "answered", "optimal", "balance gap", "worst", "moves", "rounds", "seconds")
    words = (
        "By the mean balance gap of the answered instances, then failures, then moves. Moves are against the "
        "optimum's, whatever the balance."
    )
    return TableView(head, tuple(rows), (0, 2, 3, 4, 5, 6, 7, 8), words)


def _figures(targets: Sequence[TargetGaps]) -> TableView:
    rows = [
        (each.target.spec, name, 0, "-", "-", "-", "-", "-")
        if gaps is None
        else (
            each.target.spec,
            name,
            gaps.judged,
            plain(gaps.median),
            plain(gaps.p99),
            plain(gaps.worst),
            percent(gaps.at_zero),
            gaps.worst_name if gaps.worst > 0 else "-",
        )
        for each in targets
        for name, gaps in each.distributions.items()
    ]
    head = ("target", "gap in", "judged", "median", "p99", "worst", "at zero", "worst instance")
    return TableView(head, tuple(rows), (2, 3, 4, 5, 6))


def _cases(targets: Sequence[TargetGaps], paths: Mapping[str, str], options: Sequence[str]) -> Iterator[Case]:
    for number, each in enumerate(targets, 1):
        if each.worst is None:
            continue
        gap, spec, anchor = each.worst.gap, each.target.spec, f"case-{number}"
        path, title = paths.get(spec), f"{spec} on {gap.problem.name}"
        words = () if path is None else ("kassay", "gap", spec, "--suite", path, *options)
        commands = (shell_command(words),) if words else ()
        yield case_of(each.target.kind, gap, each.worst.telling(), anchor, title, commands)


_STAIRCASE = (
    "Member i reads topics i and i + 1, topic i has i partitions and belongs to member i: how a gap grows "
    "where a rule moves one partition at a time and only a chain of moves would help."
)


def render_hunt(
    hunts: Sequence[Hunt], paths: Mapping[str, Mapping[str, str]], options: Sequence[str], again: str
) -> str:
    """The whole page. `paths` are the files of the worst instances by target and objective.

    `options` are the options of the targets; `again` is the command of the hunt.
    """
    return page("gaps", ("figures", "board", "findings"), view=hunt_view_of(hunts, paths, options, again))


def hunt_view_of(
    hunts: Sequence[Hunt], paths: Mapping[str, Mapping[str, str]], options: Sequence[str], again: str
) -> GapView:
    """The page's contents for hunts."""
    finished = all(each.finished for each in hunts)
    looked = sum(each.looked_at for each in hunts)
    met = [worst for each in hunts if (worst := each.worst.get("balance")) is not None]
    gap = max((instance.gap.balance or 0 for instance in met), default=0)
    end = "after the ladder" if finished else "by time"
    word = f"Balance gap of {gap}" if gap else "No balance gap"
    look = "warn" if gap or not finished else "ok"
    return GapView(
        kind="hunt for the worst gap",
        word=word,
        look=look,
        subject=", ".join(each.target.spec for each in hunts),
        said=f"The worst of {counted(looked, 'instance')} up to 4 members and 6 partitions.",
        facts=(
            ("seed", str(hunts[0].seed)),
            ("ended", end),
        ),
        doubts=tuple(_hunt_doubts(hunts)),
        lines=tuple(staircase(each) for each in hunts if each.stairs),
        staircase=_STAIRCASE,
        cases=fitting(_hunt_cases(hunts, paths, options)),
        cases_title="Smallest and worst instances",
        figures=_hunt_figures(hunts),
        again=again,
    )


def _hunt_doubts(hunts: Sequence[Hunt]) -> Iterator[str]:
    for each in hunts:
        if not each.finished:
            yield f"{each.target.spec}: the time ran out before the ladder ended; a worse gap may follow."
        for missed in each.failed[:1]:
            yield f"{each.target.spec} failed on {missed.name}: {missed.reason}"


def staircase(hunt: Hunt) -> LineChart:
    """The spread of ever larger instances by members, next to the certified optimum's."""
    points: dict[str, list[tuple[float, float]]] = {hunt.target.spec: [], "certified optimum": []}
    for step in hunt.stairs:
        members = len(step.problem.members)
        for name, loads in zip(points, (step.gap.loads, step.gap.best.loads), strict=True):
            points[name].append((members, loads[-1] - loads[0]))
    title = f"Staircase: {hunt.target.spec}"
    return line_chart(title, points, across="members", up="largest less smallest load")


def _hunt_cases(
    hunts: Sequence[Hunt], paths: Mapping[str, Mapping[str, str]], options: Sequence[str]
) -> Iterator[Case]:
    for number, hunt in enumerate(hunts, 1):
        for objective in HUNTED:
            smallest, worst = hunt.smallest.get(objective), hunt.worst.get(objective)
            if smallest is None or worst is None:
                continue
            anchor, spec = f"case-{number}-{objective}", hunt.target.spec
            kind = hunt.target.kind
            command = shell_command(("kassay", "gap", spec, "--suite", paths[spec][objective], *options))
            if worst is not smallest:
                yield _case(
                    kind, smallest, f"{anchor}-smallest", f"{spec}: smallest with a {objective} gap", ()
                )
            title = f"{spec}: smallest with the worst {objective} gap met"
            yield _case(kind, worst, anchor, title, (command,))


def _case(kind: Kind, instance: WorstFound, anchor: str, title: str, commands: tuple[str, ...]) -> Case:
    return case_of(kind, instance.gap, instance.drawn(), anchor, title, commands)


def _hunt_figures(hunts: Sequence[Hunt]) -> TableView:
    rows = []
    for hunt in hunts:
        for objective in HUNTED:
            smallest, worst = hunt.smallest.get(objective), hunt.worst.get(objective)
            rows.append(
                (
                    hunt.target.spec,
                    objective,
                    "-" if smallest is None else getattr(smallest.gap, objective),
                    "-" if worst is None else getattr(worst.gap, objective),
                    hunt.looked_at,
                )
            )
    head = ("target", "gap in", "smallest instance's", "worst met", "instances looked at")
    return TableView(head, tuple(rows), (2, 3, 4))
