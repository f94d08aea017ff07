"""Hunts for the worst distance to the optimum as one HTML page: smallest and worst instances, staircases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kassay.certify.optimum.hunt import HUNTED, Hunt, WorstFound
from kassay.model.kinds import Kind
from kassay.report.figures.lines import LineChart, line_chart
from kassay.report.pages.gap_views import Case, GapView, TableView, fitting, gap_words, instance_board
from kassay.report.pages.layout import render as page
from kassay.writing.text import counted, shell_command

_STAIRCASE = (
    "Member i reads topics i and i + 1, topic i has i partitions and belongs to member i: how a gap grows "
    "where a rule moves one partition at a time and only a chain of moves would help."
)


def render(
    hunts: Sequence[Hunt], paths: Mapping[str, Mapping[str, str]], options: Sequence[str], again: str
) -> str:
    """The whole page. `paths` are the files of the worst instances by target and objective.

    `options` are the options of the targets; `again` is the command of the hunt.
    """
    return page("gaps", ("figures", "board"), view=view_of(hunts, paths, options, again))


def view_of(
    hunts: Sequence[Hunt], paths: Mapping[str, Mapping[str, str]], options: Sequence[str], again: str
) -> GapView:
    """The page's contents for hunts."""
    failed, finished = any(each.failed for each in hunts), all(each.finished for each in hunts)
    word, look = ("hunted to the end", "ok") if finished else ("time ran out", "warn")
    if failed:
        word, look = "a target failed", "bad"
    looked = sum(each.looked_at for each in hunts)
    return GapView(
        kind="hunt for the worst gap",
        word=word,
        look=look,
        subject=", ".join(each.target.spec for each in hunts),
        said=f"{counted(looked, 'instance')} to 4 members x 6 partitions, seed {hunts[0].seed}.",
        doubts=tuple(_doubts(hunts)),
        lines=tuple(_stairs(each) for each in hunts if each.stairs),
        staircase=_STAIRCASE,
        cases=fitting(_cases(hunts, paths, options)),
        cases_title="Smallest and worst instances",
        figures=_figures(hunts),
        again=again,
    )


def _doubts(hunts: Sequence[Hunt]) -> Iterator[str]:
    for each in hunts:
        if not each.finished:
            yield f"{each.target.spec}: the time ran out before the ladder ended; a worse gap may follow."
        for missed in each.failed[:1]:
            yield f"{each.target.spec} failed on {missed.name}: {missed.reason}"


def _stairs(hunt: Hunt) -> LineChart:
    points: dict[str, list[tuple[float, float]]] = {hunt.target.spec: [], "certified optimum": []}
    for step in hunt.stairs:
        members = len(step.problem.members)
        for name, loads in zip(points, (step.gap.loads, step.gap.best.loads), strict=True):
            points[name].append((members, loads[-1] - loads[0]))
    title = f"Staircase: {hunt.target.spec}"
    return line_chart(title, points, across="members", up="largest less smallest load")


def _cases(
    hunts: Sequence[Hunt], paths: Mapping[str, Mapping[str, str]], options: Sequence[str]
) -> Iterator[Case]:
    for number, hunt in enumerate(hunts, 1):
        for objective in HUNTED:
            smallest, worst = hunt.smallest.get(objective), hunt.worst.get(objective)
            if smallest is None or worst is None:
                continue
            anchor, spec = f"case-{number}-{objective}", hunt.target.spec
            kind = hunt.target.kind
            command = shell_command(("kassay", "gap", spec, "--instances", paths[spec][objective], *options))
            if worst is not smallest:
                yield _case(
                    kind, smallest, f"{anchor}-smallest", f"{spec}: smallest with a {objective} gap", ()
                )
            title = f"{spec}: smallest with the worst {objective} gap met"
            yield _case(kind, worst, anchor, title, (command,))


def _case(kind: Kind, instance: WorstFound, anchor: str, title: str, commands: tuple[str, ...]) -> Case:
    gap = instance.gap
    board = instance_board(kind, gap, instance.drawn(), anchor)
    return Case(anchor, title, gap_words(gap), board, commands)


def _figures(hunts: Sequence[Hunt]) -> TableView:
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
