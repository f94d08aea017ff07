"""Predictions for a consumer group, as tables for a terminal: `what-if`, and `scale` by number of members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final, NamedTuple

from kassay.engines.clusters.capacities import CapacityAnswer, Strain
from kassay.engines.clusters.figures import FOLLOWER, LEADER, Loads, Racks, TopicLoads
from kassay.engines.clusters.growth import LateReader, TopicGrowth
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.played import PlayedStep
from kassay.engines.clusters.recommend import recommend
from kassay.engines.clusters.scale import LOAD_FACTOR, GroupScale, Lag, Scaled, UsefulStep
from kassay.engines.clusters.stability import NOT_GIVEN, several
from kassay.engines.clusters.whatif import WhatIf
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.report.screen.rollouts import paths_in_short, paths_view
from kassay.writing.text import counted, shell_command

SETTLED: Final = "settled under"
_RACK_TITLES: Final = {FOLLOWER: "same rack", LEADER: "led there"}
_NAMED_MAX: Final = 4
"""The maximum number of members or partitions to name; the rest is counted."""


def what_if_view(
    answer: WhatIf, certificate: str | None, *, in_full: bool = True, verbose: bool = False
) -> View:
    """Today, every candidate next to the optimum, the effect of each event, and the path to each candidate.

    The paths are listed step by step if `in_full`, else one line each. With `verbose` the fields that are not
    used are named.
    """
    parts: list[View] = [
        *group_head(answer.observed, answer.alarm, verbose=verbose),
        *_today(answer),
        line(),
        plain_table(titles := what_if_columns(answer), switch_rows(answer), titles[1:]),
    ]
    parts += [line(f"{each.spec}: {each.failure}", style="bold red") for each in answer.failed]
    parts += [line(), line(meaning_of_columns(answer), style="dim")]
    if answer.capacity is not None:
        parts += [line(), *_by_capacity(answer.capacity, answer.observed.labels)]
    if answer.changes:
        parts += [line(), _events(answer)]
        parts += [line(each) for each in growth_facts(answer)]
    if answer.paths:
        parts += [line(), *(paths_view(answer.paths) if in_full else paths_in_short(answer.paths))]
    else:
        strategy = answer.observed.strategy
        parts += [line(), line(f"no rolling path: {_START if strategy is None else unknown_start(strategy)}")]
    if certificate is not None:
        check = shell_command(["kassay", "check", certificate])
        parts += [line(), whole_line(f"optimum: {certificate}  ({check})")]
    advice = recommend(answer)
    parts += [line(), line((f"{advice.words}. ", "bold"), advice.reason)]
    return stack(*parts)


_START: Final = "--from TARGET, or the output of --state, says from where"


def unknown_start(strategy: str) -> str:
    """Why the assignor that the coordinator names is not enough to start from."""
    return f"the strategy {strategy!r} is no assignor that kassay has: load it with --from TARGET"


MEANING: Final = (
    "moves: partitions that leave a member who stays (+ those whose member left). paused: partitions that a "
    "member stops reading, even if it resumes them: eager rules revoke all (+ those whose member left). All "
    "are unread for a time: after a clean leave under a second, after a kill until the session times out. "
    "rounds: until the group is stable. most lag: of a member (+: some lags are not known). by topic: the "
    "largest spread within a topic."
)
_RACK_MEANING: Final = (
    " same rack: a replica is in the rack of the member, which reads it only if it fetches from followers. "
    "led there: the leader is."
)


def meaning_of_columns(answer: WhatIf) -> str:
    """What the columns mean."""
    return MEANING + (_RACK_MEANING if answer.racks is not None else "")


class TableShape(NamedTuple):
    """Which columns the tables of an answer have: only those of which the input gives the figures."""

    topics: bool
    lag: bool
    fetches: tuple[str, ...]

    @classmethod
    def of(cls, answer: WhatIf) -> TableShape:
        """The shape for what is known of the group."""
        led = answer.racks is not None and answer.racks.led is not None
        wanted = (
            (FOLLOWER, *((LEADER,) if led else ())) if answer.fetch_from is None else (answer.fetch_from,)
        )
        return cls(len(answer.today.topics) > 1, answer.today.lag is not None, wanted)


def what_if_columns(answer: WhatIf, first: str = SETTLED) -> tuple[str, ...]:
    """The columns of each table; the first has another title for events."""
    shape = TableShape.of(answer)
    if first != SETTLED:
        shape = shape._replace(topics=False)
    return (
        first,
        "a member",
        "spread",
        *(("by topic",) if shape.topics else ()),
        "idle",
        *(("most lag",) if shape.lag else ()),
        "moves",
        "paused",
        *(_RACK_TITLES[each] for each in shape.fetches),
        "rounds",
    )


def identity(observed: ObservedGroup) -> str:
    """Which group this is."""
    counts = observed.cluster.counts
    held = f"{counted(len(counts), 'topic')}, {counted(sum(counts.values()), 'partition')}"
    return f"{_members_of(observed)}, {held}; {_rule_of(observed)}"


def unstable_identity(observed: ObservedGroup) -> str:
    """Which group this is, with the partitions that its outputs show, owned or not."""
    stability = observed.stability
    owned = sum(len(each.owned) for each in stability.holdings)
    held = f"{counted(owned, 'partition')} owned, {len(stability.unowned)} without an owner"
    members = _members_of(observed) if observed.consumers else "members not given"
    return f"{members}, {held}; {_rule_of(observed)}"


def _members_of(observed: ObservedGroup) -> str:
    static = f" ({observed.static} static)" if observed.static else ""
    return f"{counted(len(observed.consumers), 'member')}{static}"


def _rule_of(observed: ObservedGroup) -> str:
    protocol = "consumer" if observed.is_consumer_group else "classic"
    return f"{observed.strategy or 'strategy not given'}, {protocol} protocol"


def group_head(observed: ObservedGroup, alarm: str | None, *, verbose: bool = False) -> list[View]:
    """Which group this is, and what could make the answer meaningless."""
    name = observed.name or "(no name)"
    parts: list[View] = [line("group ", (name, "bold"), f": {identity(observed)}")]
    if alarm is not None:
        parts.append(line(f"alarm: {alarm}", style="bold red"))
    parts += [line(f"warning: {each}", style="yellow") for each in observed.warnings]
    if observed.stability.is_assumed:
        parts.append(line(NOT_GIVEN, style="yellow"))
    parts += [line(f"not shown: {each}", style="yellow") for each in observed.gaps]
    parts += [line(f"assumed: {each}", style="dim") for each in observed.assumptions]
    parts += [line(each, style="dim") for each in observed.cleaned]
    return [*parts, *(_not_used(observed) if verbose else ())]


def _not_used(observed: ObservedGroup) -> Iterator[View]:
    """The fields of the files on which no answer rests."""
    if observed.unused:
        yield line(f"in the files and not used: {', '.join(observed.unused)}", style="dim")


def doubts_of(observed: ObservedGroup, alarm: str | None) -> Iterator[str]:
    """What could make the answer meaningless, as sentences."""
    if alarm is not None:
        yield f"Alarm: {alarm}."
    yield from observed.warnings
    if observed.stability.is_assumed:
        yield NOT_GIVEN
    yield from (f"Not shown: {each}." for each in observed.gaps)
    yield from (f"Assumed: {each}." for each in observed.assumptions)


def unstable_view(observed: ObservedGroup, *, verbose: bool = False) -> View:
    """A group that is not stable: why, who holds what, who waits; nothing is computed for it."""
    stability = observed.stability
    parts: list[View] = [
        line("group ", (observed.name or "(no name)", "bold"), f": {unstable_identity(observed)}"),
        line(f"not stable: {'; '.join(stability.reasons)}", style="bold red"),
        *(line(f"warning: {each}", style="yellow") for each in observed.warnings),
        *(line(each, style="dim") for each in observed.cleaned),
    ]
    parts += _not_used(observed) if verbose else ()
    if stability.holdings:
        parts += [line(), plain_table(HOLDING_COLUMNS, holding_rows(observed), ("epoch",))]
    else:
        parts.append(line("no output has its members"))
    if stability.unowned:
        parts += [
            line(),
            line(f"no owner: {counted(len(stability.unowned), 'partition')}: {several(stability.unowned)}"),
        ]
    return stack(*parts, line(), line(NOT_COMPUTED))


HOLDING_COLUMNS: Final = ("member", "epoch", "owns", "waits for")


def holding_rows(observed: ObservedGroup) -> list[tuple[object, ...]]:
    """A row per member of a group that is not stable, under `HOLDING_COLUMNS`."""
    return [
        (
            observed.labels[each.member_id],
            "-" if each.epoch is None else each.epoch,
            several(each.owned),
            several(each.awaited) if each.awaited else ("a partition" if each.waits else "none"),
        )
        for each in observed.stability.holdings
    ]


NOT_COMPUTED: Final = (
    "Nothing is computed and nothing certified for a group that is not stable. "
    "Print its outputs again once `--describe --state` says Stable."
)


def _today(answer: WhatIf) -> Iterable[View]:
    today, labels = answer.today, answer.observed.labels
    yield line()
    yield line(
        f"today: {spread_of(today)}; the busiest is {labels[today.busiest]} with {today.most}"
        + (
            f"; {counted(len(today.idle), 'member')} idle: {_some([labels[each] for each in today.idle])}"
            if today.idle
            else ""
        )
    )
    yield from _today_by_topic(today.topics)
    if today.lag is not None:
        lag, least = today.lag, "at least " if today.lag.unknown else ""
        if lag.least == lag.most:
            yield line(f"lag per member: {least}{lag.most:,}")
        else:
            most = f"{labels[lag.busiest]} has the most{' that is known' if lag.unknown else ''}"
            yield line(f"lag per member: {least}{lag.least:,} to {lag.most:,}; {most}")
    if answer.racks is not None:
        yield line(f"reads within the rack: {_both_racks(answer.racks)}")
    if answer.unowned:
        given = _some([f"{use.partition} to {labels[use.member]}" for use in answer.unowned])
        yield line(
            f"{counted(len(answer.unowned), 'partition')} unowned now: the optimum assigns {given}",
            style="bold red",
        )


def _today_by_topic(topics: Sequence[TopicLoads]) -> Iterable[View]:
    """The topics that are uneven, if there are several."""
    uneven = [each for each in topics if each.spread > 1]
    if len(topics) > 1 and uneven:
        said = _some([f"{each.topic} {each.least} to {each.most}" for each in uneven])
        yield line(f"by topic: {said} a member")


def _both_racks(racks: Racks) -> str:
    led = (
        "- (no output says where the leaders are)"
        if racks.led is None
        else f"{_percent(racks.led, racks.of)}"
    )
    return f"{_percent(racks.matched, racks.of)} with fetching from followers, {led} from leaders"


def _percent(part: int, of: int) -> str:
    return f"{100 * part // of} %"


def spread_of(loads: Loads) -> str:
    """How many partitions the members have."""
    if not loads.spread:
        return f"{counted(loads.most, 'partition')} each"
    return f"{loads.least} to {loads.most} partitions a member, spread {loads.spread}"


def _some(names: Sequence[str]) -> str:
    """The first of the names, and how many more there are."""
    more = len(names) - _NAMED_MAX
    return ", ".join(names[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def switch_rows(answer: WhatIf) -> list[tuple[object, ...]]:
    """One row per candidate: the group after the switch; today first, the optimum last."""
    shape = TableShape.of(answer)
    today = ("-", "-", *_racks_cells(answer.racks, shape), "-")
    rows = [("today", *_loads_cells(answer.today, shape), *today)]
    rows += [
        (each.spec, *_cells(step, shape)) for each in answer.candidates if (step := each.switch) is not None
    ]
    status = answer.best.figures["status"]
    certified = "optimum (certified)" if status == "optimal" else f"optimum ({status}, certified)"
    return [*rows, (certified, *_cells(answer.optimum.steps[0], shape, is_optimum=True))]


def event_rows(answer: WhatIf) -> list[tuple[str, list[tuple[object, ...]]]]:
    """The events in order, each with a row per candidate that reached it, and one for the optimum."""
    shape = TableShape.of(answer)._replace(topics=False)
    events: list[tuple[str, list[tuple[object, ...]]]] = []
    for number, change in enumerate(answer.changes, start=1):
        rows = [
            (each.spec, *_cells(each.steps[number], shape))
            for each in answer.candidates
            if number < len(each.steps)
        ]
        rows.append(("optimum", *_cells(answer.optimum.steps[number], shape, is_optimum=True)))
        events.append((change.text, rows))
    return events


def _events(answer: WhatIf) -> View:
    """The events below each other."""
    rows: list[tuple[object, ...]] = []
    titles = what_if_columns(answer, "then")
    for title, under in event_rows(answer):
        rows.append((line(title, style="bold"), *("",) * (len(titles) - 1)))
        rows += [(f"  {name}", *cells) for name, *cells in under]
    return plain_table(titles, rows, titles[1:])


def _by_capacity(answer: CapacityAnswer, labels: Mapping[str, str]) -> Iterator[View]:
    """The highest load per unit of capacity, by each rule and at best, and why there is no lower one."""
    rows: list[tuple[object, ...]] = [("today", *_strain_cells(answer.today, labels), "-")]
    rows += [(spec, *_strain_cells(strain, labels), "-") for spec, strain in answer.candidates]
    best = answer.best
    rows.append(("optimum", f"{float(best.load):.4g}", "", best.moved))
    columns = ("by capacity", "partitions per unit, at most", "of", "moves")
    yield plain_table(columns, rows, columns[1::2])
    given = [f"{labels[each]}={float(size):g}" for each, size in answer.capacities.items() if size != 1]
    yield line(f"capacities: {_some(given) or 'none given'}, all others 1. Kafka's rules do not know them.")
    held = ", ".join(f"{labels[member]} {count}" for member, count in list(best.counts.items())[:_NAMED_MAX])
    more = len(best.counts) - _NAMED_MAX
    yield line(f"optimum: {held}" + (f" and {more} more" if more > 0 else ""))
    if best.bound is not None:
        readers = _some([labels[each] for each in best.bound.readers])
        yield line(
            f"proof: {counted(best.bound.partitions, 'partition')} can only go to {readers}, which hold "
            f"fewer below {float(best.load):.4g}"
        )


def _strain_cells(strain: Strain, labels: Mapping[str, str]) -> tuple[object, ...]:
    return f"{float(strain.load):.4g}", labels[strain.member]


def growth_facts(answer: WhatIf) -> Iterator[str]:
    """What more partitions do to keys and to consumers, as lines below a title for each topic."""
    for growth in answer.growths:
        now = f"{growth.before} to {growth.after}"
        yield f"more partitions: {growth.topic} {now}"
        yield (
            f"  keys: {_share(growth.moved)} change partition and {_share(growth.new)} go to a new one: "
            f"murmur2 of the key, mod {growth.before} and then mod {growth.after}, exact over all hashes"
        )
        yield (
            "  order: a key that changes partition may be read before its older records, which wait in the "
            "old partition"
        )
        if answer.reader is not None:
            yield from (f"  {each}" for each in _late(answer.reader, growth))


def _late(reader: LateReader, growth: TopicGrowth) -> Iterator[str]:
    """What a consumer does with a partition that it does not know of yet."""
    if not reader.within_ms:
        yield f"records: {reader.library} never learns of new partitions by default, until it restarts"
        return
    within = f"{reader.within_ms / 1000:g} s"
    if not reader.skips:
        yield (
            f"records: {reader.library} starts new partitions at the earliest offset by default, within "
            f"{within} ({reader.setting}): none is skipped"
        )
        return
    yield (
        f"records: with auto.offset.reset=latest ({reader.library}'s default) no member ever reads what the "
        f"new partitions get before the group learns of them: up to {within} ({reader.setting}) and a "
        f"rebalance, of {_share(growth.new)} of the keys (KAFKA-20539)"
    )
    yield "with auto.offset.reset=earliest, set before the growth, none is skipped"


def _share(part: Fraction) -> str:
    return f"{float(100 * part):.4g} %"


def _cells(step: PlayedStep, shape: TableShape, *, is_optimum: bool = False) -> tuple[object, ...]:
    rounds: object = "never settled" if step.rounds is None else _range_cell(step, "rounds")
    left = f"+{_range_cell(step, 'orphaned')}" if step.range_of("orphaned").most else ""
    moves: object = f"{_range_cell(step, 'moved')}{left}"
    if step.unassigned:
        moves = line(f"{moves}, {step.unassigned} left out", style="bold red")
    paused, rounds = ("", "") if is_optimum else (f"{_range_cell(step, 'paused')}{left}", rounds)
    return (*_step_loads(step, shape), moves, paused, *_step_racks(step, shape), rounds)


def _range_cell(step: PlayedStep, figure: str) -> str:
    """The figure, or its range over the ids of newcomers."""
    least, most = step.range_of(figure)
    return str(least) if least == most else f"{least}..{most}"


def _step_loads(step: PlayedStep, shape: TableShape) -> tuple[object, ...]:
    """The loads, whose figures may be ranges."""
    own, spread, *others = _loads_cells(step.loads, shape)
    least, most = step.range_of("least").least, step.range_of("most").most
    own = f"{least}..{most}" if least < most else str(most)
    if "spread" in step.ranges:
        spread = line(_range_cell(step, "spread"), style="yellow")
    if "idle" in step.ranges:
        others[int(shape.topics)] = line(_range_cell(step, "idle"), style="yellow")
    return (own, spread, *others)


def _step_racks(step: PlayedStep, shape: TableShape) -> tuple[str, ...]:
    if step.racks is None:
        return _racks_cells(None, shape)
    ends = []
    for at in (0, -1):
        led = None if step.racks.led is None else step.range_of("led")[at]
        ends.append(_racks_cells(step.racks._replace(matched=step.range_of("matched")[at], led=led), shape))
    return tuple(low if low == high else f"{low[:-2]}..{high}" for low, high in zip(*ends))


def _loads_cells(loads: Loads, shape: TableShape) -> tuple[object, ...]:
    own = f"{loads.least}..{loads.most}" if loads.spread else f"{loads.most}"
    idle = len(loads.idle)
    topic = max((each.spread for each in loads.topics), default=0)
    lag: object = "-"
    if loads.lag is not None:
        lag = f"{loads.lag.most:,}{'+' if loads.lag.unknown else ''}"
    return (
        own,
        line(str(loads.spread), style="green" if loads.spread <= 1 else "yellow"),
        *((line(str(topic), style="" if topic <= 1 else "yellow"),) if shape.topics else ()),
        line(str(idle), style="yellow" if idle else ""),
        *((lag,) if shape.lag else ()),
    )


def _racks_cells(racks: Racks | None, shape: TableShape) -> tuple[str, ...]:
    """A figure for each place to fetch from."""
    if racks is None:
        return ("-",) * len(shape.fetches)
    counts = {FOLLOWER: racks.matched, LEADER: racks.led}
    numbers = [counts[each] for each in shape.fetches]
    return tuple("-" if number is None else _percent(number, racks.of) for number in numbers)


_COLUMNS: Final = ("members", "a member", "spread", "idle", "moves", "best spread", "fewest moves", "safe")
_LAGS: Final = ("busiest's lag", "at best")
_SCALE_NUMBERS: Final = (*_COLUMNS[:-1], *_LAGS)


def scale_view(answer: GroupScale, *, verbose: bool = False) -> View:
    """Each count next to the optimum, and which of them are safe."""
    parts: list[View] = [
        *group_head(answer.observed, answer.alarm, verbose=verbose),
        line(),
        *(line(each, style="bold") for each in scale_summary(answer)),
        line(),
        line("with ", (answer.target, "bold"), ", from today on:"),
        plain_table(columns_of(answer), rows_of(answer), _SCALE_NUMBERS),
    ]
    parts += [
        line(f"{each.members} members: {answer.target} failed: {each.failure}", style="bold red")
        for each in answer.failed
    ]
    return stack(*parts, line(), line(meaning_of(answer), style="dim"))


def scale_summary(answer: GroupScale) -> Iterator[str]:
    """Today, the counts that make the busiest member lighter, and those that are safe."""
    steps = answer.steps
    yield f"today: {counted(answer.today, 'member')}{_load_today(answer)}{_word_today(answer, steps)}"
    said = ", ".join(f"{_step_span(each)}: {_step_load(each)}" for each in steps)
    yield f"useful steps with {answer.target} (members: partitions of the busiest): {said or 'none'}"
    safe = spans(each.members for each in answer.counts if each.is_safe) or "none"
    best = spans(each.members for each in answer.counts if each.is_safe_at_best) or "none"
    yield f"safe numbers of members with {answer.target}: {safe}; with the certified optimum: {best}"


def _load_today(answer: GroupScale) -> str:
    """What the members have and how far behind they are."""
    if answer.loads is None:
        return ""
    loads, lag = f", {spread_of(answer.loads)}", answer.loads.lag
    if answer.lag is None:
        return loads
    if lag is None:
        return f"{loads}, lag {answer.lag:,} in all"
    least = "at least " if lag.unknown else ""
    return f"{loads}, lag {least}{answer.lag:,} in all, {least}{lag.most:,} of the busiest"


def _word_today(answer: GroupScale, steps: Sequence[UsefulStep]) -> str:
    """Whether today's count is safe, and whether fewer members would do."""
    today = next((each for each in answer.counts if each.members == answer.today), None)
    if today is None:
        return ""
    word = "; this number is safe" if today.is_safe else "; this number is not safe"
    step = next((each for each in steps if each.first <= answer.today <= each.last), None)
    if step is None or step.first == answer.today:
        return word
    return f"{word}; {counted(step.first, 'member')} would leave the busiest as light ({_step_load(step)})"


