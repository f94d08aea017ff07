"""An audit for a terminal: one line per group, then findings, main causes, and missing data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from kassay.engines.audits.values import GroupAudit, GroupProtocol, LogAudit, LogMoment, UnreadTime
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.writing.text import counted, shell_command

_COLUMNS: Final = (
    "group",
    "protocol",
    "rebalances",
    "judged",
    "moved",
    "needless",
    "double owners",
    "no reader",
    "unrest",
    "spread",
    "best",
    "gaps",
)
_TEXTS: Final = ("group", "protocol")
_MEANING: Final = (
    "needless: moves beyond the certified optimum's. no reader: how long partitions that changed hands had "
    "none, at most (+: some are not known). unrest: the longest time from the beginning of a rebalance until "
    "the group is stable. spread: largest load less the smallest in the worst rebalance; best: of the "
    "certified optimum"
)
UNLOADABLE: Final = (
    "Loading ends there, in Kafka 4.1 to 4.4: after the next restart or move of the coordinator no group of "
    "this partition answers, and no offset in it can be read."
)
_SHOWN: Final = 10
_WHO: Final = 3


def audit_view(audit: LogAudit, *, verbose: bool = False) -> View:
    """The results; the verdict last. With `verbose` the fields that are not used are named."""
    parts: list[View] = []
    if audit.groups:
        rows = [_row(group) for group in audit.groups]
        parts += [plain_table(_COLUMNS, rows, [name for name in _COLUMNS if name not in _TEXTS])]
        parts += [line(_MEANING, style="dim"), line()]
    for failure in audit.unloadable:
        parts += [line(("no broker can load this log", "bold red"), f": {where(failure.moment)}")]
        parts += [line(f"  {failure.record}: {failure.why}")]
        parts += [line(f"  {UNLOADABLE}", style="dim"), line()]
    for group in audit.groups:
        parts += _group(group)
    parts += [line(f"note: {note}", style="yellow") for note in audit.notes]
    parts += [line(f"  {unread}", style="dim") for unread in audit.unread]
    parts += [line(records_words(audit), style="dim")]
    for kind, fields in audit.unused.items() if verbose else ():
        parts += [line(f"in records of {kind} and not used: {', '.join(fields)}", style="dim")]
    return stack(*parts, _verdict(audit))


def records_words(audit: LogAudit) -> str:
    """How many records were read, and of what they are: `3 records: 2 of classic groups, 1 unread`."""
    total = sum(audit.records.values())
    kinds = ", ".join(
        f"{count:,} {'of ' if sort.endswith('groups') else ''}{sort}"
        for sort, count in sorted(audit.records.items())
    )
    return f"{total:,} {'record' if total == 1 else 'records'}: {kinds or 'none'}"


def _row(group: GroupAudit) -> tuple[object, ...]:
    worst, unrest = group.worst_spread, group.longest_unrest_ms
    return (
        line(group.name, style="bold"),
        protocols(group),
        len(group.rebalances),
        group.judged,
        _known(group.moved),
        line(_known(group.needless), style="yellow" if group.needless else ""),
        line(str(group.double_owners), style="bold red" if group.double_owners else ""),
        no_reader(group),
        "-" if unrest is None else duration(unrest),
        "-" if worst is None else worst.spread,
        "-" if worst is None else worst.best_spread,
        len(group.gaps),
    )


def _known(number: int | None) -> str:
    return "-" if number is None else str(number)


def no_reader(group: GroupAudit) -> str:
    """The longest time that partitions had no reader, at most; `+` where some are not known."""
    most = group.unread_most
    return "-" if most is None else f"{duration(most)}{'' if group.unread_unknown is None else '+'}"


def unread_words(unread: UnreadTime, protocol: GroupProtocol) -> str:
    """Partitions, or tasks of a Streams group, without a reader: how many, how long, and until when."""
    least, most = duration(unread.least), "?" if unread.most is None else duration(unread.most)
    time = f"at least {least}" if unread.most is None else most if least == most else f"{least} to {most}"
    until = f"until generation {unread.generation}, {where(unread.moment)}"
    what = "task" if protocol is GroupProtocol.STREAMS else "partition"
    return f"{counted(unread.partitions, what)} had no reader for {time}, {until}"


def protocols(group: GroupAudit) -> str:
    """The protocols that the group has spoken, in order."""
    return ", ".join(each.value for each in (*group.former, group.protocol))


def _group(group: GroupAudit) -> Iterator[View]:
    notes = [line(f"  note: {note}", style="yellow") for note in group.notes]
    lines = [*_findings(group), *notes, *_figures(group), *_causes(group), *_gaps(group)]
    if lines:
        yield line(group.name, style="bold")
        yield from lines
        yield line()


def _findings(group: GroupAudit) -> Iterator[View]:
    for finding in group.findings[:_SHOWN]:
        yield line(
            "  ", (finding.claim, "bold red"), f" in generation {finding.generation}, {where(finding.moment)}"
        )
        yield line(f"    {finding.message}")
        if finding.path is not None:
            yield whole_line(f"    {shell_command(('kassay', 'explain', finding.path))}", style="dim")
    if len(group.findings) > _SHOWN:
        rest = Counter(finding.claim for finding in group.findings[_SHOWN:])
        words = ", ".join(f"{count} {claim}" for claim, count in rest.most_common())
        yield line(f"  and more: {words} (--json has all)")


def _figures(group: GroupAudit) -> Iterator[View]:
    """Moves that are known where not all are, partitions without a reader, and an avoidable spread."""
    if group.unmeasured:
        known = f"at least {group.moved_at_least}, {group.needless_at_least} needless"
        yield line(f"  moved: {known}; not known of {counted(group.unmeasured.total(), 'rebalance')}:")
        for reason, count in group.unmeasured.most_common(_WHO):
            yield line(f"    {count}: {reason}", style="dim")
    if group.longest_unread is not None:
        yield line(f"  {unread_words(group.longest_unread, group.protocol)}")
    if group.unread_unknown is not None:
        what = "no figure" if group.unread_most is None else "more is not known"
        yield line(f"  no reader: {what}: {group.unread_unknown}", style="dim")
    worst, excess = group.worst_spread, group.worst_excess
    if excess is not None and excess.measured is not None and excess.measured != worst:
        spread, best = excess.measured.spread, excess.measured.best_spread
        yield line(f"  spread {spread} where {best} could be, in generation {excess.generation}")


def _causes(group: GroupAudit) -> Iterator[View]:
    words = Counter(cause.word.value for each in group.rebalances for cause in each.causes)
    if words:
        listed = ", ".join(f"{word} {count}" for word, count in words.most_common())
        yield line(f"  causes: {listed}")
    for who, times in group.returns.most_common(_WHO):
        yield line("  ", (who, "yellow"), f" rejoined {counted(times, 'time')}")
    if group.kept:
        yield line(f"  {counted(group.kept, 'static member')} came back without a rebalance")
    if group.abandoned:
        yield line(f"  {counted(group.abandoned, 'rebalance')} restarted before the leader answered")


def _gaps(group: GroupAudit) -> Iterator[View]:
    for gap in group.gaps[:_WHO]:
        yield line(f"  gap: {gap}", style="dim")
    if len(group.gaps) > _WHO:
        yield line(f"  and {len(group.gaps) - _WHO} more gaps (--json has all)", style="dim")
    reasons = Counter(each.why_not for each in group.rebalances if each.why_not)
    for reason, count in reasons.most_common(_WHO):
        yield line(f"  not judged: {count}, {reason}", style="dim")


def _verdict(audit: LogAudit) -> View:
    judged = f"{counted(audit.judged, 'rebalance')} judged in {counted(len(audit.groups), 'group')}"
    if audit.findings:
        return line(f"{counted(audit.findings, 'finding')}: {judged}", style="bold red")
    if not audit.judged:
        return line("unknown: no rebalance could be judged", style="yellow")
    return line(f"clean: {judged}", style="green")


def where(moment: LogMoment) -> str:
    """The place and the time of a record."""
    offset = str(moment.place) if moment.offset is None else f"offset {moment.offset}"
    return offset if moment.timestamp is None else f"{offset}, {at(moment.timestamp)}"


def at(timestamp: int) -> str:
    """A time in milliseconds since 1970 as UTC, or the number if it is outside the calendar's range."""
    try:
        moment = datetime.fromtimestamp(timestamp / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return str(timestamp)
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def duration(milliseconds: int) -> str:
    """A time in readable units: `0.5 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.

    >>> duration(500), duration(200_000), duration(7_500_000)
    ('0.5 s', '3 min 20 s', '2 h 5 min')
    """
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
