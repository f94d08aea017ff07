"""A rehearsed rollout for a terminal: what was planned next to what was seen, roll by roll."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kassay.engines.clusters.played import Extent
from kassay.engines.clusters.rolled import StepRoll
from kassay.engines.clusters.rollout import POLICY
from kassay.engines.rehearse.rehearsal import ComparedRoll, Rehearsal
from kassay.report.described_runs import finding_blocks, live_verdict
from kassay.report.screen.blocks import blocks_view
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted

_TITLES = ("", "planned", "from this start", "seen")


def rehearsal_view(rehearsal: Rehearsal) -> View:
    """What was rehearsed, a table for each roll, and the verdict on the live claims with its findings."""
    plan, result = rehearsal.plan, rehearsal.result
    members = counted(len(plan.observed.group.members), "member")
    clients = ", ".join(f"{name} {version}" for name, version in sorted(result.clients.items()))
    topics = counted(len(plan.script().topics), "topic")
    partitions = counted(sum(plan.script().topics.values()), "partition")
    parts: list[View] = [
        blocks_view((live_verdict(result),)),
        line(),
        line(f"group {plan.observed.name}, rehearsed: {members}, {topics}, {partitions}; from {plan.first}"),
        line(f"Kafka {result.release} with {clients or 'no client'}"),
    ]
    if plan.policy:
        parts.append(line(f"brokers at {POLICY}={plan.policy}"))
    if plan.refused:
        parts.append(line(f"planned: {plan.refused}", style="yellow"))
    for number, each in enumerate(rehearsal.rolls, start=1):
        parts += [line(), *_roll(rehearsal, number, each)]
    parts += [line(), *_origin(rehearsal)]
    for finding in result.findings:
        parts.append(blocks_view(finding_blocks(result, finding)))
    parts += [line(), line(f"script and recording: {result.folder}")]
    return stack(*parts)


def _roll(rehearsal: Rehearsal, number: int, each: ComparedRoll) -> Iterator[View]:
    """The setting of the roll, its table, and why figures differ."""
    members = counted(len(rehearsal.plan.observed.group.members), "member")
    client = "" if each.roll.client == rehearsal.plan.wanted.client.name else f" as {each.roll.client}"
    how = f"stop {members}, then start them" if each.roll.stops else f"restart {members} one by one"
    yield whole_line((f"{number}. {how}{client} with {each.roll.setting}", "bold"))
    yield plain_table(_TITLES, rows_of(each), _TITLES[1:])
    for difference in each.differences:
        yield line(f"differs: {difference}", style="yellow")


def rows_of(each: ComparedRoll) -> Iterable[tuple[str, ...]]:
    """The rows of a roll's table."""
    planned, again, seen = each.roll.planned, each.again, each.seen
    pauses = sorted(seen.pauses_ms)
    longest = f"{pauses[-1]:,.0f} ms" if pauses else "-"
    median = f"{pauses[len(pauses) // 2]:,.0f} ms" if pauses else "-"
    none = ("-", "-")
    yield "rebalances", *_both(planned, again, "rebalances"), _known(seen.rebalances)
    yield "moves", *(none if each.roll.stops else _both(planned, again, "moved")), f"{seen.moved:,}"
    yield "partitions paused", _pauses(planned), _pauses(again), f"{seen.paused:,}"
    yield "half of the pauses under", *none, median
    yield "longest pause", *none, longest
    yield "double owners", *(("0", "0") if planned is not None else none), f"{seen.double_owners:,}"
    yield "records read twice", *none, f"{seen.read_twice:,}"
    yield "partitions a member then", *_both(planned, again, "loads"), _extent(seen.loads)
    if seen.unsettled:
        yield "actions that did not settle", *none, f"{seen.unsettled:,}"


def _both(planned: StepRoll | None, again: StepRoll | None, name: str) -> tuple[str, str]:
    first, second = ("-" if roll is None else _extent(getattr(roll, name)) for roll in (planned, again))
    return first, second


def _extent(extent: Extent) -> str:
    least, most = extent
    return f"{least:,}" if least == most else f"{least:,}..{most:,}"


def _pauses(roll: StepRoll | None) -> str:
    return "-" if roll is None else f"about {roll.restarted + roll.revoked:,}"


def _known(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _origin(rehearsal: Rehearsal) -> Iterator[View]:
    """What the columns say."""
    yield line(
        "planned: what-if for your group as it is. from this start: the same for the group once all have "
        "joined. seen: what clients and coordinator reported."
    )
    if any(each.roll.planned is not None and each.again != each.roll.planned for each in rehearsal.rolls):
        yield line("Your group does not own what its rule gives a new group, so the two may differ.")
    result = rehearsal.result
    yield line(f"{result.seconds:.0f} s, at most {result.peak_mib:,.0f} MiB of memory")
