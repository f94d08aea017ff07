"""Rolling restarts from one assignor to another, step by step, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kassay.engines.clusters.clients.rules import NOT_MEASURED, ClientRules
from kassay.engines.clusters.played import Extent
from kassay.engines.clusters.rolled import StepRoll
from kassay.engines.clusters.rolling_scene import ClientSetting
from kassay.engines.clusters.rollout import POLICY, RollingStep, Rollout
from kassay.report.screen.console import View, line, whole_line
from kassay.writing.text import counted


def paths_in_short(paths: Sequence[Rollout]) -> Iterator[View]:
    """One line per path."""
    yield line("rolling it out (--to TARGET prints each step)", style="bold")
    for path in paths:
        if path.steps or not path.safe:
            yield line(f"  to {_short(path)}: {path_summary(path)}")


def _short(path: Rollout) -> str:
    goal = path.goal
    return f"the consumer protocol with {goal.remote}" if goal.is_consumer else ",".join(goal.strategies)


def path_summary(path: Rollout) -> str:
    """The totals of the path."""
    if path.safe and not path.steps:
        return "that is how the members are configured now"
    if path.blocked is not None:
        return path.blocked
    if not path.safe:
        return "no safe rolling restart: stop all members, then start them again"
    restarts = counted(len(path.steps), "rolling restart")
    rebalances = _rebalances(
        Extent(
            sum(step.rebalances_range.least for step in path.steps),
            sum(step.rebalances_range.most for step in path.steps),
        ),
        is_endless=path.never_settles,
    )
    policy = f", brokers at {POLICY}={' or '.join(path.policies)}" if path.policies else ""
    settles = "; " + _tie(unsettled[0]) if (unsettled := [s for s in path.steps if s.never_settles]) else ""
    return f"{restarts}, {rebalances}{_cost(path)}{policy}{settles}"


def _cost(path: Rollout) -> str:
    """The moves and pauses of the whole path, if it was played."""
    rolls = [step.roll for step in path.steps if step.roll is not None]
    if not rolls:
        return ""
    moved = Extent(sum(each.moved.least for each in rolls), sum(each.moved.most for each in rolls))
    paused = sum(each.restarted + each.revoked for each in rolls)
    return f", {_to(moved)} moves, about {counted(paused, 'pause')}"


def paths_view(paths: Sequence[Rollout]) -> Iterator[View]:
    """Every path in full."""
    for path in paths:
        yield line(("rolling out ", "bold"), (str(path.goal), "bold"))
        yield line(f"  {path_summary(path)}")
        if path.safe and not path.steps:
            continue
        if path.policies:
            yield line("  0. on every broker, before:")
            yield whole_line(f"       {POLICY}={path.policies[-1]}")
        for number, step in enumerate(path.steps, start=1):
            yield line(f"  {number}. restart {counted(step.restarts, 'member')} one after the other with:")
            yield whole_line(f"       {path.written(step.setting)}")
            yield from (line(f"     {fact}") for fact in step_facts(step, path))
        if path.is_stop:
            yield from _stop(path)
        for fact in refusals(path):
            yield line(f"  {fact}", style="yellow")
        for note in path.notes:
            yield line(f"  note: {note}", style="dim")
        if path.client is not None:
            yield line(f"  Settings with which a member starts: {path.client.origin}.", style="dim")
        if path.walked:
            walked = counted(path.walked, "member")
            origin = f"{walked} restarted one by one, the vote counted for every mix of all members."
            yield line(f"  From the coordinator's model: {origin}", style="dim")


def _stop(path: Rollout) -> Iterator[View]:
    """The ways that need no rolling restart."""
    yield line("  1. stop all members, and wait until the state of the group is Empty")
    yield line("  2. start all members with:")
    yield whole_line(f"       {path.written(path.goal)}")
    yield from (line(f"     {fact}") for fact in stop_facts(path))


def stop_facts(path: Rollout) -> Iterator[str]:
    """What the stop costs, and the ways around it."""
    yield from _removed(path, path.goal)
    yield "no partition is read in between; offsets that are committed stay"
    yield f"way back: the same with {path.written(path.start)}"
    if path.client is not None and _may_use_the_consumer_protocol(path, path.client.rules):
        yield "or without a stop, on brokers of Kafka 4.0 and later: --to uniform, one rolling restart"
    yield (
        "or a new group: start other members under another group.id with this setting, from this group's "
        "offsets, then stop these: until then records are read twice"
    )


def _may_use_the_consumer_protocol(path: Rollout, rules: ClientRules) -> bool:
    """Whether a rolling restart to the consumer protocol is another way."""
    uniform = ClientSetting(remote="uniform")
    if path.start.is_consumer or path.goal.is_consumer or rules.objection(uniform) is not None:
        return False
    return rules.objection_to_roll(path.start, uniform) is None


def refusals(path: Rollout) -> Iterator[str]:
    """The shorter ways that are not safe, and the settings with which the library does not start."""
    for setting, reason in path.unstartable:
        if reason == NOT_MEASURED:
            yield f"{NOT_MEASURED} with this library: {setting}"
        else:
            yield f"stops every member: {setting}: {reason}"
    for setting, error in path.refused:
        yield f"not safe: {setting}: a member is refused with {error}"


def _removed(path: Rollout, setting: ClientSetting) -> Iterator[str]:
    """The settings that must go with the step."""
    if gone := path.must_go(setting):
        yield f"remove {', '.join(gone)}: with any of them the member does not start"


def step_facts(step: RollingStep, path: Rollout) -> Iterator[str]:
    """The effect of a step on the group, and whether the step can be undone."""
    yield from _removed(path, step.setting)
    if step.never_settles is not None:
        yield _tie(step)
    rebalances = _rebalances(step.rebalances_range, is_endless=step.never_settles is not None)
    if not step.rebalances:
        yield f"{_in_force(step)}; no rebalance: each member returns to what it had"
    else:
        yield f"{_in_force(step)}; {rebalances}, {_eager(step)}"
    if step.roll is not None:
        yield from _totals(step.roll)
    yield _back(step, path)


def _tie(step: RollingStep) -> str:
    """The restarts at which the group never settles."""
    tied = next((span.rules for span in step.spans if len(span.rules) > 1), ())
    halves = f" while one half has {tied[0]} and one {tied[1]}" if len(tied) == 2 else ""
    return (
        f"a tie of assignors: this group never settles{halves} "
        f"(after {step.never_settles} of {counted(step.restarts, 'restart')})"
    )


def _rebalances(count: Extent, *, is_endless: bool) -> str:
    if is_endless:
        return "rebalances without end"
    return counted(count.most, "rebalance") if count.least == count.most else f"{_to(count)} rebalances"


def _to(count: Extent) -> str:
    return str(count.most) if count.least == count.most else f"{count.least} to {count.most}"


def _totals(roll: StepRoll) -> Iterator[str]:
    """What all restarts of the step cost together."""
    if roll.quick < roll.rebalances.least:
        quick = counted(roll.quick, "rebalance")
        yield f"at least {quick} if each member is back before the others join again"
    restarted, revoked = counted(roll.restarted, "partition"), counted(roll.revoked, "revocation")
    yield (
        f"in all {_to(roll.moved)} moves, about {restarted} of restarted members and {revoked} of others; "
        f"then {_to(roll.loads)} partitions a member"
    )


def _in_force(step: RollingStep) -> str:
    """The assignors in force, from which restart on."""
    parts = []
    for span in step.spans:
        rules = " or ".join(span.rules) + (" (a tie)" if len(span.rules) > 1 else "")
        if span.last == step.restarts and span.first == step.restarts and len(step.spans) > 1:
            parts.append(f"{rules} once the last {'has left' if step.is_early else 'is back'}")
        elif span.last == step.restarts:
            parts.append(f"{rules} in force" + (" from the first on" if span.first == 1 else ""))
        else:
            parts.append(f"{rules} in force for {counted(span.last, 'restart')}")
    return ", ".join(parts)


def _eager(step: RollingStep) -> str:
    """The members that revoke everything at each of the rebalances."""
    before, after = step.eager
    if before == after == 0:
        return "at each only what moves is paused"
    if before == after:
        return "at each all members revoke everything"
    if after:
        return f"at each those that are back revoke everything: {before} members at first, {after} at last"
    return f"at each those not yet restarted revoke everything: {before} members at first, {after} at last"


def _back(step: RollingStep, path: Rollout) -> str:
    if step.back == step.restarts:
        return f"way back: any member may return to {path.start} at any time"
    if not step.back:
        return f"no way back to {path.start} from the first restart on"
    return (
        f"way back: to {path.start} after {counted(step.back, 'restart')} at most, then a member is refused"
    )
