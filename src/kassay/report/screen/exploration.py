"""Explorations and switches for a terminal.

The result of an exploration as readable text.

What detects each broken rule: a table for a terminal, and JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay.engines.protocols.against import ReleaseComparison
from kassay.engines.protocols.explore import UNTRIED, ExploreResult
from kassay.engines.protocols.settings import CLIENT_OF, KAFKA
from kassay.engines.protocols.switch_runs import SwitchRow, command
from kassay.model.explore.stable import FINGERPRINT_BITS
from kassay.model.explore.values import Action, InvariantViolation, Severity, Stuck
from kassay.model.kinds import Verdict
from kassay.model.protocols.values.releases import NEWEST
from kassay.model.protocols.world.context import ClockLevel, NetworkLevel
from kassay.report.screen.console import Drawing, View, line, plain_table, stack, whole_line
from kassay.report.screen.swimlanes import mermaid as mermaid_diagram
from kassay.report.screen.swimlanes import text_diagram
from kassay.writing.text import counted

NONE_KNOWN: Final[Mapping[str, str]] = {}
"""No finding of a baseline."""
_STYLES: Final = {Severity.REAL: "bold red", Severity.ZOMBIE: "yellow", Severity.BY_DESIGN: "yellow"}
_OUTCOME: Final = "yellow"
_VERDICTS: Final = {Verdict.HOLDS: "bold green", Verdict.VIOLATED: "bold red", Verdict.UNKNOWN: "bold yellow"}
TOO_MANY_EDGES: Final = "edges"
"""What limits the checks of a complete walk."""
LIMITS: Final = {
    "states": "the limit of states (--max-states)",
    "time": "the limit of time (--time)",
    TOO_MANY_EDGES: "the limit of edges up to which livelocks are judged",
    "random walks": "the end of the walks; at random, finding nothing proves nothing",
}
"""What ended a walk early, in words."""
_LEGEND: Final = "in the lanes: o, a step by itself; x, a fault; -->, a request; <- -, its answer"


def exploration_view(
    result: ExploreResult,
    *,
    replay: str,
    every: bool = False,
    verbose: bool = False,
    known: Mapping[str, str] = NONE_KNOWN,
) -> View:
    """Verdict, figures, violations by severity with their shortest traces, dead ends, livelocks.

    With `every`, each dead end and livelock has its trace; if `verbose`, each invariant that was not checked
    is listed. `known` are the findings of a baseline.
    """
    done = result.exploration
    speed = done.states / done.elapsed_s if done.elapsed_s else 0.0
    parts: list[View] = [
        _verdict(result, known),
        line(settings_line(result)),
        line(
            f"{done.states:,} states, {done.edges:,} edges, diameter {done.diameter}, "
            f"{done.elapsed_s:.1f} s ({speed:,.0f} states/s)"
        ),
    ]
    if result.collision_probability is not None:
        odds = f"{result.collision_probability:.1g}"
        words = f"fingerprints of {FINGERPRINT_BITS} bits: any two states agree with a probability of {odds}"
        parts.append(line(words))
    runs = _Runs()
    violations = [
        part
        for severity in Severity
        for violation in done.violations
        if violation.severity is severity
        for part in _violation(violation, runs)
    ]
    parts += [*violations, *([line()] if violations else ()), *_stuck(result, runs, every=every)]
    parts += _not_checked(result, verbose=verbose)
    if runs.names:
        parts += [line(), line(_LEGEND, style="dim")]
    parts.append(whole_line(f"again: {replay}", style="dim"))
    return stack(*parts)


def against_view(result: ReleaseComparison) -> View:
    """Where two releases part: the shortest trace, then what each of them does."""
    release, against = result.settings.release, result.against
    head = line(f"{result.settings.model}: {release} against {against}")
    size = line(f"{result.pairs:,} pairs of states, {result.seconds:.1f} s")
    if not result.differs:
        words = f"unknown: {LIMITS[result.limit]}" if result.limit else "no difference"
        return stack(head, size, line(), line(words, style="bold"))
    sides = [
        line(f"  {name}: {text}")
        for name, texts in ((release, result.left), (against, result.right))
        for text in texts or ("nothing of the kind",)
    ]
    legend = line(_LEGEND, style="dim")
    return stack(head, size, line(), _Runs().draw(result.trace, ""), line(), line("then"), *sides, legend)


def mermaid_text(result: ExploreResult) -> str:
    """The shortest trace of each violation as a Mermaid sequence diagram; empty without violations."""
    diagrams = [
        f"%% {each.invariant} ({each.severity})\n{mermaid_diagram(_actions(each))}\n"
        for each in result.exploration.violations
    ]
    return "\n".join(diagrams)


class _Runs:
    """The runs drawn so far, by the name of their violation: a repeated run is not drawn again."""

    def __init__(self) -> None:
        self.names: dict[tuple[Action, ...], str] = {}

    def draw(self, actions: Sequence[Action], name: str) -> View:
        """The run as lanes, without wrapping, or a reference to where it is already drawn."""
        key = tuple(actions)
        if key in self.names:
            return line(f"the same run as for {self.names[key]}")
        self.names[key] = name
        return Drawing(lambda width: text_diagram(actions, width=width).split("\n"))


def settings_line(result: ExploreResult) -> str:
    """The settings that matter to this model."""
    settings = result.settings_json()
    plain = {
        "network": NetworkLevel.ATOMIC,
        "clock": ClockLevel.TIMELESS,
        "symmetry": "off",
        "release": NEWEST,
        CLIENT_OF: KAFKA,
    }
    if result.model != "migration":
        plain["policy"] = settings["policy"]
    listed = []
    for name, value in settings.items():
        if isinstance(value, dict):
            value = ",".join(f"{key}={count}" for key, count in value.items())
        if isinstance(value, list | tuple):
            value = _listed(value)
        if value not in (None, "", 0, plain.get(name)):
            listed.append(f"{name} {value}")
    return ", ".join(listed)


def _listed(values: Sequence[Any]) -> str:
    """A list as options accept it: commas between its values, slashes between clients' lists."""
    if any(isinstance(value, list | tuple) for value in values):
        return "/".join(_listed(value) for value in values)
    return ",".join(map(str, values))


