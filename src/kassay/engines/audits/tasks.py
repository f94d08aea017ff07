"""Claims checked on a recorded target of a Streams group, with the certified optimum of its tasks.

Of the claims that Kafka's own assignor declares, those about any answer are checked on every target; those
about balance apply to a stable group, so only to a target that repeats the previous one. For other targets,
balance is a figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from kassay.assignors import registry
from kassay.engines.audits.judging import Judgement, findings_of, no_best, not_there, target_of
from kassay.engines.audits.values import LogMoment, RebalanceFigures
from kassay.kinds.judging import Calls, Examination, Subject, judge
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.streams.documents import TASK_HISTORY, task_step_to_json
from kassay.model.streams.events import ProcessJoin
from kassay.model.streams.history import TaskHistory, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskRequest, process_key
from kassay.model.trace import Conditions, Trace
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim, Scope, Violation
from kassay.solver.streams.members import place_actives
from kassay.solver.streams.problem import problem_of

REFERENCE: Final = "streams-group-sticky@4.4"
_VALID: Final = ("exists", "single-owner", "complete")
_OF_COPIES: Final = frozenset({"standby-disjoint", "standby-count"})
"""Claims that need the configured number of copies."""


class TaskTarget(NamedTuple):
    """A target as a request and its answer: tasks by thread, and the member id of each thread."""

    request: TaskRequest
    given: Mapping[str, ClientTasks]
    members: Mapping[str, str]


@cache
def task_claims(copies_known: bool) -> tuple[Claim, ...]:
    """The claims checked on a target: those about any answer, and those about a stable group."""
    reference = registry.find(REFERENCE)
    declared = reference.claims if reference is not None else ()
    claims = [parse_claim(name, STREAMS) for name in (*_VALID, *declared)]
    return tuple(
        each
        for each in claims
        if each.kind.scope in (Scope.STEP, Scope.OUTCOME)
        and not each.kind.looks
        and (copies_known or each.kind.id not in _OF_COPIES)
    )


def task_judgement(
    target: TaskTarget,
    epoch: int,
    moment: LogMoment,
    *,
    owners_known: bool,
    copies_known: bool,
    at_rest: bool,
) -> Judgement:
    """The target, checked and measured.

    `owners_known`: the request has the previous tasks of threads; `copies_known`: the configured number of
    copies is known; `at_rest`: the target equals the previous one.
    """
    request = target.request
    processes = {client.process_id: _of_process(target, client.process_id) for client in request.clients}
    answer = TaskAssignment(processes, members=dict(target.given))
    step = TaskStep(request, answer, at_rest=at_rest)
    seen = Examination()
    subject = Subject(not_there, RebalanceProtocol.EAGER, task_claims(copies_known))
    judge(Calls((step,), (step,) if at_rest else ()), subject, seen, no_best, ())
    findings = findings_of(seen.violations, epoch, moment, lambda claim, broken: _trace(step, claim, broken))
    named = tuple(replace(each, message=_by_member(each.message, target.members)) for each in findings)
    return Judgement(tuple(seen.judged), named, _measured(target, owners_known))


def _of_process(target: TaskTarget, process_id: str) -> ClientTasks:
    """The tasks of all threads of a process."""
    client = target.request.by_id[process_id]
    given = [target.given[name] for name in (m.member_id for m in client.members) if name in target.given]
    return ClientTasks(
        tuple(sorted(task for tasks in given for task in tasks.active)),
        tuple(sorted(task for tasks in given for task in tasks.standby)),
    )


def _measured(target: TaskTarget, owners_known: bool) -> RebalanceFigures | None:
    """Active tasks of threads, and those that leave a thread which still exists.

    The optimum balances tasks by thread, then restores the least, then moves the fewest. None if it is not
    proven.
    """
    problem = problem_of(target.request)
    placed = place_actives(problem)
    if not placed.proven:
        return None
    loads = [len(target.given.get(name, ClientTasks()).active) for name in problem.member_ids]
    best = Counter(placed.member)
    best_loads = [best[member] for member in range(len(problem.member_ids))]
    runs = {task: name for name, tasks in target.given.items() for task in tasks.active}
    tasks = sorted(target.request.tasks)
    owned = [(task, old) for task, old in zip(tasks, problem.active, strict=True) if old is not None]
    moved = sum(runs.get(task) != problem.member_ids[old] for task, old in owned)
    least = sum(old not in (None, new) for old, new in zip(problem.active, placed.member, strict=True))
    return RebalanceFigures(
        max(loads) - min(loads),
        max(best_loads) - min(best_loads),
        moved if owners_known else None,
        least if owners_known else None,
    )


def _by_member(message: str, members: Mapping[str, str]) -> str:
    """The message with member ids instead of thread names; longest first, as one may be another's prefix."""
    for name in sorted(members, key=len, reverse=True):
        message = message.replace(name, members[name])
    return message


def _trace(step: TaskStep, claim: str, broken: Sequence[Violation]) -> Trace | None:
    """The target as the start of an application; None if no history can have its tasks.

    A history numbers subtopologies from 0, stateful ones first, and identifies processes by UUIDs.
    """
    request = step.request
    sizes = Counter(task.subtopology for task in request.tasks)
    stateful = {task.subtopology for task in request.stateful}
    if sorted(sizes) != list(range(len(sizes))) or stateful != set(range(len(stateful))):
        return None
    try:
        for client in request.clients:
            process_key(client.process_id)
    except InputError:
        return None
    history = TaskHistory(
        tuple(sizes[number] for number in range(len(sizes))),
        len(stateful),
        tuple(ProcessJoin(client.process_id, client.capacity) for client in request.clients),
        standby_replicas=request.standby_replicas,
    )
    return Trace(
        kind=STREAMS,
        target=target_of(REFERENCE),
        digest=None,
        protocol=RebalanceProtocol.EAGER,
        claim=claim,
        contradictory=False,
        case=TASK_HISTORY.write(history),
        violations=tuple(map(str, broken[:100])),
        narration=(task_step_to_json(step),),
        conditions=Conditions(),
    )