def _step_span(step: UsefulStep) -> str:
    return str(step.first) if step.first == step.last else f"{step.first}-{step.last}"


def _step_load(step: UsefulStep) -> str:
    return str(step.most) if step.least == step.most else f"{step.least}..{step.most}"


def columns_of(answer: GroupScale) -> tuple[str, ...]:
    """The columns; those for lags only if lags are weighed."""
    weighed = any(each.lag is not None for each in answer.counts)
    return (*_COLUMNS[:-1], *(_LAGS if weighed else ()), _COLUMNS[-1])


def rows_of(answer: GroupScale) -> list[tuple[object, ...]]:
    """One row per number of members, under `columns_of`."""
    weighed = len(columns_of(answer)) > len(_COLUMNS)
    return [_row(each, answer.today, weighed=weighed) for each in answer.counts]


def meaning_of(answer: GroupScale) -> str:
    """What safe means."""
    return (
        f"safe: no member idle, loads within one, at most {answer.extra_moves} moves more than the fewest, "
        f"at most {LOAD_FACTOR} times what the busiest member has today, never a single member. useful: the "
        "busiest member gets lighter; at other counts it does not. "
        "Fewer members are the first by id; moves +n are partitions of those that went."
        + _left_out(answer)
        + _unknown_lags(answer)
    )


