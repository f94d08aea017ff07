"""Predictions for a consumer group, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kassay.certify.clusters.observed import ObservedGroup
from kassay.certify.clusters.whatif import Loads, PlayedStep, Racks, WhatIf
from kassay.report.screen.clusters.paths import paths_in_short, paths_view
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted, shell_command

COLUMNS: Final = ("switching to", "a member", "spread", "idle", "moves", "paused", "same rack", "rounds")
"""The columns of each table; the first has another title for events."""
_NUMBERS: Final = COLUMNS[1:]
_NAMED_MAX: Final = 4
"""The maximum number of members or partitions to name; the rest is counted."""


def what_if_view(answer: WhatIf, certificate: str | None, *, in_full: bool = True) -> View:
    """Today, every candidate next to the optimum, the effect of each event, and the path to each candidate.

    The paths are listed step by step if `in_full`, else one line each.
    """
    parts: list[View] = [
        *group_head(answer.observed),
        *_today(answer),
        line(),
        plain_table(COLUMNS, switch_rows(answer), _NUMBERS),
    ]
    parts += [line(f"{each.spec}: {each.failure}", style="bold red") for each in answer.failed]
    parts += [line(), line(MEANING, style="dim")]
    if answer.changes:
        parts += [line(), _events(answer)]
    if answer.paths:
        parts += [line(), *(paths_view(answer.paths) if in_full else paths_in_short(answer.paths))]
    else:
        parts += [line(), line("no rolling path: --from TARGET, or the output of --state, says from where")]
    if certificate is not None:
        check = shell_command(["kassay", "check", certificate])
        parts += [line(), whole_line(f"optimum: {certificate}  ({check})")]
    return stack(*parts)


MEANING: Final = (
    "moves: partitions that leave a member who stays (+ those whose member went). paused: partitions that "
    "somebody stops reading, if only to read on: eager rules give all up. rounds: until the group is at rest."
)


def identity(observed: ObservedGroup) -> str:
    """Which group this is."""
    protocol = "consumer" if observed.is_consumer_group else "classic"
    strategy = observed.strategy or "strategy not told"
    counts = observed.cluster.counts
    return (
        f"{counted(len(observed.consumers), 'member')}, {counted(len(counts), 'topic')}, "
        f"{counted(sum(counts.values()), 'partition')}; {strategy}, {protocol} protocol"
    )


def group_head(observed: ObservedGroup) -> list[View]:
    """Which group this is, and what could make the answer meaningless."""
    name = observed.name or "(no name)"
    parts: list[View] = [line("group ", (name, "bold"), f": {identity(observed)}")]
    parts += [line(f"warning: {each}", style="yellow") for each in observed.warnings]
    parts += [line(f"assumed: {each}", style="dim") for each in observed.assumptions]
    return parts


def _today(answer: WhatIf) -> Iterable[View]:
    today, labels = answer.today, answer.observed.labels
    yield line()
    yield line(
        f"today: {spread_of(today)}; the busiest is {labels[today.busiest]} with {today.most}"
        + (
            f"; {counted(len(today.idle), 'member')} idle: {_some([labels[each] for each in today.idle])}"
            if today.idle
            else ""
        )
    )
    if answer.unowned:
        given = _some([f"{use.partition} to {labels[use.member]}" for use in answer.unowned])
        yield line(
            f"{counted(len(answer.unowned), 'partition')} unowned now: the optimum gives {given}",
            style="bold red",
        )


def spread_of(loads: Loads) -> str:
    """How many partitions the members have."""
    if not loads.spread:
        return f"{loads.most} partitions each"
    return f"{loads.least} to {loads.most} partitions a member, spread {loads.spread}"


def _some(names: Sequence[str]) -> str:
    """The first of the names, and how many more there are."""
    more = len(names) - _NAMED_MAX
    return ", ".join(names[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def switch_rows(answer: WhatIf) -> list[tuple[object, ...]]:
    """One row per candidate: the group after the switch; today first, the optimum last."""
    rows = [("today", *_loads_cells(answer.today), "-", "-", _racks_cell(answer.racks), "-")]
    rows += [(each.spec, *_cells(step)) for each in answer.candidates if (step := each.switch) is not None]
    certified = f"optimum ({answer.best.figures['status']}, certified)"
    return [*rows, (certified, *_cells(answer.optimum.steps[0], is_optimum=True))]


def event_rows(answer: WhatIf) -> list[tuple[str, list[tuple[object, ...]]]]:
    """The events in order, each with a row per candidate that reached it, and one for the optimum."""
    events: list[tuple[str, list[tuple[object, ...]]]] = []
    for number, change in enumerate(answer.changes, start=1):
        rows = [
            (each.spec, *_cells(each.steps[number])) for each in answer.candidates if number < len(each.steps)
        ]
        rows.append(("optimum", *_cells(answer.optimum.steps[number], is_optimum=True)))
        events.append((change.text, rows))
    return events


def _events(answer: WhatIf) -> View:
    """The events below each other."""
    rows: list[tuple[object, ...]] = []
    for title, under in event_rows(answer):
        rows.append((line(title, style="bold"), *("",) * (len(COLUMNS) - 1)))
        rows += [(f"  {name}", *cells) for name, *cells in under]
    return plain_table(("then", *COLUMNS[1:]), rows, _NUMBERS)


def _cells(step: PlayedStep, *, is_optimum: bool = False) -> tuple[object, ...]:
    rounds: object = "never at rest" if step.rounds is None else step.rounds
    moves: object = f"{step.moved}+{step.orphaned}" if step.orphaned else step.moved
    if step.unassigned:
        moves = line(f"{moves}, {step.unassigned} left out", style="bold red")
    paused = (
        ("", _racks_cell(step.racks), "") if is_optimum else (step.paused, _racks_cell(step.racks), rounds)
    )
    return (*_loads_cells(step.loads), moves, *paused)


def _loads_cells(loads: Loads) -> tuple[object, ...]:
    own = f"{loads.least}..{loads.most}" if loads.spread else f"{loads.most}"
    idle = len(loads.idle)
    return (
        own,
        line(str(loads.spread), style="green" if loads.spread <= 1 else "yellow"),
        line(str(idle), style="yellow" if idle else ""),
    )


def _racks_cell(racks: Racks | None) -> str:
    return "-" if racks is None else f"{100 * racks.matched // racks.of} %"
