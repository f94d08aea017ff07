"""Subscriptions by regular expression: when they are resolved, and the effect of the result.

An expression that is new to a group is resolved in the background, together with all of the group's
expressions; until then it matches nothing. The result is a separate write, which advances the group epoch and
leaves the target to the next heartbeat. Source: `GroupMetadataManager.maybeUpdateRegularExpressions`,
`handleRegularExpressionsResult` and `maybeDeleteResolvedRegularExpressions`; `TopicRegexResolver`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from kassay.model.protocols.coordinator.consumer.group import bump_records, names_of, subscription_metadata
from kassay.model.protocols.values import errors
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import LAST_RESOLVED, Effects
from kassay.model.protocols.values.groups import NO_CLOCK, ConsumerGroup, ConsumerMember
from kassay.model.protocols.values.records import (
    Background,
    LogRecord,
    Regex,
    RegexMatches,
    Resolution,
    Resolved,
)
from kassay.model.protocols.values.requests import Image


class RegexChange(NamedTuple):
    """The effect of a heartbeat on a group's expressions.

    `bumps`: the group epoch increases at once. `resolved`: the remaining results. With an `error` the request
    is refused.
    """

    records: tuple[LogRecord, ...]
    bumps: bool
    resolved: Resolved
    error: str = errors.NONE


NO_REGEXES: Final = RegexChange((), False, ())


def subscribers(group: ConsumerGroup) -> Counter[str]:
    """The number of members that subscribe to each expression."""
    return Counter(member.regex for member in group.members if member.regex)


def change_regex(
    effects: Effects, group: ConsumerGroup, member: ConsumerMember, wanted: ConsumerMember
) -> RegexChange:
    """Change the expression of `member` to that of `wanted`; may start a background task.

    An expression that is new to the group is an error unless it compiles.
    """
    counts = subscribers(group)
    known = dict(group.resolved)
    records: tuple[LogRecord, ...] = ()
    bumps = new = False
    if wanted.regex != member.regex:
        if member.regex and counts[member.regex] == 1:
            records = (tombstone(member.regex),)
        new = bool(wanted.regex) and not counts[wanted.regex]
        if new and not is_valid(wanted.regex):
            return RegexChange((), False, group.resolved, errors.INVALID_REGULAR_EXPRESSION)
        dropped = not wanted.regex and not effects.has("dropped_regex_keeps_epoch")
        bumps = dropped or (not new and wanted.regex in known)
    if new or counts:
        after = (
            counts
            - Counter([member.regex] if member.regex else [])
            + Counter([wanted.regex] if wanted.regex else [])
        )
        _resolve(effects, group, tuple(sorted(after)), new=new)
    gone = {record.key[1] for record in records}
    return RegexChange(records, bumps, tuple(item for item in group.resolved if Regex(item[0]) not in gone))


def is_valid(regex: str) -> bool:
    """Whether RE2/J compiles an expression."""
    from kassay.model.re2 import InvalidExpression, compiled

    try:
        compiled(regex)
    except InvalidExpression:
        return False
    return True


def matched(regex: str, image: Image) -> tuple[str, ...]:
    """The topics whose names a valid expression matches."""
    from kassay.model.re2 import compiled

    expression = compiled(regex)
    return tuple(topic.name for topic in image if expression.matches(topic.name))


def tombstone(regex: str) -> LogRecord:
    """The tombstone of an expression's result."""
    return LogRecord((r.REGEX, Regex(regex)), None)


def _resolve(effects: Effects, group: ConsumerGroup, regexes: tuple[str, ...], *, new: bool) -> None:
    """Begin to resolve the group's expressions, if it is time to."""
    background = effects.background
    if background.tasks or not regexes:
        return
    last = _last(effects, group)
    if last is not None and 0 <= effects.now <= last.time + effects.config.regex_min_interval:
        return
    due = new or last is None or len(regexes) != len(group.resolved)
    due = due or (
        last is not None and last.image < background.created and not effects.has("created_topics_unseen")
    )
    if last is not None and effects.now != NO_CLOCK and not effects.has("regexes_resolved_once"):
        due = due or effects.now > last.time + effects.config.regex_refresh_interval
    if due and (new or not effects.has("lost_resolutions_forgotten")):
        effects.background = background._replace(tasks=(Resolution(regexes),))


def _last(effects: Effects, group: ConsumerGroup) -> RegexMatches | None:
    """The resolution that counts for all: Kafka takes the one of the first expression in its map."""
    latest = dict(group.resolved)
    if len({(each.time, each.image) for each in latest.values()}) < 2:
        return next(iter(latest.values()), None)
    return latest[effects.choices.pick(LAST_RESOLVED, sorted(latest))]


def run(background: Background, image: Image, now: int) -> Background:
    """The background task after it has read the image."""
    (task,) = background.tasks
    result = tuple(
        (regex, RegexMatches(matched(regex, image), max(now, 0), background.image)) for regex in task.regexes
    )
    return background._replace(tasks=(task._replace(result=(result,)),))


def apply_result(effects: Effects, group: ConsumerGroup, result: Resolved) -> tuple[LogRecord, ...]:
    """The records of a result: one per expression that still has subscribers, and possibly a new epoch."""
    counts = subscribers(group)
    before = dict(group.resolved)
    fresh = {regex: resolved for regex, resolved in result if counts[regex]}
    records = [LogRecord((r.REGEX, Regex(regex)), resolved) for regex, resolved in fresh.items()]
    changed = any(before.get(regex, RegexMatches()).topics != each.topics for regex, each in fresh.items())
    topics = subscription_metadata(effects.image, names_of(group.members), tuple((before | fresh).items()))
    if (changed or topics != group.topics) and not effects.has("resolution_bumps_nothing"):
        records += bump_records(effects, group, topics)
        effects.looked_up(group.epoch + 1)
    return tuple(records)


def drop_members(
    group: ConsumerGroup, members: Iterable[ConsumerMember]
) -> tuple[tuple[LogRecord, ...], Resolved]:
    """The tombstones of expressions without subscribers once these members leave, and the other results."""
    left = subscribers(group)
    going = Counter(member.regex for member in members if member.regex)
    gone = {regex for regex, count in going.items() if left[regex] == count}
    return tuple(map(tombstone, sorted(gone))), tuple(item for item in group.resolved if item[0] not in gone)
