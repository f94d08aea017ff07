"""An exploration as one HTML page: verdict, what could make it meaningless, runs as swim lanes, the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from kassay.engines.protocols.explore import UNTRIED, ExploreResult
from kassay.engines.protocols.snapshots import StateSnapshot, snapshots
from kassay.engines.protocols.switches import SWITCHES
from kassay.model.explore.values import Action, InvariantViolation, Severity, Stuck, WalkStep, retrace
from kassay.model.kinds import Verdict
from kassay.model.protocols.faults import NO_FAULTS
from kassay.properties.protocols.registry import load_invariants
from kassay.report.pages.lanes import Lanes, lanes_of
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import ColumnChart, ColumnOf, column_chart
from kassay.report.pages.state_graph import STATES_DRAWN_MAX, StateGraph, state_graph
from kassay.report.screen.exploration import LIMITS, TOO_MANY_EDGES, reasons, settings_line
from kassay.writing.text import counted

_LOOKS: Final = {Verdict.HOLDS: "ok", Verdict.VIOLATED: "bad", Verdict.UNKNOWN: "warn"}
_SEVERITIES: Final = {
    Severity.REAL: "bad",
    Severity.ZOMBIE: "warn",
    Severity.BY_DESIGN: "plain",
    Severity.OUTCOME: "warn",
}
_Cells: TypeAlias = dict[tuple[str, str, str], str]
"""The texts of a state by table, item and field."""


class FieldCell(NamedTuple):
    """A field of a state as text, and whether the step before changed it."""

    text: str
    changed: bool


class FieldRow(NamedTuple):
    """A field, and its value for each item of the table."""

    name: str
    cells: tuple[FieldCell, ...]


class FieldTable(NamedTuple):
    """A table of a state: one column per item, so that it fits on a phone, and one row per field."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[FieldRow, ...]


class StateView(NamedTuple):
    """The state after a step; 0 is the start."""

    number: int
    title: str
    tables: tuple[FieldTable, ...]


class SameRun(NamedTuple):
    """A reference to a run that is already drawn."""

    id: str
    title: str


class TraceView(NamedTuple):
    """A run to a violation: its name, its severity, its lanes and states; or where the same run is drawn."""

    id: str
    title: str
    severity: str
    look: str
    claim: str
    message: str
    drawing: Lanes
    states: tuple[StateView, ...]
    broken: int | None
    cycle: Lanes | None
    same_as: SameRun | None


class ExplorationView(NamedTuple):
    """The contents of the page."""

    model: str
    word: str
    look: str
    meaning: str
    doubts: tuple[str, ...]
    walked: str
    figures: tuple[tuple[str, str], ...]
    traces: tuple[TraceView, ...]
    depths: ColumnChart
    sample: TraceView | None
    graph: StateGraph | None
    too_large: str
    held: tuple[tuple[str, str], ...]
    not_checked: tuple[tuple[str, tuple[str, ...]], ...]
    again: str


def render(result: ExploreResult, *, again: str) -> str:
    """The whole page; `again` is the command that reproduces the walk."""
    return page("exploration", ("lanes", "graph", "figures", "findings"), view=view_of(result, again=again))


def view_of(result: ExploreResult, *, again: str) -> ExplorationView:
    """The page's contents for an exploration."""
    done = result.exploration
    traces = tuple(_traces(result))
    first = next(iter(_wrong(result)), None)
    states = counted(done.states, "state")
    return ExplorationView(
        result.model,
        str(done.verdict).capitalize(),
        _LOOKS[done.verdict],
        _meaning(result),
        tuple(_doubts(result)),
        settings_line(result),
        (
            ("states", f"{done.states:,}"),
            ("steps between them", f"{done.edges:,}"),
            ("diameter", f"{done.diameter:,}"),
            ("symmetry reduction", result.symmetric or "off"),
            ("time", f"{done.elapsed_s:.1f} s"),
        ),
        traces,
        _depths(done.widths),
        None if traces else _sample(result),
        state_graph(result, first.trace if first else (), traces[0].id if traces else ""),
        f"It has {states} and is not drawn: up to {STATES_DRAWN_MAX} a picture says something.",
        _held(result),
        _not_checked(result),
        again,
    )


def _depths(widths: Sequence[int]) -> ColumnChart:
    """How many states lie at each distance from the start."""
    rows = [
        ColumnOf(str(depth), width, None, "plain", f"{depth}: {counted(width, 'state')}")
        for depth, width in enumerate(widths)
    ]
    return column_chart("States by their distance from the start", rows, "steps from the start")


def _sample(result: ExploreResult) -> TraceView | None:
    """A shortest run to a state furthest from the start; None for a walk without a step."""
    graph = result.exploration.graph
    furthest = max(range(len(graph.depths)), key=graph.depths.__getitem__, default=0)
    if not graph.depths or not graph.depths[furthest]:
        return None
    steps = retrace(result.built, graph, furthest)
    title = f"A run to a state furthest from the start: {counted(len(steps) - 1, 'step')}"
    wrong = _Wrong(title, "", "plain", "", "", steps, ())
    return _trace(wrong, SameRun("sample", title), None)._replace(broken=None)


def _meaning(result: ExploreResult) -> str:
    done = result.exploration
    if done.verdict is Verdict.VIOLATED:
        return f"Violated: {', '.join(reasons(result))}. The shortest run to each is below."
    if done.verdict is Verdict.UNKNOWN:
        where = "cycles that were not decided" if done.limit is None else LIMITS.get(done.limit, done.limit)
        return f"Nothing real is violated so far; the walk ended at {where}."
    softer = sorted({f"{v.invariant} ({v.severity})" for v in done.violations})
    softly = f" Listed below and not counted: {', '.join(softer)}." if softer else ""
    return f"Nothing real is violated in any reachable state, and nothing gets stuck.{softly}"


