"""A cluster's placement on a terminal, and where it violates claims.

Where placement claims are violated: how many places, of which topics, and each in a sentence.

A cluster's placement on a terminal: claims, brokers before and after, steps, and how to run them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from kassay.engines.replicas.cluster import bytes_on
from kassay.engines.replicas.judge import ClaimStanding, Standing
from kassay.engines.replicas.planned import BrokerLoad, ClusterPlan
from kassay.engines.replicas.proposal import BusiestBytes
from kassay.engines.replicas.steps import ReassignmentStep
from kassay.engines.replicas.unfinished import Unfinished
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.report.screen.place_commands import commands
from kassay.writing.text import counted, shell_command

_BY_PARTITION: Final = frozenset(
    {
        "replicas-distinct",
        "rack-spread",
        "no-fenced-leader",
        "has-leader",
        "in-sync",
        "min-insync",
        "replication-factor",
    }
)
"""Claims whose evidence is about one partition each."""
_LISTED: Final = 6
"""The maximum number of topics, or brokers, to name."""


def breaches_text(standing: ClaimStanding, partitions: int) -> str:
    """How many of the partitions violate the claim and their topics; empty for other claims."""
    if standing.claim not in _BY_PARTITION or not standing.evidence:
        return ""
    broken = list(dict.fromkeys(each.subject for each in standing.evidence))
    topics = Counter(name.rpartition("-")[0] for name in broken)
    listed = [f"{topic} {count:,}" for topic, count in topics.most_common(_LISTED)]
    rest = len(topics) - len(listed)
    more = f" and {counted(rest, 'more topic')}" if rest else ""
    return f"{len(broken):,} of {partitions:,} partitions: {', '.join(listed)}{more}"


_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_STYLES: Final = {Standing.HOLDS: "green", Standing.VIOLATED: "bold red", Standing.NOT_JUDGED: "yellow"}
_MANY: Final = 60
"""Up to this many brokers have a line each; of more, only the racks are shown."""
_STEPS_SHOWN: Final = 20


def bytes_text(size: int) -> str:
    """The bytes in the most readable unit.

    >>> bytes_text(5_000_000_000), bytes_text(17)
    ('4.7 GiB', '17 B')
    """
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{size} B"


def place_view(
    plan: ClusterPlan, files: Mapping[str, str], throttle: int, *, why: bool, verbose: bool = False
) -> View:
    """Today's verdicts, the proposal, the steps, and the commands; with `verbose` every violation."""
    parts: list[View] = [*_verdict(plan), line(plan_words(plan)), *_head(plan)]
    parts += [line(), line("today", style="bold"), *_today(plan, verbose=verbose)]
    parts += [*_unused(plan)] if verbose else []
    parts += [*_proposal(plan), *_unfinished(plan), line(), _broker_table(plan.loads())]
    if plan.steps:
        parts += [line(), _steps(plan, files, throttle), line(), *commands(plan, files, throttle)]
    if files.get("certificate"):
        check = shell_command(["kassay", "check", files["certificate"]])
        parts += [line(), whole_line(f"certificate: {files['certificate']}  ({check})")]
    if why:
        parts += [line(), line("why not better", style="bold"), *(line(f"  {each}") for each in plan.reasons)]
    return stack(*parts)


def judged_view(plan: ClusterPlan, *, why: bool, verbose: bool = False) -> View:
    """Today's placement alone."""
    parts: list[View] = [*_verdict(plan), *_head(plan), line(), *_today(plan, verbose=verbose)]
    parts += [*_unused(plan)] if verbose else []
    if why:
        parts += [line(), *(line(f"  {each}") for each in plan.reasons)]
    return stack(*parts)


def broken_today(plan: ClusterPlan) -> list[str]:
    """The claims that today's placement violates."""
    return [each.claim for each in (*plan.today, *plan.health) if each.standing is Standing.VIOLATED]


