"""Predictions for a consumer group, on a terminal.

Predictions for a consumer group, as tables for a terminal.

A consumer group at each number of members, as a table for a terminal.

Rolling restarts from one assignor to another, step by step, for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from kassay.certify.clusters.observed import ObservedGroup
from kassay.certify.clusters.rollout import POLICY, RollingStep, Rollout, RuleSpan
from kassay.certify.clusters.scale import GroupScale, Lag, Scaled
from kassay.certify.clusters.stability import NOT_GIVEN, several
from kassay.certify.clusters.whatif import Loads, PlayedStep, Racks, WhatIf
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
    if observed.stability.is_assumed:
        parts.append(line(NOT_GIVEN, style="yellow"))
    parts += [line(f"assumed: {each}", style="dim") for each in observed.assumptions]
    return parts


def unstable_view(observed: ObservedGroup) -> View:
    """A group that is not stable: why, who holds what, who waits; nothing is computed for it."""
    stability = observed.stability
    parts: list[View] = [
        line("group ", (observed.name or "(no name)", "bold"), f": {identity(observed)}"),
        line(f"not stable: {'; '.join(stability.reasons)}", style="bold red"),
        *(line(f"warning: {each}", style="yellow") for each in observed.warnings),
    ]
    if stability.holdings:
        rows = [
            (
                observed.labels[each.member_id],
                "-" if each.epoch is None else each.epoch,
                several(each.owned),
                several(each.awaited) if each.awaited else ("a partition" if each.waits else "none"),
            )
            for each in stability.holdings
        ]
        parts += [line(), plain_table(("member", "epoch", "owns", "waits for"), rows, ("epoch",))]
    else:
        parts.append(line("no output has its members"))
    if stability.unowned:
        parts += [
            line(),
            line(f"no owner: {counted(len(stability.unowned), 'partition')}: {several(stability.unowned)}"),
        ]
    return stack(*parts, line(), line(_AGAIN))


_AGAIN: Final = (
    "Nothing is computed and nothing certified for a group that is not stable. "
    "Print its outputs again once `--describe --state` says Stable."
)


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


_COLUMNS: Final = ("members", "a member", "spread", "idle", "moves", "best spread", "fewest moves", "safe")
_LAGS: Final = ("busiest's lag", "at best")
_SCALE_NUMBERS: Final = (*_COLUMNS[:-1], *_LAGS)


def scale_view(answer: GroupScale) -> View:
    """Each count next to the optimum, and which of them are safe."""
    parts: list[View] = [
        *group_head(answer.observed),
        line(),
        line("with ", (answer.target, "bold"), ", from today on:"),
        plain_table(columns_of(answer), rows_of(answer), _SCALE_NUMBERS),
    ]
    parts += [
        line(f"{each.members} members: {answer.target} failed: {each.failure}", style="bold red")
        for each in answer.failed
    ]
    safe = spans(each.members for each in answer.counts if each.is_safe)
    best = spans(each.members for each in answer.counts if each.is_safe_at_best)
    parts += [
        line(),
        line(f"safe numbers of members with {answer.target}: {safe or 'none'}", style="bold"),
        line(f"with the certified optimum: {best or 'none'}"),
        line(meaning_of(answer), style="dim"),
    ]
    return stack(*parts)


def columns_of(answer: GroupScale) -> tuple[str, ...]:
    """The columns; those for lags only if lags are weighed."""
    weighed = any(each.lag is not None for each in answer.counts)
    return (*_COLUMNS[:-1], *(_LAGS if weighed else ()), _COLUMNS[-1])


def rows_of(answer: GroupScale) -> list[tuple[object, ...]]:
    """One row per number of members, under `columns_of`."""
    weighed = len(columns_of(answer)) > len(_COLUMNS)
    return [_row(each, answer.today, weighed=weighed) for each in answer.counts]


def meaning_of(answer: GroupScale) -> str:
    """What safe means."""
    return (
        f"safe: no member idle, loads within one, at most {answer.extra_moves} moves more than the fewest. "
        "Fewer members are the first by id; moves +n are partitions of those that went."
    )


def _row(each: Scaled, today: int, *, weighed: bool) -> tuple[object, ...]:
    name = f"{each.members} (today)" if each.members == today else str(each.members)
    own = ("-",) * 4 if each.assignor is None else _scale_cells(each.assignor)
    lag = _lag(each.lag) if weighed else ()
    mark = line("safe", style="green") if each.is_safe else ""
    return (name, *own, each.optimum.loads.spread, each.optimum.moved, *lag, mark)


def _scale_cells(step: PlayedStep) -> tuple[object, ...]:
    loads = step.loads
    own = f"{loads.least}..{loads.most}" if loads.spread else f"{loads.most}"
    moves = f"{step.moved}+{step.orphaned}" if step.orphaned else str(step.moved)
    return own, loads.spread, line(str(len(loads.idle)), style="yellow" if loads.idle else ""), moves


def _lag(lag: Lag | None) -> tuple[object, ...]:
    if lag is None:
        return "-", "-"
    best = str(lag.least_bound) if lag.is_exact else f"{lag.least_bound} to {lag.least_found}"
    return lag.most, best


def spans(counts: Iterable[int]) -> str:
    """The counts, with runs of three or more as `5-9`.

    >>> spans([1, 2, 5, 6, 7])
    '1 2 5-7'
    """
    parts = []
    for _, run in groupby(enumerate(counts), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        parts += [f"{numbers[0]}-{numbers[-1]}"] if len(numbers) > 2 else [str(number) for number in numbers]
    return " ".join(parts)


def paths_in_short(paths: Sequence[Rollout]) -> Iterator[View]:
    """One line per path."""
    yield line("rolling it out (--to TARGET tells each step)", style="bold")
    for path in paths:
        if path.steps or not path.safe:
            yield line(f"  to {_short(path)}: {path_summary(path)}")


def _short(path: Rollout) -> str:
    goal = path.goal
    return f"the consumer protocol with {goal.remote}" if goal.is_consumer else ",".join(goal.strategies)


def path_summary(path: Rollout) -> str:
    """The totals of the path."""
    if path.safe and not path.steps:
        return "that is how the members are configured now"
    if not path.safe:
        return "no safe rolling restart: stop all members, then start them anew"
    restarts = counted(len(path.steps), "rolling restart")
    rebalances = sum(step.rebalances for step in path.steps)
    policy = f", brokers at {POLICY}={' or '.join(path.policies)}" if path.policies else ""
    settles = "; " + _tie(unsettled[0]) if (unsettled := [s for s in path.steps if s.never_settles]) else ""
    return f"{restarts}, {counted(rebalances, 'rebalance')}{policy}{settles}"


def paths_view(paths: Sequence[Rollout]) -> Iterator[View]:
    """Every path in full."""
    for path in paths:
        yield line(("rolling out ", "bold"), (str(path.goal), "bold"))
        yield line(f"  {path_summary(path)}")
        if path.safe and not path.steps:
            continue
        if path.policies:
            yield line("  0. on every broker, before:")
            yield whole_line(f"       {POLICY}={path.policies[-1]}")
        for number, step in enumerate(path.steps, start=1):
            yield line(f"  {number}. restart {counted(step.restarts, 'member')} one after the other with:")
            yield whole_line(f"       {step.setting}")
            yield from (line(f"     {fact}") for fact in step_facts(step, path))
        for setting, error in path.refused:
            yield line(f"  not safe: {setting}: a member is refused with {error}", style="yellow")
        for note in path.notes:
            yield line(f"  note: {note}", style="dim")
        walked = counted(path.walked, "member")
        origin = f"{walked} restarted one by one, the vote counted for every mix of all members."
        yield line(f"  From the coordinator's model: {origin}", style="dim")


def step_facts(step: RollingStep, path: Rollout) -> Iterator[str]:
    """The effect of a step on the group, and whether the step can be undone."""
    rebalances = counted(step.rebalances, "rebalance")
    if step.never_settles is not None:
        yield _tie(step)
    yield f"{_in_force(step.spans, step.restarts)}; {rebalances}, {_eager(step)}"
    yield _back(step, path)


def _tie(step: RollingStep) -> str:
    """The restarts at which the group never settles."""
    tied = next((span.rules for span in step.spans if len(span.rules) > 1), ())
    halves = f" while one half has {tied[0]} and one {tied[1]}" if len(tied) == 2 else ""
    return (
        f"a tie of assignors: this group never settles{halves} "
        f"(after {step.never_settles} of {counted(step.restarts, 'restart')})"
    )


def _in_force(spans: Sequence[RuleSpan], restarts: int) -> str:
    parts = []
    for span in spans:
        rules = " or ".join(span.rules) + (" (a tie)" if len(span.rules) > 1 else "")
        if span.last == restarts and span.first == restarts and len(spans) > 1:
            parts.append(f"{rules} once the last is back")
        elif span.last == restarts:
            parts.append(f"{rules} in force" + (" from the first on" if span.first == 1 else ""))
        else:
            parts.append(f"{rules} in force for {span.last} restarts")
    return ", ".join(parts)


def _eager(step: RollingStep) -> str:
    """The members that revoke everything at each of the rebalances."""
    before, after = step.eager
    if before == after == 0:
        return "at each only what moves is paused"
    if before == after:
        return "at each everybody gives everything up"
    if after:
        return f"at each those that are back give everything up: {before} members at first, {after} at last"
    return f"at each those not yet restarted give everything up: {before} members at first, {after} at last"


def _back(step: RollingStep, path: Rollout) -> str:
    if step.back == step.restarts:
        return f"way back: any member may return to {path.start} at any time"
    if not step.back:
        return f"no way back to {path.start} from the first restart on"
    return (
        f"way back: to {path.start} after {counted(step.back, 'restart')} at most, then a member is refused"
    )