def _violation(violation: InvariantViolation[Any], runs: _Runs) -> list[View]:
    if violation.severity is Severity.OUTCOME:
        head = line((violation.invariant, "bold"), ": an ", ("outcome", _OUTCOME), ", no violation")
    else:
        head = line(
            (violation.invariant, "bold"),
            " violated (",
            (str(violation.severity), _STYLES[violation.severity]),
            f"): {violation.claim}",
        )
    return [
        line(),
        head,
        line(
            f"{violation.message}. Seen {counted(violation.seen, 'time')}; "
            f"the shortest trace has {counted(violation.length, 'step')}:"
        ),
        runs.draw(_actions(violation), f"{violation.invariant} ({violation.severity})"),
    ]


def _actions(reached: InvariantViolation[Any] | Stuck[Any]) -> list[Action]:
    return [step.action for step in reached.trace if step.action is not None]


def _stuck(result: ExploreResult, runs: _Runs, *, every: bool = False) -> list[View]:
    live = result.exploration.liveness
    if live is None:
        return [line("dead ends and livelocks: not checked, the walk is not complete", style="yellow")]
    parts: list[View] = []
    if not live.dead_ends and not live.livelocks:
        parts.append(line("dead ends and livelocks: none" if live.cycles_judged else "dead ends: none"))
    for name, stuck in (("dead ends", live.dead_ends), ("livelocks", live.livelocks)):
        if not stuck:
            continue
        parts.append(line(f"{name}: {len(stuck)}", style="bold red"))
        for each in stuck if every else stuck[:1]:
            parts += _first(each, name, runs)
    if not live.cycles_judged:
        parts.append(line("livelocks: not checked, too many edges", style="yellow"))
    if live.undecided:
        parts.append(line(f"cycles not decided: {live.undecided}", style="yellow"))
    return parts


