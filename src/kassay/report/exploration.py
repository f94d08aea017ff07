"""What an exploration found, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from kassay.certify.explore import ExploreResult
from kassay.model.explore import Action, Severity, Stuck, Verdict, Violation
from kassay.report.swimlanes import mermaid as mermaid_diagram
from kassay.report.swimlanes import text_diagram

_STYLES: Final = {Severity.REAL: "bold red", Severity.ZOMBIE: "yellow", Severity.BY_DESIGN: "yellow"}
_VERDICTS: Final = {Verdict.HOLDS: "bold green", Verdict.VIOLATED: "bold red", Verdict.UNKNOWN: "bold yellow"}
_LIMITS: Final = {"states": "the limit of states", "time": "the limit of time"}


def exploration_view(result: ExploreResult, *, replay: str, mermaid: bool = False) -> RenderableType:
    """Figures, violations by gravity with their shortest traces, dead ends, livelocks, verdict."""
    done = result.exploration
    speed = done.states / done.elapsed_s if done.elapsed_s else 0.0
    parts: list[RenderableType] = [
        Text(f"{result.model}: {_settings(result.settings)}"),
        Text(
            f"{done.states} states, {done.edges} edges, diameter {done.diameter}, "
            f"{done.elapsed_s:.1f} s ({speed:.0f} states/s)"
        ),
    ]
    for severity in Severity:
        for found in done.violations:
            if found.severity is severity:
                parts += _violation(found, mermaid)
    parts += _stuck(result, mermaid)
    parts += [Text(""), _verdict(result), Text(f"again: {replay}", style="dim")]
    return Group(*parts)


def _settings(settings: dict[str, Any]) -> str:
    told = []
    for name, value in settings.items():
        if isinstance(value, dict):
            value = ",".join(f"{key}={count}" for key, count in value.items())
        if isinstance(value, list):
            value = ",".join(map(str, value))
        if value not in (None, "", 0):
            told.append(f"{name} {value}")
    return ", ".join(told)


def _violation(found: Violation[Any], mermaid: bool) -> list[RenderableType]:
    head = Text.assemble(
        ("\n" + found.invariant, "bold"),
        " violated (",
        (str(found.severity), _STYLES[found.severity]),
        f"): {found.claim}",
    )
    actions = [step.action for step in found.trace if step.action is not None]
    return [
        head,
        Text(f"{found.message}. Seen {found.seen} times; the shortest trace has {_steps(found.length)}:"),
        _drawn(actions, mermaid),
    ]


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _drawn(actions: Sequence[Action], mermaid: bool) -> Text:
    """The trace; text that wraps nowhere, so that lanes stay lanes."""
    drawn = mermaid_diagram(actions) if mermaid else text_diagram(actions)
    return Text(drawn, no_wrap=True, overflow="ignore")


def _stuck(result: ExploreResult, mermaid: bool) -> list[RenderableType]:
    live = result.exploration.liveness
    if live is None:
        return [Text("\ndead ends and livelocks: not judged, the walk is not complete", style="yellow")]
    parts: list[RenderableType] = [Text("")]
    for name, stuck in (("dead ends", live.dead_ends), ("livelocks", live.livelocks)):
        parts.append(Text(f"{name}: {len(stuck) or 'none'}", style="bold red" if stuck else ""))
        if stuck:
            parts += _first(stuck[0], mermaid)
    if live.undecided:
        parts.append(Text(f"cycles not decided: {live.undecided}", style="yellow"))
    return parts


def _first(stuck: Stuck[Any], mermaid: bool) -> list[RenderableType]:
    actions = [step.action for step in stuck.trace if step.action is not None]
    parts: list[RenderableType] = [
        Text(f"the nearest is reached in {_steps(len(actions))}:"),
        _drawn(actions, mermaid),
    ]
    if stuck.cycle:
        parts += [
            Text(f"and goes round for ever, among {stuck.states} states:"),
            _drawn(stuck.cycle, mermaid),
        ]
    return parts


def _verdict(result: ExploreResult) -> Text:
    done = result.exploration
    words = str(done.verdict)
    if done.limit is not None:
        words += f": stopped at {_LIMITS.get(done.limit, done.limit)}"
    elif done.verdict is Verdict.HOLDS:
        softer = {str(found.severity) for found in done.violations}
        words += ": in every reachable state"
        if softer:
            words += f" (what is {' or '.join(sorted(softer))} is told above and does not count)"
    return Text(words, style=_VERDICTS[done.verdict])