def plan_words(plan: ClusterPlan) -> str:
    """What the best placement costs and whether that is proven, as a sentence."""
    proposal = plan.proposal
    if not plan.steps:
        others = "other partition can be placed" if plan.blocked else "placement on these brokers is"
        return f"No {others} better."
    size = proposal.bytes_copied
    limit = "" if proposal.limit is None else f" within {proposal.limit}"
    proven = "proven least" if proposal.is_proven else "the best found, not proven least"
    return (
        f"{counted(proposal.copies, 'copy')}"
        + (f" ({bytes_text(size)})" if size is not None else "")
        + f" and {counted(plan.leader_changes, 'change')} of leader in {counted(len(plan.steps), 'step')} "
        f"reach the best placement on these brokers{limit}: {proven}."
    )


def _verdict(plan: ClusterPlan) -> Iterator[View]:
    """How many rules today's placement breaks, and how many partitions are not planned."""
    violated = broken_today(plan)
    words = f"{counted(len(violated), 'rule')} broken today" if violated else "No rule broken today"
    yield line(
        (words, "bold red" if violated else "bold green"), f": {', '.join(violated)}" if violated else ""
    )
    if plan.blocked:
        yield line(f"{counted(len(plan.blocked), 'partition')} not planned", style="bold red")


def _unused(plan: ClusterPlan) -> Iterator[View]:
    """The fields of the files that no answer rests on."""
    if plan.proposal.cluster.unused:
        yield line()
        yield line(f"in the files and not used: {', '.join(plan.proposal.cluster.unused)}", style="dim")


def _head(plan: ClusterPlan) -> Iterator[View]:
    cluster = plan.proposal.cluster
    racks = {broker.rack for broker in cluster.brokers if broker.rack is not None}
    what = [
        counted(len(cluster.brokers), "broker") + (f" in {counted(len(racks), 'rack')}" if racks else ""),
        counted(len({tp.topic for tp in cluster.rows}), "topic"),
        counted(len(cluster.rows), "partition"),
        counted(sum(map(len, cluster.rows.values())), "replica"),
    ]
    if cluster.sizes is not None:
        least = "at least " if cluster.unsized(cluster.rows) else ""
        what.append(least + bytes_text(bytes_on(cluster, cluster.rows).total()))
    yield line("cluster: " + ", ".join(what))
    for warning in cluster.warnings:
        yield line(f"warning: {warning}", style="yellow")
    for each in cluster.cleaned:
        yield line(each, style="dim")


def _claims(standings: Sequence[ClaimStanding], partitions: int, *, verbose: bool) -> View:
    """Where claims are violated or not judged, and how many hold; if `verbose` each of these, too."""
    rows = [
        (f"  {each.claim}", line(str(each.standing), style=_STYLES[each.standing]), _where(each, partitions))
        for each in standings
        if verbose or each.standing is not Standing.HOLDS
    ]
    holding = sum(each.standing is Standing.HOLDS for each in standings)
    parts = [plain_table(("  claim", "", "where"), rows, header=False)] if rows else []
    if holding and not verbose:
        words = "holds" if holding == 1 else "hold"
        parts.append(line(f"  {counted(holding, 'rule')} {words}", style="dim"))
    return stack(*parts)


def _where(standing: ClaimStanding, partitions: int) -> str:
    """Where a claim is violated: how many partitions of which topics, and the first place."""
    if not standing.evidence:
        return standing.why or standing.sentence
    first = standing.evidence[0].words
    if len(standing.evidence) == 1:
        return first
    summed = breaches_text(standing, partitions) or f"{len(standing.evidence):,} times"
    return f"{summed}; such as {first}"


def _today(plan: ClusterPlan, *, verbose: bool) -> Iterator[View]:
    """The claims about today, and every violation, or how to list them."""
    judged = (*plan.today, *plan.health)
    yield _claims(judged, len(plan.proposal.cluster.rows), verbose=verbose)
    several = [each for each in judged if len(each.evidence) > 1]
    if several and not verbose:
        yield line("  -v lists every place, --out DIR shows them on a page", style="dim")
    for each in several if verbose else ():
        yield line()
        yield line(f"  {each.claim}", style="bold")
        for one in each.evidence:
            yield line(f"    {one.words}")


def _proposal(plan: ClusterPlan) -> Iterator[View]:
    """What the proposal does not satisfy, or what it does; nothing if nothing is proposed."""
    proposal = plan.proposal
    if not plan.steps:
        return
    yield line()
    yield line("proposal", style="bold")
    if proposal.busiest is not None:
        yield line(f"bytes: {busiest_text(proposal.busiest)}")
    yield _claims(plan.planned, len(proposal.cluster.rows), verbose=False)