def _doubts(result: ExploreResult) -> Iterator[str]:
    done, settings = result.exploration, result.settings
    for name in sorted(settings.switches):
        yield f"A rule is broken on purpose (--switch {name}): {SWITCHES[name].effect}."
    if done.limit == TOO_MANY_EDGES:
        yield "Livelocks are not judged: the walk is complete, and has too many edges for it."
    elif done.limit is not None:
        yield f"The walk stopped at {LIMITS.get(done.limit, done.limit)}: states beyond it were not seen."
        if done.liveness is None:
            yield "Dead ends and livelocks are not judged: that needs a complete walk."
    if done.liveness is not None and done.liveness.undecided:
        yield f"Cycles not decided: {done.liveness.undecided}."
    if done.verdict is not Verdict.VIOLATED and settings.faults == NO_FAULTS:
        yield "Explored without faults: no member crashes, pauses or leaves, no message is lost (--faults)."
    untried = sum(one.why == UNTRIED for one in result.not_checked)
    if untried and done.verdict is not Verdict.VIOLATED:
        yield f"{counted(untried, 'invariant')} could not have been broken by any state or step of this walk."


class _Wrong(NamedTuple):
    """A violation with its run."""

    title: str
    severity: str
    look: str
    claim: str
    message: str
    trace: tuple[WalkStep[Any], ...]
    cycle: tuple[Action, ...]


def _wrong(result: ExploreResult) -> Iterator[_Wrong]:
    done = result.exploration
    for severity in Severity:
        for violation in done.violations:
            if violation.severity is severity:
                yield _broken(violation)
    if done.liveness is not None:
        for name, kind in (("dead end", done.liveness.dead_ends), ("livelock", done.liveness.livelocks)):
            for stuck in kind[:1]:
                yield _stuck(stuck, name, len(kind))


def _broken(violation: InvariantViolation[Any]) -> _Wrong:
    seen = (
        f"Seen {counted(violation.seen, 'time')}; the shortest run has {counted(violation.length, 'step')}."
    )
    return _Wrong(
        violation.invariant,
        str(violation.severity),
        _SEVERITIES[violation.severity],
        violation.claim,
        f"{violation.message}. {seen}",
        violation.trace,
        (),
    )


def _stuck(stuck: Stuck[Any], name: str, count: int) -> _Wrong:
    steps = counted(len(stuck.trace) - 1, "step")
    where = f"The nearest of {counted(count, name)} is reached in {steps}"
    ends = (
        f", and goes round among {counted(stuck.states, 'state')}." if stuck.cycle else "; nothing follows."
    )
    return _Wrong(name, "real", "bad", "", where + ends, stuck.trace, stuck.cycle)


def _traces(result: ExploreResult) -> Iterator[TraceView]:
    drawn: dict[tuple[Action | None, ...], SameRun] = {}
    for number, wrong in enumerate(_wrong(result), 1):
        run = (*(step.action for step in wrong.trace), None, *wrong.cycle)
        own = SameRun(f"trace-{number}", wrong.title)
        yield _trace(wrong, own, drawn.get(run))
        drawn.setdefault(run, own)


def _trace(wrong: _Wrong, own: SameRun, same_as: SameRun | None) -> TraceView:
    actions = [step.action for step in wrong.trace if step.action is not None]
    states = snapshots([step.state for step in wrong.trace])
    return TraceView(
        own.id,
        wrong.title,
        wrong.severity,
        wrong.look,
        wrong.claim,
        wrong.message,
        lanes_of(actions, [state.unread for state in states]),
        tuple(_states(actions, states)) if same_as is None else (),
        len(actions),
        lanes_of(wrong.cycle) if wrong.cycle else None,
        same_as,
    )


def _states(actions: Sequence[Action], states: Sequence[StateSnapshot]) -> Iterator[StateView]:
    for number, state in enumerate(states):
        before = _cells(states[number - 1]) if number else None
        title = f"After step {number}: {actions[number - 1]}" if number else "At the start"
        tables = (
            FieldTable(
                table.title,
                tuple(row[0] for row in table.rows),
                tuple(
                    FieldRow(
                        name,
                        tuple(_cell(table.title, row[0], name, row[place], before) for row in table.rows),
                    )
                    for place, name in enumerate(table.columns, 1)
                ),
            )
            for table in state.tables
        )
        yield StateView(number, title, tuple(tables))


def _cell(title: str, thing: str, field: str, text: str, before: _Cells | None) -> FieldCell:
    return FieldCell(text, before is not None and before.get((title, thing, field)) != text)


def _cells(state: StateSnapshot) -> _Cells:
    return {
        (table.title, row[0], name): text
        for table in state.tables
        for row in table.rows
        for name, text in zip(table.columns, row[1:], strict=True)
    }


def _held(result: ExploreResult) -> tuple[tuple[str, str], ...]:
    """The invariants that were checked and not violated, with their statements."""
    silent = {one.invariant for one in result.not_checked}
    broken = {violation.invariant for violation in result.exploration.violations}
    return tuple(
        (one.name, one.claim) for one in load_invariants().values() if one.name not in silent | broken
    )


def _not_checked(result: ExploreResult) -> tuple[tuple[str, tuple[str, ...]], ...]:
    by_reason: dict[str, list[str]] = {}
    for one in result.not_checked:
        by_reason.setdefault(one.why, []).append(one.invariant)
    return tuple((why, tuple(names)) for why, names in by_reason.items())
