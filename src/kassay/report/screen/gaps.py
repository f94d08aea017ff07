"""Optima, gaps, hunts, proofs and rankings as tables for a terminal.

Gaps and hunts as tables for a terminal.

Optima, gaps, proofs and rankings as tables for a terminal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kassay.model.cluster import TopicPartition
from kassay.model.kinds import Verdict
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.solver.results import NO_OWNER
from kassay.writing.text import counted, percent, shell_command

if TYPE_CHECKING:
    from kassay.engines.optimum.gaps import GapReport, Hunt, TargetGaps, WorstFound
    from kassay.engines.optimum.rank import Ranked
    from kassay.engines.optimum.solve import OptimumLine


_COLUMNS: Final = ("target", "gap in", "judged", "median", "p99", "worst", "at zero", "worst instance")
_NUMBERS: Final = ("judged", "median", "p99", "worst", "at zero")
_SHOWN_MAX: Final = 3
_MEANING: Final = (
    "balance: sum of squared loads above the optimum's; spread: largest minus smallest load above the "
    "optimum's; movement and rack: where the goals before them are met; moves and mismatches: against the "
    "optimum's, whatever the balance."
)


def gap_view(report: GapReport) -> View:
    """The gaps of all targets, what was set aside, and what the gaps mean."""
    rows = [row for each in report.targets for row in _rows(each)]
    table = plain_table(_COLUMNS, rows, _NUMBERS)
    parts: list[View] = [table, line()]
    parts += [_totals(each) for each in report.targets]
    for each in report.targets:
        parts += _failures(each.target.spec, each.failed)
    if report.unsolved:
        parts.append(
            line(f"{len(report.unsolved)} optima not found: {report.unsolved[0].reason}", style="yellow")
        )
    if report.set_aside:
        parts.append(line(f"{report.set_aside} instances set aside: these targets do not answer them"))
    goals = f"{report.source}, goals {', '.join(report.order)}, solver {report.solver}. "
    kinds = [each.target.kind for each in report.targets]
    notes = dict.fromkeys(
        f" {kind.instances.note}" for kind in kinds if kind.instances and kind.instances.note
    )
    parts += [line(), line(goals + _MEANING + "".join(notes), style="dim")]
    return stack(*parts)


def _rows(each: TargetGaps) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for number, (name, distribution) in enumerate(each.distributions.items()):
        head = line(each.target.spec, style="bold") if number == 0 else ""
        if distribution is None:
            rows.append((head, name, 0, "-", "-", "-", "-", "-"))
            continue
        share = line(percent(distribution.at_zero), style="green" if distribution.at_zero == 1 else "")
        worst = distribution.worst_name if distribution.worst > 0 else "-"
        rows.append(
            (
                head,
                name,
                distribution.judged,
                f"{distribution.median:g}",
                distribution.p99,
                distribution.worst,
                share,
                worst,
            )
        )
    return [*rows, ("",) * len(_COLUMNS)]


def _totals(each: TargetGaps) -> View:
    total = each.totals
    missing = counted(total["missing"], each.target.kind.nouns.what)
    return line(
        f"{each.target.spec}: {len(each.gaps)} of {each.instances} instances answered in {each.rounds} "
        f"rounds, {each.seconds:.2f} s; {total['moved']} moves (optimum {total['optimal_moved']}), "
        f"{total['rack_mismatch']} rack mismatches (optimum {total['optimal_rack_mismatch']})"
        + (f"; {missing} left out" if total["missing"] else "")
    )


def _failures(spec: str, failed: Sequence[tuple[str, str]]) -> list[View]:
    parts: list[View] = [
        line(f"{spec} failed on {name}: {reason}", style="red") for name, reason in failed[:_SHOWN_MAX]
    ]
    if len(failed) > _SHOWN_MAX:
        parts.append(line(f"{spec} failed on {len(failed) - _SHOWN_MAX} more", style="red"))
    return parts


def hunt_view(hunt: Hunt, paths: Mapping[str, str], options: Sequence[str] = ()) -> View:
    """The smallest and the worst instances of a hunt, and the staircase.

    `options` are the options of the hunt, for the commands that reproduce it.
    """
    from kassay.engines.optimum.gaps import HUNTED

    spec = hunt.target.spec
    ending = "the ladder ended" if hunt.finished else "the time ran out"
    parts: list[View] = [
        line(
            (spec, "bold"),
            f": {hunt.looked_at} instances to 4 members x 6 partitions, seed {hunt.seed}; {ending}",
        ),
        line(),
    ]
    for objective in HUNTED:
        smallest, worst = hunt.smallest.get(objective), hunt.worst.get(objective)
        if smallest is None or worst is None:
            parts += [line(f"no {objective} gap on the ladder", style="green"), line()]
            continue
        parts += _shown(f"smallest instance with a {objective} gap", objective, smallest)
        if worst is not smallest:
            parts += _shown(f"smallest instance with the worst {objective} gap met", objective, worst)
        command = shell_command(("kassay", "gap", spec, "--suite", paths[objective], *options))
        parts += [whole_line(f"  again: {command}", style="cyan"), line()]
    parts += [_stairs(hunt.stairs), line()]
    return stack(*parts, *_failures(spec, hunt.failed))


def _shown(title: str, objective: str, instance: WorstFound) -> list[View]:
    """An instance member by member: its topics, owned partitions, assignment, and optimal assignment."""
    problem, best = instance.problem, instance.gap.best
    owned: list[list[str]] = [[] for _ in problem.members]
    for topic, owners in problem.previous.items():
        for partition, owner in enumerate(owners):
            if owner != NO_OWNER:
                owned[owner].append(f"{topic}-{partition}")
    rows = [
        (
            f"  {member.member_id}",
            " ".join(sorted(member.topics)) or "-",
            " ".join(had) or "-",
            _tiles(instance.answer.get(member.member_id, ())),
            _tiles(best.assignment[member.member_id]),
        )
        for member, had in zip(problem.members, owned, strict=True)
    ]
    value = getattr(instance.gap, objective)
    partitions = sum(topic.partitions for topic in problem.topics)
    size = f"{counted(len(problem.members), 'member')}, {counted(partitions, 'partition')}"
    head = f"{title}: {value}; {size}"
    loads = (
        f"  loads {runs(instance.gap.loads)}, {instance.gap.moved} moved; "
        f"at the optimum {runs(best.loads)}, {best.moved} moved"
    )
    columns = ("  member", "subscribed", "owned", "is given", "at the optimum")
    return [line(head, style="bold"), plain_table(columns, rows), line(loads)]


def _tiles(tps: Sequence[TopicPartition]) -> str:
    return " ".join(map(str, sorted(tps))) or "-"


def _stairs(stairs: Sequence[WorstFound]) -> View:
    columns = ("staircase", "partitions", "spread", "optimum's", "balance gap", "loads", "optimum's loads")
    rows = []
    for step in stairs:
        loads, best = step.gap.loads, step.gap.best.loads
        total = sum(topic.partitions for topic in step.problem.topics)
        gap = "-" if step.gap.balance is None else step.gap.balance
        ends = (loads[-1] - loads[0], best[-1] - best[0])
        rows.append((len(step.problem.members), total, *ends, gap, runs(loads), runs(best)))
    return plain_table(columns, rows, columns[:5])


def rank_view(
    ranked: Sequence[Ranked],
    source: str,
    seed: int,
    *,
    versions: bool = False,
    missing: Mapping[str, str] = MappingProxyType({}),
) -> View:
    """The leaderboard, the claims that each target violated on the histories of the seed, and `missing`.

    With `versions`, also the versions of the targets' parts other than kassay.
    """
    columns = (
        "",
        "target",
        "claims",
        "valid",
        "balance",
        "worst",
        "at zero",
        "moves",
        "mismatches",
        "rounds",
        "s",
    )
    rows: list[tuple[object, ...]] = []
    broken: list[View] = []
    for place, each in enumerate(ranked, start=1):
        distribution = each.gaps.distributions["balance"]
        held, violated, unknown = (each.claims(verdict) for verdict in Verdict)
        rows.append(
            (
                place,
                line(each.spec, style="bold"),
                f"{len(held)}/{len(held) + len(violated) + len(unknown)}",
                "no" if each.invalid else "yes",
                each.balance,
                "-" if distribution is None else distribution.worst,
                "-" if distribution is None else percent(distribution.at_zero),
                f"{each.moves:+d}",
                f"{each.mismatches:+d}",
                each.gaps.rounds,
                f"{each.gaps.seconds:.2f}",
            )
        )
        if violated:
            ordinary = f" ({', '.join(each.invalid)} on ordinary input)" if each.invalid else ""
            broken.append(line(f"{each.spec} breaks {', '.join(violated)}{ordinary}", style="dim"))
        if unknown:
            broken.append(line(f"{each.spec}: unknown are {', '.join(unknown)}", style="dim"))
        broken += _failures(each.spec, each.gaps.failed)
    legend = (
        f"{source}, seed {seed}. balance: all gaps together; moves and mismatches: against the optimum's; "
        "claims: held of those that all are judged on, declared or not; valid: none of validity broken on "
        "ordinary input."
    )
    absent = [whole_line(f"missing {spec}: {what}") for spec, what in missing.items()]
    made_of = [whole_line(text) for text in _versions(ranked)] if versions else []
    tail = [line(), *made_of, *absent] if made_of or absent else []
    table = plain_table(columns, rows, columns[2:])
    return stack(table, line(), *broken, *tail, line(), line(legend, style="dim"))


def _versions(ranked: Sequence[Ranked]) -> Iterator[str]:
    """One line per version of the targets' parts other than kassay and Python."""
    specs: dict[str, list[str]] = {}
    for each in ranked:
        for name, version in each.versions.items():
            if name not in ("kassay", "python"):
                specs.setdefault(f"{name} {version}", []).append(each.spec)
    for named in sorted(specs):
        yield f"of {named}: {', '.join(sorted(specs[named]))}"