def _left_out(answer: GroupScale) -> str:
    """That not every count was evaluated."""
    if not answer.left_out:
        return ""
    partitions = sum(answer.observed.cluster.counts.values())
    return (
        f" Not evaluated, as each is a rebalance of {partitions:,} partitions: {answer.left_out:,} counts, "
        "the more the further from today's; fewer with a lower --max-members."
    )


def _unknown_lags(answer: GroupScale) -> str:
    """That lags are missing, so that their sums are lower bounds."""
    unknown = max((each.lag.unknown for each in answer.counts if each.lag is not None), default=0)
    if not unknown:
        return ""
    it = "it" if unknown == 1 else "them"
    return f" +: the lag of {counted(unknown, 'partition')} is not known, so it is more with {it}."


def _row(each: Scaled, today: int, *, weighed: bool) -> tuple[object, ...]:
    name = f"{each.members} (today)" if each.members == today else str(each.members)
    own = ("-",) * 4 if each.assignor is None else _scale_cells(each.assignor)
    lag = _lag(each.lag) if weighed else ()
    words = [word for word, holds in (("safe", each.is_safe), ("useful", each.is_useful)) if holds]
    mark = line(", ".join(words), style="green" if each.is_safe else "")
    return (name, *own, each.optimum.loads.spread, each.optimum.moved, *lag, mark)


def _scale_cells(step: PlayedStep) -> tuple[object, ...]:
    least, most = step.range_of("least").least, step.range_of("most").most
    own = f"{least}..{most}" if least < most else f"{most}"
    moves = f"{_range_cell(step, 'moved')}+{step.orphaned}" if step.orphaned else _range_cell(step, "moved")
    idle = line(_range_cell(step, "idle"), style="yellow" if step.range_of("idle").most else "")
    return own, _range_cell(step, "spread"), idle, moves


def _lag(lag: Lag | None) -> tuple[object, ...]:
    if lag is None:
        return "-", "-"
    more = "+" if lag.unknown else ""
    best = str(lag.least_bound) if lag.is_exact else f"{lag.least_bound} to {lag.least_found}"
    return f"{lag.most}{more}", f"{best}{more}"


def spans(counts: Iterable[int]) -> str:
    """The counts, with runs of three or more as `5-9`.

    >>> spans([1, 2, 5, 6, 7])
    '1 2 5-7'
    """
    parts = []
    for _, run in groupby(enumerate(counts), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        parts += [f"{numbers[0]}-{numbers[-1]}"] if len(numbers) > 2 else [str(number) for number in numbers]
    return " ".join(parts)
