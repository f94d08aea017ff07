"""A cluster's placement as one HTML page: verdict, claims, brokers before and after, steps, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from kassay.engines.replicas.judge import Standing
from kassay.engines.replicas.planned import BrokerLoad, ClusterPlan
from kassay.report.pages.layout import render as page
from kassay.report.pages.plots import BarChart, BarOf, bar_chart
from kassay.report.screen.place import (
    breaches_text,
    broken_today,
    busiest_text,
    bytes_text,
    plan_words,
    time_text,
    unfinished_text,
)
from kassay.writing.text import counted

_LOOKS: Final = {Standing.HOLDS: "ok", Standing.VIOLATED: "bad", Standing.NOT_JUDGED: "plain"}
_FIRST: Final = 5
"""This many violations of a claim are visible; the others are folded."""
_EVIDENCE_MAX: Final = 1_000
"""This many violations of a claim are listed; the document of --json has them all."""
_UNITS: Final = {
    "balance of replicas": ", sum of squares",
    "balance of leaders": ", sum of squares",
    "movement": ", in copies",
}
"""The units of these goals."""
_ROWS_MAX: Final = 500
"""This many partitions of the plan are listed; its files have them all."""
_DRAWN_MAX: Final = 120
"""Up to this many brokers have bars; for more there is only the table."""


class ClaimView(NamedTuple):
    """A claim about today's placement."""

    claim: str
    sentence: str
    word: str
    look: str
    why: str
    summed: str
    evidence: tuple[str, ...]
    folded: tuple[str, ...]
    more: int


class PlacementView(NamedTuple):
    """The contents of the page."""

    word: str
    look: str
    subject: str
    meaning: str
    doubts: tuple[str, ...]
    claims: tuple[ClaimView, ...]
    charts: tuple[BarChart, ...]
    brokers_head: tuple[str, ...]
    brokers: tuple[tuple[str, ...], ...]
    steps_head: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    moves: tuple[tuple[str, ...], ...]
    moves_left: int
    goals: tuple[tuple[str, str], ...]
    why: tuple[str, ...]
    again: str


def render(
    plan: ClusterPlan, files: Mapping[str, str], throttle: int, again: str, *, judged: bool = False
) -> str:
    """The page; `again` is the command line that writes it, `judged` leaves out the plan."""
    view = judged_view_of(plan, again) if judged else view_of(plan, files, throttle, again)
    return page("placement", ("figures",), view=view)


def charts_of(plan: ClusterPlan, *, judged: bool = False) -> list[BarChart]:
    """The loads of the brokers, `judged` those of today alone."""
    known = plan.proposal.cluster.sizes is not None
    return _charts(_todays(plan) if judged else plan.loads(), known, planned=not judged)


def _todays(plan: ClusterPlan) -> tuple[BrokerLoad, ...]:
    """The loads of the brokers without a plan."""
    return tuple(
        replace(
            load,
            replicas=(load.replicas[0],) * 2,
            leaders=(load.leaders[0],) * 2,
            size=load.size and (load.size[0],) * 2,
        )
        for load in plan.loads()
    )


def judged_view_of(plan: ClusterPlan, again: str) -> PlacementView:
    """The page's contents for today's placement alone."""
    loads = _todays(plan)
    violated = broken_today(plan)
    return view_of(plan, {}, 1, again)._replace(
        word=f"{counted(len(violated), 'rule')} broken today" if violated else "No rule broken",
        look="bad" if violated else "ok",
        meaning=f"{counted(len(violated), 'claim')} violated today: {', '.join(violated)}."
        if violated
        else "No claim is violated today.",
        doubts=plan.proposal.cluster.warnings,
        charts=tuple(charts_of(plan, judged=True)) if len(loads) <= _DRAWN_MAX else (),
        brokers=tuple(_broker(load) for load in loads),
        steps=(),
        moves=(),
        moves_left=0,
        goals=(),
    )