_STYLES: Final = {"optimal": "green", "interval": "yellow", "unknown": "yellow", "infeasible": "bold red"}
_OPTIMA_COLUMNS: Final = ("instance", "status", "loads", "moved", "racks", "value", "s", "proven by")
_PLAIN: Final = 8
_NARROW: Final = 4
_SHOWN: Final = 12
"""The maximum number of members whose assignment is shown."""


def optimum_row(result: OptimumLine) -> tuple[object, ...]:
    """The line of one result in `optimum_table`."""
    status = line(result.status, style=_STYLES[result.status])
    seconds = f"{result.seconds:.3f}"
    if not result.answered:
        return (result.name, status, "-", "-", "-", "-", seconds, result.why)
    lower, upper = result.lower, result.upper
    return (
        result.name,
        status,
        runs(result.loads, _NARROW),
        result.moved,
        result.rack_mismatch,
        upper if lower == upper else f"{lower}..{upper}",
        seconds,
        _proven_by(result),
    )


def _proven_by(result: OptimumLine) -> str:
    """What proves an optimum; for an interval the first goal without a proof, and its bound."""
    unmet = next((goal for goal in result.goals if not goal.proven), None)
    if unmet is None:
        return re.split("[,:]| prove", result.bound)[0]
    if isinstance(unmet.value, Sequence):
        return f"{unmet.goal} parts at {unmet.parts_at} of {len(unmet.value)}"
    return f"{unmet.goal} {unmet.value}, at least {unmet.bound}"


