"""A share group or a Streams group as a table: today, and each step of its own rule."""

from __future__ import annotations

from typing import Final

from kassay.engines.clusters.other_groups import OtherAnswer, OtherStep
from kassay.report.screen.clusters import group_head
from kassay.report.screen.console import View, line, plain_table, stack
from kassay.writing.text import counted

_SHARE: Final = (
    "a partition: how many members share its records. taken: partitions that a member who stays loses; its "
    "acquired records are released or acknowledged first. unread: partitions that no member has."
)
_STREAMS: Final = (
    "a thread: active tasks. taken: active tasks that a thread which stays loses; a task with state is "
    "restored where it goes, unless a standby copy is there. standby: copies in the group."
)


def other_view(answer: OtherAnswer) -> View:
    """Which group it is, what is assumed, and a row a step."""
    subject = answer.subject
    is_share = subject.is_share
    titles: tuple[str, ...] = ("step", "members", "a member", "idle", "a partition", "unread", "taken")
    if not is_share:
        titles = ("step", "threads", "a thread", "idle", "taken", "standby")
    rows = [_row(step, is_share=is_share) for step in (answer.today, *answer.steps)]
    parts: list[View] = [
        *_head(answer),
        line(),
        plain_table(titles, rows, titles[1:]),
        *(line(f"{step.text}: {step.failure}", style="bold red") for step in answer.steps if step.failure),
        line(),
        line(_SHARE if is_share else _STREAMS, style="dim"),
    ]
    return stack(*parts)


def _head(answer: OtherAnswer) -> list[View]:
    subject = answer.subject
    observed = subject.observed
    partitions = sum(observed.cluster.counts.values())
    what = (
        f"share group, {counted(len(observed.group.members), 'member')}, "
        f"{counted(len(observed.cluster.topics), 'topic')}, {counted(partitions, 'partition')}"
        if subject.is_share
        else f"Streams group, {counted(len(observed.group.members), 'thread')} in "
        f"{counted(len(set(subject.processes.values())), 'process')}, "
        f"{counted(len(observed.cluster.topics), 'subtopology')}, "
        f"{counted(partitions, 'task')}"
    )
    lags = [lag for lag in (subject.group.lags or {}).values() if lag is not None]
    parts = [
        line("group ", (observed.name, "bold"), f": {what}; {subject.rule}"),
        *group_head(observed, None)[1:],
    ]
    return [*parts, *([line(f"lag: {sum(lags):,}")] if lags else [])]


def _row(step: OtherStep, *, is_share: bool) -> tuple[object, ...]:
    load = _range(step.least, step.most)
    shared = (
        f"{step.shared_least}..{step.shared_most}"
        if step.shared_least != step.shared_most
        else step.shared_most
    )
    if is_share:
        return step.text, step.members, load, step.idle, shared, step.unread, step.taken
    return step.text, step.members, load, step.idle, step.taken, step.standby


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least}..{most}"