def view_of(plan: ClusterPlan, files: Mapping[str, str], throttle: int, again: str) -> PlacementView:
    """The page's contents for the plan."""
    proposal, loads = plan.proposal, plan.loads()
    broken = len(broken_today(plan))
    word, look = (f"{counted(broken, 'rule')} broken today", "bad") if broken else ("No rule broken", "ok")
    if not broken and not proposal.is_proven:
        look = "warn"
    if plan.blocked:
        word, look = f"{counted(len(plan.blocked), 'partition')} not planned", "bad"
    known = proposal.cluster.sizes is not None
    moves = [
        (str(step), str(tp), _ids(rows.before[tp]), _ids(row), rows.purpose)
        for step, rows in enumerate(plan.steps, start=1)
        for tp, row in sorted(rows.after.items())
    ]
    return PlacementView(
        word,
        look,
        _size(plan),
        plan_words(plan),
        (*proposal.cluster.warnings, *(unfinished_text(each) for each in plan.unfinished)),
        tuple(_claims(plan)),
        tuple(charts_of(plan)) if len(loads) <= _DRAWN_MAX else (),
        ("rack", "broker", "", "replicas", "leaders", *(("bytes",) if known else ())),
        tuple(_broker(load) for load in loads),
        (
            "step",
            "for",
            "partitions",
            "copies",
            *(("bytes", f"at {throttle / 1e6:g} MB/s") if known else ()),
            "file",
        ),
        tuple(_steps(plan, files, throttle)),
        tuple(moves[:_ROWS_MAX]),
        max(0, len(moves) - _ROWS_MAX),
        tuple(
            (f"{goal['goal']}{_UNITS.get(goal['goal'], '')}", _against(goal["value"], goal["bound"]))
            for goal in proposal.figures["goals"]
        )
        + (() if proposal.busiest is None else (("bytes", busiest_text(proposal.busiest)),)),
        plan.reasons,
        again,
    )


def _size(plan: ClusterPlan) -> str:
    cluster = plan.proposal.cluster
    return f"{counted(len(cluster.brokers), 'broker')}, {counted(len(cluster.rows), 'partition')}"


def _claims(plan: ClusterPlan) -> list[ClaimView]:
    return [
        ClaimView(
            each.claim,
            each.sentence,
            str(each.standing),
            _LOOKS[each.standing],
            each.why,
            breaches_text(each, len(plan.proposal.cluster.rows)),
            tuple(one.words for one in each.evidence[:_FIRST]),
            tuple(one.words for one in each.evidence[_FIRST:_EVIDENCE_MAX]),
            max(0, len(each.evidence) - _EVIDENCE_MAX),
        )
        for each in (*plan.today, *plan.health)
    ]


def _charts(loads: tuple[BrokerLoad, ...], known: bool, planned: bool = True) -> list[BarChart]:
    """Replicas, leaders and bytes of each broker, before and after, on one scale each."""
    numbers = {
        "Replicas a broker": [(load, *load.replicas) for load in loads],
        "Preferred leaders a broker": [(load, *load.leaders) for load in loads],
    }
    if known:
        numbers["Bytes a broker"] = [(load, *(load.size or (0, 0))) for load in loads]
    charts = []
    for title, rows in numbers.items():
        bars = []
        for load, before, after in rows:
            text = bytes_text if title.startswith("Bytes") else str
            name = f"{load.broker.rack or ''} {load.broker.broker_id} {load.state}".strip()
            bars.append(
                BarOf(
                    name, before, _change(text(before), text(after)), "today", best=after if planned else None
                )
            )
        charts.append(bar_chart(title, bars, marked="after the plan" if planned else ""))
    return charts


def _broker(load: BrokerLoad) -> tuple[str, ...]:
    sizes = () if load.size is None else (_change(*map(bytes_text, load.size)),)
    counts = (_change(*map(str, load.replicas)), _change(*map(str, load.leaders)))
    return (load.broker.rack or "", str(load.broker.broker_id), load.state, *counts, *sizes)


def _steps(plan: ClusterPlan, files: Mapping[str, str], throttle: int) -> list[tuple[str, ...]]:
    rows = []
    for number, step in enumerate(plan.steps, start=1):
        needed = "-" if plan.unthrottled([step]) else time_text(step.busiest / throttle)
        size = () if step.size is None else (bytes_text(step.size), needed)
        file = files.get(f"step {number}", "")
        rows.append((str(number), step.purpose, str(len(step.after)), str(step.copies), *size, file))
    return rows


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _against(value: int, bound: int) -> str:
    """The value of a goal, and its lower bound for every placement."""
    return f"{value:,}, and no placement has less" if value == bound else f"{value:,}, at least {bound:,}"


def _ids(row: tuple[int, ...]) -> str:
    return " ".join(map(str, row))