def _not_checked(result: ExploreResult, *, verbose: bool) -> list[View]:
    """The invariants that the walk did not check: their number, or if `verbose` a line per reason."""
    by_reason: dict[str, list[str]] = {}
    for one in result.not_checked:
        by_reason.setdefault(one.why, []).append(one.invariant)
    if verbose or not by_reason:
        return [
            line(f"not checked ({why}): {', '.join(names)}", style="yellow" if why == UNTRIED else "dim")
            for why, names in by_reason.items()
        ]
    invariants = counted(sum(map(len, by_reason.values())), "invariant")
    return [
        line(
            f"not checked: {invariants}, which nothing in this walk could break (-v lists them)",
            style="dim",
        )
    ]


def _first(stuck: Stuck[Any], name: str, runs: _Runs) -> list[View]:
    actions = _actions(stuck)
    parts: list[View] = [
        line(f"the nearest is reached in {counted(len(actions), 'step')}:"),
        runs.draw(actions, f"the {name}"),
    ]
    if stuck.cycle:
        parts += [
            line(f"and goes round for ever, among {stuck.states} states:"),
            runs.draw(stuck.cycle, "the cycle"),
        ]
    return parts


def _verdict(result: ExploreResult, known: Mapping[str, str] = NONE_KNOWN) -> View:
    done = result.exploration
    words = ""
    if done.verdict is Verdict.VIOLATED:
        words = ", ".join(_with_letter(name, known) for name in reasons(result))
    elif done.limit is not None:
        words = f"stopped at {LIMITS.get(done.limit, done.limit)}"
    elif done.verdict is Verdict.HOLDS:
        words = "every invariant, in every reachable state"
        softer = dict.fromkeys(f"{v.invariant} ({v.severity})" for v in done.violations)
        if softer:
            words += f"; listed below and not counted: {', '.join(softer)}"
    return line((str(done.verdict).upper(), _VERDICTS[done.verdict]), f"  {result.model}: {words}")


def _with_letter(name: str, known: Mapping[str, str]) -> str:
    """A finding; one in the baseline with what the baseline says of it."""
    return name if name not in known else f"{name} (known{': ' * bool(known[name])}{known[name]})"


def reasons(result: ExploreResult) -> list[str]:
    """Why a walk is violated: the violated claims, dead ends, livelocks."""
    done, live = result.exploration, result.exploration.liveness
    broken = dict.fromkeys(v.invariant for v in done.violations if v.severity is Severity.REAL)
    stuck = (("dead ends", live.dead_ends), ("livelocks", live.livelocks)) if live else ()
    return [*broken, *(name for name, each in stuck if each)]


def all_off(row: SwitchRow) -> str:
    """The verdict without the switch, how many states were walked for it, and its known findings."""
    known = f" (known: {', '.join(row.switch.known)})" if row.switch.known else ""
    return f"{row.off.result.verdict}, {row.off.states} states{known}"


def switches_view(walked: Sequence[SwitchRow]) -> View:
    """The table for a terminal, and how many switches meet their expectations."""
    rows = [
        (
            row.switch.name,
            row.switch.bug,
            row.switch.model,
            ", ".join(f"{seen.kind} in {seen.length} steps" for seen in row.on.shown) or "not found",
            row.on.states,
            all_off(row),
            line("ok", style="green") if row.holds else line("WRONG", style="bold red"),
        )
        for row in walked
    ]
    table = plain_table(("switch", "bug", "model", "found by", "states", "all off", ""), rows)
    good = sum(row.holds for row in walked)
    verdict = f"{good} of {len(walked)} switches are found, and nothing new without them"
    return stack(table, line(), line(verdict, style="bold green" if good == len(walked) else "bold red"))


def rows_json(walked: Sequence[SwitchRow]) -> dict[str, Any]:
    """The table as JSON values."""
    return {
        "schema": "kassay/switches/2",
        "switches": [
            {
                "switch": row.switch.name,
                "bug": row.switch.bug,
                "model": row.switch.model,
                "command": command(row.switch),
                "expected": list(row.switch.shows),
                "found": [{"kind": seen.kind, "length": seen.length} for seen in row.on.sightings],
                "states": row.on.states,
                "states_all_off": row.off.states,
                "verdict_all_off": str(row.off.result.verdict),
                "holds": row.holds,
            }
            for row in walked
        ],
    }
