"""Why a better balance cannot be had: unsatisfiable cores of Z3, told as sentences.

"Nobody more than k" fails because of members whose topics nobody else reads: too many partitions for
them (Hall's condition, violated). "Nobody less than k" fails because of members whose topics, all
together, hold too little. Z3 gets a flow from topics to members with one assumption a topic and one a
member; the core, made minimal, is the set that forces it, and arithmetic checks the sentence.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.consumers.optimum import Optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.consumers.z3_optimum import milliseconds_left
from kassay.solver.results import OutOfTimeError

TIME_LIMIT: Final = 20.0
_NAMED: Final = 8


@dataclass(frozen=True)
class Explanation:
    """A set that forces the balance: these members and these topics with so many partitions.

    `bound` is what the heaviest member has at least, or the lightest at most.
    """

    sentence: str
    members: tuple[str, ...]
    topics: tuple[str, ...]
    partitions: int
    bound: int


def explain_balance(best: Optimum, time_limit: float = TIME_LIMIT) -> tuple[Explanation, ...]:
    """Why the heaviest member cannot have less, and why the lightest cannot have more.

    Empty where loads differ by at most one: then there is nothing to explain. Raises
    `OutOfTimeError` if Z3 gives up.
    """
    loads = best.loads
    if not loads or loads[-1] - loads[0] <= 1:
        return ()
    size = next(iter(best.problem.bundle_sizes), 1)
    deadline = time.monotonic() + time_limit
    heaviest = why_not_at_most(best.problem, loads[-1] - size, deadline)
    lightest = why_not_at_least(best.problem, loads[0] + size, deadline)
    return tuple(each for each in (heaviest, lightest) if each is not None)


def why_not_at_most(problem: Problem, most: int, deadline: float | None = None) -> Explanation | None:
    """Why some member has more than `most` partitions; None if nobody needs to."""
    members, topics = _core(problem, most, at_most=True, deadline=deadline)
    if not topics:
        return None
    partitions = sum(count for name, count in _counts(problem) if name in topics)
    if partitions <= most * len(members):
        raise AssertionError("a core whose partitions would fit")
    bound = -(-partitions // len(members))
    names = [problem.members[m].member_id for m in members]
    alone = " alone" if len(members) < len(problem.members) else ""
    has = "has" if len(topics) == 1 else "have"
    read = f"{_listed(topics)} {has} {_partitions(partitions)}, read by {_listed(names)}{alone}"
    limit = f"{len(names)} x {most} = {len(names) * most} is too little, so somebody has at least {bound}"
    return Explanation(f"{read}; {limit}.", tuple(names), tuple(topics), partitions, bound)


def why_not_at_least(problem: Problem, least: int, deadline: float | None = None) -> Explanation | None:
    """Why some member has less than `least` partitions; None if nobody needs to."""
    members, topics = _core(problem, least, at_most=False, deadline=deadline)
    if not members:
        return None
    read = frozenset[str]().union(*(problem.members[m].topics for m in members))
    counts = [(name, count) for name, count in _counts(problem) if name in read]
    partitions = sum(count for _, count in counts)
    if partitions >= least * len(members):
        raise AssertionError("a core whose partitions would do")
    bound = partitions // len(members)
    names = [problem.members[m].member_id for m in members]
    topics = [name for name, _ in counts]
    what = f"{_listed(topics)} ({_partitions(partitions)})" if topics else "no topic"
    limit = f"{len(names)} x {least} = {len(names) * least} is more, so somebody has at most {bound}"
    reads = "reads" if len(names) == 1 else "read"
    sentence = f"{_listed(names)} {reads} {what} and nothing else; {limit}."
    return Explanation(sentence, tuple(names), tuple(topics), partitions, bound)


def _counts(problem: Problem) -> list[tuple[str, int]]:
    """The partitions of each topic that somebody reads."""
    return [(topic.name, topic.partitions) for topic in problem.topics if topic.name in problem.subscribers]


def _core(
    problem: Problem, limit: int, *, at_most: bool, deadline: float | None
) -> tuple[list[int], list[str]]:
    """Members and topics that cannot be satisfied together; both empty if all can be."""
    solver = z3.Solver()
    into: dict[int, list[Any]] = {m: [] for m in range(len(problem.members))}
    topic_of: dict[str, str] = {}
    member_of: dict[str, int] = {}
    for number, (name, count) in enumerate(_counts(problem)):
        flows = []
        for m in problem.subscribers[name]:
            flow = z3.Real(f"flow_{number}_{m}")
            solver.add(flow >= 0)
            flows.append(flow)
            into[m].append(flow)
        placed = z3.Sum(flows)
        topic_of[f"topic_{number}"] = name
        solver.add(z3.Implies(z3.Bool(f"topic_{number}"), placed >= count if at_most else placed <= count))
    for m, flows in into.items():
        load = z3.Sum([z3.RealVal(0), *flows])
        member_of[f"member_{m}"] = m
        solver.add(z3.Implies(z3.Bool(f"member_{m}"), load <= limit if at_most else load >= limit))
    core = _minimal(solver, [*topic_of, *member_of], deadline)
    return [member_of[each] for each in core if each in member_of], [
        topic_of[each] for each in core if each in topic_of
    ]


def _minimal(solver: Any, names: Sequence[str], deadline: float | None) -> list[str]:
    """Assumptions of which none can be left out, in the order given; empty if all hold together."""

    def core(assumed: Sequence[str]) -> set[str] | None:
        solver.set("timeout", milliseconds_left(deadline))
        verdict = solver.check(*(z3.Bool(name) for name in assumed))
        if verdict == z3.unknown:
            raise OutOfTimeError(f"Z3 gave up: {solver.reason_unknown()}")
        return {str(each) for each in solver.unsat_core()} if verdict == z3.unsat else None

    unsatisfied = core(names)
    if unsatisfied is None:
        return []
    kept = [name for name in names if name in unsatisfied]
    for name in list(kept):
        if name in kept:
            smaller = core([other for other in kept if other != name])
            if smaller is not None:
                kept = [other for other in kept if other in smaller]
    return kept


def _listed(names: Sequence[str]) -> str:
    """The names, the first few of many."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return ", ".join(names)


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count} partitions"