def optimum_table(rows: Sequence[tuple[object, ...]]) -> View:
    """One line per result, and how many there are of each status."""
    table = plain_table(_OPTIMA_COLUMNS, rows, ("moved", "racks", "value", "s"))
    counts = Counter(str(row[1]) for row in rows)
    statuses = ", ".join(f"{count} {status}" for status, count in counts.items())
    if len(rows) < 2:
        return table
    return stack(table, line(), line(f"{len(rows)} instances: {statuses}", style="bold"))


def assignment_view(result: OptimumLine) -> View:
    """The partitions of each member if there are few; otherwise nothing."""
    given = result.assignment
    if not given or len(given) > _SHOWN:
        return line()
    rows = [
        (f"  {m}", len(list(_named(topics))), " ".join(_named(topics)) or "-") for m, topics in given.items()
    ]
    return plain_table(("  member", "load", "is given"), rows, ("load",))


def _named(topics: Mapping[str, Sequence[int]]) -> Iterable[str]:
    return [f"{topic}-{partition}" for topic, partitions in topics.items() for partition in partitions]


def runs(numbers: Sequence[int], most: int = _PLAIN) -> str:
    """Ascending numbers; if more than `most`, `4x3` for 3 3 3 3, and without the middle."""
    if len(numbers) <= most:
        return " ".join(map(str, numbers))
    parts = []
    for value, same in groupby(numbers):
        count = len(list(same))
        parts.append(f"{count}x{value}" if count > 1 else str(value))
    ends = most // 3 + 1
    return " ".join(parts if len(parts) <= most else [*parts[:ends], "...", *parts[-ends:]])