def _unfinished(plan: ClusterPlan) -> Iterator[View]:
    """The partitions whose change cannot finish, each with its reasons."""
    for accepted, title in (
        (
            False,
            "not planned, since the change could not finish or would lose data (--accept-data-loss insists)",
        ),
        (True, "planned in spite of this, by --accept-data-loss"),
    ):
        own = [each for each in plan.unfinished if each.accepted is accepted]
        if own:
            yield line()
            yield line(title, style="bold red")
            for each in own:
                yield line(f"  {unfinished_text(each)}")


def unfinished_text(each: Unfinished) -> str:
    """A partition whose change cannot finish, its replicas before and after, and the reasons."""
    rows = " -> ".join(" ".join(map(str, row)) for row in (each.before, each.after))
    return f"{each.partition} ({rows}): {'; '.join(each.reasons)}"


def busiest_text(busiest: BusiestBytes) -> str:
    """How even bytes are, in a sentence."""
    before, after, bound = map(bytes_text, busiest)
    least = "which is the least" if busiest.after == busiest.bound else f"with any placement at least {bound}"
    return f"the busiest broker holds {after} ({before} today), {least}"


def _broker_table(loads: Sequence[BrokerLoad]) -> View:
    """Brokers below their racks, and each rack's sums."""
    rows: list[tuple[object, ...]] = []
    known = any(load.size is not None for load in loads)
    for rack, members in groupby(loads, key=lambda load: load.broker.rack):
        own = list(members)
        if rack is not None or len(loads) > _MANY:
            rows.append((line(rack or "no rack", style="bold"), "", "", *_sums(own, known)))
        if len(loads) <= _MANY:
            rows += [("", load.broker.broker_id, load.state, *_sums([load], known)) for load in own]
    columns = ("rack", "broker", "", "replicas", "leaders", *(("bytes",) if known else ()))
    return plain_table(columns, rows, ("broker", "replicas", "leaders", "bytes"))


def _sums(loads: Sequence[BrokerLoad], known: bool) -> Iterator[str]:
    for pairs in ([load.replicas for load in loads], [load.leaders for load in loads]):
        yield _change(sum(before for before, _ in pairs), sum(after for _, after in pairs))
    if known:
        sizes = [load.size or (0, 0) for load in loads]
        before, after = (sum(size[end] for size in sizes) for end in (0, 1))
        yield bytes_text(before) if before == after else f"{bytes_text(before)} -> {bytes_text(after)}"


def _change(before: int, after: int) -> str:
    return str(before) if before == after else f"{before} -> {after}"


def _steps(plan: ClusterPlan, files: Mapping[str, str], throttle: int) -> View:
    steps = plan.steps
    known = any(step.size is not None for step in steps)
    rows = []
    for number, step in enumerate(steps[:_STEPS_SHOWN], start=1):
        unknown = plan.unthrottled([step]) or plan.proposal.cluster.unsized(step.after)
        needed = "-" if unknown else time_text(step.busiest / throttle)
        time = (needed, _step_bytes(plan, step)) if known else ()
        rows.append(
            (
                number,
                step.purpose,
                len(step.after),
                step.copies,
                *time[::-1],
                files.get(f"step {number}", "-"),
            )
        )
    more = ("bytes", f"at {throttle / 1e6:g} MB/s") if known else ()
    columns = ("step", "for", "partitions", "copies", *more, "file")
    table = plain_table(columns, rows, ("step", "partitions", "copies", *more))
    if len(steps) > _STEPS_SHOWN:
        return stack(table, line(f"and {len(steps) - _STEPS_SHOWN} more steps"))
    return table


def _step_bytes(plan: ClusterPlan, step: ReassignmentStep) -> str:
    """The bytes that a step copies, `-` where the size of one of its partitions is missing."""
    return "-" if plan.proposal.cluster.unsized(step.after) else bytes_text(step.size or 0)


def time_text(seconds: float) -> str:
    """The time in the most readable unit."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
