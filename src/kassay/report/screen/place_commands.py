"""The commands that execute a plan of replicas: each step, the wait for it, the way back, the election."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kassay.engines.replicas.cluster import listed
from kassay.engines.replicas.planned import ClusterPlan
from kassay.report.screen.console import View, line, whole_line
from kassay.writing.text import counted, shell_command

_SERVER: Final = ("--bootstrap-server", "HOST:9092")
_REASSIGN: Final = ("kafka-reassign-partitions.sh", *_SERVER, "--reassignment-json-file")
_ELECT: Final = (
    "kafka-leader-election.sh",
    *_SERVER,
    "--election-type",
    "PREFERRED",
    "--all-topic-partitions",
)
_UNCLEAN: Final = ("kafka-leader-election.sh", *_SERVER, "--election-type", "UNCLEAN")


def commands(plan: ClusterPlan, files: Mapping[str, str], throttle: int) -> Iterator[View]:
    """The commands that run the first step, wait for it, and undo it; then the election of leaders."""
    first = files.get("step 1")
    if first is None:
        return
    limit = ("--throttle", str(throttle))
    step = plan.steps[:1]
    one = limit if step[0].copies and not plan.unthrottled(step) else ()
    every = limit if any(each.copies for each in plan.steps) and not plan.unthrottled(plan.steps) else ()
    also = ", which also takes the throttle away" if one else ""
    yield line(f"each step in turn; --verify until it is complete{also}:")
    yield _command(*_REASSIGN, first, "--execute", *one)
    yield _command(*_REASSIGN, first, "--verify")
    yield line("back again, one step or all:")
    yield _command(*_REASSIGN, files["rollback 1"], "--execute", *one)
    yield _command(*_REASSIGN, files["rollback"], "--execute", *every)
    yield from _about_throttle(plan, is_set=bool(one or every))
    yield from _unclean(plan, files)
    yield from _election(plan)


def _command(*words: str) -> View:
    return whole_line("  " + shell_command([*words]))


def _about_throttle(plan: ClusterPlan, *, is_set: bool) -> Iterator[View]:
    """What the throttle limits, and why some commands have none."""
    silent = plan.unthrottled(plan.steps)
    if silent:
        one = len(silent) == 1
        yield line(
            f"No --throttle where {listed(silent)} {'holds' if one else 'hold'} a replica and "
            f"{'does' if one else 'do'} not answer: the tool sets the throttle on every broker that holds a "
            "replica of the step's partitions, waits 60 s for an answer, fails, and nothing moves. The "
            "copies then run at full speed; --per-step makes the steps smaller. The tool refuses a "
            f"rollback to {listed(silent)} (Unknown broker id) until "
            f"{'it answers' if one else 'they answer'} again.",
            style="yellow",
        )
    if is_set:
        yield line(
            "The throttle is bytes a second of what a broker takes, and of what it hands out. It must be "
            "well above what producers write to a broker, or copies never catch up. --verify also removes "
            "throttles that were set by hand; --preserve-throttles keeps all.",
            style="dim",
        )


def _unclean(plan: ClusterPlan, files: Mapping[str, str]) -> Iterator[View]:
    """The elections without which partitions of --accept-data-loss never finish."""
    states = plan.proposal.cluster.states
    accepted = [each.partition for each in plan.unfinished if each.accepted]
    leaderless = [tp for tp in accepted if tp in states and states[tp].leader is None]
    if not leaderless:
        return
    yield line(
        "accepted data loss: in the last step these have no leader until one is elected that was not in "
        "sync; all that only the others have is lost:",
        style="bold red",
    )
    for tp in leaderless:
        yield _command(*_UNCLEAN, "--topic", tp.topic, "--partition", str(tp.partition))
    yield line("then the last step again, which completes it where a partition has only one replica:")
    yield _command(*_REASSIGN, files[f"step {len(plan.steps)}"], "--execute", "--additional")


def _election(plan: ClusterPlan) -> Iterator[View]:
    """The election after the last step, where the old leader would stay."""
    staying = plan.elections
    if not staying:
        return
    keep = "keeps its" if staying == 1 else "keep their"
    yield line(
        f"then let the preferred leaders take over: until this, or auto.leader.rebalance.enable, "
        f"{counted(staying, 'partition')} {keep} old leader:"
    )
    yield _command(*_ELECT)
